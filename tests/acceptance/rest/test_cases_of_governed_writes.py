"""What went wrong elsewhere with junk, duplicates, staleness and deletion, as kinds, through the interface.

B13, B16, B18, B20, B24, B36 and B43; B22 and B30 are with distillation and redaction, B38 with deletion.
"""

import asyncio
from typing import Any

import httpx
import pytest

from worlds import World

from .casework import ok
from .conftest import Edge, problem
from .handing import captured, family, injected, opened

Json = dict[str, Any]
TEAM = {"memory_type": "team", "team_id": "T"}


async def put(client: httpx.AsyncClient, content: str, **fields: Any) -> Json:
    response = await client.post("/capture", json={"content": content, **fields})
    assert response.status_code in (201, 202), response.text
    return response.json()


async def listed(client: httpx.AsyncClient, **params: str) -> list[Json]:
    return ok(await client.get("/memories", params={"limit": "200", **params}))["items"]


@pytest.mark.parametrize("subject", [None, "deploy.window"])
async def test_b13_no_write_is_told_of_or_touches_what_its_author_does_not_see(
    world: World, edge: Edge, subject: str | None
) -> None:
    """Equal words, nearly equal ones, the contrary, and one subject: against what is private, or shared with another."""
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="writer", C="writer")
    about = {} if subject is None else {"subject": subject}
    async with edge.as_("A") as a, edge.as_("B") as b:
        hidden = [
            await put(a, "部署窗口是周二上午十点", **about),
            await put(a, "部署窗口是周二上午十点", **about, visible_to=["C"]),
            await put(a, "部署窗口是周二上午十点", **about, **TEAM, visible_to=["C"]),
        ]
        before = await listed(a)
        for fields in ({}, TEAM):
            for said in ("部署窗口是周二上午十点", "部署窗口是周二上午 10 点", "部署窗口不是周二上午十点", "部署窗口是周四"):
                told = await put(b, said, **fields, **about)
                of_hidden = [m["memory"]["id"] for m in hidden if m["memory"]["id"] in str(told)]
                assert of_hidden == []
                assert "agent:A" not in str(told["findings"])
                assert told["memory"]["agent_id"] == "B"
        own = {m["memory"]["id"] for m in hidden}
        assert [m for m in await listed(a) if m["id"] in own] == [m for m in before if m["id"] in own]


async def test_b16_all_of_a_layer_goes_in_one_call_in_every_state_and_the_second_finds_none(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    async with edge.as_("A") as a, edge.as_("B") as b:
        items = [{"content": f"Notiz {n}"} for n in range(250)]
        ok(await a.post("/capture/batch", json={"items": items}))
        first = (await put(a, "der alte Stand"))["memory"]["id"]
        await put(a, "der neue Stand", supersedes=first)
        archived = (await put(a, "beiseite gelegt"))["memory"]["id"]
        ok(await a.post(f"/memories/{archived}/archive"))
        await put(b, "eines anderen")
        assert ok(await a.delete("/memories", params={"layer": "private"}))["deleted"] == 253
        assert ok(await a.delete("/memories", params={"layer": "private"}))["deleted"] == 0
        for state in ("active", "superseded", "archived", "held"):
            assert await listed(a, state=state) == []
        assert len(await listed(b)) == 1


async def test_b18_equal_words_of_several_banks_die_apart_with_their_evidence(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="writer")
    said, proof = "Die Schlüssel liegen beim Pförtner", {"source": "manual: the notice board", "quote": "beim Pförtner"}
    async with edge.as_("A") as a, edge.as_("B") as b:
        mine = (await put(a, said, **proof))["memory"]
        await put(b, said, **proof)
        ours = await put(a, said, **TEAM, **proof)
        joined = await put(b, said, **TEAM, **proof)
        assert (joined["outcome"], joined["memory"]["id"]) == ("merged", ours["memory"]["id"])
        ok(await a.delete(f"/memories/{mine['id']}"))
        gone = ok(await a.delete(f"/memories/{ours['memory']['id']}"))
        assert (gone["deleted"], gone["released"]) == (0, 1), "its words are B's as well"
        found = ok(await b.get("/recall", params={"query": "Schlüssel Pförtner", "min_score": 0}))["memories"]
        assert [m["memory_type"] for m in found] in (["private", "team"], ["team", "private"])
        assert all([e["quote"] for e in m["evidence"]] == ["beim Pförtner"] for m in found)
        assert [m["content"] for m in await listed(a)] == [said], "the team's, which it reads"


async def test_b20_who_writes_about_one_subject_at_once_leaves_one_current_statement_and_no_circle(
    world: World, edge: Edge
) -> None:
    await world.agents("A")
    async with edge.as_("A") as a:
        first = await put(a, "der Port ist 5432", subject="db.port")
        second = await put(a, "der Port ist 5433", subject="db.port")
        assert (second["outcome"], second["memory"]["supersedes"]) == ("superseding", first["memory"]["id"])
        await asyncio.gather(*(put(a, f"der Port ist {5500 + n % 4}", subject="db.port") for n in range(12)))
        current = await listed(a)
        assert len(current) == 1
        seen: list[str] = []
        link: str | None = current[0]["id"]
        while link is not None:  # from the current one back to the first, each once
            assert link not in seen
            seen.append(link)
            link = ok(await a.get(f"/memories/{link}"))["supersedes"]
        assert seen[-1] == first["memory"]["id"]
        late = await put(a, "der Port ist 5432", subject="other.port")
        assert late["memory"]["supersedes"] is None, "unrelated facts never retire each other"
        assert len(await listed(a)) == 2


async def test_b24_the_same_words_in_any_width_case_and_spacing_are_one_row_however_they_come(world: World, edge: Edge) -> None:
    await world.agents("A")
    ways = ["DGIA 上线", "dgia 上线", "ＤＧＩＡ　上线", " DGIA  上线 ", "DGIA\n上线"]
    async with edge.as_("A") as a:
        one_by_one = [await put(a, way) for way in ways]
        assert [w["outcome"] for w in one_by_one] == ["stored", *["merged"] * 4]
        at_once = await asyncio.gather(*(put(a, way) for way in ways))
        assert {w["memory"]["id"] for w in at_once} == {one_by_one[0]["memory"]["id"]}
        batch = ok(await a.post("/capture/batch", json={"items": [{"content": way} for way in ways]}))["results"]
        assert {r["memory"]["id"] for r in batch} == {one_by_one[0]["memory"]["id"]}
        key = {"Idempotency-Key": "the same event"}
        replayed = [await a.post("/capture", json={"content": "ein Ereignis"}, headers=key) for _ in range(2)]
        assert replayed[0].json() == replayed[1].json()
        assert len(await listed(a)) == 2


async def test_b36_what_was_bound_to_a_task_is_in_no_context_of_another(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.as_("A") as a:
        for name in ("k1", "k2"):
            world.keys[name] = (await opened(a, name, "S"))["S"]
        await captured(a, "先不要提交代码，等评审通过", project_id="boss")
        mine = (await listed(a))[0]["id"]
        await injected(a, "S", "提交代码", memory_ids=[mine], task_id="k1")
    for name, seen in (("k1", 2), ("k2", 0)):
        async with edge.as_(name) as s:
            if name == "k1":
                await put(s, "这次任务里不要提交代码", isolation="task")
            ask: Json = {"query": "提交代码", "min_score": 0}
            assert len(ok(await s.post("/recall", json=ask))["memories"]) == seen, name
            assert len(await listed(s)) == seen, name


async def test_b43_a_title_names_nothing_to_delete_or_overwrite(world: World, edge: Edge) -> None:
    await world.agents("A")
    async with edge.as_("A") as a:
        new = (await put(a, "先备份再发布", title="发布流程"))["memory"]
        old = (await put(a, "直接发布", title="发布流程（旧）"))["memory"]
        again = (await put(a, "先备份，发布，再验证", title="发布流程"))["memory"]
        assert len({m["id"] for m in (new, old, again)}) == 3, "a title that is there already overwrites nothing"
        await problem(await a.delete("/memories", params={"layer": "private", "title": "发布流程"}), 422, "invalid", "title")
        await problem(await a.delete("/memories/发布流程"), 404, "not_found")
        await problem(await a.patch(f"/memories/{new['id']}", json={"content": "覆盖"}), 428, "version_required")
        await problem(await a.patch(f"/memories/{new['id']}", json={"content": "覆盖", "version": 7}), 409, "version_conflict")
        assert {m["content"] for m in await listed(a)} == {"先备份再发布", "直接发布", "先备份，发布，再验证"}
