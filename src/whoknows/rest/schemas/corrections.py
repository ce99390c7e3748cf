"""Corrections on the wire: what had to be put right, and what had to be put right again."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from whoknows.domain.bank import FactContext
from whoknows.domain.ids import MemoryId
from whoknows.flows.corrections import Said
from whoknows.rest.schemas.forms import Flag, Form, Label, Moment, Told, Words
from whoknows.rest.schemas.memory import EXAMPLE as MEMORY
from whoknows.rest.schemas.memory import Memory
from whoknows.rest.schemas.problem import Finding

_ID = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e5"
_AT = "2026-01-31T12:00:00Z"


class CorrectionIn(Form):
    """What was wrong, or what is right."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"text": "预发数据库端口是 5433，不是 5432", "subject": "staging.postgres.port", "harness": "codex"}]
        }
    )

    text: Words
    context: FactContext = FactContext.PERSONAL
    """`personal`: seen by your account, or by the agent alone. `team`: by the team that the project is routed to."""
    project_id: Label | None = None
    team_id: Label | None = None
    """Only with `context: team` and without a project, where you write to several teams."""
    about: UUID | None = None
    """The memory that was wrong."""
    supersedes: Flag = False
    """The memory gives way to this text, through the gate of its bank. What is refused there is not recorded either."""
    subject: Label | None = None
    """What it is about, as a key; otherwise that of the memory. Corrections of one subject are about one thing."""
    harness: Label | None = Field(default=None, examples=["claude-code"])
    """The program in which it happened."""
    at: Moment | None = None
    """When it happened, if not now."""
    source: Words | None = Field(default=None, max_length=2000)
    """With `supersedes`: where the new text stands, as for `POST /capture`."""
    quote: Words | None = None
    reason: Words | None = Field(default=None, max_length=2000)
    """With `supersedes`: why."""
    agent_id: Label | None = None
    """Who corrects, where the key acts as several."""

    def said(self) -> Said:
        return Said(
            text=self.text,
            context=self.context,
            project_id=self.project_id,
            team_id=self.team_id,
            about=None if self.about is None else MemoryId(self.about),
            supersedes=self.supersedes,
            subject=self.subject,
            harness=self.harness,
            at=self.at,
            source=self.source,
            quote=self.quote,
            reason=self.reason,
        )


_CORRECTION: dict[str, Any] = {
    "id": f"{_ID}1",
    "bank": "member:lin",
    "author": "agent:desk",
    "text": "预发数据库端口是 5433，不是 5432",
    "subject": "staging.postgres.port",
    "project_id": "boss",
    "harness": "codex",
    "about": None,
    "memory": None,
    "at": _AT,
    "recorded_at": _AT,
}


class Correction(Told):
    """A correction."""

    model_config = ConfigDict(json_schema_extra={"examples": [_CORRECTION]})

    id: UUID
    bank: str = Field(examples=["member:lin"])
    author: str = Field(examples=["agent:desk"])
    text: str | None
    """null once a memory was deleted that it put right or that has its words: then only the count is left."""
    subject: str | None
    project_id: str | None
    harness: str | None
    about: UUID | None
    """The memory that was wrong, where you may see it."""
    memory: UUID | None
    """The memory that says it right, where you may see it."""
    at: datetime
    recorded_at: datetime


class Recorded(Told):
    """The correction, and with `supersedes` what became of the memory."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"correction": _CORRECTION, "outcome": None, "memory": None, "findings": []}]}
    )

    correction: Correction
    outcome: Literal["stored", "merged", "superseding", "held"] | None
    memory: Memory | None = Field(examples=[MEMORY])
    findings: list[Finding]


class CorrectionPage(Told):
    items: list[Correction]
    next_cursor: str | None


class Repeated(Told):
    """One thing that was corrected at least twice."""

    subject: str | None
    about: UUID | None
    text: str | None
    """The newest that is left."""
    bank: str
    count: int
    weeks: dict[str, int] = Field(examples=[{"2026-W04": 1, "2026-W05": 2}])
    """How often in which ISO week (UTC)."""
    first: datetime
    last: datetime
    corrections: list[UUID]


class Period(Told):
    """Some weeks: how many corrections, of how many things, and those that were corrected at least twice."""

    begin: datetime
    end: datetime
    corrections: int
    things: int
    repeated: list[Repeated]
    complete: bool
    """false: there were more corrections than a summary looks at."""


class Summary(Told):
    """As many weeks before a moment and after it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "weeks": 4,
                    "before": {
                        "begin": _AT, "end": _AT, "corrections": 9, "things": 5, "repeated": [], "complete": True,
                    },
                    "after": {
                        "begin": _AT, "end": _AT, "corrections": 2, "things": 2, "repeated": [], "complete": True,
                    },
                    "change": 0,
                }
            ]
        }
    )  # fmt: skip

    weeks: int
    before: Period
    after: Period
    change: int
    """How many more things were corrected at least twice than before; negative where they are fewer."""
