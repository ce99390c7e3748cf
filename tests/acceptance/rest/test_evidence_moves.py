"""When a memory that is quoted is edited, moved or deleted, the evidence of others says so, and no word of it stays."""

import asyncio

import psycopg
import pytest

from worlds import World

from .conftest import Edge
from .evidencing import QUOTE, captured, checks, only_evidence, told
from .test_conversations import everywhere

HERE = {"memory_type": "team", "team_id": "T"}


@pytest.fixture
async def people(world: World) -> World:
    await world.agents("A", "B")
    await world.team("T", A="owner", B="writer")
    return world


async def test_an_edit_of_the_quoted_words_is_told_and_one_beside_them_moves_the_place(people: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("B") as b:
        source = (await captured(a, content=f"Log: {QUOTE}", **HERE))["memory"]["id"]
        memory = (await captured(b, source=f"memory:{source}", quote=QUOTE, **HERE))["memory"]["id"]
        await a.patch(f"/memories/{source}", json={"version": 1, "content": f"The whole log: {QUOTE}, as of March"})
        beside = await only_evidence(b, memory)
        assert (beside["verified"], beside["start"], beside["revision"]) == (True, 15, "2")
        await a.patch(f"/memories/{source}", json={"version": 2, "content": "staging listens on port 5434"})
        other = await only_evidence(b, memory)
        assert (other["verified"], other["moved"], other["moved_to"], other["quote"]) == (False, True, "3", QUOTE)
        assert other["moved_at"]
        assert (await told(b, memory))["evidence"][0]["found"] == "moved"
        await a.patch(f"/memories/{source}", json={"version": 3, "content": f"Back: {QUOTE}"})
        assert (await b.post(f"/memories/{memory}/reverify")).json()["evidence"][0]["verified"]
        back = await only_evidence(b, memory)
        assert (back["verified"], back["moved"], back["start"]) == (True, False, 6)


async def test_a_quote_in_other_white_space_and_width_stands_through_an_edit_beside_it(people: World, edge: Edge) -> None:
    said = "the heron\n  nests on pier ４７１１"
    async with edge.as_("A") as a, edge.as_("B") as b:
        source = (await captured(a, content=f"Log: {said}", **HERE))["memory"]["id"]
        quote = "the heron nests on pier 4711"
        memory = (await captured(b, source=f"memory:{source}", quote=quote, **HERE))["memory"]["id"]
        assert (await only_evidence(b, memory))["quote"] == said, "the words of the source itself"
        await a.patch(f"/memories/{source}", json={"version": 1, "content": f"The whole log: {said}"})
        beside = await only_evidence(b, memory)
        assert (beside["verified"], beside["moved"], beside["start"]) == (True, False, 15)


async def test_nothing_of_a_deleted_memory_stays_in_the_evidence_of_others_nor_in_copies(people: World, edge: Edge) -> None:
    canary = "the heron nests on pier 4711"
    async with edge.as_("A") as a, edge.as_("B") as b:
        source = (await captured(a, content=f"Log: {canary}", **HERE))["memory"]["id"]
        cite = {"source": f"memory:{source}"}
        team = (await captured(b, content="It nests", quote=canary, **cite, **HERE))["memory"]["id"]
        await captured(b, content="It nests", quote="heron nests on pier", **cite, **HERE)  # the same words: evidence beside it
        private = (await captured(b, content="I saw it", quote=canary, **cite))["memory"]["id"]
        await captured(b, content="not word for word", quote="the heron nests at pier 4711", **cite)
        copy = (await b.post(f"/memories/{private}/publish", json={"team_id": "T"})).json()["memory"]["id"]
        assert len((await b.get(f"/memories/{team}")).json()["evidence"]) == 2
        assert (await only_evidence(a, copy))["quote"] == canary
        assert (await a.delete(f"/memories/{source}")).json()["deleted"] == 1
        for memory in (team, private, copy):
            left = await only_evidence(b, memory)
            assert (left["quote"], left["quote_hash"], left["start"], left["verified"]) == (None, None, None, False)
            assert (left["locator"], left["moved"]) == (source, False)
            assert left["gone_at"]
            assert (await told(b, memory))["evidence"][0]["found"] == "gone"
    assert everywhere(people, "heron nests") == []


async def test_what_is_quoted_of_a_memory_is_read_no_longer_than_the_memory(people: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("B") as b:
        source = (await captured(a, content=f"Log: {QUOTE}", expires_in=3600, **HERE))["memory"]["id"]
        memory = (await captured(b, source=f"memory:{source}", quote=QUOTE, **HERE))["memory"]["id"]
        assert (await only_evidence(a, memory))["verified"]
        with psycopg.connect(people.installation.dsn, options="-c search_path=whoknows,public") as connection:
            connection.execute("UPDATE memories SET expires_at = now() - interval '1 second' WHERE memory_id = %s", (source,))
        for client in (a, b):  # before the sweep, which takes the quote out
            answers = [await client.get(f"/memories/{memory}{what}") for what in ("", "/provenance", "/history")]
            assert not any(QUOTE in answered.text for answered in answers)


async def test_a_memory_that_is_shared_does_not_take_along_what_it_quotes_from_another(people: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("B") as b:
        source = (await captured(a, content=f"Diary: {QUOTE}"))["memory"]["id"]
        memory = (await captured(a, source=f"memory:{source}", quote=QUOTE))["memory"]["id"]
        await a.put(f"/memories/{memory}/shares/B")
        assert (await b.get(f"/memories/{memory}")).json()["evidence"] == []
        assert not (await only_evidence(a, memory))["verified"]  # not everybody who reads it may read the source
        await a.put(f"/memories/{source}/shares/B")
        assert (await a.post(f"/memories/{memory}/reverify")).json()["evidence"][0]["verified"]
        assert (await only_evidence(b, memory))["quote"] == QUOTE
        await a.delete(f"/memories/{source}/shares/B")
        assert (await b.get(f"/memories/{memory}")).json()["evidence"] == []
        assert not (await only_evidence(a, memory))["verified"]


async def test_evidence_of_a_memory_goes_with_it_through_many_levels_to_its_leaves(people: World, edge: Edge) -> None:
    async with edge.as_("A") as a:
        ids = [(await captured(a, content=f"0: {QUOTE}", source="url:https://example.org/log", quote=QUOTE))["memory"]["id"]]
        for n in range(1, 4):
            stored = await captured(a, content=f"{n}: {QUOTE}", source=f"memory:{ids[-1]}", quote=QUOTE)
            ids.append(stored["memory"]["id"])
        newer = (await captured(a, content="4: over", supersedes=ids[3], reason="it was measured"))["memory"]["id"]
        node = await told(a, ids[3])
        assert [c["id"] for c in node["chain"]] == [newer, ids[3]]
        seen = []
        while node is not None:
            seen.append(node["id"])
            (evidence,) = node["evidence"]
            node = evidence["memory"]
        assert seen == ids[::-1]
        assert (evidence["locator"], evidence["found"]) == ("https://example.org/log", "unread")


async def test_what_a_reviewer_lets_in_is_no_proof_of_itself_by_joining_what_it_quotes(people: World, edge: Edge) -> None:
    await people.members("o")
    await people.join("T", "member:o", "owner")
    async with edge.as_("A") as a, edge.as_("B") as b, edge.as_("member:o") as o, edge.admin as admin:
        words = f"It is so: {QUOTE}"
        stated = (await captured(a, content=words, **HERE))["memory"]["id"]
        await admin.patch("/teams/T", json={"gate": "reviewed"})
        body = {"content": words, "source": f"memory:{stated}", "quote": QUOTE, **HERE}
        held = (await b.post("/capture", json=body)).json()
        assert (held["outcome"], held["memory"]["evidence"][0]["verified"]) == ("held", True)
        let_in = (await o.post(f"/review/{held['memory']['id']}/admit", json={"version": 1})).json()
        assert (let_in["outcome"], let_in["memory"]["id"]) == ("merged", stated)
        assert not (await only_evidence(a, stated))["verified"]


async def test_of_a_copy_the_original_is_traced_by_those_alone_who_may_read_it(people: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("B") as b:
        original = (await captured(a, content="to be published"))["memory"]["id"]
        copy = (await a.post(f"/memories/{original}/publish", json={"team_id": "T"})).json()["memory"]["id"]
        assert (await told(a, copy))["copy_of"]["id"] == original
        theirs = await told(b, copy)
        assert (theirs["copy_of"], theirs["origin"]["agent_id"]) == (None, "A")
        assert (await b.get(f"/memories/{original}/provenance")).status_code == 404
        assert (await b.get(f"/memories/{copy}x/provenance")).status_code == 404


async def test_a_quote_is_not_verified_from_a_memory_that_is_deleted_at_that_very_moment(people: World, edge: Edge) -> None:
    async with edge.as_("A") as a:
        source = (await captured(a, content=f"Log: {QUOTE}"))["memory"]["id"]
        with psycopg.connect(people.installation.dsn, options="-c search_path=whoknows,public") as other:
            other.execute("SELECT erase(ARRAY[%s]::uuid[], NULL)", (source,))
            writing = asyncio.create_task(captured(a, source=f"memory:{source}", quote=QUOTE))
            async with asyncio.timeout(20):
                while not _waits(people.installation.dsn):  # noqa: ASYNC110 - no event tells of it
                    await asyncio.sleep(0.02)
            other.commit()
        stored = await writing
        assert checks(stored) == ["source_unreadable"]
        assert not stored["memory"]["evidence"][0]["verified"]


def _waits(dsn: str) -> bool:
    query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with psycopg.connect(dsn, autocommit=True) as connection:
        return connection.execute(query).fetchone() != (0,)
