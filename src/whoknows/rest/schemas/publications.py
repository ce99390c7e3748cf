"""Publications on the wire."""

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import ConfigDict

from whoknows.domain.publication import PublicationState
from whoknows.rest.schemas.forms import Form, Label, Told
from whoknows.rest.schemas.memory import EXAMPLE, Memory

_AT = "2026-01-31T12:00:00Z"
_COPY: dict[str, Any] = {**EXAMPLE, "origin": {"agent_id": "maomao", "published_at": _AT}}


class PublishIn(Form):
    """Where a private memory is to be read as well."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"team_id": "*"}]})

    team_id: Label
    """A team that the caller may write to; `*` is the board, which everyone reads."""


class Publication(Told):
    """A copy of a private memory in a team, as its publisher sees it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "publication_id": "0197f3a1-9d0c-7b6e-8a11-2f4b8a1c7e60",
                    "original_id": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55",
                    "team_id": "backend",
                    "state": "ready",
                    "memory": _COPY,
                    "version": 1,
                    "content_hash": "9a0c1f…",
                    "origin_changed": False,
                    "created_at": _AT,
                    "published_at": _AT,
                    "withdrawn_at": None,
                }
            ]
        }
    )

    publication_id: UUID
    original_id: UUID
    """The private memory, whose own readers do not change."""
    team_id: str
    state: PublicationState
    """`held`: it waits for a reviewer. `removed`: the copy was deleted. `deleted`: the original was, and the copy with it."""
    memory: Memory | None
    """The copy, where the caller can read it."""
    version: int | None
    """Of the original, as the copy shows it."""
    content_hash: str | None
    origin_changed: bool
    """The original says something else by now: republish, if its readers are to know. Until then they see no difference."""
    created_at: datetime
    published_at: datetime | None
    withdrawn_at: datetime | None


class PublicationPage(Told):
    """One page of the caller's own publications, newest first."""

    items: list[Publication]
    next_cursor: str | None
