"""Egress: services that texts are sent to, what a bank allows, and what was sent already (rules W6, C24)."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NewType

from whoknows.domain.ids import PrincipalId
from whoknows.domain.principal import Principal

Cleared = NewType("Cleared", str)
"""A text that an embedder may be given: redacted, and of no bank that forbids it. ``policy.egress`` makes it."""


class Purpose(StrEnum):
    """What a service is for, and so what kind of text it is sent."""

    EMBEDDING = "embedding"
    CHAT = "chat"
    DISTILLATION = "distillation"
    CONSOLIDATION = "consolidation"
    BUREAU = "bureau"


SENDS: dict[Purpose, tuple[str, ...]] = {
    Purpose.EMBEDDING: ("memories", "questions"),
    Purpose.CHAT: ("messages", "prompts", "memories", "earlier answers"),
    Purpose.DISTILLATION: ("messages", "memories"),
    Purpose.CONSOLIDATION: ("memories",),
    Purpose.BUREAU: ("questions", "memories", "roles of the script"),
}
"""The kinds of text of each purpose, in the words of the interface."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the texts of one purpose go. ``host`` is that of its address, and ``inside`` says that it is this machine."""

    purpose: Purpose
    host: str
    model: str
    inside: bool


class EgressChoice(StrEnum):
    """Whether texts of a bank may leave this machine."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"


class ForbiddenBy(StrEnum):
    """Who forbade: only that one can allow it again."""

    OWNER = "owner"
    ADMINISTRATOR = "administrator"


@dataclass(frozen=True, slots=True)
class EgressRule:
    """What holds for the bank of ``owner``: its texts leave for nowhere while ``forbidden_by`` names anyone."""

    owner: Principal
    forbidden_by: tuple[ForbiddenBy, ...] = ()

    @property
    def allows(self) -> bool:
        return not self.forbidden_by


@dataclass(frozen=True, slots=True)
class Sent:
    """What has gone to one endpoint of what the reader may see: how many texts, in how many requests, and when last."""

    bank: PrincipalId
    purpose: Purpose
    host: str
    model: str
    texts: int
    requests: int
    last_at: datetime
