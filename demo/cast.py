"""The cast: a fresh installation in a directory of its own, and three agents with a key each."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from whoknows.bootstrap import Installation, build, install
from whoknows.documents.document import document_of
from whoknows.documents.pieces import By, pieces_of
from whoknows.domain.credential import Caller
from whoknows.domain.memory import Draft, Memory
from whoknows.domain.principal import AgentRole, GateLevel, TeamRole
from whoknows.errors import NotFound
from whoknows.flows.administer import NewAgent
from whoknows.flows.authenticate import act_as
from whoknows.flows.recall import Question, Recollection
from whoknows.flows.writing import Outcome
from whoknows.service import Service
from whoknows.settings import Settings
from whoknows.sources.folder import File, markdown_files

TEAM = "journey"
WUKONG, BAJIE, STRANGER = "wukong", "bajie", "stranger"
"""A main agent, its sub-agent on the same team, and an agent that is on no team."""
EVERYBODY = (WUKONG, BAJIE, STRANGER)


@dataclass(frozen=True)
class Cast:
    service: Service
    installation: Installation
    callers: dict[str, Caller]

    async def writes(self, who: str, text: str, *, team: bool = False, **fields: object) -> Memory:
        to = {"layer": "team", "team_id": TEAM} if team else {}
        return (await self.service.capture(self.callers[who], Draft(text, **to, **fields))).memory  # pyright: ignore[reportArgumentType]

    async def asks(self, who: str, question: str) -> Recollection:
        return await self.service.recall(self.callers[who], Question(question, limit=3))

    async def reads(self, who: str, memory: Memory) -> str | None:
        """Why ``who`` sees the memory, or None where it is told that there is no such thing."""
        try:
            return (await self.service.explain.why(self.callers[who], memory.id, None)).rule.removeprefix("R1 ")
        except NotFound:
            return None

    async def indexes(self, who: str, folder: Path, prefix: str) -> int:
        """Markdown files whose names begin with ``prefix`` become team memory, each section with its file as the source.

        How many memories there are.
        """
        drafts = [
            Draft(p.text, layer="team", team_id=TEAM, title=p.title, source=f"file:{folder.parent.name}/{folder.name}/{f.path}")
            for f in markdown_files(folder)
            if isinstance(f, File) and f.path.startswith(prefix)
            for p in pieces_of(document_of(f.text, f.path), By.SECTION)
        ]
        outcomes = [o for o in await self.service.capture.batch(self.callers[who], drafts) if isinstance(o, Outcome)]
        for outcome in outcomes:  # a server does this beside its requests
            if outcome.memory.embedding_pending:
                await self.service.work.embed(outcome.memory.id)
        return len(outcomes)


@asynccontextmanager
async def cast(directory: Path) -> AsyncGenerator[Cast]:
    settings = replace(Settings.read({}), data_dir=directory)
    installation = install(settings)
    service = build(settings, installation)
    await service.store.open()
    try:
        yield Cast(service, installation, await _callers(service, installation))
    finally:
        await service.close()


async def _callers(service: Service, installation: Installation) -> dict[str, Caller]:
    admin = await service.authenticate(installation.new_key)
    roles: Sequence[tuple[str, AgentRole, str | None]] = (
        (WUKONG, AgentRole.MAIN, None),
        (BAJIE, AgentRole.SUB, WUKONG),
        (STRANGER, AgentRole.MAIN, None),
    )
    await service.administer.make_team(admin, TEAM, None, GateLevel.OPEN, False)
    callers: dict[str, Caller] = {}
    for name, role, parent in roles:
        await service.administer.make_agent(admin, NewAgent(name, role, parent))
        made = await service.keys.make(admin, [name], (), None, None)
        callers[name] = act_as(await service.authenticate(made.secret), None)
    for name in (WUKONG, BAJIE):
        await service.administer.put_membership(admin, TEAM, f"agent:{name}", TeamRole.WRITER)
    return callers
