"""Prompts and contexts on the wire. Names are those of the second source, in camelCase."""

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import ConfigDict, Field, Strict

from whoknows.context.bundle import PartName
from whoknows.domain.prompt import Effort, PromptPatch
from whoknows.rest.schemas.forms import LARGEST, CamelForm, CamelTold, Label, Text, Told, Words

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
