"""Prompts, contexts and the memories of an account on the wire. Names are those of the second source, in camelCase."""

from datetime import datetime
from typing import Annotated, Literal, Self
from uuid import UUID

from pydantic import ConfigDict, Field, Strict, model_validator

from whoknows.context.bundle import PartName
from whoknows.domain.memory import Category, Patch
from whoknows.domain.prompt import Effort, PromptPatch
from whoknows.flows.account_memories import AccountChange, NewAccountMemory
from whoknows.rest.schemas.forms import LARGEST, CamelForm, CamelTold, Count, Flag, Label, Text, Told, Words, unless_named

_ID = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"
_AT = "2026-01-31T12:00:00Z"
SavedVersion = Annotated[int, Strict(), Field(ge=0, le=LARGEST)]
"""0: never saved."""


class PolicyIn(CamelForm):
    """The administrator's prompt. Empty takes it away."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"globalPrompt": "只用公司批准的数据来源。"}]})

    global_prompt: Text
    version: SavedVersion | None = None
    """The version that was read; left out, whatever is there is replaced."""


class Policy(CamelTold):
    """The global layer: the first part of every context, which nothing below can change."""

    global_prompt: str
    version: int
    """0: never saved."""
    updated_at: datetime | None
    updated_by: str | None = Field(examples=["member:admin"])
    """`agent:x`, `member:m`, or `key:…` for a key that acts as nobody."""


class UserPromptIn(CamelForm):
    """A user's own prompt. Empty takes it away."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"content": "请用中文直接回答。"}]})

    content: Text
    account: Label | None = None
    """Whose, where the key acts as several members."""
    version: SavedVersion | None = None
    """The version that was read; left out, whatever is there is replaced."""


class UserPrompt(CamelTold):
    """The second layer: what a user always wants, appended to the global prompt."""

    account: str
    content: str
    version: int
    updated_at: datetime | None
    updated_by: str | None


class ControlsIn(CamelForm):
    """What is named changes, the rest stays. null takes an override away."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"promptOverride": "本次只讨论发布。", "reasoningEffortOverride": "high"}]}
    )

    prompt_override: Text | None = None
    model_override: Label | None = None
    reasoning_effort_override: Effort | None = None
    account: Label | None = None
    version: SavedVersion | None = None

    def patch(self) -> PromptPatch:
        names = {"prompt_override": "content", "model_override": "model", "reasoning_effort_override": "effort"}
        named = frozenset(names[n] for n in self.model_fields_set if n in names)
        return PromptPatch(named, self.prompt_override or "", self.model_override, self.reasoning_effort_override)


class Controls(CamelTold):
    """The third layer, and how its model is to work: of one account in one project."""

    account: str
    project_id: str
    prompt_override: str
    model_override: str | None
    reasoning_effort_override: Effort | None
    version: int
    updated_at: datetime | None
    updated_by: str | None


class PolicyPage(CamelTold):
    """Versions, newest first."""

    items: list[Policy]
    next_cursor: str | None


class UserPromptPage(CamelTold):
    """Versions, newest first."""

    items: list[UserPrompt]
    next_cursor: str | None


class ControlsPage(CamelTold):
    """Versions, newest first."""

    items: list[Controls]
    next_cursor: str | None


class ContextIn(CamelForm):
    """A message whose context is asked for."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"projectId": "boss", "message": "今天能发布吗？"}]})

    project_id: Label
    message: Words
    conversation_id: Label | None = None
    account: Label | None = None


class ContextItem(CamelTold):
    """A memory within a part."""

    memory_id: UUID
    text: str
    tokens: int


class ContextPart(Told):
    """One of the seven parts, in their order. An empty one has no text."""

    part: PartName
    text: str
    tokens: int
    items: list[ContextItem]


class ContextDropped(Told):
    """What had no room, and why. `id`: of a memory, or the name of a prompt that was cut."""

    id: str
    part: PartName
    why: str


class ContextMark(Told):
    """A place in a lower prompt that asks to undo a higher one. It changes nothing, and is shown."""

    layer: PartName
    span: tuple[int, int]
    """Start and end in characters of that prompt."""
    reason: str


class Context(Told):
    """Exactly what a model would see."""

    parts: list[ContextPart]
    dropped: list[ContextDropped]
    marks: list[ContextMark]
    composed: str
    """The parts that are not empty, with a blank line between them."""
    tokens: int
    tokenizer: str = Field(examples=["multilingual-e5 (XLM-R)"])
    """What counted. An upper bound says so."""
    model: str | None
    effort: str | None


class MasterMemoryIn(CamelForm):
    """A memory of an account."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "scope": "project",
                    "projectId": "boss",
                    "content": "服务器在上海机房",
                    "memoryType": "decision",
                    "tags": ["服务器"],
                }
            ]
        },
    )

    content: Words
    scope: Literal["global", "project"] | None = None
    """`global`: of the user, wherever it is. Left out: of the project, where one is named."""
    project_id: Label | None = None
    title: Text | None = Field(default=None, max_length=500)
    memory_type: Category | None = None
    """Left out: `project_progress` of a project, otherwise `user_preference`."""
    tags: list[Label] = Field(default_factory=list[str], max_length=50)
    source_message_id: Label | None = None
    account: Label | None = None

    @model_validator(mode="after")
    def _one_scope(self) -> Self:
        if self.scope == "project" and self.project_id is None:
            raise ValueError("scope project needs the projectId")
        if self.scope == "global" and self.project_id is not None:
            raise ValueError("scope global has no projectId")
        return self

    def new(self) -> NewAccountMemory:
        default = Category.USER_PREFERENCE if self.project_id is None else Category.PROJECT_PROGRESS
        return NewAccountMemory(
            self.content,
            self.memory_type or default,
            self.project_id,
            self.title,
            tuple(self.tags),
            self.source_message_id,
        )


class MasterMemoryPatchIn(CamelForm):
    """Only what is named changes. Scope and project do not: write it anew there, and delete it here."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"content": "服务器在杭州机房", "archived": False}]})

    content: Words = unless_named("")
    title: Text | None = Field(default=None, max_length=500)
    memory_type: Category = unless_named(Category.FACT)
    tags: list[Label] = Field(default_factory=list[str], max_length=50)
    archived: Flag | None = None
    scope: Literal["global", "project"] | None = None
    """As it is, or left out."""
    project_id: Label | None = None
    """As it is, or left out."""
    version: Count | None = None
    """The version that was read: another one is 409. Left out, the present one is edited."""
    account: Label | None = None

    def change(self, version: int | None) -> AccountChange:
        fields = {"content": "content", "title": "title", "memory_type": "category", "tags": "tags"}
        named = frozenset(fields[n] for n in self.model_fields_set if n in fields)
        patch = Patch(
            content=self.content if "content" in named else None,
            category=self.memory_type if "category" in named else None,
            tags=tuple(self.tags) if "tags" in named else None,
            title=self.title,
            named=named,
        )
        return AccountChange(patch, self.archived, version, self.scope, self.project_id)


class MasterMemory(CamelTold):
    """A memory of an account."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "memoryId": _ID,
                    "account": "lin",
                    "scope": "project",
                    "projectId": "boss",
                    "title": "",
                    "content": "服务器在上海机房",
                    "memoryType": "decision",
                    "tags": ["服务器"],
                    "sourceMessageId": None,
                    "createdAt": _AT,
                    "updatedAt": _AT,
                    "lastUsedAt": None,
                    "archived": False,
                    "version": 1,
                }
            ]
        },
    )

    memory_id: UUID
    account: str
    scope: Literal["global", "project"]
    project_id: str | None
    title: str
    content: str
    memory_type: Category
    tags: list[str]
    source_message_id: str | None
    created_at: datetime
    updated_at: datetime
    last_used_at: datetime | None
    """When a model last got it, for this account."""
    archived: bool
    version: int


class MasterMemoryPage(CamelTold):
    """One page, newest first."""

    items: list[MasterMemory]
    next_cursor: str | None
