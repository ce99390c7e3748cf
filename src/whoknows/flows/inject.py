"""Inject: a main agent gives a descendant what it needs, as copies that end with the right they came from (rules §5)."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from whoknows.context.handover import Group, Handed, Line, handed
from whoknows.domain.audience import Layer
from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId, new_memory_id, uuid7
from whoknows.domain.injection import Basis, Depth, Injection
from whoknows.domain.memory import Memory, Origin
from whoknows.domain.principal import Kind, Principal
from whoknows.domain.task import Task, task_name
from whoknows.errors import Forbidden, Invalid, NotFound, NotYourTask
from whoknows.flows.aim import Aim
from whoknows.flows.choosing import Wish, chosen_by_depth, listed_by_id
from whoknows.flows.limits import Limits, content, label
from whoknows.flows.must import must
from whoknows.flows.tasks import open_task_named
from whoknows.policy.giving import giveable, may_inject
from whoknows.policy.standing import ReadScope, Standing, scope_for
from whoknows.ports import Clock, Page, Store, Tokenizer, Tx
from whoknows.recall.tokens import is_wide

TOKENS = 8_000
"""Of the context, where the caller says nothing else."""
MOST_TOKENS = 1_000_000


@dataclass(frozen=True, slots=True)
class Gift:
    """What is to be given. ``task`` says in words what ``target`` is to do; ``task_id`` binds the copies to a task."""

    target: str
    task: str
    depth: Depth = Depth.STANDARD
    memory_ids: tuple[MemoryId, ...] = ()
    project_id: str | None = None
    task_id: str | None = None
    expires_at: datetime | None = None
    may_pass_on: bool = False
    max_tokens: int = TOKENS

    @property
    def wish(self) -> Wish:
        return Wish(self.task, self.depth, self.project_id)


@dataclass(frozen=True, slots=True)
class Given:
    """One line of the answer: the id that the target knows it by, and the original as the giver sees it."""

    id: MemoryId
    original: Memory
    injected_by: Principal | None
    origin: Origin | None


@dataclass(frozen=True, slots=True)
class Injected:
    giver: Principal
    context: str
    tokens: int
    memories: Sequence[Given]
    dropped: Sequence[tuple[MemoryId, str]]


@dataclass(frozen=True, slots=True)
class Inject:
    store: Store
    aim: Aim
    tokenizer: Tokenizer
    limits: Limits
    clock: Clock

    async def __call__(self, caller: Caller, gift: Gift) -> Injected:
        """Give, and answer the context. Doing it twice gives one copy of each. Nothing is given where anything is refused."""
        self._check(gift)
        gift = replace(gift, task=self.limits.redaction.clean(gift.task))
        aimed, _ = await self.aim.attempt(caller, gift.task)
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            target, reach = await self._target(tx, standing, gift)
            if gift.task_id is not None and caller.credential.task_id not in (None, gift.task_id):
                raise NotYourTask("a key that belongs to a task gives within that task", field="task_id")
            name = gift.task_id or task_name(standing.task)  # who works on a task gives within it
            task = None if name is None else await open_task_named(tx, name, standing.reader, target)
            sharing = [t.principal.id for t in await tx.directory.teams() if t.share_with_subagents]
            free = giveable(standing, reach, sharing, None if task is None else task.key)
            listed = await listed_by_id(tx, standing, gift.memory_ids, free, None if task is None else task.key)
            named = {m.id for m, _ in listed}
            chosen = await chosen_by_depth(tx, standing, gift.wish, free, aimed)
            offered = [(m, Group.LISTED, basis) for m, basis in listed]
            offered += [(m, group, Basis.TEAM) for m, group in chosen if m.id not in named]
            readable = scope_for(reach).audiences
            fitting = await asyncio.to_thread(
                handed,
                target.name,
                standing.reader.name,
                gift.task,
                [_line(standing.reader, m, g, m.audience.id in readable) for m, g, _ in offered],
                chinese=is_wide(gift.task),
                most=gift.max_tokens,
                count=self.tokenizer.count,
            )
            if fitting.tokens > gift.max_tokens:
                raise Invalid(f"the task alone has {fitting.tokens} tokens: allow more, or say it shorter", field="max_tokens")
            given: list[Given] = []
            for place in fitting.kept:
                memory, _, basis = offered[place]
                if memory.audience.id in readable:  # in the context, and not copied
                    given.append(Given(memory.id, memory, None, memory.origin))
                else:
                    given.append(await self._give(tx, standing, target, memory, basis, gift, task))
            return _answer(standing.reader, fitting, given, [m for m, _, _ in offered])

    async def list(self, caller: Caller, given: bool | None, limit: int, cursor: str | None) -> Page[Injection]:
        """What the caller gave, ended or not, and what it was given and still has; newest first."""
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            return await tx.handover.injections(scope, given, min(limit, self.limits.page), cursor)

    async def get(self, caller: Caller, injection: UUID) -> Injection:
        async with self.store.read(caller) as tx:
            return await _seen(tx, scope_for(await tx.directory.standing()), injection)

    async def withdraw(self, caller: Caller, injection: UUID) -> None:
        """By its giver: the copy goes, and what was passed on from it. Withdrawing twice changes nothing."""
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            found = await _seen(tx, scope_for(standing), injection)
            if found.giver != standing.reader:
                raise Forbidden("an injected memory is withdrawn by the agent that gave it", reason_code="read_only")
            await tx.handover.withdraw(injection)

    def _check(self, gift: Gift) -> None:
        content(gift.task, self.limits.question_bytes, "task")
        label(gift.project_id, self.limits.label, "project_id")
        label(gift.task_id, self.limits.label, "task_id")
        if gift.expires_at is not None and gift.expires_at <= self.clock.now():
            raise Invalid("the time of expiry has passed already", field="expires_at")
        if len(gift.memory_ids) > self.limits.page:
            raise Invalid(f"at most {self.limits.page} memories are listed at once", field="memory_ids")
        if not 1 <= gift.max_tokens <= MOST_TOKENS:
            raise Invalid(f"max_tokens is between 1 and {MOST_TOKENS}", field="max_tokens")

    async def _target(self, tx: Tx, standing: Standing, gift: Gift) -> tuple[Principal, Standing]:
        target = await tx.directory.find(Kind.AGENT, gift.target.removeprefix("agent:"))
        below = (
            target is not None and standing.reader.id in await tx.handover.ancestors(target.id) and target != standing.reader
        )
        passable = (
            await tx.handover.passable(scope_for(standing), gift.memory_ids) if gift.memory_ids else frozenset[MemoryId]()
        )
        passes_on = bool(gift.memory_ids) and passable == frozenset(gift.memory_ids)
        must(may_inject(standing, passes_on, below), "agent_id")
        reach = None if target is None else await tx.directory.standing_of(target.id)
        if target is None or reach is None:
            raise Forbidden("there is no such descendant", reason_code="not_a_descendant", field="agent_id")
        return target, reach

    async def _give(
        self, tx: Tx, standing: Standing, target: Principal, memory: Memory, basis: Basis, gift: Gift, task: Task | None
    ) -> Given:
        project = memory.project_id if memory.project_id == gift.project_id else None
        copy, at = await tx.handover.give(
            uuid7(),
            new_memory_id(),
            target.id,
            memory.id,
            basis is Basis.LISTED,
            None if task is None else task.number,
            gift.may_pass_on,
            gift.expires_at,
            project,
        )
        return Given(
            copy, memory, standing.reader, Origin(_said_by(memory.author), at, memory.id, memory.version, memory.content_hash)
        )


def _said_by(author: Principal) -> str:
    return author.name if author.kind is Kind.AGENT else author.space  # an agent may have the name of a member


async def _seen(tx: Tx, scope: ReadScope, injection: UUID) -> Injection:
    found = await tx.handover.injection(scope, injection)
    if found is None:
        raise NotFound("there is no such injection")
    return found


def _line(giver: Principal, memory: Memory, group: Group, readable: bool) -> Line:
    return Line(
        text=memory.content,
        title=memory.title,
        category=str(memory.category),
        space=memory.audience.owner.space if memory.audience.layer is Layer.TEAM else giver.space,
        author=memory.author.space,
        source="readable by you" if readable else f"injected_by_{giver.name}",
        group=group,
    )


def _answer(giver: Principal, fitting: Handed, given: Sequence[Given], offered: Sequence[Memory]) -> Injected:
    dropped = [(offered[n].id, "budget") for n in fitting.dropped]
    return Injected(giver, fitting.context, fitting.tokens, given, dropped)
