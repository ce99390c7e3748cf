"""Harnesses: the programs in which agents work, where they work and for which project, and what each turn got from memory."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from whoknows.domain.ids import MemoryId
from whoknows.domain.principal import Principal


class Program(StrEnum):
    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    PI = "pi"


class Stage(StrEnum):
    """How far a project is connected. Each stage does what the one before does, and one thing more."""

    OFF = "off"
    READ_ONLY = "read-only"
    """What the personal bank knows is put beside a prompt."""
    GOVERNED = "governed"
    """What an exchange says that is new goes through distillation and the gate."""
    TEAM = "team"
    """The bank of the team that the project is routed to is recalled too."""

    @property
    def recalls(self) -> bool:
        return self is not Stage.OFF

    @property
    def captures(self) -> bool:
        return self in (Stage.GOVERNED, Stage.TEAM)


@dataclass(frozen=True, slots=True)
class Workplace:
    """A directory on a machine in which a program works for a project. Only those that were registered are routed.

    ``directory`` is absolute and normal (no ``.``, ``..``, double or last slash). ``machine`` is a host name.
    """

    program: Program
    machine: str
    directory: str
    project_id: str
    registered_at: datetime


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a directory is routed. ``team``: whose bank the project goes to, None for none or none that the caller reads.

    ``account``: the member for whom the programs work there, None where it is an agent's own place.
    """

    project_id: str
    directory: str
    stage: Stage
    team: Principal | None = None
    account: Principal | None = None


@dataclass(frozen=True, slots=True)
class ConnectedProject:
    """``since``: when its stage began, None where it never changed. ``last``: when an event of a program last came."""

    project_id: str
    stage: Stage
    since: datetime | None
    workplaces: int
    last: datetime | None


@dataclass(frozen=True, slots=True)
class StageChange:
    project_id: str
    stage: Stage
    before: Stage
    changed_by: Principal
    at: datetime
    reason: str | None = None


class HookEvent(StrEnum):
    SESSION_START = "session_start"
    PROMPT = "prompt"
    SUBAGENT_START = "subagent_start"
    STOP = "stop"


class Outcome(StrEnum):
    INJECTED = "injected"
    NOTHING = "nothing"
    """Nothing reached the floor, or all of it was there already."""
    CAPTURED = "captured"
    SKIPPED = "skipped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class HookTurn:
    """What one event of a program got, in figures: never a text.

    ``reason``: why it was skipped, or the code of what failed. ``memories``: those that were put beside the prompt.
    Scores are those of recall, in [0, 1]; None where nothing was injected. ``took_ms`` is the server's own time.
    """

    id: UUID
    program: Program
    session_id: str
    turn_id: str
    project_id: str
    stage: Stage
    event: HookEvent
    outcome: Outcome
    at: datetime
    took_ms: float
    reason: str | None = None
    memories: tuple[MemoryId, ...] = ()
    characters: int = 0
    tokens: int = 0
    top_score: float | None = None
    lowest_score: float | None = None


@dataclass(frozen=True, slots=True)
class NotedTurn:
    """A turn as it is read again. ``by``: as whom the program asked. ``traced``: whether the reader may open its trace."""

    turn: HookTurn
    by: Principal
    traced: bool
