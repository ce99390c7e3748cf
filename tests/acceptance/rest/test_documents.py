"""Captured documents: sections belong to a head, and a memory gives way to another that is there, with its sections."""

from typing import Any

import httpx
import pytest

from .conftest import Edge, problem

Json = dict[str, Any]


@pytest.fixture
async def team(edge: Edge) -> Edge:
    await edge.world.agents("A", "B", "C")
    await edge.world.team("T", A="writer", B="writer", C="reader")
    return edge


async def keep(client: httpx.AsyncClient, content: str, **fields: object) -> Json:
    answered = await client.post("/capture", json={"content": content, "memory_type": "team", "team_id": "T", **fields})
    assert answered.status_code == 201, answered.text
    return answered.json()["memory"]


async def test_a_section_belongs_to_a_document_of_its_author_readers_and_project(team: Edge) -> None:
    async with team.as_("A") as a, team.as_("B") as b:
        head = await keep(a, "The head.")
        section = await keep(a, "A section.", part_of=head["id"])
        assert section["part_of"] == head["id"]
        private = (await a.post("/capture", json={"content": "mine"})).json()["memory"]
        body = {"content": "x", "memory_type": "team", "team_id": "T"}
        for client, part_of, status in (
            (a, private["id"], 422), (a, section["id"], 422), (b, head["id"], 422), (b, private["id"], 404),
            (a, "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55", 404),
        ):  # fmt: skip
            code = "not_found" if status == 404 else "invalid"
            await problem(await client.post("/capture", json={**body, "part_of": part_of}), status, code, "part_of")
        await problem(
            await a.post("/capture", json={**body, "part_of": head["id"], "project_id": "p"}), 422, "invalid", "part_of"
        )
        items = [{**body, "content": "good"}, {**body, "content": "bad", "part_of": private["id"]}]
        results = (await a.post("/capture/batch", json={"items": items})).json()["results"]
        assert [r.get("outcome") or r["error"]["code"] for r in results] == ["stored", "invalid"]


async def test_a_document_gives_way_with_its_sections_and_several_to_one_each_with_its_reason(team: Edge) -> None:
    async with team.as_("A") as a, team.as_("C") as c:
        olds = [await keep(a, f"Old plan {n}.") for n in (1, 2)]
        section = await keep(a, "Its harbour section.", part_of=olds[0]["id"])
        new = await keep(a, "The new plan.")
        part = await keep(a, "The new harbour section.", part_of=new["id"])
        for n, old in enumerate(olds):
            answered = await a.post(f"/memories/{old['id']}/supersede", json={"by": new["id"], "reason": f"reason {n}"})
            assert answered.status_code == 200, answered.text
        again = await a.post(f"/memories/{olds[0]['id']}/supersede", json={"by": new["id"], "reason": "another"})
        assert again.status_code == 200
        for asked in (new, part):
            told = (await c.get(f"/memories/{asked['id']}")).json()
            assert [(o["content"], o["reason"]) for o in told["overturned"]] == [
                ("Old plan 1.", "reason 0"),
                ("Old plan 2.", "reason 1"),
            ]
        gone = (await c.get(f"/memories/{section['id']}")).json()
        assert (gone["state"], gone["superseded_by"]) == ("superseded", new["id"])
        found = (await c.post("/recall", json={"query": "harbour section", "min_score": 0.0})).json()["memories"]
        assert section["id"] not in [m["id"] for m in found]
        assert (await a.delete(f"/memories/{new['id']}")).status_code == 200
        back = (await c.get(f"/memories/{section['id']}")).json()
        assert (back["state"], back["superseded_by"]) == ("active", None)
        found = (await c.post("/recall", json={"query": "harbour section", "min_score": 0.0})).json()["memories"]
        assert section["id"] in [m["id"] for m in found]


async def test_only_what_is_ones_own_current_and_for_the_same_readers_gives_way(team: Edge) -> None:
    async with team.as_("A") as a, team.as_("B") as b, team.as_("C") as c:
        mine, other, theirs = await keep(a, "mine"), await keep(a, "other"), await keep(b, "theirs")
        private = (await a.post("/capture", json={"content": "private"})).json()["memory"]

        def give_way(client: httpx.AsyncClient, old: Json, by: str) -> Any:
            return client.post(f"/memories/{old['id']}/supersede", json={"by": by})

        await problem(await give_way(a, theirs, mine["id"]), 403, "not_the_author")
        await problem(await give_way(a, mine, theirs["id"]), 403, "not_the_author")
        await problem(await give_way(c, mine, other["id"]), 403, "not_the_author")
        await problem(await give_way(b, private, theirs["id"]), 404, "not_found")
        await problem(await give_way(b, theirs, private["id"]), 404, "not_found")
        await problem(await give_way(a, private, mine["id"]), 422, "audience_differs")
        await problem(await give_way(a, mine, mine["id"]), 422, "invalid", "by")
        assert (await give_way(a, mine, other["id"])).status_code == 200
        await problem(await give_way(a, other, mine["id"]), 409, "already_superseded")
        third = await keep(a, "third")
        await problem(await give_way(a, mine, third["id"]), 409, "already_superseded")
