"""Why somebody knows something, on the wire."""

from typing import Literal
from uuid import UUID

from pydantic import ConfigDict, Field

from whoknows.rest.schemas.forms import Told
from whoknows.rest.schemas.memory import Memory


class Why(Told):
    """The rule that says yes or no, and the facts it rests on."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "reader": "agent:wukong",
                    "memory": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55",
                    "verdict": "visible",
                    "rule": "R1 team",
                    "reason": "the reader is on team:backend",
                    "facts": ["layer team, owner team:backend"],
                }
            ]
        }
    )

    reader: str
    memory: UUID
    verdict: Literal["visible", "hidden"]
    rule: str
    reason: str
    facts: list[str]


class Cell(Told):
    """What one reader knows of one memory."""

    reader: str = Field(examples=["agent:wukong"])
    verdict: Literal["visible", "hidden"]
    rule: str
    reason: str


class Row(Told):
    """A memory, and what each reader knows of it."""

    memory: Memory
    cells: list[Cell]


class Knows(Told):
    """Who knows what: readers × memories that the caller may see."""

    readers: list[str]
    rows: list[Row]
    next_cursor: str | None
