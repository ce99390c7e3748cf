"""Deletion reaches what was derived: an observation goes with any of its sources, and nothing brings deleted words back."""

import asyncio
import json
from collections.abc import AsyncIterator
from secrets import token_hex

import psycopg
import pytest
from observing import SAME, consolidate, everywhere, make, observed, sources, team_that_agrees, the_one, upkeep

from model_double import ModelDouble, says
from whoknows.bootstrap import Installation, assemble
from whoknows.domain.memory import Memory, Patch
from whoknows.domain.observation import Made
from whoknows.flows.limits import Limits
from whoknows.ports.observations import Put
from whoknows.speakers.openai import OpenAISpeaker
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World


def canaries() -> list[str]:
    """The same in three ways, each with a word of its own that stands nowhere else."""
    return [f"{text} ({'z' + token_hex(6).translate(str.maketrans('0123456789', 'ghijklmnop'))})" for text in SAME]


def word(memory: Memory) -> str:
    return memory.content.rpartition("(")[2].partition(")")[0]


async def _forget(world: World, memory: Memory, who: str | None = None) -> None:
    await world.service.forget(await world.caller(who or memory.author.name), memory.id)


async def test_an_observation_goes_with_any_source_in_the_same_transaction_and_its_copies_too(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    said = [await world.write("A", t) for t in canaries()]
    told = await make(world, "A", said)
    stated = next(m for m in said if m.content == told.observation.memory.content)
    await world.service.publish(await world.caller("A"), told.observation.memory.id, "T")
    assert word(stated) in " ".join(await world.recalled("B", SAME[0]))
    await _forget(world, stated)
    assert everywhere(world.installation.dsn, word(stated)) == []
    assert await observed(world, "A") == []
    assert await world.recalled("B", SAME[0]) == []


async def test_what_is_left_of_its_sources_is_stated_anew(world: World) -> None:
    said = await team_that_agrees(world)
    (told,) = (await consolidate(world)).told
    await _forget(world, said[2])
    assert await observed(world, "A") == []
    assert await upkeep(world)() == 1
    anew = await the_one(world, "A")
    assert anew.memory.id != told.observation.memory.id
    assert sources(anew) == {said[0].id, said[1].id}
    await _forget(world, said[1])
    assert await upkeep(world)() == 0
    assert await observed(world, "A") == []


async def test_what_was_deleted_by_itself_does_not_come_back_from_the_same_memories_or_fewer(world: World) -> None:
    said = await team_that_agrees(world)
    (told,) = (await consolidate(world)).told
    await _forget(world, told.observation.memory)
    assert (await consolidate(world)).told == []
    assert await upkeep(world)() == 0
    await _forget(world, said[2])
    assert (await consolidate(world)).told == []
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public") as connection:
        kept = connection.execute("SELECT to_jsonb(r) FROM observation_refusals r").fetchall()
    assert [set(row[0]) for row in kept] == [{"tenant_id", "audience_id", "sources", "at"}]
    later = await world.write(
        "C", "By hand the search index must be rebuilt before a release, or results stay old", team_id="T"
    )
    (fresh,) = (await consolidate(world)).told  # somebody more says so
    assert later.id in sources(fresh.observation)


async def test_a_former_source_takes_along_what_former_versions_said_of_it(world: World) -> None:
    texts = canaries()

    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="writer", C="writer")
    said = [await world.write(w, t, team_id="T") for w, t in zip("ABC", texts, strict=True)]
    told = await make(world, "A", said)
    stated = next(m for m in said if m.content == told.observation.memory.content)
    await world.service.change.archive(await world.caller(stated.author.name), stated.id)
    await world.service.observe.recompute(await world.caller("A"), told.observation.memory.id)
    assert stated.id not in sources(await the_one(world, "A"))
    await _forget(world, stated)
    assert everywhere(world.installation.dsn, word(stated)) == []


async def test_it_ends_with_the_first_of_its_sources(world: World) -> None:
    from datetime import UTC, datetime, timedelta

    await world.agents("A")
    soon = datetime.now(UTC) + timedelta(seconds=0.7)
    said = [await world.write("A", SAME[0]), await world.write("A", SAME[1], expires_at=soon), await world.write("A", SAME[2])]
    told = await make(world, "A", said)
    assert told.observation.memory.expires_at == said[1].expires_at
    with psycopg.connect(world.installation.dsn, autocommit=True) as connection:
        connection.execute("SELECT pg_sleep_until(%s)", (soon,))
    assert await observed(world, "A") == []
    await world.service.work.sweep()
    assert await upkeep(world)() == 1
    assert sources(await the_one(world, "A")) == {said[0].id, said[2].id}


@pytest.fixture
async def modelled(installation: Installation) -> AsyncIterator[tuple[World, ModelDouble]]:
    """A world with a language model: a double on loopback that keeps what it was sent."""
    store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
    await store.open()
    with ModelDouble() as double:
        speaker = OpenAISpeaker(double.url, "", "double")
        service = assemble(store, HashEmbedder(), Limits(), speaker=speaker)
        yield World(service, installation), double
        await service.close()


def _answer(statement: str, quotes: list[tuple[Memory, str]]) -> str:
    told = {"statement": statement, "quotes": [{"memory_id": str(m.id), "quote": q, "sentence": 1} for m, q in quotes]}
    return "Here it is:\n" + json.dumps(told, ensure_ascii=False)


async def test_a_model_states_what_each_of_its_quotes_bears_out(modelled: tuple[World, ModelDouble]) -> None:
    world, double = modelled
    said = await team_that_agrees(world)
    private = await world.write("A", "A's own: the search index must be rebuilt by hand before a release, or results stay old")
    statement = "Rebuild the search index by hand before each release."
    double.plays(
        says(_answer(statement, [(said[0], "must be rebuilt by hand"), (said[1], "rebuilt by hand before a release")]))
    )
    (told,) = (await consolidate(world)).told
    assert told.observation.made is Made.MODEL
    assert told.observation.memory.content == statement
    assert all(e.verified for e in told.observation.memory.evidence)
    assert {e.locator for e in told.observation.memory.evidence} == {str(m.id) for m in said}
    assert len(double.requests) == 1
    assert private.content not in double.last.composed
    assert all(json.dumps(m.content)[1:-1] in double.last.composed for m in said)


@pytest.mark.parametrize(
    "fault",
    [
        "a quote that stands nowhere",
        "a quote of one alone",
        "another number",
        "a negation",
        "a stranger's id",
        "no JSON",
        "nothing",
    ],
)
async def test_a_statement_that_does_not_hold_is_dropped_for_the_words_of_a_memory(
    modelled: tuple[World, ModelDouble], fault: str
) -> None:
    world, double = modelled
    said = await team_that_agrees(world)
    good = [(said[0], "must be rebuilt by hand"), (said[1], "rebuilt by hand before a release")]
    other = await world.write("stranger", "must be rebuilt by hand or by nobody")
    statement = "Rebuild the search index by hand before each release."
    double.plays(
        says(
            {
                "a quote that stands nowhere": _answer(statement, [good[0], (said[1], "rebuilt by machines before a release")]),
                "a quote of one alone": _answer(statement, good[:1]),
                "another number": _answer("Rebuild the search index 3 times before each release.", good),
                "a negation": _answer("Never rebuild the search index by hand before a release.", good),
                "a stranger's id": _answer(statement, [*good, (other, "must be rebuilt by hand")]),
                "no JSON": "The notes say to rebuild the index. {",
                "nothing": "{}",
            }[fault]
        )
    )
    (told,) = (await consolidate(world)).told
    assert told.observation.made is Made.EXTRACTIVE
    assert told.observation.memory.content in SAME


async def test_a_source_deleted_while_the_model_thinks_does_not_come_back(modelled: tuple[World, ModelDouble]) -> None:
    world, double = modelled
    await world.agents("A")
    guide = ", as the guide of the platform says for each service and every region, and nobody may forget that it is so"
    doomed = await world.write("A", canaries()[0] + guide)
    everyone = [doomed, *[await world.write("A", t + guide) for t in SAME[1:]]]
    quotes = [(m, "must be rebuilt by hand") for m in everyone]
    double.plays(double.says_and_waits("", then=(_answer("The search index must be rebuilt by hand.", quotes),)), says("{}"))
    running = asyncio.create_task(consolidate(world, "A", None))
    assert await asyncio.to_thread(double.reached.wait, 20)
    assert word(doomed) in double.last.composed  # it is in the hands of the model
    await _forget(world, doomed)
    double.go_on.set()
    done = await running
    assert everywhere(world.installation.dsn, word(doomed)) == []
    assert all(doomed.id not in sources(t.observation) for t in done.told)
    assert str(doomed.id) not in str(await observed(world, "A"))
    await consolidate(world, "A", None)
    await upkeep(world)()
    assert all(doomed.id not in sources(o) for o in await observed(world, "A"))
    assert len(await observed(world, "A")) == 1  # what is left says it all the same
    assert everywhere(world.installation.dsn, word(doomed)) == []


async def test_a_source_edited_while_the_model_thinks_is_not_stated_as_it_was(modelled: tuple[World, ModelDouble]) -> None:
    world, double = modelled
    said = await team_that_agrees(world)
    quotes = [(m, "must be rebuilt by hand") for m in said]
    double.plays(double.says_and_waits("", then=(_answer("The search index must be rebuilt by hand.", quotes),)))
    running = asyncio.create_task(consolidate(world))
    assert await asyncio.to_thread(double.reached.wait, 20)
    patch = Patch(content="The canteen is closed", named=frozenset({"content"}))
    await world.service.change.edit(await world.caller("C"), said[2].id, 1, patch)
    double.go_on.set()
    assert (await running).told == []
    assert await observed(world, "A") == []


async def test_many_at_once_make_one(world: World) -> None:
    said = await team_that_agrees(world)
    await asyncio.gather(*(consolidate(world, who) for who in "ABCABC"), upkeep(world)(), upkeep(world)())
    assert sources(await the_one(world, "A")) == {m.id for m in said}
    pair = [
        await world.write("A", t, team_id="T") for t in ("Lunch is at noon every day", "The canteen is on the second floor")
    ]
    made = await asyncio.gather(*(make(world, "A", pair, "Lunch is at noon every day.") for _ in range(4)))
    assert {t.observation.memory.id for t in made} == {made[0].observation.memory.id}
    assert [t.outcome for t in made].count(Put.MADE) == 1


async def test_a_bank_that_keeps_its_texts_asks_no_model_outside(modelled: tuple[World, ModelDouble]) -> None:
    world, double = modelled
    from dataclasses import replace

    await team_that_agrees(world)
    consolidating = world.service.consolidate
    outside = replace(consolidating.egress, endpoints=tuple(replace(e, inside=False) for e in consolidating.egress.endpoints))
    await world.service.egress.forbid(await world.admin(), "team:T", True)
    done = await replace(consolidating, egress=outside)(await world.caller("A"), None, "T")
    assert [t.observation.made for t in done.told] == [Made.EXTRACTIVE]
    assert double.requests == []
