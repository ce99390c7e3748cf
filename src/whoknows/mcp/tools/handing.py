"""Handing over: a private memory to a team, and a context to a sub-agent."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from whoknows.domain import ids
from whoknows.domain.injection import Depth
from whoknows.domain.publication import PublicationState
from whoknows.flows.inject import MOST_TOKENS, TOKENS, Gift
from whoknows.flows.publishable import Published
from whoknows.mcp.asking import Asked
from whoknows.mcp.told import Json, without_nothing
from whoknows.mcp.tool import WRITES, Answer, Tool
from whoknows.mcp.tools.arguments import MemoryId
from whoknows.rest.schemas.forms import Flag, Form, Label, Seconds, Told, Words, end


class PublishArguments(Form):
    memory_id: MemoryId
    """A private memory of your own."""
    team_id: Label
    """The team that is to read it; `*` is the board, which everyone reads."""


class ToldPublication(Told):
    publication_id: UUID
    original_id: UUID
    team_id: str
    state: PublicationState
    """`held`: it waits for a reviewer."""
    memory_id: UUID | None = None
    """The copy."""


class InjectArguments(Form):
    agent_id: Label
    """The sub-agent that is to get it: one below you."""
    task: Words
    """What it is to do, in words."""
    depth: Depth = Depth.STANDARD
    """How much beside what is listed by id: `minimal` what matches the task, `standard` the project too, `full` all that may
    be given."""
    memory_ids: Annotated[list[UUID], Field(max_length=200)] = Field(default_factory=list[UUID])
    """Memories to give by their id: the only way to give private ones."""
    project_id: Label | None = None
    """Whose context is given."""
    task_id: Label | None = None
    """Binds the copies to this open task."""
    expires_in: Seconds | None = None
    """Seconds until the copies end."""
    may_pass_on: Flag = False
    """Whether the sub-agent may give them to its own sub-agents."""
    max_tokens: Annotated[int, Field(ge=1, le=MOST_TOKENS, strict=True)] = TOKENS
    """Of the context."""


class ToldGiven(Told):
    id: UUID
    content: str
    injected_by: str | None = None


class ToldDropped(Told):
    id: UUID
    why: str


class ToldContext(Told):
    context: str
    """For the sub-agent's prompt: each text is fenced as data, with where it comes from."""
    source: str
    token_count: int
    memories: list[ToldGiven]
    dropped: list[ToldDropped]
    """What could have been given and was not, and why."""


async def _publish(asked: Asked, form: PublishArguments) -> Answer:
    done = await asked.service.publish(asked.writer(), ids.MemoryId(form.memory_id), form.team_id)
    return Answer(_published(done), _publication(done))


async def _inject(asked: Asked, form: InjectArguments) -> Answer:
    gift = Gift(
        target=form.agent_id,
        task=form.task,
        depth=form.depth,
        memory_ids=tuple(ids.MemoryId(m) for m in form.memory_ids),
        project_id=form.project_id,
        task_id=form.task_id,
        expires_at=end(None, form.expires_in),
        may_pass_on=form.may_pass_on,
        max_tokens=form.max_tokens,
    )
    given = await asked.service.inject(asked.writer(), gift)
    told: Json = {
        "context": given.context,
        "source": f"injected_by_{given.giver.name}",
        "token_count": given.tokens,
        "memories": [
            without_nothing(
                {
                    "id": g.id,
                    "content": g.original.content,
                    "injected_by": None if g.injected_by is None else g.injected_by.name,
                }
            )
            for g in given.memories
        ],
        "dropped": [{"id": identity, "why": why} for identity, why in given.dropped],
    }
    return Answer(given.context or "Nothing was given: nothing matches, or it knows everything already.", told)


def _published(done: Published) -> str:
    where = "the board" if done.publication.team.name == "*" else f"team {done.publication.team.name}"
    if done.state is PublicationState.HELD:
        return f"Publication {done.publication.id} to {where} waits for a reviewer."
    copy = "" if done.memory is None else f" as {done.memory.id}"
    return f"{'Published' if done.first else 'Published before'} to {where}{copy}; the original stays private."


def _publication(done: Published) -> Json:
    return without_nothing(
        {
            "publication_id": done.publication.id,
            "original_id": done.publication.original,
            "team_id": done.publication.team.name,
            "state": done.state,
            "memory_id": None if done.memory is None else done.memory.id,
        }
    )


PUBLISH = Tool(
    name="publish",
    title="Publish a private memory",
    description=(
        "Copy a private memory of your own to a team, or to the board `*`, so that others read it. The original stays private. "
        "Only when the person asks for it, or sharing is your task. It passes the team's gate."
    ),
    takes=PublishArguments,
    tells=ToldPublication,
    hints=WRITES,
    do=_publish,
)
INJECT_CONTEXT = Tool(
    name="inject_context",
    title="Give a sub-agent its context",
    description=(
        "For main agents that dispatch a sub-agent: get the context to put into its prompt. What it may not read by itself "
        "becomes a read-only copy for it. Private memories are given only where you list their ids."
    ),
    takes=InjectArguments,
    tells=ToldContext,
    hints=WRITES,
    do=_inject,
)
