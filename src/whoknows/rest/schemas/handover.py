"""Handing over, on the wire: tasks and their tokens, what is injected, and what was."""

from datetime import datetime
from uuid import UUID

from pydantic import ConfigDict, Field, model_validator

from whoknows.domain.ids import MemoryId
from whoknows.domain.injection import Basis, Depth
from whoknows.flows.inject import MOST_TOKENS, TOKENS, Gift
from whoknows.rest.schemas.forms import Flag, Form, Label, Moment, Seconds, Told, Words, end, one_end
from whoknows.rest.schemas.memory import Origin

_ID = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"
_AT = "2026-01-31T12:00:00Z"


class TaskIn(Form):
    """A task for descendants of the agent that opens it."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"task_id": "backend-dev", "agents": ["wukong", "bajie"]}]})

    task_id: Label
    agents: list[Label] = Field(min_length=1, max_length=200)
    expires_at: Moment | None = None
    expires_in: Seconds | None = None
    """Seconds, instead of `expires_at`."""

    @model_validator(mode="after")
    def _one_end(self) -> "TaskIn":
        one_end(self.expires_at, self.expires_in)
        return self


class Task(Told):
    """A task that the caller opened, or is on."""

    task_id: str = Field(examples=["backend-dev"])
    opened_by: str = Field(examples=["agent:maomao"])
    agents: list[str]
    """For the one who opened it all that are on it; otherwise oneself."""
    opened_at: datetime
    expires_at: datetime | None
    closed_at: datetime | None


class OpenedTask(Task):
    """With the token of each agent: a key for it alone, for this task, shown this once."""

    tokens: dict[str, str]


class ClosedTask(Task):
    """How many tokens died and how many injected copies went; 0 where it was closed before."""

    tokens_revoked: int
    injections_ended: int


class TaskList(Told):
    items: list[Task]
    next_cursor: str | None


class InjectIn(Form):
    """What a descendant is to get: what fits the depth, and what is listed by id."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"agent_id": "wukong", "task": "backend-dev", "depth": "standard", "project_id": "shop", "memory_ids": [_ID]}
            ]
        }
    )

    agent_id: Label
    """The target: a descendant of the agent that the key acts as."""
    task: Words
    """What the target is to do, in words."""
    depth: Depth = Depth.STANDARD
    memory_ids: list[UUID] = Field(default_factory=list[UUID], max_length=200)
    """Memories to give by their id: the only way to give private ones."""
    project_id: Label | None = None
    task_id: Label | None = None
    """Binds the copies to this open task."""
    expires_at: Moment | None = None
    expires_in: Seconds | None = None
    may_pass_on: Flag = False
    """Whether the target may give the copies to its own descendants."""
    max_tokens: int = Field(default=TOKENS, ge=1, le=MOST_TOKENS, strict=True)
    """Of the context. What does not fit is not given, and listed in `dropped`."""

    @model_validator(mode="after")
    def _one_end(self) -> "InjectIn":
        one_end(self.expires_at, self.expires_in)
        return self

    def gift(self) -> Gift:
        return Gift(
            target=self.agent_id,
            task=self.task,
            depth=self.depth,
            memory_ids=tuple(MemoryId(m) for m in self.memory_ids),
            project_id=self.project_id,
            task_id=self.task_id,
            expires_at=end(self.expires_at, self.expires_in),
            may_pass_on=self.may_pass_on,
            max_tokens=self.max_tokens,
        )


class Given(Told):
    """One memory of the context, under the id by which the target knows it."""

    id: UUID
    content: str
    injected_by: str | None
    """Who gave it; null where the target reads it anyway and nothing was copied."""
    origin: Origin | None


class Dropped(Told):
    """Why something that could have been given was not."""

    id: UUID
    why: str = Field(examples=["budget"])


class InjectedContext(Told):
    """The context for the target, and what is in it."""

    context: str
    """Each text fenced as data, with where it comes from."""
    memories: list[Given]
    """In the order of the context, which numbers them from 1."""
    source: str = Field(examples=["injected_by_maomao"])
    token_count: int
    tokenizer: str
    """What counted."""
    dropped: list[Dropped]


class Injection(Told):
    """Something that was given: by the caller, or to it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "id": _ID, "injected_by": "maomao", "agent_id": "wukong", "memory_id": _ID, "original_id": _ID,
                    "origin_changed": False, "basis": "listed", "task_id": "backend-dev", "may_pass_on": False,
                    "created_at": _AT, "expires_at": None, "ended_at": None, "ended_why": None,
                }
            ]
        }
    )  # fmt: skip

    id: UUID
    injected_by: str
    agent_id: str
    """To whom."""
    memory_id: UUID
    """The copy, as the target sees it."""
    original_id: UUID | None
    """For those who may read the original."""
    origin_changed: bool | None
    """Whether the original was edited since: inject it again to give the present words."""
    basis: Basis
    task_id: str | None
    may_pass_on: bool
    created_at: datetime
    expires_at: datetime | None
    ended_at: datetime | None
    ended_why: str | None


class InjectionList(Told):
    items: list[Injection]
    next_cursor: str | None
