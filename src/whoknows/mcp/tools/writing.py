"""Writing through the gate: something to remember, and a fact with its source."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from whoknows.context.injected import without_memories
from whoknows.domain.audience import Layer
from whoknows.domain.bank import FactContext
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Category, Draft
from whoknows.errors import Invalid
from whoknows.flows.ingest import Fact
from whoknows.flows.remember import KeepFor
from whoknows.flows.writing import Outcome
from whoknows.harness.own_text import without_own
from whoknows.mcp.asking import Asked
from whoknows.mcp.told import visible_to, without_nothing
from whoknows.mcp.tool import ADDS, Answer, Tool
from whoknows.mcp.tools.arguments import OfProject
from whoknows.rest.schemas.forms import Label, Moment, Text, Told, Words


class Supersedable(OfProject):
    subject: Label | None = None
    """What it is about, as a key, such as `service-a.postgres.version`: a newer memory of the same subject replaces it."""
    supersedes: UUID | None = None
    """The id of the memory that this one corrects. Recall then brings this one, and the old one as overturned."""
    reason: Annotated[Words, Field(max_length=2000)] | None = None
    """Why the old one does not hold any more."""


class RememberArguments(Supersedable):
    content: Words
    """One fact, decision, preference or experience, in a sentence or a few that make sense on their own."""
    keep_for: Literal["person", "self", "team"] = "person"
    """`person`: the person that you work for, with all agents of that person; without one, you alone. `self`: you alone.
    `team`: the team `team_id`, or the one that the project is routed to."""
    team_id: Label | None = None
    """Which team, with `keep_for: team`; `*` is everyone."""
    category: Category = Category.FACT
    """What kind of memory it is."""
    title: Annotated[Text, Field(max_length=500)] | None = None
    """A heading, where it has one."""
    tags: Annotated[list[Label], Field(max_length=50)] = Field(default_factory=list[str])
    """A few words to find it by."""
    source: Annotated[Words, Field(max_length=2000)] | None = None
    """Where it stands, such as `git:name@revision:path` of a registered source, or `url:…`."""
    quote: Words | None = None
    """The words that stand there, character for character."""
    expires_at: Moment | None = None
    """When it ends, in RFC 3339; leave it out for what stays true."""


class ProposeArguments(Supersedable):
    text: Words
    """The fact, in a sentence or a few."""
    source: Annotated[Words, Field(max_length=2000)]
    """Where it stands: `git:name@revision:path#L10-L14`, `file:name/path`, `message:id` or `memory:id`."""
    quote: Words
    """What stands in the source, character for character."""
    context: FactContext = FactContext.PERSONAL
    """`personal`: the person that you work for, else yourself. `team`: the team that the project is routed to."""
    team_id: Label | None = None
    """Only for a team's fact that belongs to no project."""


class ToldFinding(Told):
    check: str
    message: str


class ToldKept(Told):
    outcome: Literal["stored", "merged", "superseding", "held"]
    """`merged`: the same was known already. `held`: it waits for a reviewer."""
    memory_id: UUID
    memory_type: Layer
    visible_to: list[str]
    """Who reads it: `agent:x`, `member:m`, `team:t`, or `*`, everyone."""
    project_id: str | None = None
    supersedes: UUID | None = None
    """The memory that it replaced."""
    verified: bool
    """Whether a quote of it was found in its source."""
    findings: list[ToldFinding] | None = None
    """What the gate noticed."""


async def _remember(asked: Asked, form: RememberArguments) -> Answer:
    caller = asked.writer()
    if form.team_id is not None and form.keep_for != "team":
        raise Invalid('a team is named only with keep_for "team"', field="team_id")
    draft = Draft(
        content=_said_itself(form.content, "content"),
        team_id=form.team_id,
        category=form.category,
        title=form.title,
        tags=tuple(form.tags),
        project_id=form.project_id,
        source=form.source,
        quote=form.quote,
        expires_at=form.expires_at,
        subject=form.subject,
        supersedes=None if form.supersedes is None else MemoryId(form.supersedes),
        reason=form.reason,
    )
    place = asked.where(form.directory, form.project_id)
    return _kept(await asked.service.remember(caller, draft, place, KeepFor(form.keep_for), route="mcp/remember"))


async def _propose(asked: Asked, form: ProposeArguments) -> Answer:
    caller = asked.writer()
    fact = Fact(
        text=_said_itself(form.text, "text"),
        source=form.source,
        quote=form.quote,
        context=form.context,
        project_id=form.project_id,
        team_id=form.team_id,
        subject=form.subject,
        supersedes=None if form.supersedes is None else MemoryId(form.supersedes),
        reason=form.reason,
        place=asked.where(form.directory, form.project_id),
    )
    return _kept(await asked.service.ingest(caller, fact))


def _said_itself(text: str, field: str) -> str:
    """``text`` without what WhoKnows or a program put into it: memory must not learn from itself."""
    kept = without_own(without_memories(text)).strip()
    if not kept:
        raise Invalid("all of this is text that memory itself gave: say what is new in your own words", field=field)
    return kept


def _kept(kept: Outcome) -> Answer:
    told = {
        "outcome": kept.outcome,
        "memory_id": kept.memory.id,
        "memory_type": kept.memory.audience.layer,
        "visible_to": visible_to(kept.memory),
        "project_id": kept.memory.project_id,
        "supersedes": kept.memory.supersedes,
        "verified": any(e.verified for e in kept.memory.evidence),
        "findings": [{"check": f.check, "message": f.message} for f in kept.findings] or None,
    }
    readers = ", ".join(visible_to(kept.memory))
    said = {
        "stored": f"Stored as {kept.memory.id}, for {readers}.",
        "merged": f"The same was known already: {kept.memory.id}, for {readers}.",
        "superseding": f"Stored as {kept.memory.id}, for {readers}; it replaces {kept.memory.supersedes}.",
        "held": f"Held as {kept.memory.id} until a reviewer decides: nobody recalls it before.",
    }[kept.outcome]
    noticed = "".join(f"\n{f.check}: {f.message}" for f in kept.findings)
    return Answer(said + noticed, without_nothing(told))


REMEMBER = Tool(
    name="remember",
    title="Remember something",
    description=(
        "Keep something worth knowing again in another session or by another agent: a decision and its reason, a stated "
        "preference, a fact that cost effort to find, a lesson, a correction. To correct a memory, name it in supersedes. One "
        "thing a call, in words that make sense on their own. Not for the conversation itself, guesses, passing states, or "
        "what the code and its history say anyway; never for passwords or keys. It passes a gate, which may hold or refuse it."
    ),
    takes=RememberArguments,
    tells=ToldKept,
    hints=ADDS,
    do=_remember,
    always_loaded=True,
)
PROPOSE_FACT = Tool(
    name="propose_fact",
    title="Propose a fact with its source",
    description=(
        "Bring a fact together with the place where it stands and the exact words there. The quote is looked up: if it is not "
        "found, nothing is kept. Use it where remember is refused for lack of evidence, and for facts that a team relies on."
    ),
    takes=ProposeArguments,
    tells=ToldKept,
    hints=ADDS,
    do=_propose,
)
