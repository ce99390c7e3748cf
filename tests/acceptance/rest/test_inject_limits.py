"""The edges of giving: bad input, budgets, what has ended, tasks that are not open."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import httpx
import pytest

from visibility_stage import expire
from whoknows.domain.ids import MemoryId
from worlds import World

from .conftest import Edge, problem
from .handing import captured, family, injected, injections, listed, opened, recalled

GIFT = "支付接口用幂等键去重"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"task": ""}, "task"),
        ({"task": None}, "task"),
        ({"task": "x" * 100_000}, "task"),
        ({"agent_id": ""}, "agent_id"),
        ({"agent_id": ["S"]}, "agent_id"),
        ({"depth": "deep"}, "depth"),
        ({"depth": ""}, "depth"),
        ({"memory_ids": ["x"]}, "memory_ids"),
        ({"memory_ids": "all"}, "memory_ids"),
        ({"memory_ids": [str(uuid4()) for _ in range(250)]}, "memory_ids"),
        ({"project_id": ""}, "project_id"),
        ({"task_id": ""}, "task_id"),
        ({"task_id": "t" * 5000}, "task_id"),
        ({"expires_in": 0}, "expires_in"),
        ({"expires_in": -5}, "expires_in"),
        ({"expires_at": "2020-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "tomorrow"}, "expires_at"),
        ({"expires_at": "2090-01-01T00:00:00Z", "expires_in": 5}, None),
        ({"may_pass_on": "perhaps"}, "may_pass_on"),
        ({"max_tokens": 0}, "max_tokens"),
        ({"max_tokens": 10**9}, "max_tokens"),
        ({"max_tokens": 5}, "max_tokens"),
        ({"max_tokens": "many"}, "max_tokens"),
        ({"include_private": True}, "include_private"),
    ],
)
async def test_bad_input_is_told_by_its_field_and_nothing_is_given(
    world: World, edge: Edge, fields: dict[str, object], field: str | None
) -> None:
    await family(world, "S")
    async with edge.as_("A") as a, edge.as_("S") as s:
        own = await captured(a, GIFT)
        body = {"agent_id": "S", "task": "x", "memory_ids": [own], **fields}
        response = await a.post("/inject-context", json=body)
        assert response.status_code == 422, response.text
        told = response.json()
        assert told["code"] in ("invalid", "text_too_long")
        if field is not None:
            assert str(told["field"]).split(".")[0] == field
        assert await listed(s) == set()
        assert await injections(a) == []


async def test_what_does_not_fit_is_named_and_not_given(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.as_("A") as a, edge.as_("S") as s:
        ids = [await captured(a, f"memory {n}: " + "很长的一段话，" * 40) for n in range(8)]
        told = await injected(a, "S", memory_ids=ids, max_tokens=4000)
        assert 0 < len(told["memories"]) < 8
        assert told["token_count"] <= 4000
        kept = {m["origin"]["memory_id"] for m in told["memories"]}
        assert {(d["id"], d["why"]) for d in told["dropped"]} == {(i, "budget") for i in ids if i not in kept}
        assert len(await listed(s)) == len(told["memories"])


async def test_two_hundred_are_listed_at_once(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.as_("A") as a, edge.as_("S") as s:
        items = [{"content": f"note number {n}"} for n in range(200)]
        ids: list[str] = []
        for at in range(0, 200, 50):
            batch = await a.post("/capture/batch", json={"items": items[at : at + 50]})
            ids += [r["memory"]["id"] for r in batch.json()["results"]]
        told = await injected(a, "S", memory_ids=ids, max_tokens=100_000)
        assert len(told["memories"]) == 200
        assert told["dropped"] == []
        assert len(await listed(s)) == 200


async def test_an_original_that_ended_is_absent_and_a_copy_ends_with_its_original(world: World, edge: Edge) -> None:
    await family(world, "S")
    soon = datetime.now(UTC) + timedelta(hours=1)
    async with edge.as_("A") as a, edge.as_("S") as s:
        own = await captured(a, "ends soon", expires_at=soon.isoformat())
        copy = (await injected(a, "S", memory_ids=[own], expires_in=86_400))["memories"][0]["id"]
        ends = datetime.fromisoformat((await s.get(f"/memories/{copy}")).json()["expires_at"])
        assert abs((ends - soon).total_seconds()) < 1
        archived = await captured(a, "put away")
        assert (await a.post(f"/memories/{archived}/archive")).status_code == 200
        body = {"agent_id": "S", "task": "x", "memory_ids": [archived]}
        await problem(await a.post("/inject-context", json=body), 403, "not_yours_to_give", "memory_ids")
        expire(world.installation.dsn, MemoryId(UUID(own)))
        await problem(await a.post("/inject-context", json={**body, "memory_ids": [own]}), 404, "not_found")


async def test_a_task_that_is_not_open_for_both_binds_nothing(world: World, edge: Edge) -> None:
    await family(world, "S", "S2")
    await family(world, "other", main="B")
    async with edge.as_("A") as a, edge.as_("B") as b, edge.as_("S") as s:
        own = await captured(a, GIFT)
        await opened(a, "open", "S2")
        await opened(b, "theirs", "other")
        await opened(a, "over", "S")
        assert (await a.post("/tasks/over/close")).status_code == 200

        async def refused(task: str) -> httpx.Response:
            return await a.post("/inject-context", json={"agent_id": "S", "task": "x", "memory_ids": [own], "task_id": task})

        await problem(await refused("open"), 422, "invalid", "task_id")
        await problem(await refused("theirs"), 404, "not_found", "task_id")
        await problem(await refused("nowhere"), 404, "not_found", "task_id")
        await problem(await refused("over"), 409, "task_closed")
        assert await listed(s) == set()
        assert await recalled(s, GIFT) == set()
