"""Writing on the wire: what is captured, edited and deleted, and what became of it."""

from typing import Annotated, Any, Literal, cast
from uuid import UUID

from pydantic import ConfigDict, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Category, Draft, Isolation, Patch
from whoknows.errors import Invalid
from whoknows.rest.invalid import invalid_from
from whoknows.rest.schemas.forms import Count, Form, Label, Moment, Seconds, Text, Told, Words, end, one_end, unless_named
from whoknows.rest.schemas.memory import EXAMPLE, Memory
from whoknows.rest.schemas.problem import Fault, Finding
from whoknows.rest.schemas.workplaces import Directory


class Remembered(Form):
    """What is to be remembered, as one of many."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "content": "预发环境数据库端口是 5433",
                    "memory_type": "team",
                    "team_id": "backend",
                    "category": "fact",
                    "tags": ["staging"],
                    "source": "git:infra@3f2c1a9:docs/staging.md",
                }
            ]
        }
    )

    content: Words
    """The text: 32 KiB of UTF-8 at most, where the installation says nothing else."""
    memory_type: Literal["private", "team"] = "private"
    agent_id: Label | None = None
    """Who writes, where the key acts as several."""
    team_id: Label | None = None
    """Which team, with `memory_type: team`; without one it is for everyone (`*`)."""
    visible_to: list[Label] = Field(default_factory=list[str], max_length=200)
    """Agents to share a private memory with, or to narrow a team's to."""
    category: Category = Category.FACT
    title: Text | None = Field(default=None, max_length=500)
    tags: list[Label] = Field(default_factory=list[str], max_length=50)
    project_id: Label | None = None
    session_id: Label | None = None
    task_id: Label | None = None
    isolation: Isolation = Isolation.AGENT
    """How far it may be seen: `session` binds it to `session_id`, `task` to the key's task."""
    source: Words | None = Field(default=None, max_length=2000)
    """Where it stands: `git:name@rev:path#L10-L14` and `file:name/path` of a registered source, `message:id` of the account,
    `memory:id`; `url:…` or any words are kept as they are, and never verified."""
    quote: Words | None = None
    """The words of the source, character for character but for white space: 8 letters or digits at least, or 4 Han characters.
    Whether they were found stands in the memory's `evidence`, why not in `findings`."""
    expires_at: Moment | None = None
    expires_in: Seconds | None = None
    """Seconds, instead of `expires_at`."""
    subject: Label | None = None
    """What it is about, as a key: `service-a.postgres.version`."""
    account: Label | None = None
    """Account memory of this member, written by it or by a main agent that works for it."""
    supersedes: UUID | None = None
    """The memory that this one overturns."""
    reason: Words | None = Field(default=None, max_length=2000)
    part_of: UUID | None = None
    """The document that this is a section of: of the same author, readers and project. Documents are overturned whole."""

    @model_validator(mode="after")
    def _one_end(self) -> "Remembered":
        one_end(self.expires_at, self.expires_in)
        return self

    def draft(self) -> Draft:
        return Draft(
            content=self.content,
            layer=self.memory_type,
            agent_id=self.agent_id,
            account=self.account,
            team_id=self.team_id,
            visible_to=tuple(self.visible_to),
            category=self.category,
            title=self.title,
            tags=tuple(self.tags),
            project_id=self.project_id,
            session_id=self.session_id,
            task_id=self.task_id,
            isolation=self.isolation,
            source=self.source,
            quote=self.quote,
            expires_at=end(self.expires_at, self.expires_in),
            subject=self.subject,
            supersedes=None if self.supersedes is None else MemoryId(self.supersedes),
            reason=self.reason,
            part_of=None if self.part_of is None else MemoryId(self.part_of),
        )


class CaptureIn(Remembered):
    """What is to be remembered."""

    directory: Directory | None = None
    """In place of `project_id`: where one works, on the machine of the header X-Machine. It is routed as the hooks do, to the
    project that it was registered for. It is kept for the person behind the key then, with all agents of that person, unless
    `account`, `visible_to` or `isolation` say otherwise; with `memory_type: team` for the team that the project goes to, where
    none is named."""


def _or_fault(value: Any, validate: ValidatorFunctionWrapHandler) -> Any:
    # One item that is not valid does not stop the others.
    try:
        return validate(value)
    except ValidationError as fault:
        return invalid_from(fault.errors())


class BatchIn(Form):
    """Up to 1,000 memories at once. One that fails does not stop the others."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"items": [{"content": "Deployments are on Tuesday."}, {"content": "部署窗口是周二"}]}]}
    )

    items: list[Annotated[Remembered, WrapValidator(_or_fault)]] = Field(min_length=1, max_length=1000)

    def parsed(self) -> list[Remembered | Invalid]:
        return cast(list[Remembered | Invalid], self.items)


class Captured(Told):
    """What became of it: `merged` where the same words were there already, `held` where it waits for a decision."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"outcome": "stored", "memory": EXAMPLE, "findings": []}]})

    outcome: Literal["stored", "merged", "superseding", "held"]
    memory: Memory
    findings: list[Finding]


class Edited(Memory):
    """The memory as it is now, and what was redacted from the edit."""

    model_config = ConfigDict(json_schema_extra={"examples": [{**EXAMPLE, "findings": []}]})

    findings: list[Finding]


class Failed(Told):
    """An item that was not stored. The others were."""

    error: Fault


class BatchOut(Told):
    """One result for each item, in order."""

    results: list[Captured | Failed]


class PatchIn(Form):
    """An edit: only the fields that are named change. Layer, author and audience never do."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"version": 1, "content": "预发环境数据库端口是 5434", "reason": "moved"}]}
    )

    version: Count | None = None
    """The version that was read; or name it by the header If-Match."""
    content: Words = unless_named("")
    category: Category = unless_named(Category.FACT)
    tags: list[Label] = Field(default_factory=list[str], max_length=50)
    title: Text | None = Field(default=None, max_length=500)
    """null or an empty string takes it away."""
    subject: Label | None = None
    """null takes it away."""
    expires_at: Moment | None = None
    """null: it does not expire any more."""
    expires_in: Seconds | None = None
    reason: Words | None = Field(default=None, max_length=2000)

    @model_validator(mode="after")
    def _one_end(self) -> "PatchIn":
        one_end(self.expires_at, self.expires_in)
        return self

    def patch(self) -> Patch:
        named = self.model_fields_set - {"version", "expires_in"}
        if self.expires_in is not None:
            named |= {"expires_at"}
        return Patch(
            content=self.content if "content" in named else None,
            category=self.category if "category" in named else None,
            tags=tuple(self.tags) if "tags" in named else None,
            title=self.title,
            subject=self.subject,
            expires_at=end(self.expires_at, self.expires_in),
            reason=self.reason,
            named=frozenset(named),
        )


class SupersedeIn(Form):
    """What takes the place of a memory."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"by": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55", "reason": "coupled what should be apart"}]
        }
    )

    by: UUID
    """A memory that is there already, of the same audience."""
    reason: Words | None = Field(default=None, max_length=2000)


class Forgotten(Told):
    """How many memories are gone, and from how many that others wrote too only one's own name was taken."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"deleted": 1, "released": 0, "copied": 0}]})

    deleted: int
    released: int
    copied: int
    """What the caller had published or injected of them: gone as well."""


class Deleted(Told):
    """How many things are gone."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"deleted": 1}]})

    deleted: int
