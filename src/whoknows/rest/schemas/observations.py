"""Observations on the wire."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import ConfigDict, Field

from whoknows.domain.observation import Change, Gathered, Made
from whoknows.ports.observations import Put
from whoknows.rest.schemas.forms import Count, Form, Label, Told, Words
from whoknows.rest.schemas.memory import EXAMPLE, Memory
from whoknows.rest.schemas.problem import Finding

_ONE, _TWO = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55", "0197f3a2-0b1d-7c52-8d11-6a0e3c9b1f20"
_AT = "2026-01-31T12:00:00Z"
_OBSERVED: dict[str, Any] = {
    **EXAMPLE,
    "category": "observation",
    "stale": False,
    "made": "extractive",
    "gathered": "near",
    "computed_at": _AT,
    "rests_on": [
        {"memory_id": _ONE, "version": 1, "stated": True, "changed": None},
        {"memory_id": _TWO, "version": 2, "stated": False, "changed": None},
    ],
}


class QuoteIn(Form):
    """Words of one of the memories, character for character."""

    memory_id: UUID
    quote: Words
    sentence: Count | None = None
    """Which sentence of `text` they bear out, counted from 1; needed where it has several."""


class ObserveIn(Form):
    """What is to be stated once. Without `text` the memory that is nearest to all of them is stated, word for word."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"memory_ids": [_ONE, _TWO]},
                {
                    "memory_ids": [_ONE, _TWO],
                    "text": "A full disk makes builds fail.",
                    "quotes": [{"memory_id": _ONE, "quote": "when the disk is full"}],
                },
            ]
        }
    )

    memory_ids: Annotated[list[UUID], Field(min_length=2, max_length=50)]
    """Current memories of one audience, which the caller reads and may write to."""
    text: Words | None = None
    """Words of your own: each sentence needs a quote that stands in one of the memories, and no number that is in none."""
    quotes: Annotated[list[QuoteIn], Field(max_length=100, default_factory=list[QuoteIn])]
    """A sentence that stands in a memory word for word needs none."""


class ConsolidateIn(Form):
    """Where to look for memories that say the same."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"team_id": "backend", "project_id": "boss"}, {}]})

    project_id: Label | None = None
    """Only of this project."""
    team_id: Label | None = None
    """In this team's memories; without it in one's own, and those of one's account."""
    cursor: UUID | None = None
    """`next_cursor` of the call before: each call looks at so many memories."""


class RestsOn(Told):
    """One memory that an observation rests on."""

    memory_id: UUID
    version: int
    """The version that was read."""
    stated: bool
    """Whether the observation has its words."""
    changed: Change | None
    """What became of it since; that is why the observation is stale."""


class Observation(Memory):
    """What several memories say, stated once, with a quote of each as evidence."""

    model_config = ConfigDict(json_schema_extra={"examples": [_OBSERVED]})

    made: Made
    """Whose words it has: those of a memory, somebody's own, or a language model's."""
    gathered: Gathered
    """Whether its memories say almost the same, or somebody listed them."""
    computed_at: datetime
    rests_on: list[RestsOn]


class ObservationPage(Told):
    """One page, newest first."""

    items: list[Observation]
    next_cursor: str | None


class Observed(Told):
    """An observation, and what the call did."""

    outcome: Put
    """`taken`: it was there already. `unchanged`: it says the same, and rests on what its memories are now."""
    observation: Observation
    findings: list[Finding]


class Consolidated(Told):
    """What was stated, or rests on more than before."""

    items: list[Observed]
    looked_at: int
    """Memories that this call looked at."""
    next_cursor: str | None
    """Give it as `cursor` to go on; null at the end."""
