"""Workplaces and stages on the wire: where programs work for a project, and how far it is connected."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field

from whoknows.domain.harness import Program
from whoknows.policy.workplaces import MOST_BYTES
from whoknows.rest.schemas.forms import Form, Label, Told, Words
from whoknows.rest.schemas.problem import Finding

_AT = "2026-01-31T12:00:00Z"
_DIRECTORY = "/home/ana/code/boss"


def _on_one_line(text: str) -> str:
    if any(ord(c) < 0x20 or c == "\x7f" for c in text):
        raise ValueError("it may not hold control characters")
    return text


StageName = Literal["off", "read-only", "governed", "team"]
"""How far a project is connected. No enumeration of its own on the page: the Bureau has a Stage there."""
Machine = Annotated[str, AfterValidator(_on_one_line), Field(min_length=1, max_length=255, examples=["ana-laptop"])]
"""A host name, as the machine itself says it."""
Directory = Annotated[str, AfterValidator(_on_one_line), Field(min_length=1, max_length=MOST_BYTES, examples=[_DIRECTORY])]
"""An absolute path, as the program says it."""


class WorkplaceIn(Form):
    """A directory in which a program works for a project."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"program": "claude-code", "machine": "ana-laptop", "directory": _DIRECTORY, "project_id": "boss"}]
        }
    )

    program: Program
    machine: Machine
    directory: Directory
    """`/`, home directories and what is shared with everybody are refused."""
    project_id: Label


class Workplace(Told):
    """A registered directory. It holds everything below it, but for what is registered there itself."""

    program: Program
    machine: str
    directory: str = Field(examples=[_DIRECTORY])
    """In its normal form."""
    project_id: str
    registered_at: datetime


class WorkplaceList(Told):
    items: list[Workplace]
    next_cursor: str | None


class Routed(Told):
    """Where a directory is routed."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"project_id": "boss", "directory": _DIRECTORY, "stage": "read-only", "team_id": "backend", "account": "ana"}
            ]
        }
    )

    project_id: str
    directory: str
    """The registered one, which holds what was asked for."""
    stage: StageName
    team_id: str | None
    """The team that the project goes to, where you read it. Its bank is recalled at the stage `team`."""
    account: str | None
    """The member for whom the programs work there; what they learn is remembered for it."""


class StageIn(Form):
    """The stage from now on: one step forward, or any back."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"stage": "read-only", "reason": "a fortnight of looking on"}]})

    stage: StageName
    reason: Words | None = Field(default=None, max_length=2000)


class StageChange(Told):
    """One change."""

    stage: StageName
    before: StageName
    changed_by: str = Field(examples=["member:ana"])
    at: datetime
    reason: str | None


class Need(Told):
    """Something that the next stage asks for. What `blocks` is a condition; the rest is for you to weigh."""

    need: str = Field(examples=["report"])
    met: bool
    blocks: bool
    detail: str


class NextStage(Told):
    """The one after the present."""

    stage: StageName
    needs: list[Need]


_CHANGE: dict[str, Any] = {
    "stage": "read-only",
    "before": "off",
    "changed_by": "member:ana",
    "at": _AT,
    "reason": "a fortnight of looking on",
}


class ProjectStage(Told):
    """How far a project is connected."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "project_id": "boss",
                    "stage": "read-only",
                    "since": _AT,
                    "history": [_CHANGE],
                    "next": {
                        "stage": "governed",
                        "needs": [{"need": "report", "met": True, "blocks": False, "detail": "212 events since it began"}],
                    },
                    "findings": [],
                }
            ]
        }
    )

    project_id: str
    stage: StageName
    since: datetime | None
    """null: it was never changed."""
    history: list[StageChange]
    """The newest first."""
    next: NextStage | None
    """null after the last one."""
    findings: list[Finding]
    """What was taken out of the reason."""
