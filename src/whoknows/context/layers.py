"""What goes into a context before it is put together: the prompts, the memories in their order, and the moment."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from whoknows.domain.answer_mode import AnswerMode


@dataclass(frozen=True, slots=True)
class MemoryText:
    """A memory for a context. ``origin`` says where it is from: its author, and the source if there is one."""

    id: str
    content: str
    title: str | None
    kind: str
    origin: str
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Runtime:
    """The moment of a message. ``now`` carries its time zone."""

    now: datetime
    time_zone: str
    project: str
    conversation: str | None
    agent: str
    account: str | None
    teams: Sequence[str]
    model: str | None
    effort: str | None
    mode: AnswerMode


@dataclass(frozen=True, slots=True)
class Layers:
    """The input of :func:`whoknows.context.assemble.assemble`, memories best first."""

    global_prompt: str
    user_prompt: str
    conversation_prompt: str
    project_memories: Sequence[MemoryText]
    user_memories: Sequence[MemoryText]
    runtime: Runtime
    message: str
