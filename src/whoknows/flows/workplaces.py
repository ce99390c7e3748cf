"""Workplaces: register the directories in which programs work for a project, and say where a directory is routed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from whoknows.domain.credential import Caller
from whoknows.domain.harness import Placed, Program, Workplace
from whoknows.errors import Conflict, Forbidden, Invalid, NotFound
from whoknows.flows.limits import Limits, label
from whoknows.policy.accounts import account_for
from whoknows.policy.routing import reads_bank
from whoknows.policy.standing import Standing
from whoknows.policy.workplaces import Directory, NoDirectory, directory_of, holders, registrable, workplace_owner
from whoknows.ports import Store, Tx

MOST_WORKPLACES = 1_000
"""Of one account, on all its machines."""
MOST_MACHINE = 255
"""Characters of a host name."""


@dataclass(frozen=True, slots=True)
class Where:
    """A directory on a machine, as a client says it."""

    machine: str
    directory: str


@dataclass(frozen=True, slots=True)
class Workplaces:
    store: Store
    limits: Limits

    async def register(self, caller: Caller, program: Program, machine: str, directory: str, project: str) -> Workplace:
        """The same again changes nothing; another project moves it there. Forbidden for a sub-agent and for work on a task."""
        self._machine(machine)
        label(project, self.limits.label, "project_id")
        place = _directory(directory)
        fault = registrable(place)
        if fault is not None:
            raise Invalid(fault.reason, field="directory")
        self.limits.redaction.names(project_id=project, machine=machine, directory=place.text)
        async with self.store.write(caller) as tx:
            must_keep(await tx.directory.standing())
            if not await tx.workplaces.register(program, machine, place, project, MOST_WORKPLACES):
                raise Conflict(f"there are {MOST_WORKPLACES} workplaces already: unregister some that are not used any more")
            mine = await tx.workplaces.all()
            return next(w for w in mine if (w.program, w.machine, w.directory) == (program, machine, place.text))

    async def all(self, caller: Caller) -> Sequence[Workplace]:
        """Those of the caller's account, by project. None for who has none."""
        async with self.store.read(caller) as tx:
            return await tx.workplaces.all()

    async def unregister(self, caller: Caller, program: Program, machine: str, directory: str) -> None:
        """A turn that is under way there ends as it began; the next one gets nothing."""
        self._machine(machine)
        place = _directory(directory)
        async with self.store.write(caller) as tx:
            must_keep(await tx.directory.standing())
            if not await tx.workplaces.unregister(program, machine, place):
                raise NotFound("no such directory is registered for this program on this machine", field="directory")

    async def route(self, caller: Caller, program: Program | None, machine: str, directory: str) -> Placed:
        """Where a program in ``directory`` would be routed; any of them where ``program`` is None. NotFound for nowhere."""
        self._machine(machine)
        _directory(directory)
        async with self.store.read(caller) as tx:
            return await must_be_placed(tx, await tx.directory.standing(), program, machine, directory)

    def _machine(self, machine: str) -> None:
        label(machine, MOST_MACHINE, "machine")
        if any(ord(c) < 0x20 or c == "\x7f" for c in machine):
            raise Invalid("a host name may not hold control characters", field="machine")


async def placed(tx: Tx, standing: Standing, program: Program | None, machine: str, directory: str) -> Placed | None:
    """Where the longest registered directory that holds ``directory`` is routed; None where there is none.

    Whatever came as a path may be asked for: one that cannot be is registered nowhere. Without ``program`` any of them counts;
    Conflict where they work for different projects there.
    """
    place = directory_of(directory)
    if isinstance(place, NoDirectory) or not machine or workplace_owner(standing) is None:
        return None
    found = await tx.workplaces.holding(program, machine, holders(place))
    if not found:
        return None
    (first, longest), *others = found
    for other, at in others:
        if len(at.directory) == len(longest.directory) and at.project_id != longest.project_id:
            raise Conflict(
                f"{first} works for the project {longest.project_id!r} here, and {other} for {at.project_id!r}: "
                "name the program, or the project"
            )
    team = longest.team if reads_bank(standing, longest.team) else None
    return replace(longest, team=team, account=account_for(standing))


async def must_be_placed(tx: Tx, standing: Standing, program: Program | None, machine: str, directory: str) -> Placed:
    """The same, and NotFound with the way out where nothing is registered."""
    found = await placed(tx, standing, program, machine, directory)
    if found is None:
        told = "no registered directory holds this one, so it has no project: `whoknows connect` it, or name a project"
        raise NotFound(told, field="directory")
    return found


async def project_of(tx: Tx, standing: Standing, project: str | None, place: Where | None) -> str | None:
    """The project that somebody names, by itself or by a registered directory; Invalid for both, NotFound for nowhere."""
    if place is None:
        return project
    if project is not None:
        raise Invalid("either directory or project_id: not both", field="directory")
    return (await must_be_placed(tx, standing, None, place.machine, place.directory)).project_id


def must_keep(standing: Standing) -> None:
    """Forbidden for who has no workplaces."""
    if workplace_owner(standing) is None:
        raise Forbidden(
            "workplaces belong to an account: use a member's key, or that of a main agent, and none for a task",
            reason_code="no_workplaces",
        )


def _directory(path: str) -> Directory:
    found = directory_of(path)
    if isinstance(found, NoDirectory):
        raise Invalid(found.reason, field="directory")
    return found
