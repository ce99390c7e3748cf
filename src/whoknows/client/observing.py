"""The verbs of observations, each as the call that it is."""

from collections.abc import Mapping, Sequence
from typing import Any

from whoknows.client.answers import Json, Page
from whoknows.client.call import Call, named, path


def observations(
    *,
    project_id: str | None = None,
    team_id: str | None = None,
    stale: bool | None = None,
    limit: int | None = None,
    cursor: str | None = None,
) -> Call[Page]:
    """What several memories say, stated once, newest first; ``stale`` narrows to those that no longer stand, or do."""
    query = {"project_id": project_id, "team_id": team_id, "limit": limit, "cursor": cursor}
    return Call("GET", "/observations", query | ({} if stale is None else {"stale": str(stale).lower()}))


def observation(memory_id: str) -> Call[Json]:
    return Call("GET", path("observations", memory_id))


def observe(memory_ids: Sequence[str], text: str | None = None, *, quotes: Sequence[Mapping[str, Any]] = ()) -> Call[Json]:
    """State once what these say. ``quotes``: ``{memory_id, quote, sentence?}`` for each sentence of a ``text`` of one's own."""
    body = named({"memory_ids": list(memory_ids), "text": text, "quotes": [dict(q) for q in quotes]})
    return Call("POST", "/observations", body=body, idempotent=True)


def consolidate(*, project_id: str | None = None, team_id: str | None = None, cursor: str | None = None) -> Call[Json]:
    """State what says almost the same, in one's own memories or a team's. Twice does what once does."""
    body = named({"project_id": project_id, "team_id": team_id, "cursor": cursor})
    return Call("POST", "/observations/consolidate", body=body, idempotent=True)


def recompute(memory_id: str) -> Call[Json]:
    """Compute an observation anew from what its memories are now."""
    return Call("POST", path("observations", memory_id, "recompute"), idempotent=True)
