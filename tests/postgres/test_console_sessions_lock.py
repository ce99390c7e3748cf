"""The second lock over sessions: no statement reaches them, and the functions that do check their rule again."""

import asyncio
import hashlib
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import pytest
from psycopg import AsyncConnection, errors
from psycopg.rows import DictRow
from raw import column, entered, second_lock_alone, until_one_waits
from signed_in import signed_in

from whoknows.domain.credential import Permission
from whoknows.domain.session import Session
from whoknows.stores.postgres.session import JOBS_ROLE, REQUEST_ROLE
from worlds import World

STATEMENTS = (
    "SELECT * FROM console_sessions",
    "SELECT tenant_id FROM console_sessions",
    "SELECT count(*) FROM console_sessions",
    "SELECT token_hash FROM console_sessions",
    "UPDATE console_sessions SET last_seen_at = now()",
    "UPDATE console_sessions SET credential_id = credential_id",
    "DELETE FROM console_sessions",
    "TRUNCATE console_sessions",
    """INSERT INTO console_sessions (tenant_id, session_id, token_hash, credential_id, expires_at)
    VALUES (1, gen_random_uuid(), 'x', gen_random_uuid(), now())""",
    "COPY console_sessions TO STDOUT",
)


@dataclass
class Signed:
    world: World
    token: str
    session: Session

    @property
    def dsn(self) -> str:
        return self.world.installation.dsn

    @property
    def hash(self) -> bytes:
        return hashlib.sha256(self.token.encode()).digest()


@pytest.fixture
async def signed(world: World) -> Signed:
    await world.agents("A", "B")
    return Signed(world, *await signed_in(world, "A"))


async def test_no_statement_of_requests_or_of_jobs_reaches_the_table(signed: Signed) -> None:
    for role in (REQUEST_ROLE, JOBS_ROLE):
        async with entered(signed.dsn, role, str(signed.session.credential.id), "", "") as connection:
            for statement in STATEMENTS:
                with pytest.raises(errors.InsufficientPrivilege):
                    async with connection.transaction():
                        await connection.execute(statement.encode())


async def test_requests_sweep_nothing_and_jobs_find_nothing(signed: Signed) -> None:
    calls = {REQUEST_ROLE: ("sweep_sessions()", "session_lives(NULL)"), JOBS_ROLE: ("open_session(gen_random_uuid(), 'x')",)}
    calls[JOBS_ROLE] += ("find_session('x')", "choose_session(gen_random_uuid(), '{}', NULL, NULL, NULL)")
    for role, refused in calls.items():
        async with entered(signed.dsn, role, str(signed.session.credential.id), "", "") as connection:
            for call in refused:
                with pytest.raises(errors.InsufficientPrivilege, match="permission denied for function"):
                    async with connection.transaction():
                        await connection.execute(f"SELECT {call}".encode())


async def test_the_hash_alone_finds_it_and_nobody_s_identity_helps_or_is_needed(signed: Signed) -> None:
    finding = "SELECT session_id FROM find_session(%s)"
    async with entered(signed.dsn, REQUEST_ROLE, "", "", "") as connection:
        assert await column(connection, finding, (signed.hash,)) == [signed.session.id]
    async with second_lock_alone(signed.dsn, await signed.world.caller("A")) as connection:
        for other in (b"", b"x", hashlib.sha256(b"x").digest(), signed.hash[:-1], signed.hash + b"x", None):
            assert await column(connection, finding, (other,)) == []


async def test_two_that_sign_in_at_once_are_counted_one_after_the_other(signed: Signed) -> None:
    """Each sees the session of the other, so that the second one takes the oldest away."""
    sign_in, key = signed.world.service.sign_in, signed.world.keys["B"]
    for _ in range(49):
        _, session = await sign_in.open(key)
    async with _as(signed, session) as first:
        await first.execute("SELECT * FROM open_session(gen_random_uuid(), 'x')")
        second = asyncio.create_task(sign_in.open(key))
        await until_one_waits(signed.dsn)
        await first.commit()
    await second
    assert len(await _kept(signed)) == 50 + 1


async def test_without_a_key_nobody_opens_one(signed: Signed) -> None:
    for credential in ("", "00000000-0000-0000-0000-000000000007"):
        async with entered(signed.dsn, REQUEST_ROLE, credential, "", "") as connection:
            assert await column(connection, "SELECT ends_at FROM open_session(gen_random_uuid(), 'x')") == []
    assert await _kept(signed) == [signed.session.id]


async def test_a_key_that_has_ended_opens_none(signed: Signed) -> None:
    await signed.world.service.keys.revoke(await signed.world.admin(), signed.session.credential.id)
    async with _as(signed, signed.session) as connection:
        assert await column(connection, "SELECT ends_at FROM open_session(gen_random_uuid(), 'x')") == []


async def test_another_key_neither_chooses_in_it_nor_closes_it(signed: Signed) -> None:
    """Not another of the same principal, not the administrator, and not a key of another tenant."""
    service = signed.world.service
    elsewhere = await service.keys.create_tenant(await signed.world.admin(), "elsewhere")
    for secret in (await signed.world.key("A"), signed.world.installation.new_key, elsewhere.secret):
        _, other = await service.sign_in.open(secret)
        async with _as(signed, other) as connection:
            choosing = "SELECT project FROM choose_session(%s, '{project}', NULL, NULL, 'stolen')"
            assert await column(connection, choosing, (signed.session.id,)) == []
            await connection.execute("SELECT close_session(%s)", (signed.session.id,))
            await connection.commit()
        assert await service.sign_in.find(signed.token) == signed.session


async def test_what_is_chosen_is_checked_again(signed: Signed) -> None:
    choosing = "SELECT acting, eyes FROM choose_session(%s, '{acting,eyes}', %s, %s, NULL)"
    _, inspector = await signed_in(signed.world, "A", permissions=(Permission.INSPECT,))
    wrong = {
        signed.session: (("agent:B", None), ("agent:A", "agent:B"), (None, "agent:A")),
        inspector: (("agent:B", None), (None, "agent:nobody"), (None, "team:*"), (None, "*")),
    }
    for session, choices in wrong.items():
        async with _as(signed, session) as connection:
            for acting, eyes in choices:
                with pytest.raises(errors.InsufficientPrivilege, match=r"not_your_agent|permission_missing"):
                    async with connection.transaction():
                        await connection.execute(choosing, (session.id, acting, eyes))
            assert await column(connection, choosing, (session.id, "agent:A", None)) == ["agent:A"]
    async with _as(signed, inspector) as connection:
        row = await (await connection.execute(choosing, (inspector.id, None, "agent:B"))).fetchone()
        assert row == {"acting": None, "eyes": "agent:B"}


async def test_nobody_of_another_tenant_is_looked_through(signed: Signed) -> None:
    made = await signed.world.service.keys.create_tenant(await signed.world.admin(), "elsewhere")
    _, there = await signed.world.service.sign_in.open(made.secret)
    assert Permission.INSPECT in there.credential.permissions
    async with _as(signed, there) as connection:
        with pytest.raises(errors.InsufficientPrivilege, match="not_your_agent"):
            await connection.execute("SELECT * FROM choose_session(%s, '{eyes}', NULL, 'agent:A', NULL)", (there.id,))


async def test_with_the_rows_of_the_key_or_of_the_tenant_the_session_goes(signed: Signed) -> None:
    async with entered(signed.dsn, None, "", "", "") as connection:
        await connection.execute("DELETE FROM credential_principals WHERE credential_id = %s", (signed.session.credential.id,))
        await connection.execute("DELETE FROM credentials WHERE credential_id = %s", (signed.session.credential.id,))
        assert await column(connection, "SELECT session_id FROM console_sessions") == []
        rule = "SELECT confdeltype::text FROM pg_constraint WHERE conrelid = 'console_sessions'::regclass AND contype = 'f'"
        assert await column(connection, rule) == ["c", "c"]


@asynccontextmanager
async def _as(signed: Signed, session: Session) -> AsyncIterator[AsyncConnection[DictRow]]:
    async with entered(signed.dsn, REQUEST_ROLE, str(session.credential.id), "", "") as connection:
        yield connection


async def _kept(signed: Signed) -> list[object]:
    async with entered(signed.dsn, None, "", "", "") as connection:
        return await column(connection, "SELECT session_id FROM console_sessions")
