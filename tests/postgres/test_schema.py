"""What the schema promises: every table forced under row-level security, no role above it, no function open to all."""

import re
from collections.abc import Iterator

import psycopg
import pytest

from whoknows.bootstrap import Installation
from whoknows.stores.postgres.migrate import migrate, migrations

WITHOUT_TENANTS = {"embedder_cache", "installation", "migrations"}
"""The embedder of the installation, and what was migrated: nothing of anybody."""

REQUESTS_MAY_CALL = {
    # who is asking
    "my_credential", "claimed_principal", "claimed_task", "my_tenant", "my_permissions", "i_may", "my_actor", "my_principal",
    "my_task", "account_of", "everyone", "team_role", "my_audiences", "my_reviews",
    # what it may do
    "i_may_write", "i_may_write_audience", "i_may_change", "refuse", "must_administer",
    # verbs, each of which checks its rule again
    "intern_audience", "next_ordinal", "index_memory", "hold", "supersede", "forget", "set_state", "share", "authenticate",
    "create_tenant", "make_principal", "change_agent", "change_member", "change_team", "remove_principal", "put_membership",
    "drop_membership", "make_credential", "revoke_credential", "note_inspection", "event_place",
    # prompts and what was used
    "my_account", "save_prompt", "use_memories",
    # banks and corrections
    "i_read_team", "route_project", "record_correction", "forget_correction",
    # observations and proposals
    "may_be_observed", "observe", "recompute", "retire", "i_may_recompute", "reserve_proposal", "written_to", "reject_proposal",
    "settle_proposal",
    # evidence
    "cite", "i_see_covered", "reverify_evidence",
    # the gate
    "change_member_gate", "lock_subjects", "leave_words", "i_may_review", "reword", "admit", "reject_memory", "copied_level",
    # handing over
    "my_task_no", "i_opened", "open_task", "close_task", "give", "given_from", "withdraw_injection",
    # the Bureau
    "open_case", "lay_card", "begin_case", "clear_case", "close_case", "tell_asked", "stage_board", "make_show_key",
    "note_case_inspection",
    # distillations, each for its account alone
    "begin_distillation", "record_distillation", "undo_distillation", "set_distilling", "mute_exchange", "settle_distillation",
    # conversations, each for its account alone
    "begin_exchange", "renew_exchange", "finish_exchange", "forget_conversation",
    # sources and their index, and what overturns what is there
    "overturn", "i_may_source", "i_may_register",
    "register_source", "begin_sync", "renew_sync", "finish_sync", "indexed_files", "indexed_pieces",
    "move_indexed", "put_indexed", "drop_indexed", "settle_indexed", "clear_source", "remove_source",
    # sessions of the console, each by its token or its own key
    "open_session", "find_session", "choose_session", "close_session", "living",
    # what an installation tells of itself: each checks who asks
    "installation_built", "database_size", "table_sizes", "backlogs",
    # what was given of a memory, to its giver alone
    "given_of",
    # workplaces and stages, each for its owner alone
    "my_workplace_owner", "register_workplace", "unregister_workplace", "set_stage",
    # hooks: figures, and exchanges that wait, each for its account alone
    "note_hook_turn", "keep_prompt", "keep_answer", "waiting_turn", "settle_exchange",
    # publishing, step by step
    # egress
    "set_egress", "note_egress", "my_kept_back",
    "reserve_publication", "write_publication", "complete_publication", "abandon_publication", "withdraw_publication",
    "renew_publication",
}  # fmt: skip


@pytest.fixture
def schema(installation_once: Installation) -> Iterator[psycopg.Connection]:
    with psycopg.connect(installation_once.dsn, options="-c search_path=whoknows,public", autocommit=True) as connection:
        yield connection


def test_every_table_is_forced_under_row_level_security(schema: psycopg.Connection) -> None:
    tables = schema.execute(
        "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class "
        "WHERE relnamespace = 'whoknows'::regnamespace AND relkind IN ('r', 'p', 'm', 'f', 'v')"
    ).fetchall()
    assert len(tables) > 20
    assert {name for name, on, forced in tables if not (on and forced)} == WITHOUT_TENANTS


def test_every_table_that_requests_may_read_has_a_policy_for_it(schema: psycopg.Connection) -> None:
    readable = {
        t
        for (t,) in schema.execute(
            "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'whoknows'::regnamespace AND c.relkind = 'r' "
            "AND (has_table_privilege('whoknows_request', c.oid, 'SELECT') "
            "OR has_any_column_privilege('whoknows_request', c.oid, 'SELECT'))"
        )
    }
    policies = schema.execute(
        "SELECT tablename, cmd, qual, roles::text[] FROM pg_policies WHERE schemaname = 'whoknows'"
    ).fetchall()
    reading = {t: q for t, cmd, q, roles in policies if cmd in ("SELECT", "ALL") and roles == ["whoknows_request"]}
    assert readable - WITHOUT_TENANTS == set(reading)
    for table, condition in reading.items():
        assert "my_tenant()" in condition or condition == "false", f"the policy of {table} does not begin with the tenant"
    for table, _, _, roles in policies:
        assert set(roles) <= {"whoknows_request", "whoknows_jobs", "whoknows_definer"}, f"a policy of {table} is for {roles}"


def test_every_table_of_tenants_carries_the_tenant(schema: psycopg.Connection) -> None:
    without = schema.execute(
        "SELECT c.relname FROM pg_class c WHERE c.relnamespace = 'whoknows'::regnamespace AND c.relkind = 'r' AND NOT EXISTS "
        "(SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND a.attnotnull)"
    ).fetchall()
    assert {t for (t,) in without} == WITHOUT_TENANTS


def test_no_role_of_ours_stands_above_the_policies_or_can_log_in(schema: psycopg.Connection) -> None:
    roles = schema.execute(
        "SELECT rolname, rolsuper, rolbypassrls, rolcanlogin, rolcreaterole, rolcreatedb FROM pg_roles "
        "WHERE rolname LIKE 'whoknows\\_%'"
    ).fetchall()
    assert {r[0] for r in roles} == {"whoknows_request", "whoknows_jobs", "whoknows_definer"}
    assert [r for r in roles if any(r[1:])] == []


def test_the_request_role_is_no_member_of_another_role(schema: psycopg.Connection) -> None:
    higher = schema.execute(
        "SELECT roleid::regrole::text FROM pg_auth_members "
        "WHERE member IN ('whoknows_request'::regrole, 'whoknows_jobs'::regrole)"
    ).fetchall()
    assert higher == []


def test_tables_belong_to_the_owner_and_not_to_a_role_of_requests(schema: psycopg.Connection) -> None:
    owners = schema.execute(
        "SELECT DISTINCT relowner::regrole::text FROM pg_class WHERE relnamespace = 'whoknows'::regnamespace AND relkind = 'r'"
    ).fetchall()
    assert not {o for (o,) in owners} & {"whoknows_request", "whoknows_jobs", "whoknows_definer"}


def test_definer_functions_have_a_fixed_search_path_and_an_owner_without_login(schema: psycopg.Connection) -> None:
    functions = schema.execute(
        "SELECT proname, coalesce(proconfig::text, ''), proowner::regrole::text FROM pg_proc "
        "WHERE pronamespace = 'whoknows'::regnamespace AND prosecdef"
    ).fetchall()
    assert len(functions) > 20
    for name, config, owner in functions:
        # pg_temp comes last: otherwise a temporary table would stand before ours.
        assert re.search(r"search_path=whoknows, (procrastinate, )?public, pg_temp", config), f"{name}: {config}"
        assert owner == "whoknows_definer", name


def test_no_function_is_open_to_everybody(schema: psycopg.Connection) -> None:
    for role in ("public", "whoknows_request", "whoknows_jobs"):
        may = schema.execute(
            "SELECT proname FROM pg_proc p WHERE pronamespace = 'whoknows'::regnamespace "
            "AND has_function_privilege(%s, p.oid, 'EXECUTE') "
            "AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = p.oid AND d.deptype = 'e')",
            (role,),
        ).fetchall()
        expected = {"public": set[str](), "whoknows_request": REQUESTS_MAY_CALL}.get(role)
        if expected is not None:
            assert {f for (f,) in may} == expected, role
        else:
            assert not {f for (f,) in may} & {"forget", "share", "authenticate", "make_credential", "found_tenant"}


def test_requests_hold_no_more_on_tables_than_is_listed(schema: psycopg.Connection) -> None:
    held = schema.execute(
        "SELECT table_name, privilege_type FROM information_schema.table_privileges "
        "WHERE table_schema = 'whoknows' AND grantee = 'whoknows_request' AND privilege_type <> 'SELECT'"
    ).fetchall()
    assert set(held) == {(t, "INSERT") for t in ("memories", "memory_authors", "versions", "traces", "idempotency", "ledger")}
    columns = schema.execute(
        "SELECT table_name, column_name FROM information_schema.column_privileges "
        "WHERE table_schema = 'whoknows' AND grantee = 'whoknows_request' AND privilege_type = 'UPDATE'"
    ).fetchall()
    text = (
        "content",
        "title",
        "category",
        "subject",
        "tags",
        "reason",
        "version",
        "content_hash",
        "dedupe_key",
        "updated_at",
        "expires_at",
        "wide",
        "embedded",
    )
    assert set(columns) == {("memories", c) for c in text} | {("idempotency", "answer")}


def test_the_hash_of_a_key_is_readable_by_nobody(schema: psycopg.Connection) -> None:
    for role in ("whoknows_request", "whoknows_jobs"):
        row = schema.execute("SELECT has_column_privilege(%s, 'credentials', 'secret_hash', 'SELECT')", (role,)).fetchone()
        assert row == (False,)


def test_nobody_may_use_the_schema_but_our_roles(schema: psycopg.Connection) -> None:
    row = schema.execute(
        "SELECT has_schema_privilege('public', 'whoknows', 'USAGE'), "
        "has_schema_privilege('whoknows_request', 'whoknows', 'CREATE')"
    ).fetchone()
    assert row == (False, False)


def test_migrating_again_changes_nothing(installation_once: Installation, schema: psycopg.Connection) -> None:
    before = _shape(schema)
    assert migrate(installation_once.dsn, "test", 384) == []
    assert _shape(schema) == before


def test_two_fresh_databases_have_one_shape(server: str, schema: psycopg.Connection) -> None:
    """Migrating step by step gives what a fresh database has: there is one way to the schema, and it is repeatable."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE DATABASE step_by_step")
    dsn = server.replace("/postgres?", "/step_by_step?")
    assert migrate(dsn, "test", 384) == [name for name, _ in migrations()]
    with psycopg.connect(dsn, options="-c search_path=whoknows,public") as stepped:
        shape = _shape(stepped)
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("DROP DATABASE step_by_step WITH (FORCE)")
    assert shape == _shape(schema)


def test_migrations_are_numbered_without_gaps() -> None:
    assert [int(name[:4]) for name, _ in migrations()] == list(range(1, len(migrations()) + 1))


def _shape(connection: psycopg.Connection) -> dict[str, list[tuple[object, ...]]]:
    """All that makes the schema: columns, constraints, indexes, policies, functions, triggers, grants."""
    queries = {
        "columns": "SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns "
        "WHERE table_schema = 'whoknows' ORDER BY 1, ordinal_position",
        "constraints": "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
        "WHERE connamespace = 'whoknows'::regnamespace ORDER BY 1, 2",
        "indexes": "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'whoknows' ORDER BY 1",
        "policies": "SELECT tablename, policyname, roles::text, cmd, qual, with_check FROM pg_policies "
        "WHERE schemaname = 'whoknows' ORDER BY 1, 2, 3, 4",
        "functions": "SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid), proacl::text FROM pg_proc p "
        "WHERE pronamespace = 'whoknows'::regnamespace ORDER BY 1",
        "triggers": "SELECT tgrelid::regclass::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal "
        "AND tgrelid::regclass::text NOT LIKE 'procrastinate%' ORDER BY 1, 2",
        "grants": "SELECT relname, relacl::text FROM pg_class WHERE relnamespace = 'whoknows'::regnamespace "
        "AND relkind IN ('r', 'S') ORDER BY 1",
    }
    return {what: connection.execute(query.encode()).fetchall() for what, query in queries.items()}
