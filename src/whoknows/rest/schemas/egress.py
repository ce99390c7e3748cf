"""Egress on the wire: what may leave this machine, and what did."""

from datetime import datetime
from typing import Literal

from pydantic import ConfigDict, Field

from whoknows.domain.egress import EgressChoice, ForbiddenBy, Purpose
from whoknows.rest.schemas.forms import Form, Told


class EgressIn(Form):
    """A bank's choice."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"egress": "forbidden"}]})

    egress: EgressChoice


class EgressRule(Told):
    """What holds for a bank now."""

    bank: str = Field(examples=["team:backend"])
    egress: EgressChoice
    forbidden_by: list[ForbiddenBy]
    """Who forbade it: each must allow it again."""


class EgressService(Told):
    """One service, and what it was sent of this bank, as far as the caller may see that."""

    purpose: Purpose
    host: str = Field(examples=["api.example.com"])
    model: str = Field(examples=["gpt-5-mini"])
    state: Literal["stays_here", "allowed", "forbidden", "not_configured"]
    """`stays_here`: it runs on this machine. `not_configured`: it was sent something once, and is not in use any more."""
    sends: list[str] = Field(examples=[["messages", "prompts", "memories", "earlier answers"]])
    """The kinds of text that such a service is sent."""
    redacted: list[str] = Field(examples=[["secrets", "personal data"]])
    """What is taken out of them before."""
    texts: int
    requests: int
    last_at: datetime | None


class EgressBank(EgressRule):
    """A bank with its services. None: nothing of it leaves this process."""

    services: list[EgressService]


class EgressList(Told):
    items: list[EgressBank]
    next_cursor: str | None
