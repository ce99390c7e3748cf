"""Row-level security alone: no statement here has a filter, and every reader still gets exactly what the case says.

The mirror: by one whom no policy binds, the filters of the statements alone give the same.
"""

import pytest
from raw import column, first_lock_alone, second_lock_alone

from visibility_cases import CASES, Case
from visibility_stage import QUESTION, Stage
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, State
from whoknows.errors import PermissionMissing
from whoknows.flows.recall import CANDIDATES
from whoknows.policy.standing import scope_for
from whoknows.recall.tokens import question_terms
from whoknows.stores.postgres.store import PostgresTx

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.parametrize("case", CASES, ids=str)]

OF_MEMORIES = ("memories", "versions", "evidence", "memory_authors")
"""Tables that hold texts, sources and names of memories by their id; readable where the memory is."""
OF_NUMBERS = ("documents", "passages")
"""The arms: by the memory's number."""


async def test_tables_hold_what_the_case_says_and_nothing_else(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        async with second_lock_alone(stage.dsn, stage.caller(reader)) as connection:
            numbers = await _numbers(stage)
            for table in OF_MEMORIES:
                found = set(await column(connection, f"SELECT memory_id FROM {table}"))
                # What a source says goes to nobody who could not read it there: these copies carry none (P1).
                without = set(stage.publications) if table == "evidence" else set[str]()
                assert stage.names(found) == stage.sees(reader) - without, f"{reader} in {table}"
            for table in OF_NUMBERS:
                found = {numbers.get(n, n) for n in await column(connection, f"SELECT memory_no FROM {table}")}
                assert found == stage.sees(reader), f"{reader} in {table}"
            found = {numbers.get(n, n) for n in await column(connection, "SELECT memory_no FROM postings")}
            assert found == stage.current(reader), f"{reader} in postings"
            assert await column(connection, "SELECT memory_id FROM tombstones") == []


async def test_both_derivations_name_the_same_audiences(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        caller = stage.caller(reader)
        try:
            async with stage.service.store.read(caller) as tx:
                scope = scope_for(await tx.directory.standing())
            mine, reviews = scope.audiences, scope.reviews
        except PermissionMissing:
            mine = reviews = frozenset()
        async with second_lock_alone(stage.dsn, caller) as connection:
            assert set(await column(connection, "SELECT unnest(my_audiences())")) == mine, reader
            assert set(await column(connection, "SELECT unnest(my_reviews())")) == reviews, reader
            assert set(await column(connection, "SELECT audience_id FROM audiences")) == mine, reader


async def test_events_are_of_the_reader_s_audiences(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        async with second_lock_alone(stage.dsn, stage.caller(reader)) as connection:
            audiences = set(await column(connection, "SELECT unnest(my_audiences())"))
            told = await (await connection.execute("SELECT memory_id, audience_id, held FROM events")).fetchall()
        assert {e["audience_id"] for e in told} <= audiences, reader
        assert stage.names({e["memory_id"] for e in told if e["held"]}) <= stage.sees(reader) | _gone(stage), reader


async def test_people_and_keys_are_of_one_s_own_tenant(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        caller = stage.caller(reader)
        async with second_lock_alone(stage.dsn, caller) as connection:
            for table in ("tenants", "principals", "memberships", "audience_grants", "credential_principals"):
                assert set(await column(connection, f"SELECT tenant_id FROM {table}")) <= {caller.credential.tenant_id}
            keys = set(await column(connection, "SELECT credential_id FROM credentials"))
            assert keys <= {caller.credential.id}, f"{reader} sees the keys of others"


async def test_filters_alone_give_the_same(case: Case, stages: dict[str, Stage]) -> None:
    """Every gateway, with its filters and without row-level security."""
    stage = stages[case.name]
    vector = (await stage.service.aim(QUESTION)).vector
    for reader in stage.readers():
        async with first_lock_alone(stage.dsn, stage.caller(reader)) as sql:
            tx = PostgresTx(sql)
            try:
                standing = await tx.directory.standing()
            except PermissionMissing:
                assert stage.sees(reader) == set()
                continue
            scope = scope_for(standing)
            ids = list(stage.memories.values())
            listed = {s: await tx.memories.page(scope, Filters(state=s), 200, None) for s in State}
            assert stage.names({m.id for p in listed.values() for m in p.items}) == stage.sees(reader), reader
            assert stage.names({m.id for m in await tx.memories.load(scope, ids)}) == stage.sees(reader), reader
            assert stage.names(set(await tx.records.visible(scope, ids))) == stage.sees(reader), reader
            for name, memory in stage.memories.items():
                assert bool(await tx.memories.history(scope, memory)) == (name in stage.sees(reader)), reader
                assert bool(await tx.memories.chain(scope, memory)) == (name in stage.sees(reader)), reader
            recalled = scope_for(standing, stage.session(reader) or "")
            found = await tx.arms.search(recalled, question_terms(QUESTION), vector, Filters(), CANDIDATES)
            assert found.lexical is not None
            assert found.dense is not None
            assert stage.names({MemoryId(h.memory) for h in found.lexical.hits}) == stage.recalls(reader), reader
            assert stage.names({MemoryId(h.memory) for h in found.dense}) == stage.recalls(reader), reader
            assert found.visible == len(stage.recalls(reader)), reader


async def _numbers(stage: Stage) -> dict[int, str]:
    """Internal numbers of the case's memories → their names."""
    async with first_lock_alone(stage.dsn, next(iter(stage.callers.values()))) as sql:
        found = await sql.all(
            "SELECT memory_no, memory_id FROM memories WHERE memory_id = ANY (%(ids)s)", {"ids": list(stage.memories.values())}
        )
    names = {i: n for n, i in stage.memories.items()}
    return {r["memory_no"]: names[r["memory_id"]] for r in found}


def _gone(stage: Stage) -> set[str]:
    """Names of what was deleted or expired: an event may still tell that it was."""
    return set(stage.memories) - {n for r in stage.readers() for n in stage.sees(r)}
