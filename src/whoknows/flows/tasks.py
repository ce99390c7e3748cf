"""Tasks: a main agent opens one for descendants, who get tokens for it, and closes it again (rules I6)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from whoknows.domain.credential import Caller
from whoknows.domain.ids import new_credential_id
from whoknows.domain.principal import AgentRole, Kind, Principal, control_fault
from whoknows.domain.task import Task
from whoknows.errors import Forbidden, Invalid, NotFound, NotYourTask, TaskClosed
from whoknows.flows.authenticate import secret_hash
from whoknows.flows.keys import new_secret
from whoknows.flows.limits import Limits, label
from whoknows.ports import Clock, Store, Tx


@dataclass(frozen=True, slots=True)
class Opened:
    """``tokens``: the secret of each agent's key for the task, shown this once."""

    task: Task
    tokens: dict[str, str]


@dataclass(frozen=True, slots=True)
class Closed:
    """How many tokens died, and how many injected copies went. Both 0 where it was closed before."""

    task: Task
    tokens: int
    copies: int


@dataclass(frozen=True, slots=True)
class Tasks:
    store: Store
    limits: Limits
    clock: Clock

    async def open(self, caller: Caller, name: str, agents: Sequence[str], expires_at: datetime | None) -> Opened:
        """Open a task, or put further agents on an open one; each that is named gets a new token, and its old one dies.

        Forbidden for anyone but a main agent (`not_a_main_agent`), and for agents that do not descend from it.
        """
        label(name, self.limits.label, "task_id")
        if (fault := control_fault(name)) is not None:
            raise Invalid(fault, field="task_id")
        self.limits.redaction.names(task_id=name)
        plain = list(dict.fromkeys(a.removeprefix("agent:") for a in agents))
        if not plain:
            raise Invalid("name the agents that the task is for", field="agents")
        if len(plain) > self.limits.readers:
            raise Invalid(f"at most {self.limits.readers} agents", field="agents")
        if expires_at is not None and expires_at <= self.clock.now():
            raise Invalid("the time of expiry has passed already", field="expires_at")
        secrets = {a: new_secret() for a in plain}
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            if standing.role is not AgentRole.MAIN:
                raise Forbidden("only a main agent opens tasks", reason_code="not_a_main_agent")
            if caller.credential.task_id is not None:
                raise NotYourTask("a key that belongs to a task opens no other")
            found = await tx.directory.find_many(Kind.AGENT, plain)
            targets = [await _descendant(tx, standing.reader, found.get(a)) for a in plain]
            number = await tx.handover.open_task(
                name,
                [t.id for t in targets],
                [new_credential_id() for _ in targets],
                [secret_hash(secrets[a]) for a in plain],
                expires_at,
            )
            return Opened(await _numbered(tx, name, number), secrets)

    async def close(self, caller: Caller, name: str) -> Closed:
        """Kill its tokens and withdraw what was given for it. What its agents wrote stays. Closing twice changes nothing."""
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            known = await tx.handover.tasks(name)
            mine = next((t for t in known if t.opened_by == standing.reader), None)
            if mine is None:
                if not known:
                    raise NotFound("there is no such task")
                raise Forbidden("a task is closed by the agent that opened it", reason_code="not_your_task")
            if caller.credential.task_id is not None:
                raise NotYourTask("a key that belongs to a task closes none")
            tokens, copies = await tx.handover.close_task(mine.number) or (0, 0)
            return Closed(await _numbered(tx, name, mine.number), tokens, copies)

    async def list(self, caller: Caller) -> Sequence[Task]:
        """Those that the caller opened or is on, newest first."""
        async with self.store.read(caller) as tx:
            await tx.directory.standing()
            return await tx.handover.tasks()


async def open_task_named(tx: Tx, name: str, giver: Principal, target: Principal) -> Task:
    """The task of that name that is open, and that ``giver`` opened or is on.

    Raises NotFound, TaskClosed, or Invalid where its opener has not put ``target`` on it.
    """
    known = await tx.handover.tasks(name)
    task = next((t for t in known if t.closed_at is None), None)
    if task is None:
        if known:
            raise TaskClosed
        raise NotFound("there is no such task", field="task_id")
    if target not in task.agents and task.opened_by == giver:
        raise Invalid("that agent is not on the task: open the task for it first", field="task_id")
    return task


async def _descendant(tx: Tx, giver: Principal, agent: Principal | None) -> Principal:
    # Unknown and not a descendant alike.
    if agent is None or giver.id not in await tx.handover.ancestors(agent.id) or agent == giver:
        raise Forbidden("a task is opened for one's own descendants only", reason_code="not_a_descendant", field="agents")
    return agent


async def _numbered(tx: Tx, name: str, number: int) -> Task:
    return next(t for t in await tx.handover.tasks(name) if t.number == number)
