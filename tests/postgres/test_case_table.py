"""The table of cases against the policy, every arm and every verb: exactly what it says, nothing more and nothing less."""

import asyncio
from datetime import UTC, datetime

import pytest
from raw import first_lock_alone

from visibility_cases import CASES, Case
from visibility_stage import QUESTION, Stage
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Draft, Filters, Memory, State
from whoknows.errors import NotFound, PermissionMissing
from whoknows.flows.recall import CANDIDATES, Question
from whoknows.policy.explain import explain
from whoknows.policy.standing import scope_for
from whoknows.recall.tokens import question_terms
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.sql import blocks, raw_blocks, render

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.parametrize("case", CASES, ids=str)]


async def test_policy_says_what_the_case_says(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        caller = stage.caller(reader)
        memories = await _all_of_it(stage, reader)
        try:
            async with stage.service.store.read(caller) as tx:
                standing = await tx.directory.standing()
        except PermissionMissing:
            assert stage.sees(reader) == set()
            continue
        verdicts: set[str] = set()
        async with first_lock_alone(stage.dsn, caller) as sql:
            params = {"audiences": [m.audience.id for m in memories.values()]}
            ways_in = [rows.grant(r) for r in await sql.all(blocks("directory")["grants_of"], params)]
        for name, memory in memories.items():
            grants = [g for g in ways_in if g.audience == memory.audience.id]
            in_scope = memory.audience.id in scope_for(standing).audiences
            verdict = explain(standing, memory, grants, datetime.now(UTC))
            assert verdict.reason
            if verdict.visible:
                verdicts.add(name)
                assert in_scope, f"{reader} sees {name} without its audience"
        assert verdicts == stage.sees(reader), reader


async def test_get_brings_what_the_case_says(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        got: set[str] = set()
        for name, memory in stage.memories.items():
            try:
                found = await stage.service.read.get(stage.caller(reader), memory)
            except (NotFound, PermissionMissing):
                continue
            got.add(name)
            assert found.state == case.states.get(name, "active"), name
            assert {found.supersedes, found.superseded_by} - {None} <= {stage.memories[n] for n in stage.sees(reader)}
        assert got == stage.sees(reader), reader


async def test_lists_and_exports_bring_what_the_case_says(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        caller = stage.caller(reader)
        try:
            listed = {m.id for m in (await stage.service.read.list(caller, Filters(), 200, None)).items}
            every = {m.id for s in State for m in await _paged(stage, reader, s)}
            exported = {m.id async for m in stage.service.export(caller)}
        except PermissionMissing:
            listed = every = exported = set[MemoryId]()
        assert stage.names(listed) == stage.current(reader), reader
        assert stage.names(every) == stage.sees(reader), reader
        assert stage.names(exported) == stage.sees(reader), reader


async def test_each_arm_alone_and_both_bring_what_the_case_says(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    service, terms = stage.service, question_terms(QUESTION)
    vector = (await service.aim(QUESTION)).vector
    for reader in stage.readers():
        caller, session = stage.caller(reader), stage.session(reader)
        try:
            async with service.store.read(caller) as tx:
                scope = scope_for(await tx.directory.standing(session, all_sessions=False))
                words = await tx.arms.search(scope, terms, None, Filters(), CANDIDATES)
                near = await tx.arms.search(scope, (), vector, Filters(), CANDIDATES)
            both = await service.recall(caller, Question(QUESTION, 100, 0.0, Filters(session_id=session)))
        except PermissionMissing:
            assert stage.recalls(reader) == set()
            continue
        expected = stage.recalls(reader)
        assert words.lexical is not None
        assert words.dense is None
        assert near.dense is not None
        assert near.lexical is None
        assert stage.names({MemoryId(h.memory) for h in words.lexical.hits}) == expected, reader
        assert stage.names({MemoryId(h.memory) for h in near.dense}) == expected, reader
        assert stage.names({a.memory.id for a in both.memories}) == expected, reader
        assert words.visible == near.visible == both.trace.body["visible"] == len(expected), reader
        assert all(f <= len(expected) for f in words.lexical.frequencies)
        assert both.outcome == ("ok" if expected else "no_match")
        overturned = {o.id for a in both.memories for o in a.memory.overturned}
        assert stage.names(overturned) <= stage.sees(reader)


async def test_history_chain_and_why_are_for_those_who_see(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        caller = stage.caller(reader)
        for name, memory in stage.memories.items():
            try:
                history = await stage.service.read.history(caller, memory)
                verdict = await stage.service.explain.why(caller, memory, None)
            except (NotFound, PermissionMissing):
                assert name not in stage.sees(reader), f"{reader} has no history of {name}"
                continue
            assert name in stage.sees(reader), f"{reader} has the history of {name}"
            assert verdict.visible
            assert history.versions
            chain = stage.names({m.id for m in history.chain})
            assert name in chain
            assert chain <= stage.sees(reader)


async def test_why_and_knows_tell_of_others_what_the_case_says(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        caller = stage.caller(reader)
        try:
            matrices = [await stage.service.explain.knows(caller, Filters(state=s), 200, None) for s in State]
        except PermissionMissing:
            assert stage.sees(reader) == set()
            continue
        told = {row.memory.id for m in matrices for row in m.rows}
        assert stage.names(told) == stage.sees(reader), reader
        for matrix in matrices:
            for row in matrix.rows:
                (name,) = stage.names({row.memory.id})
                for of, verdict in zip(matrix.readers, row.verdicts, strict=True):
                    same = of == caller.principal
                    other = reader if same else _as_named(stage, reader, of.space)
                    if other in stage.revoked:  # the key has ended, the agent has not
                        continue
                    assert verdict.visible == (name in stage.sees(other)), f"{reader} is told wrongly of {other} and {name}"
                    try:
                        why = await stage.service.explain.why(caller, row.memory.id, None if same else of.space)
                    except NotFound:  # listed for another row: neither of this audience nor of the caller's teams
                        assert not verdict.visible
                        continue
                    assert (why.visible, why.rule, why.reason) == (verdict.visible, verdict.rule, verdict.reason)


async def test_events_and_traces_name_what_the_case_says(case: Case, stages: dict[str, Stage]) -> None:
    stage = stages[case.name]
    for reader in stage.readers():
        caller = stage.caller(reader)
        try:
            told = await _told(stage, reader)
            asked = await stage.service.recall(caller, Question(QUESTION, 100, 0.0, Filters(session_id=stage.session(reader))))
        except PermissionMissing:
            continue
        assert stage.names(told) == stage.sees(reader), reader
        trace = await stage.service.follow.trace(caller, asked.trace.id)
        hits = {MemoryId(h["id"]) for h in trace.body["hits"]}
        assert {str(h) for h in hits} == {str(stage.memories[n]) for n in stage.recalls(reader)}
        for other in stage.readers():
            if stage.caller(other).principal != caller.principal:
                with pytest.raises((NotFound, PermissionMissing)):
                    await stage.service.follow.trace(stage.caller(other), asked.trace.id)


async def test_writing_equal_words_hints_at_nothing(case: Case, stages: dict[str, Stage]) -> None:
    """What a write answers: one's own words of the same audience, or a new row; never that somebody else has them too."""
    stage = stages[case.name]
    for reader in stage.readers():
        caller = stage.caller(reader)
        for name in stage.memories:
            try:
                # A project of its own: nothing merges, and a hint could only come from beyond the audience.
                written = await stage.service.capture(caller, Draft(stage.texts[name], project_id="hints"))
            except PermissionMissing:
                continue
            assert (written.outcome, written.findings) == ("stored", ())
            assert [a.author for a in written.memory.authors] == [caller.principal]
            assert (written.memory.overturned, written.memory.supersedes) == ((), None)
            await stage.service.forget(caller, written.memory.id)


async def _all_of_it(stage: Stage, reader: str) -> dict[str, Memory]:
    """Every memory of the case that has a row, as it is, whoever may read it."""
    unscoped = render(f"{raw_blocks('memories')['select']} AND m.memory_id = ANY (%(ids)s::uuid[])", scope_clause=False)
    async with first_lock_alone(stage.dsn, stage.caller(reader)) as sql:
        found = await sql.all(unscoped, {"ids": list(stage.memories.values())})
    by_id = {v: k for k, v in stage.memories.items()}
    return {by_id[r["memory_id"]]: rows.memory(r) for r in found}


async def _paged(stage: Stage, reader: str, state: State) -> list[Memory]:
    items: list[Memory] = []
    cursor: str | None = None
    while True:
        page = await stage.service.read.list(stage.caller(reader), Filters(state=state), 1, cursor)
        items += page.items
        cursor = page.next_cursor
        if cursor is None:
            return items


async def _told(stage: Stage, reader: str) -> set[MemoryId]:
    """What the events tell of that is there; a commit becomes readable once all older transactions have ended."""
    deadline = asyncio.get_running_loop().time() + 5
    while True:
        async with stage.service.store.read(stage.caller(reader)) as tx:
            scope = scope_for(await tx.directory.standing())
            events = await tx.records.events_after(scope, (0, 0), 1000)
        gone = {e.memory_id for e in events if e.kind == "memory.deleted"}
        moved = {e.memory_id for e in events if e.kind == "memory.moved"}
        told = {e.memory_id for e in events} - gone
        hints = {m for m in stage.memories.values() if m in told}
        visible = {stage.memories[n] for n in stage.sees(reader)}
        assert hints - moved <= visible, reader
        told = hints - (moved - visible)  # that it went away is told to those who had it
        if told == visible or asyncio.get_running_loop().time() > deadline:
            return told
        await asyncio.sleep(0.05)


def _as_named(stage: Stage, reader: str, space: str) -> str:
    """The reader of the case that a space names: without any task, for that is not told of others."""
    tenant = reader.partition("/")[0] + "/" if reader.partition("/")[0] + "/" in stage.worlds else ""
    return tenant + space.removeprefix("agent:")
