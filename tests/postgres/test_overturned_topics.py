"""Who asks in the words of what was overturned is told what holds instead (R6), within what it may see (R1, R4)."""

from typing import Any

import pytest
from pgvector import HalfVector
from raw import entered, second_lock_alone

from whoknows.bootstrap import Installation
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Filters, Memory
from whoknows.flows.prepare import term_hash
from whoknows.flows.recall import Recollection
from whoknows.policy.standing import scope_for
from whoknows.recall.tokens import question_terms
from whoknows.stores.postgres.parameters import filtered, scoped
from whoknows.stores.postgres.sql import raw_blocks, render
from worlds import World

OLD = "Parcels lie in the steel locker by the harbour gate."
NEW = "Everything is handed over in person against a signature."
BESIDE = "Helmets hang in a locker beside the canteen."
QUESTION = "Which harbour gate has the steel locker for parcels?"


@pytest.fixture
async def team(world: World) -> World:
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    return world


async def keep(world: World, text: str, **fields: object) -> Memory:
    return await world.write("A", text, layer="team", team_id="T", **fields)


async def overturn(world: World, old: Memory, new: Memory, reason: str | None = None) -> None:
    await world.service.overturn(await world.caller("A"), old.id, new.id, reason)


async def asked(world: World, who: str, question: str = QUESTION) -> Recollection:
    return await world.ask(who, question, min_score=0.0)


def texts(told: Recollection) -> list[str]:
    return [a.memory.content for a in told.memories]


async def test_the_words_of_what_was_overturned_find_what_holds_instead(team: World) -> None:
    old, new = await keep(team, OLD), await keep(team, NEW)
    await keep(team, BESIDE)
    assert texts(await asked(team, "B"))[0] == OLD
    await overturn(team, old, new, "nobody found the gate")
    told = await asked(team, "B")
    assert texts(told)[0] == NEW
    assert sorted(texts(told)) == sorted([NEW, BESIDE])
    assert [(o.content, o.reason) for o in told.memories[0].memory.overturned] == [(OLD, "nobody found the gate")]
    assert told.trace.body["hits"][0]["former"] == {"id": str(old.id)}
    assert told.memories[0].hit.score > told.memories[1].hit.score


async def test_a_section_leads_to_the_new_document_and_along_a_chain_to_its_end(team: World) -> None:
    first = await keep(team, "Post.")
    await keep(team, OLD, part_of=first.id)
    await keep(team, BESIDE)
    second, third = await keep(team, "Second plan of deliveries."), await keep(team, NEW)
    await overturn(team, first, second)
    assert texts(await asked(team, "B"))[0] == "Second plan of deliveries."
    await overturn(team, second, third)
    assert texts(await asked(team, "B"))[0] == NEW


async def test_what_was_overturned_counts_in_no_statistics(team: World) -> None:
    old, new = await keep(team, OLD), await keep(team, NEW)
    await keep(team, BESIDE)
    await overturn(team, old, new)
    body = (await asked(team, "B")).trace.body
    assert body["visible"] == 2
    assert {t["term"]: t["texts"] for t in body["terms"]}["harbour"] == 0
    assert str(old.id) not in {h["id"] for arm in ("lexical", "dense") for h in body[arm]}


async def test_former_words_of_the_same_subject_and_what_was_forgotten_lead_nowhere(team: World) -> None:
    await keep(team, OLD, subject="post")
    same = await keep(team, NEW, subject="post")
    await keep(team, BESIDE)
    told = await asked(team, "B")
    assert same.id in {a.memory.id for a in told.memories}
    assert [h["former"] for h in told.trace.body["hits"]] == [None, None]
    old, new = await keep(team, "The ferry leaves at dawn."), await keep(team, "A bridge stands there.")
    await overturn(team, old, new)
    assert texts(await asked(team, "B", "When does the ferry leave at dawn?"))[0] == "A bridge stands there."
    await team.service.forget(await team.caller("A"), old.id)
    told = await asked(team, "B", "When does the ferry leave at dawn?")
    assert [h["former"] for h in told.trace.body["hits"]] == [None] * len(told.memories)


async def test_a_reader_of_the_new_alone_is_told_what_it_would_be_told_without_the_old(team: World) -> None:
    old, new = await team.write("A", OLD), await team.write("A", NEW)
    await keep(team, BESIDE)
    await overturn(team, old, new)
    await team.service.change.share(await team.caller("A"), new.id, "B", True)
    assert texts(await asked(team, "A"))[0] == NEW
    theirs = await asked(team, "B")
    assert {h["former"] is None for h in theirs.trace.body["hits"]} == {True}
    before = [(h["id"], h["score"]) for h in theirs.trace.body["hits"]]
    await team.service.forget(await team.caller("A"), old.id)
    after = [(h["id"], h["score"]) for h in (await asked(team, "B")).trace.body["hits"]]
    assert after == before
    assert texts(await asked(team, "C")) == []


async def test_either_lock_alone_hides_the_way_from_a_stranger(team: World, installation: Installation) -> None:
    old, new = await keep(team, OLD), await keep(team, NEW)
    await overturn(team, old, new)
    block = raw_blocks("arms")["former"]

    async def rows(connection: Any, params: dict[str, Any], clause: bool) -> list[MemoryId]:
        found = await (await connection.execute(render(block, scope_clause=clause), params)).fetchall()
        return [r["leads_to"] for r in found]

    for who, expected in (("B", [new.id]), ("C", [])):
        caller = await team.caller(who)
        async with team.service.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
        vector = HalfVector(list((await team.service.aim(QUESTION)).vector))
        words = [term_hash(t.text) for t in question_terms(QUESTION)]
        params = scoped(scope) | filtered(Filters()) | {"terms": words, "vector": vector, "limit": 9}
        async with second_lock_alone(installation.dsn, caller) as connection:
            assert await rows(connection, params, clause=True) == expected
            assert await rows(connection, params, clause=False) == expected
        async with entered(installation.dsn, None, "", "", "") as connection:
            assert await rows(connection, params, clause=True) == expected
