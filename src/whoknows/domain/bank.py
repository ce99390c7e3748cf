"""Banks: sets of memories with one owner, the personal one of a caller and those of its teams; a project is routed to one."""

from dataclasses import dataclass
from enum import StrEnum

from whoknows.domain.principal import GateLevel, Principal


class FactContext(StrEnum):
    """What a fact belongs to, in the caller's words. Which bank that is, the boundary decides."""

    PERSONAL = "personal"
    TEAM = "team"


@dataclass(frozen=True, slots=True)
class Routing:
    """Where the facts of a project go. ``team`` None: nowhere. ``git_remotes`` in their normal form, sorted.

    A project that nobody routed, and one whose routing is not the reader's to know, are both routed nowhere.
    """

    project_id: str
    team: Principal | None = None
    git_remotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bank:
    """A bank that the reader reads. ``projects``: those that are routed to it; every project's personal facts go to its own."""

    context: FactContext
    owner: Principal
    may_write: bool
    gate: GateLevel
    projects: tuple[str, ...] = ()
