"""The gates of teams and accounts over REST: what gets in, what is told, and what the ledger keeps."""

from typing import Any

import httpx
import pytest

from worlds import World

from .conftest import Edge, problem

TEXT, SOURCE, QUOTE = "预发环境数据库端口是 5433", "a note on the whiteboard", "端口：5433"


async def put(client: httpx.AsyncClient, content: str = TEXT, **fields: Any) -> httpx.Response:
    return await client.post("/capture", json={"content": content, "memory_type": "team", "team_id": "T", **fields})


@pytest.fixture
async def staff(world: World, edge: Edge) -> World:
    """A and member o write to T, B reads there; m is a member that the agent K works for."""
    await world.agents("A", "B")
    await world.members("o", "m")
    await world.agents("K", account="m")
    await world.team("T", A="writer", B="reader", **{"member:o": "owner"})
    return world


async def gate(edge: Edge, level: str) -> None:
    async with edge.admin as admin:
        changed = await admin.patch("/teams/T", json={"gate": level})
        assert (changed.status_code, changed.json()["gate"]) == (200, level)


async def test_a_sourced_team_takes_what_names_its_source(staff: World, edge: Edge) -> None:
    await gate(edge, "sourced")
    async with edge.as_("A") as a, edge.as_("B") as b:
        told = await problem(await put(a), 422, "refused_by_gate")
        assert [f["check"] for f in told["findings"]] == ["source_missing"]  # pyright: ignore
        assert (await b.get("/memories")).json()["items"] == []
        stored = await put(a, source=SOURCE, quote=QUOTE)
        assert (stored.status_code, stored.json()["outcome"]) == (201, "stored")
        assert [m["content"] for m in (await b.get("/memories")).json()["items"]] == [TEXT]


async def test_a_verified_team_does_not_take_a_quote_that_nobody_found(staff: World, edge: Edge) -> None:
    await gate(edge, "verified")
    async with edge.as_("A") as a:
        for fields, check in (({}, "source_missing"), ({"source": SOURCE}, "quote_missing")):
            told = await problem(await put(a, **fields), 422, "refused_by_gate")
            assert check in [f["check"] for f in told["findings"]]  # pyright: ignore
        told = await problem(await put(a, source=SOURCE, quote=QUOTE), 422, "refused_by_gate")
        assert "not_verified" in [f["check"] for f in told["findings"]]  # pyright: ignore
        private = await a.post("/capture", json={"content": TEXT})
        assert private.status_code == 201, "the gate of a team is not that of one's own space"


async def test_a_batch_passes_the_same_gate_item_by_item(staff: World, edge: Edge) -> None:
    await gate(edge, "sourced")
    items = [
        {"content": TEXT, "memory_type": "team", "team_id": "T"},
        {"content": TEXT, "memory_type": "team", "team_id": "T", "source": SOURCE},
        {"content": TEXT},
    ]
    async with edge.as_("A") as a:
        results = (await a.post("/capture/batch", json={"items": items})).json()["results"]
        assert [r.get("outcome") or r["error"]["code"] for r in results] == ["refused_by_gate", "stored", "stored"]
        assert [(e["route"], e["code"]) for e in (await a.get("/ledger")).json()["items"]] == [
            ("capture/batch", "refused_by_gate")
        ]


async def test_publishing_passes_the_gate_of_its_destination(staff: World, edge: Edge) -> None:
    await gate(edge, "sourced")
    memory = await staff.write("A", TEXT, source=SOURCE, quote=QUOTE)
    async with edge.as_("A") as a:
        refused = await a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"})
        # Where it was taken down is A's own; nobody else could look there, and so it is no evidence for them.
        await problem(refused, 422, "refused_by_gate")
        assert [(e["route"], e["code"]) for e in (await a.get("/ledger")).json()["items"]] == [("publish", "refused_by_gate")]
        await gate(edge, "open")
        assert (await a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"})).status_code == 201


async def test_other_words_do_not_slip_in_behind_a_gate_by_an_edit(staff: World, edge: Edge) -> None:
    await gate(edge, "sourced")
    async with edge.as_("A") as a, edge.as_("member:o") as o:
        memory = (await put(a, source=SOURCE, quote=QUOTE)).json()["memory"]
        change = {"version": 1, "content": "预发环境数据库端口是 9999"}
        await problem(await a.patch(f"/memories/{memory['id']}", json=change), 422, "refused_by_gate")
        assert (await a.get(f"/memories/{memory['id']}")).json()["content"] == TEXT
        assert (await a.patch(f"/memories/{memory['id']}", json={"version": 1, "tags": ["db"]})).status_code == 200
        reworded = await o.patch(f"/memories/{memory['id']}", json={"version": 2, "content": "预发库端口是 5433"})
        assert reworded.status_code == 200, "who would review it may say it better"


async def test_an_account_has_a_gate_that_its_member_sets_itself(staff: World, edge: Edge) -> None:
    async with edge.as_("member:m") as m, edge.as_("K") as k, edge.as_("member:o") as o, edge.admin as admin:
        await problem(await o.patch("/members/m", json={"gate": "sourced"}), 403, "permission_missing")
        await problem(await k.patch("/members/m", json={"gate": "sourced"}), 403, "permission_missing")
        await problem(await m.patch("/members/m", json={"name": "M", "gate": "sourced"}), 403, "permission_missing")
        changed = await m.patch("/members/m", json={"gate": "sourced"})
        assert (changed.status_code, changed.json()["gate"]) == (200, "sourced")
        note = {"content": "likes short answers", "scope": "global", "memoryType": "user_preference"}
        await problem(await k.post("/master-agent/memories", json=note), 422, "refused_by_gate")
        await problem(await k.post("/capture", json={"content": TEXT, "account": "m"}), 422, "refused_by_gate")
        assert (await k.post("/capture", json={"content": TEXT})).status_code == 201, "its own space has no gate"
        assert (await admin.patch("/members/m", json={"gate": "open"})).status_code == 200
        assert (await k.post("/master-agent/memories", json=note)).status_code == 201


async def test_the_ledger_is_its_authors_alone_and_holds_no_text(staff: World, edge: Edge) -> None:
    await gate(edge, "sourced")
    async with edge.as_("A") as a, edge.as_("B") as b:
        await put(a)
        await put(b)
        await a.post("/capture", json={"content": TEXT, "memory_type": "team", "team_id": "nowhere"})
        mine = (await a.get("/ledger")).json()["items"]
        assert [e["code"] for e in mine] == ["not_found", "refused_by_gate"]
        assert mine[1]["findings"][0]["check"] == "source_missing"
        assert TEXT not in (await a.get("/ledger")).text
        assert [e["code"] for e in (await b.get("/ledger")).json()["items"]] == ["not_a_writer"]
        first = (await a.get("/ledger", params={"limit": 1})).json()
        rest = (await a.get("/ledger", params={"limit": 1, "cursor": first["next_cursor"]})).json()
        assert [*first["items"], *rest["items"]] == mine


async def test_a_memory_that_could_not_give_way_is_in_the_ledger_too(staff: World, edge: Edge) -> None:
    async with edge.as_("A") as a:
        own = (await a.post("/capture", json={"content": "the window is on Tuesday"})).json()["memory"]["id"]
        teams = (await put(a)).json()["memory"]["id"]
        await problem(await a.post(f"/memories/{own}/supersede", json={"by": teams}), 422, "audience_differs")
        assert [(e["route"], e["code"]) for e in (await a.get("/ledger")).json()["items"]] == [("overturn", "audience_differs")]


async def test_nothing_that_failed_is_tried_again(staff: World, edge: Edge) -> None:
    await gate(edge, "sourced")
    async with edge.as_("A") as a:
        await put(a)
        await gate(edge, "open")
        await staff.service.work.requeue()
        await staff.service.work.sweep()
        assert (await a.get("/memories")).json()["items"] == []
