"""Prompts: what an administrator, a user and a conversation say to the model, in this order and never over each other."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from whoknows.domain.ids import CredentialId
from whoknows.domain.principal import Principal


class PromptLayer(StrEnum):
    """From the highest to the lowest. A lower one is only ever appended (rules C1)."""

    GLOBAL = "global"
    USER = "user"
    CONVERSATION = "conversation"


class Effort(StrEnum):
    """How hard a model is to think."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One version of one layer. Version 0 is a layer that was never saved: empty, by nobody.

    ``account`` is None for the global layer; ``project_id``, ``model`` and ``effort`` belong to the conversation layer.
    ``saved_by`` is None where a key saved it that acts as nobody; ``saved_with`` is that key's id.
    """

    layer: PromptLayer
    account: Principal | None = None
    project_id: str | None = None
    version: int = 0
    content: str = ""
    model: str | None = None
    effort: Effort | None = None
    saved_by: Principal | None = None
    saved_at: datetime | None = None
    saved_with: CredentialId | None = None


@dataclass(frozen=True, slots=True)
class PromptPatch:
    """What to save of a layer: only the fields in ``named`` (content, model, effort). None clears model and effort."""

    named: frozenset[str]
    content: str = ""
    model: str | None = None
    effort: Effort | None = None


@dataclass(frozen=True, slots=True)
class PromptLayers:
    """The three layers as they are now."""

    highest: Prompt
    user: Prompt
    conversation: Prompt
