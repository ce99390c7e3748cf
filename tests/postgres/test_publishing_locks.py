"""The second lock of publishing: what the request role cannot do by statements of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import AsyncConnection, errors
from psycopg.rows import DictRow
from raw import claims, column, entered, second_lock_alone

from whoknows.domain.memory import Isolation, Memory
from whoknows.flows.publishable import Published
from worlds import World


@dataclass
class Stage:
    """A writes to T and has published there; B reads there; C writes there and to U."""

    world: World
    own: Memory
    published: Published

    @asynccontextmanager
    async def as_(self, who: str) -> AsyncIterator[AsyncConnection[DictRow]]:
        async with second_lock_alone(self.world.installation.dsn, await self.world.caller(who)) as connection:
            yield connection

    async def id_of(self, team: str) -> int:
        async with self.as_("A") as connection:
            return (await column(connection, "SELECT principal_id FROM principals WHERE kind = 'team' AND name = %s", (team,)))[
                0
            ]


@pytest.fixture
async def stage(world: World) -> Stage:
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader", C="writer")
    await world.team("U", C="writer")
    original = await world.write("A", "A's published words")
    done = await world.service.publish(await world.caller("A"), original.id, "T")
    return Stage(world, original, done)


async def reserve(connection: AsyncConnection[DictRow], memory: UUID, team: int) -> list[Any]:
    statement = "SELECT outcome FROM reserve_publication(%s, %s, %s, %s, 5, false)"
    async with connection.transaction():
        return await column(connection, statement, (uuid4(), memory, team, uuid4()))


async def refused(connection: AsyncConnection[DictRow], statement: str, params: tuple[Any, ...] = (), code: str = ".") -> None:
    with pytest.raises(errors.InsufficientPrivilege, match=code):
        async with connection.transaction():
            await connection.execute(statement.encode(), params)


async def test_the_reservation_takes_only_one_s_own_private_memory_to_where_one_writes(stage: Stage) -> None:
    world, t, u, board = stage.world, await stage.id_of("T"), await stage.id_of("U"), await stage.id_of("*")
    shared = await world.write("A", "shared with C", visible_to=("C",))
    hidden = await world.write("A", "for A alone")
    bound = await world.write("C", "of a session", isolation=Isolation.SESSION, session_id="s")
    teams = await world.write("C", "of the team", team_id="T")
    own = await world.write("C", "C's own")
    copy = stage.published.memory
    assert copy is not None
    async with stage.as_("C") as c:
        for memory, team, code in (
            (shared.id, t, "not_publishable"),
            (hidden.id, t, "unknown_memory"),
            (uuid4(), t, "unknown_memory"),
            (bound.id, t, "not_publishable"),
            (teams.id, u, "not_publishable"),
            (copy.id, u, "not_publishable"),
            (own.id, board, "may_not_write"),
            (own.id, 0, "may_not_write"),
        ):
            with pytest.raises(errors.InsufficientPrivilege, match=code):
                await reserve(c, memory, team)
        assert await reserve(c, own.id, t) == ["reserved"]
    async with stage.as_("B") as b:
        mine = await world.write("B", "B's own")
        with pytest.raises(errors.InsufficientPrivilege, match="may_not_write"):
            await reserve(b, mine.id, t)


async def test_a_reservation_is_not_written_completed_or_abandoned_by_another(stage: Stage) -> None:
    memory, t, lease, publication = await stage.world.write("A", "words"), await stage.id_of("T"), uuid4(), uuid4()
    async with await psycopg.AsyncConnection.connect(stage.world.installation.dsn) as owner:
        await owner.execute("SET search_path = whoknows, public")
        await owner.execute(
            "INSERT INTO publications (tenant_id, publication_id, original_id, team_id, publisher_id, lease, lease_until) "
            "SELECT tenant_id, %s, memory_id, %s, author_id, %s, now() + interval '1 minute' "
            "FROM memories WHERE memory_id = %s",
            (publication, t, lease, memory.id),
        )
    async with stage.as_("C") as c:
        assert await column(c, "SELECT write_publication(%s, %s, %s, 'open', false)", (publication, lease, uuid4())) == [None]
        assert await column(c, "SELECT complete_publication(%s, %s)", (publication, lease)) == ["lost"]
        assert await column(c, "SELECT abandon_publication(%s, %s)", (publication, lease)) == [False]
    async with stage.as_("A") as a:
        assert await column(a, "SELECT write_publication(%s, %s, %s, 'open', false)", (publication, uuid4(), uuid4())) == [None]
        await refused(
            a, "SELECT write_publication(%s, %s, %s, 'sourced', false)", (publication, lease, uuid4()), "gate_changed"
        )
        copy = uuid4()
        assert await column(a, "SELECT write_publication(%s, %s, %s, 'open', false)", (publication, lease, copy)) == [copy]
        assert await column(a, "SELECT complete_publication(%s, %s)", (publication, uuid4())) == ["lost"]
        assert await column(a, "SELECT complete_publication(%s, %s)", (publication, lease)) == ["ready"]


async def test_publications_are_read_by_their_publisher_alone(stage: Stage) -> None:
    identity = stage.published.publication.id
    async with stage.as_("A") as a:
        assert await column(a, "SELECT publication_id FROM publications") == [identity]
    for who in ("B", "C"):
        async with stage.as_(who) as other:
            assert await column(other, "SELECT publication_id FROM publications") == []
            assert await column(other, "SELECT original_id FROM copies") == [], "of what it is a copy"
            await refused(other, "SELECT withdraw_publication(%s)", (identity,), "not_the_author")
            await refused(other, "SELECT renew_publication(%s, 'open', false)", (identity,), "not_the_author")
    async with entered(stage.world.installation.dsn, "whoknows_request", "", "", "") as nobody:
        assert await column(nobody, "SELECT publication_id FROM publications") == []


async def test_nobody_writes_publications_or_copies_by_a_statement_of_its_own(stage: Stage) -> None:
    async with stage.as_("A") as a:
        for statement in (
            "UPDATE publications SET state = 'withdrawn'",
            "DELETE FROM publications",
            "INSERT INTO publications SELECT * FROM publications",
            "INSERT INTO copies SELECT * FROM copies",
            "UPDATE copies SET version = 7",
            "DELETE FROM copies",
            "SELECT * FROM publication_cleanups",
            "SELECT settle_publications(10)",
            "SELECT undo_publication(publication_id) FROM publications",
            "SELECT record_publication(publication_id, memory_id) FROM publications",
            "SELECT copy_memory(gen_random_uuid(), original_id, 1, '{}', 1, NULL, 'published', 'active') FROM publications",
        ):
            await refused(a, statement)


async def test_a_second_copy_of_one_original_in_one_team_cannot_be(stage: Stage) -> None:
    """Not even for the owner of the database."""
    copy = stage.published.memory
    assert copy is not None
    again = "SELECT copy_memory(gen_random_uuid(), %s, %s, '{}', %s, NULL, 'published', 'active')"
    async with entered(stage.world.installation.dsn, None, "", "", "") as owner:
        with pytest.raises(errors.UniqueViolation, match="copies_published_once"):
            await owner.execute(again, (stage.own.id, copy.audience.id, copy.author.id))


async def test_a_memory_of_another_tenant_is_absent_and_its_team_nobody_s(stage: Stage) -> None:
    world = stage.world
    made = await world.service.keys.create_tenant(await world.admin(), "elsewhere")
    elsewhere = World(world.service, replace(world.installation, new_key=made.secret))
    await elsewhere.agents("A")
    t = await stage.id_of("T")
    own = await elsewhere.write("A", "words of the other tenant")
    async with second_lock_alone(world.installation.dsn, await elsewhere.caller("A")) as other:
        with pytest.raises(errors.InsufficientPrivilege, match="unknown_memory"):
            await reserve(other, stage.own.id, t)
        with pytest.raises(errors.InsufficientPrivilege, match="may_not_write"):
            await reserve(other, own.id, t)
        assert await column(other, "SELECT publication_id FROM publications") == []


async def test_what_is_published_again_and_held_is_not_told_of_on_its_way_back(stage: Stage) -> None:
    """A withdrawn copy that comes back through a gate that holds: its readers hear nothing until it is admitted."""
    identity, copy = stage.published.publication.id, stage.published.memory
    assert copy is not None
    await stage.world.service.publications.withdraw(await stage.world.caller("A"), identity)
    told = "SELECT kind FROM events WHERE memory_id = %s"
    async with stage.as_("B") as b:
        before = await column(b, told, (copy.id,))
    async with stage.as_("A") as a:
        assert await column(a, "SELECT renew_publication(%s, 'open', true)", (identity,)) == ["renewed"]
        await a.execute(
            "SELECT set_config('whoknows.credential', %s, true), set_config('whoknows.principal', %s, true)",
            await _as(stage, "B"),
        )
        assert await column(a, told, (copy.id,)) == before
        assert await column(a, "SELECT memory_id FROM memories WHERE memory_id = %s", (copy.id,)) == []


async def _as(stage: Stage, who: str) -> tuple[str, str]:
    return claims(await stage.world.caller(who))[:2]
