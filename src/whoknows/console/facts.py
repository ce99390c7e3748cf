"""What the console knows of the installation that serves it."""

from dataclasses import dataclass, field
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Facts:
    """``model`` is the language model that answers where a conversation names none; None: answers are in evidence mode."""

    version: str
    model: str | None = None
    embedder: str = ""
    database: str = "embedded"
    """``embedded``, or ``own``: a server that somebody else looks after."""
    started_at: datetime = field(default_factory=lambda: datetime.now(UTC))
