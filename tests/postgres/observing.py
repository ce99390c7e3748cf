"""What the tests of observations share: people who say the same in other words, and a look at every row."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import psycopg

from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Memory
from whoknows.domain.observation import Observation
from whoknows.flows.consolidate import Consolidated
from whoknows.flows.keep_observations import KeepObservations
from whoknows.flows.observe import Asked, Told
from worlds import World

SAME = (
    "Before a release the search index must be rebuilt by hand, or results stay old",
    "The search index must be rebuilt by hand before a release, or results stay old",
    "Or results stay old: before a release the search index must be rebuilt by hand",
)
"""Three ways to say one thing: the same words, but for their order."""
OTHER = "The canteen serves noodles to everybody on the second floor"


async def team_that_agrees(world: World, texts: Sequence[str] = SAME, **fields: object) -> list[Memory]:
    """A, B and C are on T, and each has written one of ``texts``."""
    await world.agents("A", "B", "C", "stranger")
    await world.team("T", A="writer", B="writer", C="writer")
    return [await world.write(who, text, team_id="T", **fields) for who, text in zip("ABC", texts, strict=False)]


async def consolidate(world: World, who: str = "A", team: str | None = "T", project: str | None = None) -> Consolidated:
    return await world.service.consolidate(await world.caller(who), project, team)


async def make(world: World, who: str, memories: Sequence[Memory], text: str | None = None, **fields: object) -> Told:
    asked = Asked([m.id for m in memories], text, **fields)  # pyright: ignore[reportArgumentType]
    return await world.service.observe.make(await world.caller(who), asked)


async def observed(world: World, who: str, **fields: object) -> list[Observation]:
    return list((await world.service.observe.list(await world.caller(who), **fields)).items)  # pyright: ignore[reportArgumentType]


async def the_one(world: World, who: str) -> Observation:
    (found,) = await observed(world, who)
    return found


def upkeep(world: World, least: int = 3) -> KeepObservations:
    """The background work, which looks at what was written just now."""
    return replace(world.service.keep_observations, settled=timedelta(0), least=least)


def sources(observation: Observation) -> set[MemoryId]:
    return {s.memory for s in observation.sources}


def everywhere(dsn: str, word: str) -> list[str]:
    """The tables of the database in which ``word`` stands, in any column."""
    with psycopg.connect(dsn, options="-c search_path=whoknows,public") as connection:
        tables = connection.execute(
            "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
            "WHERE c.relkind = 'r' AND n.nspname IN ('whoknows', 'procrastinate')"
        ).fetchall()
        return [
            name
            for (name,) in tables
            if connection.execute(
                f"SELECT EXISTS (SELECT FROM {name} t WHERE strpos(t::text, %s) > 0)".encode(), (word,)
            ).fetchone()
            == (True,)
        ]
