"""The stage: what everybody may see of a case. These fields are the whitelist; there is none for anything private.

Not here, and never: texts, numbers, ids and topics of private memories; questions and answers, which may hold a secret; traces;
how long a search took. Of a whisper the stage says only to whom; of a question only whether its role knew, and where it looked.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.script import Language, Script


class Happening(StrEnum):
    OPENED = "opened"
    WHISPERED = "whispered"
    ASKED = "asked"
    PUBLISHED = "published"
    BOARD = "board"
    """the board changed otherwise: a card was withdrawn, edited, deleted, or written there at first hand"""
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class StageEvent:
    """``known``, ``mode`` and ``searched`` (names of spaces) are there for a question."""

    id: UUID
    kind: Happening
    role: str | None
    known: bool | None
    mode: AnswerMode | None
    searched: tuple[str, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class StageCard:
    """A card of the board as it was published. ``origin``: the role that it came from."""

    content: str
    tags: tuple[str, ...]
    origin: str
    at: datetime


@dataclass(frozen=True, slots=True)
class StageRole:
    id: str
    name: str
    last: StageEvent | None


@dataclass(frozen=True, slots=True, weakref_slot=True)
class StagePicture:
    """``last_event``: the event that this picture is up to, from which a stream goes on."""

    script: str
    title: str
    language: Language
    roles: tuple[StageRole, ...]
    board: tuple[StageCard, ...]
    last_event: UUID | None


def project(
    script: Script, language: Language, events: Sequence[StageEvent], board: Sequence[StageCard], newest: UUID | None
) -> StagePicture:
    """The stage from what is public: ``events`` are the newest of each role and of none."""
    last = {e.role: e for e in events}
    return StagePicture(
        script=script.id,
        title=script.title.speak(language),
        language=language,
        roles=tuple(StageRole(r.id, r.name.speak(language), last.get(r.id)) for r in script.roles),
        board=tuple(board),
        last_event=newest,
    )
