"""Hearing: the messages of a conversation as distillation takes them: checked, without secrets, each one's own words alone."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from whoknows.context.injected import own_words
from whoknows.domain.distillation import words_of
from whoknows.domain.distilled import Said, Speaking
from whoknows.errors import Invalid, TextTooLong
from whoknows.flows.limits import Limits, clean, is_blank, label

MOST_MESSAGES = 1000
"""Of one call."""


class Role(StrEnum):
    """Who speaks. What a system or a tool says is nobody's statement."""

    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Message:
    """``id`` is whatever its conversation calls it."""

    id: str
    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Heard:
    """A message without its secrets. ``said``: its own words, None where it has none, and then ``skipped`` says why."""

    id: str
    words: bytes
    said: Said | None
    skipped: str | None = None


async def hear(limits: Limits, messages: Sequence[Message], project_id: str) -> list[Heard]:
    """In order. Invalid or TextTooLong, with the place, for what cannot be a message; then nothing is heard at all."""
    if len(messages) > MOST_MESSAGES:
        raise Invalid(f"{len(messages)} messages, {MOST_MESSAGES} are accepted: send them in parts, in order", field="messages")
    words: dict[str, str] = {}
    for n, m in enumerate(messages):
        label(m.id, limits.label, f"messages.{n}.id")
        limits.redaction.names(**{f"messages.{n}.id": m.id})
        clean(m.content, f"messages.{n}.content")
        size = len(m.content.encode())
        if size > limits.message_bytes:
            raise TextTooLong(
                f"the message has {size} bytes, {limits.message_bytes} are accepted: split it", field=f"messages.{n}.content"
            )
        if words.setdefault(m.id, m.content) != m.content:
            raise Invalid(
                f"the id {m.id!r} stands twice, with other words: every message needs its own", field=f"messages.{n}.id"
            )
    heard: list[Heard] = []
    seen: set[bytes] = set()
    for m in messages:
        one = await asyncio.to_thread(_heard, limits, m, project_id)  # long ones take a while: others are answered meanwhile
        heard.append(one if one.words not in seen else Heard(one.id, one.words, None, "repeat"))
        seen.add(one.words)
    return heard


def _heard(limits: Limits, message: Message, project_id: str) -> Heard:
    redacted = limits.redaction.clean(message.content)
    words = words_of(project_id, message.id, redacted)
    match message.role:
        case Role.SYSTEM | Role.TOOL:
            return Heard(message.id, words, None, "not_said")
        case Role.USER | Role.ASSISTANT:
            own = own_words(redacted)
            if is_blank(own):
                return Heard(message.id, words, None, "nothing_lasting" if is_blank(redacted) else "injected")
            return Heard(message.id, words, Said(message.id, Speaking(message.role.value), own, project_id))
