"""What a reviewed place holds, and who lets it in (rules W5, R1, R6)."""

import asyncio
from typing import Any

import httpx
import pytest

from whoknows.domain.principal import GateLevel
from worlds import World

from .conftest import Edge, problem

TEXT = "部署窗口是周二 10 点"
ABSENT = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"


@pytest.fixture
async def staff(world: World) -> World:
    """T is reviewed. A writes there, B reads; member o owns it, w writes, r reads; member x is on no team."""
    await world.agents("A", "B", "C")
    await world.members("o", "w", "r", "x")
    roles = {"member:o": "owner", "member:w": "writer", "member:r": "reader"}
    await world.team("T", GateLevel.REVIEWED, A="writer", C="writer", B="reader", **roles)
    return world


async def put(client: httpx.AsyncClient, content: str = TEXT, **fields: Any) -> str:
    answer = await client.post("/capture", json={"content": content, "memory_type": "team", "team_id": "T", **fields})
    assert (answer.status_code, answer.json()["outcome"]) == (202, "held"), answer.text
    return answer.json()["memory"]["id"]


async def waiting(client: httpx.AsyncClient) -> list[str]:
    answer = await client.get("/review")
    assert answer.status_code == 200, answer.text
    return [m["id"] for m in answer.json()["items"]]


async def test_what_waits_is_seen_by_its_author_and_reviewers_alone(staff: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("B") as b, edge.as_("C") as c:
        memory = await put(a)
        for client in (b, c):
            await problem(await client.get(f"/memories/{memory}"), 404, "not_found")
            assert (await client.get("/recall", params={"query": "部署窗口", "min_score": 0})).json()["memories"] == []
            assert await waiting(client) == []
        assert await waiting(a) == [], "an author does not review itself"
        assert (await a.get(f"/memories/{memory}")).json()["state"] == "held"
    async with edge.as_("member:o") as o, edge.as_("member:w") as w, edge.as_("member:r") as r, edge.as_("member:x") as x:
        assert await waiting(o) == await waiting(w) == [memory]
        assert await waiting(r) == await waiting(x) == []
        await problem(await x.post(f"/review/{memory}/admit", json={}), 404, "not_found")
        await problem(await r.post(f"/review/{memory}/admit", json={}), 404, "not_found")


async def test_a_reviewer_lets_it_in_and_everybody_there_reads_it(staff: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("member:w") as w, edge.as_("B") as b:
        memory = await put(a)
        await problem(await a.post(f"/review/{memory}/admit", json={}), 403, "not_a_reviewer")
        admitted = await w.post(f"/review/{memory}/admit", json={"version": 1})
        assert (admitted.status_code, admitted.json()["outcome"]) == (200, "stored")
        found = (await b.get("/recall", params={"query": "部署窗口是什么时候", "min_score": 0})).json()["memories"]
        assert [(m["id"], m["state"]) for m in found] == [(memory, "active")]
        await problem(await w.post(f"/review/{memory}/admit", json={}), 409, "conflict")
        assert await waiting(w) == []


async def test_a_reviewer_may_say_it_in_other_words_that_are_redacted_and_found(staff: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("member:w") as w, edge.as_("B") as b:
        memory = await put(a)
        words = {"version": 1, "content": "gateway deploys happen on Tuesday, call 13800138000", "title": "Deploys"}
        await problem(await w.post(f"/review/{memory}/admit", json={**words, "version": 7}), 409, "version_conflict")
        admitted = (await w.post(f"/review/{memory}/admit", json=words)).json()
        assert admitted["memory"]["content"] == "gateway deploys happen on Tuesday, call [phone]"
        assert [f["check"] for f in admitted["findings"]] == ["redacted"]
        found = (await b.get("/recall", params={"query": "gateway deploys", "min_score": 0})).json()["memories"]
        assert [m["title"] for m in found] == ["Deploys"]
        for client, changes in ((a, ["reviewed", "captured"]), (w, ["reviewed", "captured"]), (b, ["reviewed"])):
            history = await client.get(f"/memories/{memory}/history")
            assert [v["change"] for v in history.json()["versions"]] == changes, "nobody let the first words in"
        assert TEXT not in history.text


async def test_what_its_author_made_of_a_draft_before_it_was_let_in_is_all_that_others_read(staff: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("member:w") as w, edge.as_("B") as b:
        memory = await put(a)
        assert (await a.patch(f"/memories/{memory}", json={"version": 1, "content": "部署窗口是周四"})).status_code == 200
        assert (await w.post(f"/review/{memory}/admit", json={"version": 2})).status_code == 200
        later = await w.patch(f"/memories/{memory}", json={"version": 2, "tags": ["x"]})
        assert later.status_code in (200, 403)
        said = await b.get(f"/memories/{memory}/history")
        assert [v["content"] for v in said.json()["versions"] if v["change"] == "edited"][-1] == "部署窗口是周四"
        assert TEXT not in said.text


async def test_what_is_turned_down_is_gone_and_its_author_is_told_why(staff: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("member:o") as o:
        memory = await put(a)
        assert (await o.post(f"/review/{memory}/refuse", json={"reason": "周一已经改了"})).json() == {"deleted": 1}
        await problem(await a.get(f"/memories/{memory}"), 404, "not_found")
        (entry,) = (await a.get("/ledger")).json()["items"]
        assert (entry["route"], entry["code"], entry["detail"]) == ("review", "rejected", "周一已经改了")
        await problem(await o.post(f"/review/{memory}/refuse", json={"reason": "again"}), 404, "not_found")
        await problem(await o.post(f"/review/{ABSENT}/refuse", json={"reason": "again"}), 404, "not_found")


async def test_the_same_words_let_in_twice_become_one_row_of_two_authors(staff: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("C") as c, edge.as_("member:o") as o, edge.as_("B") as b:
        first, second = await put(a), await put(c)
        assert (await o.post(f"/review/{first}/admit", json={})).json()["outcome"] == "stored"
        merged = (await o.post(f"/review/{second}/admit", json={})).json()
        assert (merged["outcome"], merged["memory"]["id"]) == ("merged", first)
        assert {x["author"] for x in merged["memory"]["authors"]} == {"agent:A", "agent:C"}
        assert [m["id"] for m in (await b.get("/memories")).json()["items"]] == [first]


async def test_what_overturns_takes_its_place_when_it_is_let_in(staff: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("member:o") as o, edge.as_("B") as b:
        old = await put(a, subject="deploy.window")
        await o.post(f"/review/{old}/admit", json={})
        new = await put(a, "部署窗口改到周四 10 点", subject="deploy.window")
        before = (await b.get("/recall", params={"query": "部署窗口", "min_score": 0})).json()["memories"]
        assert [m["id"] for m in before] == [old], "what waits overturns nothing yet"
        assert (await o.post(f"/review/{new}/admit", json={})).json()["outcome"] == "superseding"
        (after,) = (await b.get("/recall", params={"query": "部署窗口", "min_score": 0})).json()["memories"]
        assert (after["id"], [x["id"] for x in after["overturned"]]) == (new, [old])


async def test_what_its_author_may_not_overturn_waits_for_an_owner(staff: World, edge: Edge) -> None:
    async with edge.admin as admin:
        await admin.patch("/teams/T", json={"gate": "open"})
    old = await staff.write("C", "the port is 5432", team_id="T")
    async with edge.as_("A") as a, edge.as_("member:w") as w, edge.as_("member:o") as o:
        new = await put(a, "the port is 5433", supersedes=str(old.id), reason="moved")
        await problem(await w.post(f"/review/{new}/admit", json={}), 403, "may_not_change")
        assert (await a.get(f"/memories/{old.id}")).json()["state"] == "active"
        admitted = (await o.post(f"/review/{new}/admit", json={})).json()
        assert admitted["outcome"] == "superseding"
        assert admitted["memory"]["overturned"][0]["reason"] == "moved"


async def test_a_claim_that_was_overturned_meanwhile_is_not_overturned_twice(staff: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("member:o") as o:
        old = await put(a, "the port is 5432", subject="port")
        await o.post(f"/review/{old}/admit", json={})
        one, two = await put(a, "the port is 5433", subject="port"), await put(a, "the port is 5434", subject="port")
        assert (await o.post(f"/review/{one}/admit", json={})).json()["outcome"] == "superseding"
        await problem(await o.post(f"/review/{two}/admit", json={}), 409, "already_superseded")
        assert await waiting(o) == [two], "it waits on: to be turned down, or written anew"


async def test_a_copy_that_is_published_waits_too_and_keeps_its_words(staff: World, edge: Edge) -> None:
    memory = await staff.write("A", TEXT)
    async with edge.as_("A") as a, edge.as_("member:o") as o, edge.as_("B") as b:
        published = await a.post(f"/memories/{memory.id}/publish", json={"team_id": "T"})
        assert (published.status_code, published.json()["state"]) == (202, "held")
        copy = published.json()["memory"]["id"]
        assert await waiting(o) == [copy]
        await problem(await o.post(f"/review/{copy}/admit", json={"content": "other words"}), 409, "conflict")
        assert (await o.post(f"/review/{copy}/admit", json={})).status_code == 200
        assert (await b.get(f"/memories/{copy}")).json()["content"] == TEXT


async def test_of_an_account_its_member_is_the_reviewer(staff: World, edge: Edge) -> None:
    await staff.agents("K", account="x")
    async with edge.as_("member:x") as x, edge.as_("K") as k, edge.as_("member:o") as o:
        await x.patch("/members/x", json={"gate": "reviewed"})
        held = await k.post("/capture", json={"content": "prefers tea", "account": "x"})
        assert held.status_code == 202
        memory = held.json()["memory"]["id"]
        assert await waiting(x) == [memory]
        await problem(await o.post(f"/review/{memory}/admit", json={}), 404, "not_found")
        await problem(await k.post(f"/review/{memory}/admit", json={}), 403, "not_a_reviewer")
        assert (await x.post("/capture", json={"content": "prefers green tea"})).status_code == 201, "its own word"
        assert (await x.post(f"/review/{memory}/admit", json={})).status_code == 200


async def test_two_reviewers_at_once_let_it_in_once(staff: World, edge: Edge) -> None:
    async with edge.as_("A") as a, edge.as_("member:o") as o, edge.as_("member:w") as w:
        for n in range(6):
            memory = await put(a, f"{TEXT}，第 {n} 条")
            calls = (
                o.post(f"/review/{memory}/admit", json={}),
                w.post(f"/review/{memory}/refuse", json={"reason": "no"}),
            )
            codes = sorted(r.status_code for r in await asyncio.gather(*calls))
            assert codes[0] == 200
            assert codes[1] in (403, 404, 409)
