"""A house that may read sources and write rules, and people behind gates: what the tests of the gate and of sources share."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
import pytest_asyncio

from browser.conftest import House
from postgres.databases import fresh
from postgres.ruling import ALLOWED, LEARNED
from reading_sources import reading
from repositories import Repository, repository
from whoknows.domain.bank import FactContext
from whoknows.domain.memory import Category, Memory
from whoknows.domain.principal import GateLevel
from whoknows.domain.source import LocationKind, Source
from whoknows.flows.corrections import Said
from whoknows.flows.keep_sources import NewSource
from worlds import World

QUOTE = "staging listens on port 5433"
NOTE = (
    "# Ports\n\nWhat listens where, and since when.\n\n## Staging\n\nSince March\n"
    f"{QUOTE}, and not on 5432.\n\nThe old server keeps its port.\n\n## Production\n\nProduction listens on 5432.\n"
)
HOSTILE = "<img src=x onerror=alert(1)> </script><script>alert(2)</script> {{ 7*7 }} \u202e javascript:alert(3)"


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the server reads sources from."""
    return tmp_path_factory.mktemp("roots")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def governed_founder(server: str, roots: Path) -> AsyncIterator[World]:
    """In place of the founder whose service reads no sources."""
    with fresh(server, f"governed_{uuid4().hex[:12]}") as installation:
        async with reading(installation, roots, roots / "mirrors", ALLOWED) as world:
            yield world


@dataclass
class Governed:
    """T is reviewed. ``writer`` and ``scout`` write there; member ``o`` owns it, ``w`` writes. ``notes`` is T's repository."""

    world: World
    repository: Repository
    source: Source

    @property
    def path(self) -> Path:
        return self.repository.path

    async def draft(self, text: str = "The staging database is on 5433", who: str = "writer", **fields: object) -> Memory:
        return await self.world.write(who, text, team_id="T", **fields)

    async def sourced(self, text: str = "The staging database is on 5433", quote: str = QUOTE, **fields: object) -> Memory:
        return await self.draft(text, source="git:notes@HEAD:docs/ports.md", quote=quote, **fields)

    async def open_gate(self) -> None:
        await self.gate(GateLevel.OPEN)

    async def gate(self, level: GateLevel) -> None:
        admin = await self.world.admin()
        await self.world.service.administer.change_team(admin, "T", None, level, None)

    async def learn(self, who: str, text: str, project: str) -> Memory:
        return await self.world.write(who, text, project_id=project, team_id="T", category=Category.EXPERIENCE)

    async def learned(self) -> None:
        """The same in two unrelated projects."""
        await self.learn("writer", LEARNED[0], "shop")
        await self.learn("scout", LEARNED[1], "wiki")

    async def correct(self, who: str, text: str, weeks_ago: int, subject: str | None = None, team: str | None = None) -> None:
        context = FactContext.PERSONAL if team is None else FactContext.TEAM
        at = datetime.now(UTC) - timedelta(weeks=weeks_ago)
        said = Said(text, context, team_id=team, subject=subject, at=at)
        await self.world.service.corrections.record(await self.world.caller(who), said)


async def governed(house: House, roots: Path, gate: GateLevel = GateLevel.REVIEWED) -> Governed:
    world = house.world
    made = repository(
        roots / f"notes-{uuid4().hex[:8]}",
        {"docs/ports.md": NOTE, "docs/rules/release.md": "# Release\n\nBe kind.\n", "README.md": "# Notes\n\nOf T.\n"},
    )
    await world.agents("writer", "scout")
    await world.members("o", "w", "x")
    await world.team("T", gate, writer="writer", scout="writer", **{"member:o": "owner", "member:w": "writer"})
    new = NewSource(LocationKind.GIT, str(made.path), "notes", "team:T")
    source = await world.service.keep_sources.register(await world.caller("member:o"), new)
    return Governed(world, made, source)
