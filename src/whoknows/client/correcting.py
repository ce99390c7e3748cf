"""The verbs of corrections, each as the call that it is."""

from typing import TypedDict, Unpack
from uuid import uuid4

from whoknows.client.answers import Deleted, Json, Page
from whoknows.client.call import Call, named, path


class CorrectionFields(TypedDict, total=False):
    """``about`` is the memory that was wrong; with ``supersedes`` it gives way to the text. ``at`` is RFC 3339 in UTC."""

    context: str | None
    project_id: str | None
    team_id: str | None
    about: str | None
    supersedes: bool | None
    subject: str | None
    harness: str | None
    at: str | None
    source: str | None
    quote: str | None
    reason: str | None
    agent_id: str | None


def correct(text: str, **fields: Unpack[CorrectionFields]) -> Call[Json]:
    """Record that something had to be put right. Sent again after a failure, it counts once; called twice, twice."""
    body = {"text": text, **named(fields)}
    return Call("POST", "/corrections", body=body, headers={"Idempotency-Key": str(uuid4())})


def corrections(*, project_id: str | None = None, limit: int | None = None, cursor: str | None = None) -> Call[Page]:
    """What was recorded last comes first."""
    return Call("GET", "/corrections", {"project_id": project_id, "limit": limit, "cursor": cursor})


def corrections_summary(*, weeks: int | None = None, at: str | None = None, project_id: str | None = None) -> Call[Json]:
    """What was corrected at least twice in so many weeks (4) before ``at`` and after it."""
    return Call("GET", "/corrections/summary", {"weeks": weeks, "at": at, "project_id": project_id})


def forget_correction(correction_id: str) -> Call[Deleted]:
    return Call("DELETE", path("corrections", correction_id))
