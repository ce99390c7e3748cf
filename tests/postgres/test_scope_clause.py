"""The scope clause deleted from the statements: row-level security still lets nothing through."""

from collections.abc import Mapping
from typing import Any

import pytest
from pgvector import HalfVector
from raw import entered, second_lock_alone

from visibility_cases import CASES, Case
from visibility_stage import QUESTION, Stage
from whoknows.domain.memory import Filters
from whoknows.errors import PermissionMissing
from whoknows.flows.prepare import term_hash
from whoknows.policy.standing import ReadScope, scope_for
from whoknows.recall.tokens import question_terms
from whoknows.stores.postgres.parameters import filtered, scoped
from whoknows.stores.postgres.sql import raw_blocks, render

pytestmark = pytest.mark.asyncio(loop_scope="session")

ALONE = {
    "memories": ("newest", "outline", "inhabited", "projects", "chain", "history", "duplicates", "current_on", "near"),
    "arms": (
        "sight",
        "postings",
        "left_by_filters",
        "left_of_these",
        "nearest",
        "nearest_of_these",
        "nearest_hnsw",
        "nearest_hnsw_left",
        "cards",
    ),
    "records": ("visible", "events_after"),
    "context": ("recent", "tagged", "newest", "cards", "last_used"),
    "distillations": ("known",),
    "citations": ("of", "quotable"),
}
"""Blocks with the clause that are statements by themselves."""
COMPOSED = (("select", "by_ids"),)
"""Those that the memories gateway puts together."""
WRITES = {("memories", "edit"), ("memories", "deletable"), ("gate", "waiting")}
"""They ask for the right to write besides: what they may touch is tested in test_request_role.py."""
OVERTURNED = {("arms", "former")}
"""About what was overturned, which no case has: tried without either lock in test_overturned_topics.py."""

PLACED = {("arms", "left_of_project")}
"""About a project, which no case has: tried without either lock in test_left.py."""


def _statements() -> dict[str, str]:
    memories = raw_blocks("memories")
    alone = {f"{file}.{name}": raw_blocks(file)[name] for file, names in ALONE.items() for name in names}
    return alone | {f"memories.{'+'.join(names)}": " ".join(memories[n] for n in names) for names in COMPOSED}


STATEMENTS = _statements()


async def test_every_block_with_the_clause_is_tried_without_it() -> None:
    with_clause = {(f, n) for f in _FILES for n, text in raw_blocks(f).items() if "{{" in text}
    tried = {(f, n) for f, names in ALONE.items() for n in names} | {("memories", n) for names in COMPOSED for n in names}
    assert with_clause <= tried | WRITES | OVERTURNED | PLACED


@pytest.mark.parametrize("case", CASES, ids=str)
async def test_without_the_clause_every_statement_answers_the_same(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        caller = stage.caller(reader)
        try:
            async with stage.service.store.read(caller) as tx:
                scope = scope_for(await tx.directory.standing())
        except PermissionMissing:  # the key has ended: no scope at all
            assert caller.principal is not None
            scope = ReadScope(caller.credential.tenant_id, caller.principal.id, frozenset(), frozenset())
        async with second_lock_alone(stage.dsn, caller) as connection:
            for n, params in enumerate(await _params(stage, scope)):
                for name, text in STATEMENTS.items():
                    if n and not any(name in text for name in ("%(id)s", "%(event)s", "%(audience)s")):
                        continue  # it asks about all of them, and has been asked
                    with_it = await _rows(connection, render(text), params)
                    without = await _rows(connection, render(text, scope_clause=False), params)
                    assert without == with_it, f"{name} for {reader}"


async def test_the_clause_is_what_hides_where_no_policy_binds(stages: dict[str, Stage]) -> None:
    """The proof has teeth: without both locks, every one of the statements shows what is hidden."""
    stage = stages["private is the author's alone"]
    caller = stage.caller("A")
    async with stage.service.store.read(caller) as tx:
        scope = scope_for(await tx.directory.standing())
    async with entered(stage.dsn, None, "", "", "") as connection:
        (params,) = [p for p in await _params(stage, scope) if p["id"] == stage.memories["b"]]
        for name, text in STATEMENTS.items():
            if name == "memories.projects":  # no memory of a case has one, and the statements about general ones need none
                await connection.execute("UPDATE memories SET project_id = 'boss' WHERE memory_id = %(id)s", params)
            with_it = await _rows(connection, render(text), params)
            without = await _rows(connection, render(text, scope_clause=False), params)
            assert without != with_it, f"{name} hides nothing"
            if name == "memories.projects":
                await connection.execute("UPDATE memories SET project_id = NULL WHERE memory_id = %(id)s", params)


_FILES = ("memories", "arms", "records", "context", "directory", "credentials", "jobs", "distillations", "citations")


async def _params(stage: Stage, scope: ReadScope) -> list[dict[str, Any]]:
    """What each statement is asked for: about every memory of the case, by all its numbers and keys."""
    ids = list(stage.memories.values())
    vector = (await stage.service.aim(QUESTION)).vector
    async with entered(stage.dsn, None, "", "", "") as connection:
        of_case = "FROM memories WHERE memory_id = ANY (%(ids)s) ORDER BY memory_no"
        # So that there is something to find by its tag and by its use: tags are in no index, and uses are the reader's own.
        await connection.execute(
            "UPDATE memories SET tags = '{harbour}', subject = 'harbour' WHERE memory_id = ANY (%(ids)s)", {"ids": ids}
        )
        await connection.execute(
            "INSERT INTO memory_uses (tenant_id, reader_id, memory_id) SELECT tenant_id, %(reader)s, memory_id FROM memories "
            "WHERE memory_id = ANY (%(ids)s) AND tenant_id = %(tenant)s ON CONFLICT DO NOTHING",
            {"ids": ids, "reader": scope.reader, "tenant": scope.tenant},
        )
        await connection.execute(
            "INSERT INTO evidence (tenant_id, memory_id, audience_id, added_by, source_kind, locator) "
            "SELECT tenant_id, memory_id, audience_id, author_id, 'manual', 'harbour' FROM memories "
            "WHERE memory_id = ANY (%(ids)s) ON CONFLICT DO NOTHING",
            {"ids": ids},
        )
        await connection.commit()
        found = await _fetch(connection, f"SELECT memory_no, memory_id, audience_id, dedupe_key {of_case}", {"ids": ids})
        events = await _fetch(
            connection, "SELECT event_id, memory_id FROM events WHERE memory_id = ANY (%(ids)s)", {"ids": ids}
        )
    common = scoped(scope) | filtered(Filters()) | {
        "ids": ids,
        "terms": [term_hash(t.text) for t in question_terms(QUESTION)],
        "vector": HalfVector(list(vector)),
        "rows": 400,
        "every": 1,
        "newest": 1000,
        "limit": 100,
        "before": None,
        "nos": [r["memory_no"] for r in found],
        "numbers": [r["memory_no"] for r in found],
        "most": 1000,
        "in": [r["audience_id"] for r in found],
        "keys": [r["dedupe_key"] for r in found],
        "readers": [scope.reader],
        "subject": "harbour",
        "project": "boss",
        "general": True,
        "words": "in the harbour",
        "xid": "0",
        "number": 0,
    }  # fmt: skip
    event_of = {e["memory_id"]: e["event_id"] for e in events}
    audience_of = {r["memory_id"]: r["audience_id"] for r in found}
    return [common | {"id": i, "event": event_of[i], "audience": audience_of.get(i)} for i in ids]


async def _rows(connection: Any, statement: str, params: Mapping[str, Any]) -> list[str]:
    """All rows as text, in no order, lists of numbers within them sorted."""

    def settled(value: Any) -> Any:
        return sorted(value) if isinstance(value, list) and all(isinstance(v, int) for v in value) else value

    return sorted(repr({k: settled(v) for k, v in r.items()}) for r in await _fetch(connection, statement, params))


async def _fetch(connection: Any, statement: str, params: Mapping[str, Any]) -> list[dict[str, Any]]:
    return await (await connection.execute(statement, params)).fetchall()
