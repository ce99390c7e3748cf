"""Idempotency keys: a request that is sent again is answered again, not done again."""

import asyncio

from worlds import World

from .conftest import Edge, problem

KEY = {"Idempotency-Key": "3d1b"}


async def test_a_replay_gives_the_same_answer_and_stores_nothing_more(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    body = {"content": "the tide is high", "expires_in": 3600}
    async with edge.as_("A") as a, edge.as_("B") as b:
        first = await a.post("/capture", json=body, headers=KEY)
        again = await a.post("/capture", json=dict(reversed(body.items())), headers=KEY)
        assert (again.status_code, again.json()) == (201, first.json())
        await problem(await a.post("/capture", json={"content": "other"}, headers=KEY), 422, "idempotency_mismatch")
        assert len((await a.get("/memories")).json()["items"]) == 1
        # It belongs to its principal: another one has it still.
        assert (await b.post("/capture", json={"content": "other"}, headers=KEY)).status_code == 201


async def test_a_replay_is_rendered_under_todays_standing(world: World, edge: Edge) -> None:
    await world.agents("A")
    await world.team("T", A="writer")
    body = {"content": "the tide is high", "memory_type": "team", "team_id": "T"}
    async with edge.as_("A") as client:
        assert (await client.post("/capture", json=body, headers=KEY)).status_code == 201
        await world.expel("T", "A")
        await problem(await client.post("/capture", json=body, headers=KEY), 404, "not_found")


async def test_a_refusal_is_replayed_as_the_refusal_it_was(world: World, edge: Edge) -> None:
    await world.agents("A")
    await world.team("T", A="reader")
    items = [
        {"content": "x", "memory_type": "team", "team_id": "T"},
        {"content": "y", "memory_type": "team", "team_id": "U"},
        {"content": "z"},
    ]
    async with edge.as_("A") as client:
        for item, status, code in ((items[0], 403, "not_a_writer"), (items[1], 404, "not_found")):
            for _ in range(2):
                await problem(await client.post("/capture", json=item, headers={"Idempotency-Key": code}), status, code)
        first = await client.post("/capture/batch", json={"items": items}, headers=KEY)
        again = await client.post("/capture/batch", json={"items": items}, headers=KEY)

    def told(results: list[dict[str, dict[str, object]]]) -> list[object]:
        return [r["error"]["status"] if "error" in r else r["memory"] for r in results]

    assert told(first.json()["results"])[:2] == [403, 404]
    assert told(again.json()["results"]) == told(first.json()["results"])


async def test_the_same_request_many_times_at_once_is_done_once(world: World, edge: Edge) -> None:
    await world.agents("A")
    items = {"items": [{"content": f"note {n}"} for n in range(50)]}
    async with edge.as_("A") as client:
        answers = await asyncio.gather(*(client.post("/capture/batch", json=items, headers=KEY) for _ in range(6)))
        assert {a.status_code for a in answers} == {200}
        assert len({a.text for a in answers}) == 1
        assert {r["outcome"] for r in answers[0].json()["results"]} == {"stored"}
        listed = await client.get("/memories", params={"limit": 200})
        assert len(listed.json()["items"]) == 50


async def test_the_key_has_a_length_and_one_agent(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    both = await world.key("A", "B")
    async with edge.as_(both) as client:
        mine = {"content": "x", "agent_id": "A"}
        for key in ("", "k" * 201):
            response = await client.post("/capture", json=mine, headers={"Idempotency-Key": key})
            await problem(response, 422, "invalid", "Idempotency-Key")
        assert (await client.post("/capture", json=mine, headers={"Idempotency-Key": "k" * 200})).status_code == 201
        several = {"items": [{"content": "y", "agent_id": "A"}, {"content": "y", "agent_id": "B"}]}
        await problem(await client.post("/capture/batch", json=several, headers=KEY), 422, "invalid", "Idempotency-Key")
        assert (await client.get("/memories", params={"agent_id": "B"})).json()["items"] == []
