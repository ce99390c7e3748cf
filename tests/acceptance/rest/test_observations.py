"""Observations and proposals through REST: what comes back, what is refused and how, and what a client may repeat."""

from typing import Any

import pytest

from .conftest import Edge, problem

SAME = (
    "Before a release the search index must be rebuilt by hand, or results stay old",
    "The search index must be rebuilt by hand before a release, or results stay old",
)
Json = dict[str, Any]


@pytest.fixture
async def agreed(edge: Edge) -> list[str]:
    """A and B have said the same for T; the ids."""
    world = edge.world
    await world.agents("A", "B", "X")
    await world.members("m")
    await world.team("T", A="writer", B="writer")
    return [str((await world.write(who, text, team_id="T")).id) for who, text in zip("AB", SAME, strict=True)]


async def test_what_is_consolidated_is_listed_with_evidence_marked_when_stale_and_computed_anew(
    edge: Edge, agreed: list[str]
) -> None:
    async with edge.as_("A") as a, edge.as_("X") as x:
        done = (await a.post("/observations/consolidate", json={"team_id": "T"})).json()
        assert (done["looked_at"], done["next_cursor"]) == (2, None)
        (made,) = done["items"]
        assert made["outcome"] == "made"
        identity = made["observation"]["id"]
        assert (await a.post("/observations/consolidate", json={"team_id": "T"})).json()["items"] == []
        (listed,) = (await a.get("/observations", params={"team_id": "T"})).json()["items"]
        assert listed == made["observation"] == (await a.get(f"/observations/{identity}")).json()
        assert (listed["category"], listed["stale"], listed["made"]) == ("observation", False, "extractive")
        assert {s["memory_id"] for s in listed["rests_on"]} == set(agreed)
        assert all(e["verified"] and e["source_kind"] == "memory" for e in listed["evidence"])
        edited = await a.patch(f"/memories/{agreed[0]}", json={"content": "The index builds itself", "version": 1})
        assert edited.status_code == 200
        (stale,) = (await a.get("/observations", params={"stale": "true"})).json()["items"]
        assert stale["stale"] is True
        assert {s["memory_id"]: s["changed"] for s in stale["rests_on"]} == {agreed[0]: "edited", agreed[1]: None}
        assert (await a.get(f"/memories/{identity}")).json()["stale"] is True
        recalled = (await a.get("/recall", params={"query": SAME[0], "min_score": 0})).json()["memories"]
        assert {m["id"]: m["stale"] for m in recalled}[identity] is True
        assert (await a.post(f"/observations/{identity}/recompute")).json()["outcome"] == "archived"
        assert (await x.get("/observations")).json() == {"items": [], "next_cursor": None}
        for answer in (await x.get(f"/observations/{identity}"), await x.post(f"/observations/{identity}/recompute")):
            await problem(answer, 404, "not_found")


async def test_words_of_ones_own_are_refused_where_no_quote_bears_them_out(edge: Edge, agreed: list[str]) -> None:
    text = "Rebuilding the index by hand comes before each release."
    quote = {"memory_id": agreed[0], "quote": "must be rebuilt by hand"}
    async with edge.as_("A") as a:
        for body in ({"text": text}, {"text": text, "quotes": [{**quote, "quote": "is rebuilt by machines"}]}):
            refused = await a.post("/observations", json={"memory_ids": agreed, **body})
            await problem(refused, 422, "quote_not_found")
            assert refused.json()["findings"]
        done = await a.post("/observations", json={"memory_ids": agreed, "text": text, "quotes": [quote]})
        assert done.status_code == 201
        assert done.json()["observation"]["content"] == text
        again = await a.post("/observations", json={"memory_ids": agreed, "text": text, "quotes": [quote]})
        assert (again.status_code, again.json()["outcome"]) == (200, "taken")
        assert again.json()["observation"]["id"] == done.json()["observation"]["id"]
        held = await a.post("/observations", json={"memory_ids": agreed, "text": text, "quotes": [], "agent_id": "B"})
        await problem(held, 422, "invalid")


async def test_what_is_asked_wrongly_says_why(edge: Edge, agreed: list[str]) -> None:
    async with edge.as_("A") as a, edge.as_("X") as x:
        own = (await a.post("/capture", json={"content": "a note of A's own"})).json()["memory"]["id"]
        for body, code in (
            ({"memory_ids": agreed[:1]}, "invalid"),
            ({"memory_ids": [agreed[0], agreed[0]]}, "invalid"),
            ({"memory_ids": [agreed[0], own]}, "audience_differs"),
            ({"memory_ids": agreed, "quotes": [{"memory_id": own, "quote": "a note of A's own"}]}, "invalid"),
            ({"memory_ids": agreed, "text": ""}, "invalid"),
            ({"memory_ids": agreed, "strange": 1}, "invalid"),
        ):
            await problem(await a.post("/observations", json=body), 422, code)
        await problem(await x.post("/observations", json={"memory_ids": agreed}), 404, "not_found")
        await problem(await x.post("/observations/consolidate", json={"team_id": "T"}), 404, "not_found")


async def test_a_secret_in_words_of_ones_own_does_not_enter(edge: Edge, agreed: list[str]) -> None:
    from made_up import github_token

    secret = github_token()
    async with edge.as_("A") as a:
        body = {"memory_ids": agreed, "text": f"The key {secret} is needed.", "quotes": [
            {"memory_id": agreed[0], "quote": "must be rebuilt by hand"}]}  # fmt: skip
        done = await a.post("/observations", json=body)
        assert done.status_code == 201
        assert secret not in done.text
        assert "redacted" in {f["check"] for f in done.json()["findings"]}
        refused = await a.post("/observations", json={**body, "quotes": [{"memory_id": agreed[0], "quote": f"is {secret}"}]})
        await problem(refused, 422, "refused_by_gate")


async def test_proposals_are_listed_and_turned_down_by_a_person_alone(edge: Edge, agreed: list[str]) -> None:
    world = edge.world
    await world.join("T", "member:m", "writer")
    for who, text, project in (("A", SAME[0], "shop"), ("B", SAME[1], "wiki")):
        await world.write(who, text, team_id="T", project_id=project, category="experience")
    async with edge.as_("A") as a, edge.as_("member:m") as m, edge.as_("X") as x:
        (found,) = (await a.get("/proposals")).json()["items"]
        assert (found["state"], found["projects"]) == ("pending", ["shop", "wiki"])
        assert {e["content"] for e in found["experiences"]} == set(SAME)
        place = f"/proposals/{found['proposal_id']}"
        to = {"repository": "handbook", "path": "docs/rules/x.md"}
        await problem(await a.post(f"{place}/reject", json={}), 403, "not_a_member")
        await problem(await x.post(f"{place}/reject", json={}), 404, "not_found")
        await problem(await m.post(f"{place}/confirm", json=to), 422, "invalid")  # no place is allowed here
        assert (await x.get("/proposals")).json()["items"] == []
        done = (await m.post(f"{place}/reject", json={"reason": "of the old index"})).json()
        assert (done["state"], done["decided_by"], done["reason"]) == ("rejected", "member:m", "of the old index")
        assert (await a.get("/proposals")).json()["items"] == []
        (kept,) = (await a.get("/proposals", params={"state": "rejected"})).json()["items"]
        assert kept["proposal_id"] == found["proposal_id"]
        assert (await m.post(f"{place}/reject", json={})).json()["state"] == "rejected"  # again: the same
