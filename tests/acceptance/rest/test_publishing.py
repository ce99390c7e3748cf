"""Publishing over REST: statuses, errors, pages, and who is told what."""

import asyncio
from dataclasses import replace

import httpx
import pytest

from whoknows.flows.publish import Step
from whoknows.rest.app import create_app
from worlds import World

from .conftest import BODY_BYTES, Edge, problem

ABSENT = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"


@pytest.fixture
async def team(world: World) -> World:
    """A writes to T, B reads there, C is on no team."""
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    return world


async def test_201_the_first_time_and_200_with_the_same_copy_afterwards(team: World, edge: Edge) -> None:
    memory = await team.write("A", "发布口令是蓝鲸计划", title="口令")
    async with edge.as_("A") as a, edge.as_("B") as b:
        first = await a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"})
        again = await a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"})
        assert (first.status_code, again.status_code) == (201, 200)
        assert first.json() == again.json()
        told = first.json()
        copy = told.pop("memory")
        assert told.pop("created_at") <= told.pop("published_at")
        assert told == {
            "publication_id": told["publication_id"], "original_id": str(memory.id), "team_id": "T", "state": "ready",
            "version": 1, "content_hash": memory.content_hash, "origin_changed": False, "withdrawn_at": None,
        }  # fmt: skip
        assert (copy["content"], copy["title"], copy["origin"]["memory_id"]) == ("发布口令是蓝鲸计划", "口令", str(memory.id))
        seen = (await b.get(f"/memories/{copy['id']}")).json()
        assert set(seen["origin"]) == {"agent_id", "published_at"}


async def test_a_publication_lives_under_its_id_for_its_publisher(team: World, edge: Edge) -> None:
    memory = await team.write("A", "the ferry leaves at six")
    async with edge.as_("A") as a, edge.as_("B") as b:
        done = (await a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"})).json()
        place, copy = f"/publications/{done['publication_id']}", done["memory"]["id"]
        assert (await a.get(place)).json() == done
        await a.patch(f"/memories/{memory.id}", json={"version": 1, "content": "the ferry leaves at nine"})
        changed = (await a.get(place)).json()
        assert (changed["origin_changed"], changed["version"], changed["memory"]["content"]) == (
            True,
            1,
            "the ferry leaves at six",
        )
        renewed = (await a.post(f"{place}/republish")).json()
        assert (renewed["origin_changed"], renewed["version"], renewed["memory"]["id"]) == (False, 2, copy)
        assert (await b.get(f"/memories/{copy}")).json()["content"] == "the ferry leaves at nine"
        gone = await a.post(f"{place}/withdraw")
        assert (gone.status_code, gone.json()["state"], gone.json()["memory"]["state"]) == (200, "withdrawn", "withdrawn")
        await problem(await b.get(f"/memories/{copy}"), 404, "not_found")
        late = await a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"})
        told = await problem(late, 409, "publication_withdrawn")
        assert done["publication_id"] in str(told["detail"])
        assert (await a.post(f"{place}/republish")).json()["state"] == "ready"
        assert [p["state"] for p in (await a.get("/publications")).json()["items"]] == ["ready"]
        for verb in (b.get(place), b.post(f"{place}/withdraw"), b.post(f"{place}/republish")):
            await problem(await verb, 404, "not_found")
        assert (await b.get("/publications")).json() == {"items": [], "next_cursor": None}


async def test_what_cannot_be_published_says_why(team: World, edge: Edge) -> None:
    memory, of_b = await team.write("A", "A's words"), await team.write("B", "B's words")
    teams = await team.write("A", "the team's words", team_id="T")
    async with edge.as_("A") as a, edge.as_("B") as b:
        path = f"/memories/{memory.id}/publish"
        await problem(await a.post(path, json={}), 422, "invalid", "team_id")
        await problem(await a.post(path, json={"team_id": ""}), 422, "invalid", "team_id")
        await problem(await a.post(path, json={"team_id": "T", "to": "T"}), 422, "invalid", "to")
        await problem(await a.post(path, json={"team_id": "nowhere"}), 404, "not_found", "team_id")
        await problem(await a.post(path, json={"team_id": "*"}), 403, "not_a_writer")
        await problem(await a.post(f"/memories/{teams.id}/publish", json={"team_id": "T"}), 403, "not_private")
        await problem(await b.post(f"/memories/{of_b.id}/publish", json={"team_id": "T"}), 403, "not_a_writer")
        hidden = await b.post(path, json={"team_id": "T"})
        absent = await b.post(f"/memories/{ABSENT}/publish", json={"team_id": "T"})
        nonsense = await b.post("/memories/no-id/publish", json={"team_id": "T"})
        for response in (hidden, absent, nonsense):
            told = await problem(response, 404, "not_found")
            assert told["detail"] == "there is no such memory"
        for place in ("nonsense", ABSENT):
            await problem(await a.get(f"/publications/{place}"), 404, "not_found")
        await problem(await a.get("/publications", params={"cursor": "x"}), 422, "invalid", "cursor")


async def test_while_another_request_publishes_it_is_409_with_the_seconds_to_wait(team: World) -> None:
    here, go_on = asyncio.Event(), asyncio.Event()

    async def stop(step: Step) -> None:
        if step is Step.WRITTEN:
            here.set()
            await go_on.wait()

    slow = replace(team.service.publish, reached=stop, patience_seconds=0.1, lease_seconds=30)
    service = replace(team.service, publish=slow)
    app = create_app(service, body_bytes=BODY_BYTES, version="test")
    edge = Edge(team, app, httpx.ASGITransport(app, raise_app_exceptions=False))
    memory = await team.write("A", "words")
    async with edge.as_("A") as a:
        first = asyncio.create_task(a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"}))
        async with asyncio.timeout(20):
            await here.wait()
        waiting = await a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"})
        await problem(waiting, 409, "publication_pending")
        assert 1 <= int(waiting.headers["retry-after"]) <= 30
        go_on.set()
        assert (await first).status_code == 201
        assert (await a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"})).status_code == 200


async def test_a_key_of_several_agents_publishes_as_the_one_it_names(team: World, edge: Edge) -> None:
    memory = await team.write("A", "words")
    team.keys["both"] = (await team.service.keys.make(await team.admin(), ["A", "C"], [], None, None)).secret
    async with edge.as_("both") as both:
        path = f"/memories/{memory.id}/publish"
        await problem(await both.post(path, json={"team_id": "T"}), 422, "agent_required")
        await problem(await both.post(path, json={"team_id": "T"}, params={"agent_id": "B"}), 403, "not_your_agent")
        await problem(await both.post(path, json={"team_id": "T"}, params={"agent_id": "C"}), 404, "not_found")
        assert (await both.post(path, json={"team_id": "T"}, headers={"X-Agent": "A"})).status_code == 201
        assert len((await both.get("/publications", params={"agent_id": "A"})).json()["items"]) == 1
        assert (await both.get("/publications", params={"agent_id": "C"})).json()["items"] == []


async def test_one_who_sees_as_another_looks_at_its_publications_and_changes_nothing(team: World, edge: Edge) -> None:
    memory = await team.write("A", "words")
    async with edge.as_("A") as a:
        done = (await a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"})).json()
    async with edge.as_(team.installation.new_key, X_Seen_As="agent:A") as admin:
        assert [p["publication_id"] for p in (await admin.get("/publications")).json()["items"]] == [done["publication_id"]]
        for path in (f"/memories/{memory.id}/publish", f"/publications/{done['publication_id']}/withdraw"):
            body = {"team_id": "T"} if path.endswith("publish") else None
            await problem(await admin.post(path, json=body), 403, "seen_as_reads_only")
