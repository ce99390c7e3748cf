"""What waits at a gate, and what did not go in, on the wire."""

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from whoknows.rest.schemas.forms import Count, Form, Text, Told, Words, unless_named
from whoknows.rest.schemas.memory import EXAMPLE, Memory
from whoknows.rest.schemas.problem import Finding


class ReviewPage(Told):
    """What the caller may let in or reject, oldest first."""

    items: list[Memory]
    next_cursor: str | None


class AdmitIn(Form):
    """Let it in as it is, or in the reviewer's own words."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"version": 1}, {"version": 1, "content": "部署窗口是周二 10 点"}]}
    )

    version: Count | None = None
    """The version that was read: another one is 409 `version_conflict`."""
    content: Words = unless_named("")
    title: Text = unless_named("")
    """An empty one takes it away."""


class Admitted(Told):
    """`merged` where the same words were there already; `superseding` where something gave way."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"outcome": "stored", "memory": EXAMPLE, "findings": []}]})

    outcome: Literal["stored", "merged", "superseding"]
    memory: Memory
    findings: list[Finding]


class RejectHeldIn(Form):
    """Why not. Its author finds this in its ledger."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "this was decided otherwise on Monday"}]})

    reason: Words = Field(max_length=2000)


class LedgerEntry(Told):
    """A write that did not go in: which, when and why. Never its text."""

    id: UUID
    at: datetime
    route: str = Field(examples=["capture"])
    code: str = Field(examples=["refused_by_gate"])
    detail: str
    findings: list[Finding]


class LedgerPage(Told):
    """Newest first."""

    items: list[LedgerEntry]
    next_cursor: str | None
