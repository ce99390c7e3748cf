"""Proposals on the wire."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import ConfigDict, Field

from whoknows.domain.memory import Category
from whoknows.domain.proposal import ProposalState
from whoknows.rest.schemas.forms import Form, Label, Told, Words

_ID = "4f1c7a52-90b3-8d11-a2e4-0c6d5b7f3e19"
_AT = "2026-01-31T12:00:00Z"
_EXPERIENCE: dict[str, Any] = {
    "memory_id": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55",
    "content": "Rebuild the search index before a release, or results stay old",
    "category": "experience",
    "project_id": "shop",
    "author": "agent:wukong",
    "created_at": _AT,
}
_WAITING: dict[str, Any] = {
    "proposal_id": _ID,
    "state": "pending",
    "statement": _EXPERIENCE["content"],
    "projects": ["shop", "wiki"],
    "experiences": [_EXPERIENCE, {**_EXPERIENCE, "project_id": "wiki"}],
    "decided_by": None,
    "decided_at": None,
    "reason": None,
    "repository": None,
    "path": None,
    "branch": None,
    "commit": None,
}


class ConfirmIn(Form):
    """Where the rule is written."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"repository": "handbook", "path": "docs/rules/release.md"}]})

    repository: Label
    """Name of a registered local Git repository (`GET /sources`), which the member owns or administers."""
    path: Annotated[Words, Field(max_length=200)]
    """A Markdown file below one of the places of WHOKNOWS_RULE_PATHS; it is made where it is not there."""
    branch: Label | None = None
    """A new branch below `whoknows/`; named after the proposal where left out."""


class RejectIn(Form):
    """Why it becomes no rule."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"reason": "holds for the old index only"}, {}]})

    reason: Words | None = None


class ProposedExperience(Told):
    """One memory that bears a proposal out."""

    memory_id: UUID
    content: str
    category: Category
    project_id: str
    author: str
    created_at: datetime


class Proposal(Told):
    """An experience that held in unrelated projects: a rule, if a person says so."""

    model_config = ConfigDict(json_schema_extra={"examples": [_WAITING]})

    proposal_id: UUID
    """Of these memories with these words: when one changes, it is another proposal."""
    state: ProposalState
    """`writing`: confirmed, and not known to be in the repository; confirming again goes on."""
    statement: str | None
    """The words of the experience that is nearest to all; null where the caller no longer sees what was decided about."""
    projects: list[str]
    experiences: list[ProposedExperience]
    decided_by: str | None
    decided_at: datetime | None
    reason: str | None
    repository: str | None
    path: str | None
    branch: str | None
    commit: str | None


class ProposalList(Told):
    """All of them: there is no second page."""

    items: list[Proposal]
    next_cursor: None
