"""Recall: a question brings what the caller may know."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from whoknows.domain.memory import Category, Filters
from whoknows.flows.recall import Question, Recollection
from whoknows.mcp import text
from whoknows.mcp.asking import Asked
from whoknows.mcp.told import ToldMemory, memory, without_nothing
from whoknows.mcp.tool import READS, Answer, Tool
from whoknows.mcp.tools.arguments import OfProject
from whoknows.rest.schemas.forms import Count, Label, Score, Told, Words


class RecallArguments(OfProject):
    """A project brings its own memories and those of no project. A directory narrows to the banks of its stage besides."""

    query: Words
    """The question, in the words of the matter and in its own language."""
    limit: Annotated[Count, Field(le=50)] = 8
    """Memories at most."""
    min_score: Score | None = None
    """Leave it out: the calibrated floor holds then. 0 turns it off."""
    team_id: Label | None = None
    """Only this team's memories."""
    category: Category | None = None
    """Only of this category."""
    tags: Annotated[list[Label], Field(max_length=50)] = Field(default_factory=list[str])
    """Only memories that carry all of these."""
    session_id: Label | None = None
    """Opens what is bound to this session."""


class ToldRecalled(ToldMemory):
    score: float
    """In [0, 1], comparable between questions."""


class ToldRecall(Told):
    outcome: Literal["ok", "no_match"]
    """`no_match`: nothing is known about it. That is not a denial."""
    memories: list[ToldRecalled]
    trace_id: UUID
    """How the answer came about: for `whoknows trace`."""
    degraded: str | None = None
    """What did not work, such as `embedder_unavailable`: only words were compared."""


async def _recall(asked: Asked, form: RecallArguments) -> Answer:
    caller = await asked.reader()
    place = asked.where(form.directory, form.project_id)
    filters = Filters(
        project_id=form.project_id,
        or_global=form.project_id is not None,
        session_id=form.session_id,
        team_id=form.team_id,
        category=form.category,
        tags=tuple(form.tags),
    )
    found = await asked.service.recall(caller, Question(form.query, form.limit, form.min_score, filters, place=place))
    told = {
        "outcome": found.outcome,
        "memories": [memory(a.memory) | {"score": round(a.hit.score, 4)} for a in found.memories],
        "trace_id": found.trace.id,
        "degraded": found.degraded,
    }
    return Answer(_said(found), without_nothing(told))


def _said(found: Recollection) -> str:
    weak = "" if found.degraded is None else f" Recall worked only in part ({found.degraded})."
    if not found.memories:
        return f"no_match: nothing is known about this. Not known is not false.{weak}"
    count = len(found.memories)
    head = f"{count} {'memory' if count == 1 else 'memories'}, best first. {text.DATA}{weak}"
    return f"{head}\n\n{text.memories([(a.memory, a.hit.score) for a in found.memories])}"


RECALL = Tool(
    name="recall",
    title="Recall from memory",
    description=(
        "Search the shared memory before you answer, plan or decide anything that may have come up before: decisions and their "
        "reasons, preferences, facts of the project, experiences, corrections. Brings only what you may know, best first, with "
        "its evidence, and nothing that answers weakly: no_match means not known. What is listed as overturned was replaced: "
        "never use it as the present state. Not for reading files or code."
    ),
    takes=RecallArguments,
    tells=ToldRecall,
    hints=READS,
    do=_recall,
    always_loaded=True,
)
