"""Many memories at once: batches and pages."""

from worlds import World

from .conftest import Edge, problem
from .test_memories import captured


async def test_a_batch_keeps_its_order_and_one_bad_item_does_not_stop_the_others(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    both = await world.key("A", "B")
    async with edge.as_(both) as client:
        items = [
            {"content": "by A", "agent_id": "A"},
            {"content": "", "agent_id": "A"},
            {"content": "by B", "agent_id": "B"},
            {"content": "by C", "agent_id": "C"},
            {"content": "by nobody"},
            {"content": "x", "agent_id": "A", "colour": "red"},
            {"content": "x", "agent_id": "A", "memory_type": "team", "team_id": "T"},
            "no object",
            {"content": "again by A", "agent_id": "A"},
        ]
        results = (await client.post("/capture/batch", json={"items": items})).json()["results"]
    told = [r["memory"]["author"] if "memory" in r else (r["error"]["status"], r["error"]["code"]) for r in results]
    assert told == [
        "agent:A", (422, "invalid"), "agent:B", (403, "not_your_agent"), (422, "agent_required"), (422, "invalid"),
        (404, "not_found"), (422, "invalid"), "agent:A",
    ]  # fmt: skip
    assert results[5]["error"]["field"] == "colour"
    async with edge.as_("B") as b:
        assert [m["content"] for m in (await b.get("/memories")).json()["items"]] == ["by B"]


async def test_pages_follow_each_other_without_a_total(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    async with edge.as_("A") as client, edge.as_("B") as other:
        for n in range(5):
            await captured(client, f"note {n}")
            await captured(other, f"hidden {n}")
        seen: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = (await client.get("/memories", params={"limit": 2, **cursor})).json()
            assert set(page) == {"items", "next_cursor"}
            seen += [m["content"] for m in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert seen == [f"note {n}" for n in (4, 3, 2, 1, 0)]
        await problem(await client.get("/memories", params={"cursor": "x"}), 422, "invalid", "cursor")
        hidden = (await other.get("/memories")).json()["items"][0]["id"]
        behind = await client.get("/memories", params={"cursor": hidden})  # a place in time: it tells nothing of what is there
        assert behind.status_code == 200
        assert hidden not in behind.text
