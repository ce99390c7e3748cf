"""The world of a benchmark: a fresh installation, and one reader who is on four teams."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from whoknows.bootstrap import Installation, build, install
from whoknows.domain.credential import Caller
from whoknows.domain.principal import AgentRole, Clearance, GateLevel, TeamRole
from whoknows.flows.administer import NewAgent
from whoknows.flows.authenticate import act_as
from whoknows.service import Service
from whoknows.settings import Settings

READER, WRITER = "reader", "writer"
TEAMS_OF_READER = 4


@dataclass(frozen=True, slots=True)
class World:
    """A service with its reader. The first five of ``audiences`` are the reader's: its own, and its teams'."""

    service: Service
    installation: Installation
    settings: Settings
    keys: dict[str, str]
    audiences: list[int]

    async def caller(self, who: str = READER) -> Caller:
        return act_as(await self.service.authenticate(self.keys[who]), None)


@asynccontextmanager
async def world(directory: Path, audiences: int) -> AsyncGenerator[World]:
    """``audiences`` audiences without memories: the reader's own, and one of each team. The reader sees five."""
    settings = Settings(data_dir=directory, source_roots=str(directory / "repositories"))
    installation = install(settings)
    service = build(settings, installation)
    await service.store.open()
    try:
        admin = await service.authenticate(installation.new_key)
        keys: dict[str, str] = {}
        for name in (READER, WRITER):
            await service.administer.make_agent(admin, NewAgent(name, AgentRole.MAIN, None, None, Clearance.OPEN))
            keys[name] = (await service.keys.make(admin, [name], (), None, None)).secret
        for n in range(audiences - 1):
            await service.administer.make_team(admin, f"team-{n}", None, GateLevel.OPEN, False)
            await service.administer.put_membership(admin, f"team-{n}", f"agent:{WRITER}", TeamRole.WRITER)
            if n < TEAMS_OF_READER:
                await service.administer.put_membership(admin, f"team-{n}", f"agent:{READER}", TeamRole.READER)
        yield World(service, installation, settings, keys, _audiences(installation.dsn))
    finally:
        await service.close()


def _audiences(dsn: str) -> list[int]:
    with psycopg.connect(dsn, autocommit=True, options="-c search_path=whoknows,public") as connection:
        rows = connection.execute(
            "SELECT put_audience(tenant_id, CASE kind WHEN 'team' THEN 'team' ELSE 'private' END, principal_id, "
            "CASE kind WHEN 'team' THEN '{}' ELSE ARRAY[principal_id] END, NULL, NULL) FROM principals "
            "WHERE (kind = 'team' AND name <> '*') OR name = %s ORDER BY kind, principal_id",
            (READER,),
        )
        return [int(r[0]) for r in rows]
