"""Recall on the wire: the question, the answer, and the trace behind it."""

from datetime import datetime
from typing import Annotated, Any, Literal, cast
from uuid import UUID

from pydantic import BeforeValidator, ConfigDict, Field

from whoknows.domain.memory import Category, Filters
from whoknows.flows.recall import Question
from whoknows.flows.workplaces import Where
from whoknows.rest.schemas.forms import Count, Form, Label, Score, Told, Words
from whoknows.rest.schemas.memory import EXAMPLE, Memory
from whoknows.rest.schemas.workplaces import Directory


def _apart(value: Any) -> Any:
    """``history,trace`` is two words, in one string or in a list."""
    if isinstance(value, str):
        return value.split(",")
    if isinstance(value, list):
        words = cast(list[Any], value)
        return [part for v in words for part in (v.split(",") if isinstance(v, str) else [v])]
    return value


Include = Annotated[list[Literal["history", "trace"]], BeforeValidator(_apart, json_schema_input_type=list[str] | str)]
"""`history` adds the chain of each memory, `trace` tells how the answer came about."""


class RecallIn(Form):
    """A question."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"query": "预发 数据库 端口", "limit": 5}]})

    query: Words
    agent_id: Label | None = None
    """Who asks, where the key acts as several."""
    limit: Annotated[Count, Field(le=100)] = 10
    min_score: Score | None = None
    """Nothing below this comes back. Without one the calibrated floor holds; 0 turns it off."""
    project_id: Label | None = None
    or_global: bool = False
    """With `project_id`: memories of no project too."""
    directory: Directory | None = None
    """In place of `project_id`: where one works, on the machine of the header X-Machine. It is routed as the hooks do: to the
    project that it was registered for, with what is of no project, in the banks of its stage."""
    session_id: Label | None = None
    """Opens what is bound to this session."""
    task_id: Label | None = None
    team_id: Label | None = None
    """Only this team's memories."""
    category: Category | None = None
    tags: list[Label] = Field(default_factory=list[str], max_length=50)
    """Only memories that carry all of these."""
    include: Include = Field(default_factory=list[Literal["history", "trace"]])

    def question(self, where: Where | None = None) -> Question:
        filters = Filters(
            project_id=self.project_id,
            or_global=self.or_global,
            session_id=self.session_id,
            task_id=self.task_id,
            team_id=self.team_id,
            category=self.category,
            tags=tuple(self.tags),
        )
        return Question(self.query, self.limit, self.min_score, filters, history="history" in self.include, place=where)


class Scores(Told):
    """What each arm said, and what came of it."""

    dense: float | None
    """Cosine of the best passage with the question."""
    lexical: float | None
    """BM25 over what the reader may see."""
    fused: float


_SCORES: dict[str, Any] = {"dense": 0.86, "lexical": 11.2, "fused": 0.83}


class RecalledMemory(Memory):
    """A memory that answers."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [EXAMPLE | {"score": 0.83, "scores": _SCORES}],
            "required": [*EXAMPLE, "score", "scores"],
        }
    )

    score: float = Field(ge=0, le=1)
    """Comparable between questions."""
    scores: Scores
    history: list[Memory] = Field(default_factory=list[Memory])
    """With `include=history`: the chain it belongs to, newest first."""


class Space(Told):
    """A space that was searched, and why the reader may search it."""

    space: str = Field(examples=["team:backend"])
    why: str = Field(examples=["member"])


class Trace(Told):
    """How an answer came about: ids and figures about what its asker may see, no texts of memories."""

    model_config = ConfigDict(extra="allow")

    trace_id: UUID
    reader: str = Field(examples=["agent:wukong"])
    question: str
    """Empty where a memory that was learned from these very words was forgotten: figures and ids stay."""
    asked_at: datetime
    searched: list[Space]
    mode: str = Field(examples=["lexical+dense"])
    took_ms: float


class Recollection(Told):
    """What the reader may know about the question, best first, or nothing."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "outcome": "no_match",
                    "trace_id": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e56",
                    "took_ms": 7.4,
                    "searched": [{"space": "agent:wukong", "why": "own"}, {"space": "*", "why": "everyone"}],
                    "memories": [],
                    "degraded": None,
                }
            ],
            "required": ["outcome", "trace_id", "took_ms", "searched", "memories", "degraded"],
        }
    )

    outcome: Literal["ok", "no_match"]
    trace_id: UUID
    took_ms: float
    searched: list[Space]
    memories: list[RecalledMemory]
    degraded: str | None
    """What did not work, if something did not: `embedder_unavailable` means that only words were compared."""
    trace: Trace | None = None
    """With `include=trace`."""
