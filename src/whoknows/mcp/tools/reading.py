"""Reading what is there: one memory by its id, a list, and the reason for which somebody sees one."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from whoknows.domain import ids
from whoknows.domain.audience import Layer
from whoknows.domain.memory import Category, Filters, State
from whoknows.mcp import text
from whoknows.mcp.asking import Asked
from whoknows.mcp.told import ToldMemory, memory, without_nothing
from whoknows.mcp.tool import READS, Answer, Tool
from whoknows.mcp.tools.arguments import Cursor, MemoryId, OfProject
from whoknows.rest.schemas.forms import Count, Form, Label, Told


class GetArguments(Form):
    memory_id: MemoryId
    """The id of a memory, from recall or list."""


class ListArguments(OfProject):
    layer: Layer | None = None
    """Only private memories, only teams', or only injected ones."""
    team_id: Label | None = None
    """Only this team's; `*` is everyone's."""
    category: Category | None = None
    """Only of this category."""
    tags: Annotated[list[Label], Field(max_length=50)] = Field(default_factory=list[str])
    """Only with all of these."""
    state: State = State.ACTIVE
    """In this state."""
    limit: Annotated[Count, Field(le=100)] = 20
    """Memories of a page."""
    cursor: Cursor | None = None
    """`next_cursor` of the page before."""


class ToldList(Told):
    memories: list[ToldMemory]
    next_cursor: str | None = None
    """Give it as `cursor` for the next page."""


class WhyArguments(GetArguments):
    reader: Label | None = None
    """`agent:x` or `member:m`; yourself where left out."""


class ToldWhy(Told):
    reader: str
    memory: UUID
    verdict: Literal["visible", "hidden"]
    rule: str
    reason: str
    facts: list[str]


async def _get(asked: Asked, form: GetArguments) -> Answer:
    found = await asked.service.read.get(await asked.reader(), ids.MemoryId(form.memory_id))
    return Answer(f"{text.DATA}\n\n{text.memory(found)}", memory(found))


async def _list(asked: Asked, form: ListArguments) -> Answer:
    caller = await asked.reader()
    filters = Filters(
        project_id=await asked.project(caller, form.project_id, form.directory),
        team_id=form.team_id,
        category=form.category,
        tags=tuple(form.tags),
        layer=None if form.layer is None else str(form.layer),
        state=form.state,
    )
    page = await asked.service.read.list(caller, filters, form.limit, form.cursor)
    told = {"memories": [memory(m) for m in page.items], "next_cursor": page.next_cursor}
    if not page.items:
        return Answer("There are none.", without_nothing(told))
    more = "" if page.next_cursor is None else f"\n\nThere are more: cursor {page.next_cursor}"
    return Answer(f"{text.DATA}\n\n{text.memories([(m, None) for m in page.items])}{more}", without_nothing(told))


async def _why(asked: Asked, form: WhyArguments) -> Answer:
    found = await asked.service.explain.why(await asked.reader(), ids.MemoryId(form.memory_id), form.reader)
    verdict = "visible" if found.visible else "hidden"
    told = {
        "reader": found.reader,
        "memory": found.memory,
        "verdict": verdict,
        "rule": found.rule,
        "reason": found.reason,
        "facts": list(found.facts),
    }
    facts = "; ".join(found.facts)
    return Answer(f"{verdict} to {found.reader}, by {found.rule}: {found.reason}." + (f" {facts}." if facts else ""), told)


GET = Tool(
    name="get",
    title="Get a memory",
    description="Read one memory in full by its id: its text, evidence, state, version and what it overturned. "
    "To find memories, use recall.",
    takes=GetArguments,
    tells=ToldMemory,
    hints=READS,
    do=_get,
)
LIST = Tool(
    name="list",
    title="List memories",
    description="Page through the memories that you may see, newest first, narrowed by project, layer, team, category, tags or "
    "state. For a question use recall: it ranks.",
    takes=ListArguments,
    tells=ToldList,
    hints=READS,
    do=_list,
)
WHY = Tool(
    name="why",
    title="Why is a memory visible?",
    description="Tell by which rule you, or another reader, may or may not see a memory that you see, and the facts behind it. "
    "Use it when somebody asks who knows something.",
    takes=WhyArguments,
    tells=ToldWhy,
    hints=READS,
    do=_why,
)
