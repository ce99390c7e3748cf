"""What becomes of a copy: read-only for its target, taken back by its giver, ended with the right it came from (I3, I4)."""

from uuid import uuid4

import httpx
import pytest

from whoknows.domain.credential import Permission
from whoknows.domain.principal import AgentRole
from worlds import World

from .conftest import Edge, problem
from .handing import captured, family, injected, injections, listed, recalled

GIFT = "支付接口用幂等键去重"


async def copy_of(client: httpx.AsyncClient, target: str, memory: str, **fields: object) -> str:
    """Give that one memory; the id of the copy."""
    told = await injected(client, target, memory_ids=[memory], depth="minimal", **fields)
    return next(m["id"] for m in told["memories"] if m["origin"] and m["origin"]["memory_id"] == memory)


async def test_the_target_changes_nothing_about_a_copy(world: World, edge: Edge) -> None:
    await family(world, "S")
    await world.team("T", A="writer", S="writer")
    async with edge.as_("A") as a, edge.as_("S") as s:
        copy = await copy_of(a, "S", await captured(a, GIFT))
        at = f"/memories/{copy}"
        before = (await s.get(at)).json()
        await problem(await s.patch(at, json={"version": 1, "content": "changed"}), 403, "read_only")
        await problem(await s.post(f"{at}/archive"), 403, "read_only")
        await problem(await s.post(f"{at}/restore"), 403, "read_only")
        await problem(await s.delete(at), 403, "read_only")
        await problem(await s.put(f"{at}/shares/A"), 403, "not_private")
        await problem(await s.delete(f"{at}/shares/A"), 403, "not_private")
        await problem(await s.post(f"{at}/publish", json={"team_id": "T"}), 403, "read_only")
        over = await s.post("/capture", json={"content": "it is otherwise", "supersedes": copy})
        await problem(over, 422, "audience_differs")
        await problem(await s.delete("/memories", params={"layer": "injected"}), 422, "invalid", "layer")
        assert (await s.delete("/memories", params={"layer": "private"})).json()["deleted"] == 0
        assert (await s.get(at)).json() == before
        assert [v["change"] for v in (await s.get(f"{at}/history")).json()["versions"]] == ["injected"]


async def test_the_giver_does_not_read_the_copy_and_reads_its_own(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.as_("A") as a:
        own = await captured(a, GIFT)
        copy = await copy_of(a, "S", own)
        await problem(await a.get(f"/memories/{copy}"), 404, "not_found")
        assert [m["id"] for m in (await a.get("/memories")).json()["items"]] == [own]


async def test_a_withdrawn_copy_is_gone_with_the_next_request_and_withdrawing_again_changes_nothing(
    world: World, edge: Edge
) -> None:
    await family(world, "S", "S2")
    await world.agents("B")
    async with edge.as_("A") as a, edge.as_("S") as s, edge.as_("S2") as s2, edge.as_("B") as b:
        own = await captured(a, GIFT)
        copy, stays = await copy_of(a, "S", own), await copy_of(a, "S2", own)
        given = {i["memory_id"]: i["id"] for i in await injections(a)}
        for stranger in (b, s2):
            await problem(await stranger.get(f"/injections/{given[copy]}"), 404, "not_found")
            await problem(await stranger.delete(f"/injections/{given[copy]}"), 404, "not_found")
        assert (await s.get(f"/injections/{given[copy]}")).json()["memory_id"] == copy
        await problem(await s.delete(f"/injections/{given[copy]}"), 403, "read_only")
        assert (await a.delete(f"/injections/{given[copy]}")).status_code == 200
        await problem(await s.get(f"/memories/{copy}"), 404, "not_found")
        await problem(await s.get(f"/injections/{given[copy]}"), 404, "not_found")
        assert await recalled(s, GIFT) == set()
        assert (await a.delete(f"/injections/{given[copy]}")).status_code == 200
        told = (await a.get(f"/injections/{given[copy]}")).json()
        assert told["ended_why"] == "withdrawn"
        assert (await s2.get(f"/memories/{stays}")).json()["content"] == GIFT
        await problem(await a.delete(f"/injections/{uuid4()}"), 404, "not_found")
        again = await copy_of(a, "S", own)
        assert again != copy
        assert await listed(s) == {GIFT}


async def test_a_copy_keeps_its_words_until_it_is_given_again(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.as_("A") as a, edge.as_("S") as s:
        own = await captured(a, "port is 5432")
        first = await copy_of(a, "S", own)
        (given,) = await injections(a)
        assert given["origin_changed"] is False
        edited = await a.patch(f"/memories/{own}", json={"version": 1, "content": "port is 5433"})
        assert edited.status_code == 200
        assert await listed(s) == {"port is 5432"}
        (given,) = await injections(a)
        assert given["origin_changed"] is True
        (received,) = await injections(s)
        assert (received["origin_changed"], received["original_id"]) == (None, None)
        second = await copy_of(a, "S", own)
        assert second != first
        assert await listed(s) == {"port is 5433"}
        await problem(await s.get(f"/memories/{first}"), 404, "not_found")
        assert "port is 5432" not in (await s.get(f"/memories/{second}/history")).text
        assert sorted(str(i["ended_why"]) for i in await injections(a)) == ["None", "given again"]


async def test_the_target_is_not_told_of_which_memory_its_copy_is_one(world: World, edge: Edge) -> None:
    await family(world, "S", "S2")
    async with edge.as_("A") as a, edge.as_("S") as s:
        own = await captured(a, GIFT)
        copy = await copy_of(a, "S", own)
        for path in (
            f"/memories/{copy}",
            "/memories",
            f"/memories/{copy}/history",
            f"/memories/{copy}/why",
            "/injections",
            "/knows",
            "/audit",
        ):
            response = await s.get(path)
            assert response.status_code == 200
            assert own not in response.text, path
        assert own not in (await s.post("/export")).text
        async with edge.as_(await world.key("S2", permissions=[Permission.AUDIT])) as auditor:
            trail = {(e["action"], e["target"]) for e in (await auditor.get("/audit")).json()["items"]}
        assert {("memory.inject", copy), ("memory.give", own)} <= trail, "for those who audit, both are there"
        shared = await a.put(f"/memories/{own}/shares/S")
        assert shared.status_code == 200
        assert (await s.get(f"/memories/{copy}")).json()["origin"]["memory_id"] == own, "who reads the original, may know"


async def test_only_a_copy_marked_so_is_passed_on_and_ends_with_the_one_it_came_from(world: World, edge: Edge) -> None:
    """I4."""
    await family(world, "S", "S2")
    await world.agents("SS", role=AgentRole.SUB, parent="S")
    async with edge.as_("A") as a, edge.as_("S") as s, edge.as_("SS") as ss:
        kept, passing = await captured(a, "for S alone"), await captured(a, "for S and below")
        mine = await copy_of(a, "S", kept)
        free = await copy_of(a, "S", passing, may_pass_on=True)
        note = await captured(s, "S's own")

        async def passed(target: str, *ids: str, depth: str = "full") -> httpx.Response:
            return await s.post("/inject-context", json={"agent_id": target, "task": "x", "memory_ids": ids, "depth": depth})

        for refused in ((mine,), (free, mine), (free, note), (passing,), ()):
            await problem(await passed("SS", *refused), 403, "not_a_main_agent")
        for target in ("S", "S2", "A", "nobody"):
            await problem(await passed(target, free), 403, "not_a_descendant")
        assert await listed(ss) == set()
        assert (await passed("SS", free)).status_code == 200
        assert await listed(ss) == {"for S and below"}
        (received,) = await injections(ss)
        assert (received["injected_by"], received["basis"], received["may_pass_on"]) == ("S", "passed_on", False)
        (item,) = (await ss.get("/memories")).json()["items"]
        assert (item["injected_by"], item["author"]) == ("S", "agent:A")
        assert [i["agent_id"] for i in await injections(a)] == ["S", "S"], "the giver is not told of what was passed on"

        await copy_of(a, "S", passing, may_pass_on=False)
        assert await listed(ss) == set(), "it may not be passed on any more"
        assert await listed(s) == {"for S alone", "for S and below", "S's own"}
        await copy_of(a, "S", passing, may_pass_on=True)
        assert (await passed("SS", free)).status_code == 200
        assert await listed(ss) == {"for S and below"}
        given = next(i["id"] for i in await injections(a) if i["memory_id"] == free)
        assert (await a.delete(f"/injections/{given}")).status_code == 200
        assert await listed(ss) == set()
        assert await injections(ss) == []


async def test_a_main_agent_passes_on_what_a_main_agent_above_allowed(world: World, edge: Edge) -> None:
    await world.agents("top")
    await world.agents("middle", role=AgentRole.SUB, parent="top")
    await world.agents("low", role=AgentRole.SUB, parent="middle")
    async with edge.as_("top") as top, edge.as_("middle") as middle, edge.as_("low") as low:
        own = await captured(top, GIFT)
        copy = await copy_of(top, "middle", own, may_pass_on=True)
        body = {"agent_id": "low", "task": "x", "memory_ids": [copy], "may_pass_on": True}
        assert (await middle.post("/inject-context", json=body)).status_code == 200
        assert await listed(low) == {GIFT}
        assert (await top.delete(f"/memories/{own}")).json()["copied"] == 1
        assert await listed(low) == set()
        assert await listed(middle) == set()


ENDS = {
    "deleted": lambda a, own: a.delete(f"/memories/{own}"),
    "archived": lambda a, own: a.post(f"/memories/{own}/archive"),
    "superseded": lambda a, own: a.post("/capture", json={"content": "otherwise", "supersedes": own, "reason": "r"}),
}


@pytest.mark.parametrize("how", ENDS)
async def test_a_copy_ends_when_its_original_is(world: World, edge: Edge, how: str) -> None:
    await family(world, "S")
    async with edge.as_("A") as a, edge.as_("S") as s:
        own, other = await captured(a, GIFT), await captured(a, "another")
        copy = await copy_of(a, "S", own)
        await copy_of(a, "S", other)
        assert (await ENDS[how](a, own)).status_code in (200, 201)
        await problem(await s.get(f"/memories/{copy}"), 404, "not_found")
        assert await listed(s) == {"another"}
        assert await recalled(s, GIFT) == {"another"}
        ended = next(i for i in await injections(a) if i["memory_id"] == copy)
        assert ended["ended_at"]


async def test_a_share_taken_back_ends_the_copy_of_one_that_needs_to_know(world: World, edge: Edge) -> None:
    from whoknows.domain.principal import Clearance

    await world.agents("A")
    await world.agents("S", role=AgentRole.SUB, parent="A", clearance=Clearance.NEED_TO_KNOW)
    async with edge.as_("A") as a, edge.as_("S") as s:
        own = await captured(a, GIFT, visible_to=["S"])
        await copy_of(a, "S", own)
        assert await listed(s) == {GIFT}
        assert (await a.delete(f"/memories/{own}/shares/S")).status_code == 200
        assert await listed(s) == set()


async def test_a_target_that_moves_to_another_parent_takes_nothing_along(world: World, edge: Edge) -> None:
    await family(world, "S")
    await world.agents("B")
    async with edge.as_("A") as a, edge.as_("S") as s, edge.admin as admin:
        await copy_of(a, "S", await captured(a, GIFT))
        assert await listed(s) == {GIFT}
        moved = await admin.patch("/agents/S", json={"parent": "B"})
        assert moved.status_code == 200, moved.text
        assert await listed(s) == set()
        back = await admin.patch("/agents/S", json={"parent": "A"})
        assert back.status_code == 200
        assert await listed(s) == set(), "what ended stays ended"


async def test_a_giver_that_is_gone_leaves_no_copies(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.as_("A") as a, edge.as_("S") as s, edge.admin as admin:
        await copy_of(a, "S", await captured(a, GIFT))
        assert await listed(s) == {GIFT}
        await problem(await admin.delete("/agents/A"), 409, "still_needed")
        await world.agents("B")
        assert (await admin.patch("/agents/S", json={"parent": "B"})).status_code == 200
        assert (await admin.delete("/agents/A")).status_code == 200
        assert await listed(s) == set()


async def test_a_delete_says_how_many_copies_of_one_s_own_went_along(world: World, edge: Edge) -> None:
    """W9."""
    await family(world, "S", "S2")
    async with edge.as_("A") as a:
        own = await captured(a, GIFT)
        await copy_of(a, "S", own)
        await copy_of(a, "S2", own)
        assert (await a.delete(f"/memories/{own}")).json() == {"deleted": 1, "released": 0, "copied": 2}


async def test_injections_are_paged_newest_first_and_by_direction(world: World, edge: Edge) -> None:
    await family(world, "S")
    await world.agents("SS", role=AgentRole.SUB, parent="S")
    async with edge.as_("A") as a, edge.as_("S") as s:
        copies = [await copy_of(a, "S", await captured(a, f"note {n}"), may_pass_on=True) for n in range(5)]
        found: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = (await a.get("/injections", params={"limit": "2", **cursor})).json()
            found += [i["memory_id"] for i in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert found == copies[::-1]
        body = {"agent_id": "SS", "task": "x", "memory_ids": [copies[0]]}
        assert (await s.post("/inject-context", json=body)).status_code == 200
        assert len(await injections(s)) == 6
        assert [i["agent_id"] for i in await injections(s, direction="given")] == ["SS"]
        assert {i["injected_by"] for i in await injections(s, direction="received")} == {"A"}
        assert await injections(a, direction="received") == []
        await problem(await a.get("/injections", params={"direction": "both"}), 422, "invalid", "direction")
        await problem(await a.get("/injections", params={"cursor": "x"}), 422, "invalid", "cursor")
        await problem(await a.get("/injections/x"), 404, "not_found")


async def test_the_author_of_what_another_gives_away_is_not_told_by_its_pending_work(world: World, edge: Edge) -> None:
    """The vectors of a long text, and of its copy, are still to be made: the second is none of the author's business."""
    await family(world, "S")
    await world.agents("B")
    await world.team("T", A="reader", B="writer")
    async with edge.as_("A") as a, edge.as_("B") as b, edge.admin as admin:
        assert (await admin.patch("/teams/T", json={"share_with_subagents": True})).status_code == 200
        long = await captured(b, "the harbour in winter. " * 1000, memory_type="team", team_id="T")
        before = (await b.get("/jobs/pending")).json()
        assert before["embedding"] == 1
        await copy_of(a, "S", long, max_tokens=100_000)
        assert (await b.get("/jobs/pending")).json() == before
        assert (await a.get("/jobs/pending")).json()["embedding"] == 1


async def test_a_member_whose_words_are_given_is_no_agent_of_that_name(world: World, edge: Edge) -> None:
    await family(world, "S")
    await world.members("bob")
    await world.team("T", A="reader")
    await world.join("T", "member:bob")
    async with edge.as_("A") as a, edge.as_("S") as s, edge.as_("member:bob") as bob, edge.admin as admin:
        assert (await admin.patch("/teams/T", json={"share_with_subagents": True})).status_code == 200
        said = await captured(bob, GIFT, memory_type="team", team_id="T")
        (given,) = (await injected(a, "S", memory_ids=[said]))["memories"]
        (copy,) = (await s.get("/memories")).json()["items"]
    assert given["origin"]["agent_id"] == copy["origin"]["agent_id"] == "member:bob"
