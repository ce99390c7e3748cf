"""A database of the schema before the console, with data in it, comes to the newest one and loses nothing."""

from collections.abc import Iterator
from typing import LiteralString, cast

import psycopg
import pytest
from databases import serve
from procrastinate.schema import SchemaManager

from whoknows.bootstrap import Installation
from whoknows.domain.ids import new_credential_id
from whoknows.domain.principal import AgentRole
from whoknows.flows.authenticate import administer_as, secret_hash
from whoknows.flows.keys import new_secret
from whoknows.stores.postgres.migrate import migrate, migrations
from whoknows.stores.postgres.sql import blocks
from worlds import World

LAST = 26
"""The schema of the release before."""


@pytest.fixture
def old(server: str) -> Iterator[Installation]:
    """An installation at ``LAST``, as its own `migrate` left it."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE of_old")
    dsn, secret = server.replace("/postgres?", "/of_old?"), new_secret()
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector SCHEMA public")
        connection.execute("CREATE SCHEMA whoknows")
        connection.execute(
            "CREATE TABLE whoknows.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        for name, text in migrations()[:LAST]:
            with connection.transaction():
                if name == "0007_jobs":
                    connection.execute("CREATE SCHEMA procrastinate")
                    connection.execute("SET LOCAL search_path = procrastinate, public")
                    connection.execute(SchemaManager.get_schema())
                connection.execute("SET LOCAL search_path = whoknows, public")
                connection.execute("SET LOCAL check_function_bodies = off")
                connection.execute(cast(LiteralString, text.replace("{dimensions}", "384")))
                connection.execute("INSERT INTO migrations (name) VALUES (%s)", (name,))
        connection.execute("INSERT INTO whoknows.installation (embedder, dimensions) VALUES ('test', 384)")
    with psycopg.connect(dsn, options="-c search_path=whoknows,public") as connection:
        connection.execute("SET LOCAL ROLE whoknows_definer")
        connection.execute(blocks("credentials")["bootstrap"], {"id": new_credential_id(), "hash": secret_hash(secret)})
    yield Installation(dsn, secret)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP DATABASE of_old WITH (FORCE)")


async def test_what_was_there_is_there_and_those_who_were_there_have_their_looks(old: Installation) -> None:
    service = await serve(old)
    try:
        world = World(service, old)
        await world.members("mira", "noor")
        await world.agents("B", account="mira")
        await world.agents("A")
        await world.agents("S", role=AgentRole.SUB, parent="B")
        await world.agents("gone")
        await world.team("T", A="writer", B="writer")
        await service.administer.remove_agent(await world.admin(), "gone")
        elsewhere = await service.keys.create_tenant(await world.admin(), "elsewhere")
        own, team = await world.write("A", "A's own"), await world.write("B", "the team's", team_id="T")
        assert migrate(old.dsn, "test", 384) == [name for name, _ in migrations()[LAST:]]

        admin = administer_as(await world.admin())
        assert await service.looks(admin) == {
            "member:mira": 0, "member:noor": 1, "agent:B": 2, "agent:A": 3, "agent:S": 4, "*": 0, "team:T": 1,
        }  # fmt: skip
        assert await service.looks(administer_as(await service.authenticate(elsewhere.secret))) == {"*": 0}
        await world.agents("new")
        assert (await service.looks(admin))["agent:new"] == 6, "the one that is gone keeps its number"

        a = await world.caller("A")
        assert (await service.read.get(a, own.id)).content == "A's own"
        assert (await service.read.get(a, team.id)).content == "the team's"
        token, session = await service.sign_in.open(world.keys["A"])
        assert await service.sign_in.find(token) == session
    finally:
        await service.close()


async def test_more_than_sixty_four_of_before_are_numbered_round(old: Installation) -> None:
    with psycopg.connect(old.dsn, options="-c search_path=whoknows,public") as connection:
        connection.execute(
            "INSERT INTO principals (tenant_id, kind, name, role, created_at) "
            "SELECT t.tenant_id, 'agent', 'agent ' || n, 'main', now() - n * interval '1 minute' "
            "FROM tenants t, generate_series(1, 130) n"
        )
    migrate(old.dsn, "test", 384)
    with psycopg.connect(old.dsn, options="-c search_path=whoknows,public") as connection:
        found = connection.execute("SELECT look FROM principals WHERE kind = 'agent' ORDER BY created_at").fetchall()
    assert [n for (n,) in found] == [n % 64 for n in range(130)], "the oldest first"
