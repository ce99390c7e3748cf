"""What the request role cannot do, whatever statement it finds a way to send."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import AsyncConnection, errors
from psycopg.rows import DictRow
from raw import NOBODY, claims, column, entered, second_lock_alone

from whoknows.domain.credential import Caller, Permission
from whoknows.domain.memory import Draft, Isolation, Memory
from whoknows.stores.postgres.session import REQUEST_ROLE, Database
from worlds import World

TABLES = (
    "memories", "versions", "evidence", "memory_authors", "documents", "postings", "passages", "events", "traces", "audit",
    "pending_embeddings", "idempotency", "tombstones", "audiences", "audience_grants", "principals", "memberships",
    "credentials", "credential_principals", "tenants", "conversations", "exchanges", "prompts", "memory_uses",
    "distillations", "distilled_messages", "distilled_facts", "distill_settings",
    "workplaces", "stage_changes",
)  # fmt: skip


@dataclass
class Two:
    """A and B on the team T, each with a private memory, and one of the team's, by A."""

    world: World
    a: Caller
    b: Caller
    own: Memory
    other: Memory
    team: Memory

    @property
    def dsn(self) -> str:
        return self.world.installation.dsn


@pytest.fixture
async def two(world: World) -> Two:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="writer")
    own, other = await world.write("A", "A's own"), await world.write("B", "B's own")
    team = await world.write("A", "the team's", team_id="T")
    return Two(world, await world.caller("A"), await world.caller("B"), own, other, team)


async def test_it_cannot_delete_from_any_table(two: Two) -> None:
    async with second_lock_alone(two.dsn, two.a) as connection:
        for table in TABLES:
            await _refused(connection, f"DELETE FROM {table}")


async def test_it_cannot_move_a_memory_by_a_plain_update(two: Two) -> None:
    fixed = (
        "audience_id = audience_id", "author_id = author_id", "state = 'archived'", "tenant_id = tenant_id",
        "memory_id = memory_id", "superseded_by = NULL", "supersedes = NULL", "injected_by_id = NULL", "origin = NULL",
        "created_at = now()", "isolation = 'task'", "task_id = NULL", "session_id = NULL", "project_id = NULL",
        "dedupe_author = NULL",
    )  # fmt: skip
    async with second_lock_alone(two.dsn, two.a) as connection:
        for assignment in fixed:
            await _refused(connection, f"UPDATE memories SET {assignment}")


async def test_an_update_touches_only_what_it_may_change(two: Two) -> None:
    async with second_lock_alone(two.dsn, two.b) as connection:
        changed = await connection.execute("UPDATE memories SET content = 'changed' RETURNING memory_id")
        assert [r["memory_id"] for r in await changed.fetchall()] == [two.other.id]


_INSERT = (
    "INSERT INTO memories (tenant_id, memory_id, audience_id, author_id, content, category, content_hash, dedupe_key, "
    "state, version, injected_by_id, origin) "
    "VALUES (%(tenant)s, %(id)s, %(audience)s, %(author)s, 'x', 'fact', '', '\\x00', "
    "%(state)s, %(version)s, %(injected)s, %(origin)s)"
)


async def test_it_inserts_for_itself_and_nobody_else(two: Two) -> None:
    tenant = two.a.credential.tenant_id
    assert two.a.principal
    assert two.b.principal
    right = {
        "tenant": tenant, "id": uuid4(), "audience": two.own.audience.id, "author": two.a.principal.id,
        "state": "active", "version": 1, "injected": None, "origin": None,
    }  # fmt: skip
    wrong = (
        {"author": two.b.principal.id}, {"audience": two.other.audience.id}, {"tenant": tenant + 1}, {"state": "superseded"},
        {"state": "withdrawn"}, {"state": "archived"}, {"version": 7}, {"injected": two.a.principal.id},
        {"origin": '{"agent_id": "B"}'},
    )  # fmt: skip
    async with second_lock_alone(two.dsn, two.a) as connection:
        await connection.execute(_INSERT, right)
        for fault in wrong:
            await _refused(connection, _INSERT, right | {"id": uuid4()} | fault)


async def test_a_reader_of_a_team_inserts_nothing_there(two: Two) -> None:
    await two.world.join("T", "B", "reader")
    assert two.b.principal
    async with second_lock_alone(two.dsn, two.b) as connection:
        row = {"tenant": two.b.credential.tenant_id, "id": uuid4(), "audience": two.team.audience.id}
        row |= {"author": two.b.principal.id, "state": "active", "version": 1, "injected": None, "origin": None}
        await _refused(connection, _INSERT, row)


async def test_side_tables_take_nothing_about_what_is_hidden_or_of_others(two: Two) -> None:
    statements = (
        "memory_authors (tenant_id, memory_id, audience_id, author_id) VALUES (%(tenant)s, %(other)s, %(audience)s, %(me)s)",
        """evidence (tenant_id, memory_id, audience_id, added_by, source_kind, locator)
        VALUES (%(tenant)s, %(other)s, %(audience)s, %(me)s, 'manual', 'x')""",
        """versions (tenant_id, memory_id, version, audience_id, content, category, tags, changed_by, change)
        VALUES (%(tenant)s, %(other)s, 9, %(audience)s, 'x', 'fact', '{}', %(me)s, 'edited')""",
        """traces (tenant_id, trace_id, principal_id, credential_id, question, body)
        VALUES (%(tenant)s, gen_random_uuid(), %(them)s, %(credential)s, '', '{}')""",
        "idempotency (tenant_id, principal_id, route, key, body_hash) VALUES (%(tenant)s, %(them)s, '', '', '')",
    )
    assert two.a.principal
    assert two.b.principal
    params = {
        "tenant": two.a.credential.tenant_id, "other": two.other.id, "audience": two.own.audience.id, "me": two.a.principal.id,
        "them": two.b.principal.id, "credential": two.a.credential.id,
    }  # fmt: skip
    async with second_lock_alone(two.dsn, two.a) as connection:
        for statement in statements:
            await _refused(connection, f"INSERT INTO {statement}", params)


async def test_it_cannot_call_what_checks_no_rule(two: Two) -> None:
    calls = (
        "erase(ARRAY[]::uuid[], 1)", "move_memory(gen_random_uuid(), 1)", "put_audience(1, 'team', 1, '{}', NULL, NULL)",
        "found_tenant('x', gen_random_uuid(), '\\x00', '{}')", "sweep(1)", "sweep_departed('1 day', 1)",
        "enter_postings('{}')", "leave_postings('{}')", "set_live('{}', true)", "revive('{}')",
        "note('x', 'x')", "tell()", "queue_embedding(gen_random_uuid())", "complete_embedding(gen_random_uuid(), 1, '{}')",
        "must_speak_for(1)", "must_be_ours(1, 1)", "audience_covers(1, 1)", "readers_of(1)",
        "readers_of_team(1)", "on_team(1, 1)",
        "rests_on(gen_random_uuid(), gen_random_uuid())", "evidence_due(1)", "leave_evidence('{}')",
        "mark_evidence(1, '', '', true, false, 1, 1)",
    )  # fmt: skip
    async with second_lock_alone(two.dsn, two.a) as connection:
        for call in calls:
            assert "permission denied" in await _refused(connection, f"SELECT {call}"), call


async def test_verbs_check_their_rule_again(two: Two) -> None:
    calls = (
        "supersede(%(other)s, %(own)s, NULL)", "set_state(%(other)s, 'archived')", "share(%(other)s, %(me)s, true)",
        "share(%(team)s, %(me)s, true)", "index_memory(%(other)s, '{}', '{}', 0, '{}', false)",
        "cite(jsonb_build_array(jsonb_build_object('memory_id', %(other)s::text, 'locator', 'x')))",
        "cite(jsonb_build_array(jsonb_build_object('memory_id', %(own)s::text, 'audience', %(hidden)s::int, 'locator', 'x')))",
        "reverify_evidence(1, NULL, NULL, true, false, 1, 1)",
    )  # fmt: skip
    assert two.a.principal
    params = {"other": two.other.id, "own": two.own.id, "team": two.team.id, "me": two.a.principal.id}
    params |= {"hidden": two.other.audience.id}
    async with second_lock_alone(two.dsn, two.a) as connection:
        for call in calls:
            assert "permission denied" not in await _refused(connection, f"SELECT {call}", params), call


async def test_to_forget_what_is_not_one_s_own_removes_nothing(two: Two) -> None:
    async with second_lock_alone(two.dsn, two.b) as connection:
        row = await (await connection.execute("SELECT * FROM forget(%s)", ([two.own.id, two.team.id],))).fetchone()
        assert row == {"deleted": 0, "released": 0, "copied": 0}
    assert (await two.world.service.read.get(two.a, two.own.id)).id == two.own.id


@pytest.mark.parametrize(
    ("credential", "principal", "task"),
    [NOBODY, (str(UUID(int=7)), "1", ""), ("", "1", "k1")],
    ids=["nobody", "an unknown key", "a principal without a key"],
)
async def test_without_a_key_no_table_holds_anything(two: Two, credential: str, principal: str, task: str) -> None:
    async with entered(two.dsn, REQUEST_ROLE, credential, principal, task) as connection:
        for table in TABLES:
            assert await _seen(connection, table) == 0, table


async def test_where_nothing_was_ever_set_no_table_holds_anything(two: Two) -> None:
    async with await psycopg.AsyncConnection[DictRow].connect(two.dsn, options="-c search_path=whoknows,public") as connection:
        await connection.execute("SET LOCAL ROLE whoknows_request")
        for table in TABLES:
            assert await _seen(connection, table) == 0, table


async def test_garbage_instead_of_a_key_is_an_error_and_no_answer(two: Two) -> None:
    for garbage in ("x", "1; DROP TABLE memories", "' OR true --", "00000000-0000-0000-0000-00000000000"):
        async with entered(two.dsn, REQUEST_ROLE, garbage, "1", "") as connection:
            with pytest.raises(errors.InvalidTextRepresentation):
                await connection.execute("SELECT * FROM memories")


async def test_a_key_acts_as_nobody_it_does_not_name(two: Two) -> None:
    """B's number with A's key: neither B's standing nor A's."""
    mine, _, task = claims(two.a)
    assert two.b.principal
    async with entered(two.dsn, REQUEST_ROLE, mine, str(two.b.principal.id), task) as connection:
        for table in ("memories", "versions", "documents", "postings", "passages", "events", "traces", "audiences"):
            assert await _seen(connection, table) == 0, table


async def test_a_key_of_another_tenant_sees_its_own_tenant(two: Two) -> None:
    made = await two.world.service.keys.create_tenant(await two.world.admin(), "elsewhere")
    other = await two.world.service.authenticate(made.secret)
    assert two.a.principal
    async with entered(two.dsn, REQUEST_ROLE, str(other.id), str(two.a.principal.id), "") as connection:
        for table in (
            "memories",
            "versions",
            "documents",
            "postings",
            "passages",
            "events",
            "traces",
            "audiences",
            "audience_grants",
        ):
            assert await _seen(connection, table) == 0, table
        assert set(await column(connection, "SELECT tenant_id FROM principals")) == {other.tenant_id}


async def test_nothing_is_told_of_the_people_of_another_tenant_and_nobody_is_joined_to_them(two: Two) -> None:
    """Not by the functions that policies call either; and no agent is made the child or the account of a stranger."""
    await two.world.members("m")
    await two.world.agents("M", account="m")
    made = await two.world.service.keys.create_tenant(await two.world.admin(), "elsewhere")
    admin = await two.world.service.authenticate(made.secret)
    async with entered(two.dsn, None, "", "", "") as connection:
        found = await (
            await connection.execute("SELECT name, principal_id AS id FROM principals WHERE kind <> 'member'")
        ).fetchall()
        ids = {r["name"]: r["id"] for r in found}
        (member,) = await column(connection, "SELECT principal_id FROM principals WHERE kind = 'member'")
    async with entered(two.dsn, REQUEST_ROLE, str(admin.id), "", "") as connection:
        assert await column(connection, "SELECT account_of(%s)", (ids["M"],)) == [None]
        assert await column(connection, "SELECT team_role(%s, %s)", (ids["A"], ids["T"])) == [None]
        assert await column(connection, "SELECT everyone(%s)", (two.a.credential.tenant_id,)) == [None]
        make = "SELECT make_principal('agent', 'spy', NULL, %s, 'open', %s, %s, 'open', false)"
        assert "unknown_reader" in await _refused(connection, make, ("sub", ids["A"], None))
        assert "unknown_reader" in await _refused(connection, make, ("main", None, member))


async def test_a_task_that_the_key_does_not_have_counts_for_nothing(two: Two) -> None:
    secret = await two.world.key("A", task="k1")
    with_task = await two.world.caller("A", secret)
    bound = (await two.world.service.capture(with_task, Draft("bound to the task", isolation=Isolation.TASK))).memory.id
    mine, me, _ = claims(two.a)
    async with entered(two.dsn, REQUEST_ROLE, mine, me, "k1") as connection:
        assert bound not in await column(connection, "SELECT memory_id FROM memories")
        assert await column(connection, "SELECT my_task()") == [None]
    async with second_lock_alone(two.dsn, with_task) as connection:
        assert bound in await column(connection, "SELECT memory_id FROM memories")


async def test_inspection_reads_and_writes_nothing_as_the_other(two: Two) -> None:
    """With `inspect` another's eyes are used; its hand never."""
    secret = await two.world.key("B", permissions=[Permission.INSPECT])
    inspector = await two.world.service.authenticate(secret)
    assert two.a.principal
    async with entered(two.dsn, REQUEST_ROLE, str(inspector.id), str(two.a.principal.id), "") as connection:
        assert two.own.id in await column(connection, "SELECT memory_id FROM memories")
        assert await column(connection, "SELECT my_actor()") == [None]
        changed = await connection.execute("UPDATE memories SET content = 'changed'")
        assert changed.rowcount == 0


async def test_a_pooled_connection_carries_no_identity_on(two: Two) -> None:
    database = Database(two.dsn, size=2, timeout=10)
    await database.open()
    try:
        async with database.request(two.a) as one, database.request(two.a) as other:  # all connections there are
            for sql in (one, other):
                assert len(await sql.all("SELECT memory_id FROM memories")) == 2
        await _nobody(database)
        async with database.request(two.b) as sql:
            assert {r["memory_id"] for r in await sql.all("SELECT memory_id FROM memories")} == {two.other.id, two.team.id}
    finally:
        await database.close()


async def test_a_transaction_that_failed_leaves_no_identity_either(two: Two) -> None:
    database = Database(two.dsn, size=2, timeout=10)
    await database.open()
    try:
        with pytest.raises(RuntimeError):
            async with database.request(two.a), database.request(two.a):
                raise RuntimeError
        await _nobody(database)
    finally:
        await database.close()


async def _nobody(database: Database) -> None:
    """Both connections of the pool, asked without a caller."""
    settings = ", ".join(f"current_setting('whoknows.{s}', true) AS {s}" for s in ("credential", "principal", "task"))
    async with database.request(None) as one, database.request(None) as other:
        for sql in (one, other):
            assert await sql.all("SELECT memory_id FROM memories") == []
            assert await sql.one("SELECT my_principal() AS p, my_tenant() AS t") == {"p": None, "t": None}
            assert await sql.one(f"SELECT {settings}") == {"credential": "", "principal": "", "task": ""}


async def _refused(connection: AsyncConnection[DictRow], statement: str, params: Any = None) -> str:
    """The statement raises, and says what it says; the transaction goes on."""
    with pytest.raises((errors.InsufficientPrivilege, errors.CheckViolation)) as refused:
        async with connection.transaction():
            await connection.execute(statement.encode(), params)
    return str(refused.value)


async def _seen(connection: AsyncConnection[DictRow], table: str) -> int:
    """Rows of a table; columns that are not granted do not count as sight."""
    columns = "credential_id" if table == "credentials" else "*"
    return len(await (await connection.execute(f"SELECT {columns} FROM {table}")).fetchall())
