"""Tasks: what a main agent opens for its descendants, who get tokens for it, and closes again (rules I6)."""

from dataclasses import dataclass
from datetime import datetime

from whoknows.domain.principal import Principal

_MARK = "#"


@dataclass(frozen=True, slots=True)
class Task:
    """``number`` makes it itself: two main agents may use one name. ``agents`` are those the caller may be told of."""

    number: int
    name: str
    opened_by: Principal
    agents: tuple[Principal, ...]
    opened_at: datetime
    expires_at: datetime | None
    closed_at: datetime | None

    @property
    def key(self) -> str:
        """What audiences are bound to: the name and the number."""
        return f"{self.name}{_MARK}{self.number}"


def task_name(key: str | None) -> str | None:
    """The name that people use, of what an audience or a standing is bound to."""
    return None if key is None else key.rpartition(_MARK)[0]
