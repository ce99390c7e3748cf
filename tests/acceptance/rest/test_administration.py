"""Agents, members, teams, audit, why and knows, traces and export over REST."""

import json
from urllib.parse import quote

import pytest

from worlds import World

from .conftest import Edge, problem

NAMES = ["a/b", "%", "_", "..", "a.b", "a\\b", "a&b=c", "a?b#c", "名字", "🐒", "a b", "a%2Fb", "+", "'\""]


async def test_agents_are_made_changed_listed_and_deleted(world: World, edge: Edge) -> None:
    async with edge.admin as admin:
        assert (await admin.post("/members", json={"member_id": "lin", "name": "Lin"})).status_code == 201
        made = await admin.post("/agents", json={"agent_id": "main", "role": "main", "account": "lin"})
        assert made.status_code == 201
        assert {k: v for k, v in made.json().items() if k != "created_at"} == {
            "agent_id": "main", "role": "main", "parent": None, "account": "lin", "clearance": "open",
        }  # fmt: skip
        sub = {"agent_id": "sub", "role": "sub", "parent": "main", "clearance": "need_to_know"}
        assert (await admin.post("/agents", json=sub)).json()["clearance"] == "need_to_know"
        await problem(await admin.post("/agents", json=sub), 409, "name_taken")
        await problem(await admin.post("/agents", json={"agent_id": "x", "role": "sub"}), 422, "invalid", "parent")
        await problem(await admin.post("/agents", json=sub | {"agent_id": "x", "parent": "y"}), 404, "not_found", "parent")
        await problem(await admin.post("/agents", json={"agent_id": "x", "role": "boss"}), 422, "invalid", "role")
        for name in ("*", "agent:x", "member:x", "team:x", "", "a\nb", "\u0001", "n" * 201):
            response = await admin.post("/agents", json={"agent_id": name, "role": "main"})
            await problem(response, 422, "invalid", "agent_id")
        changed = await admin.patch("/agents/sub", json={"clearance": "open"})
        assert (changed.json()["clearance"], changed.json()["parent"]) == ("open", "main")
        await problem(await admin.patch("/agents/sub", json={"parent": "sub"}), 422, "invalid", "parent")
        await problem(await admin.patch("/agents/sub", json={"role": None}), 422, "invalid", "role")
        await problem(await admin.patch("/agents/sub", json={"agent_id": "other"}), 422, "invalid", "agent_id")
        await problem(await admin.delete("/agents/main"), 409, "still_needed")
        assert (await admin.delete("/agents/sub")).json() == {"deleted": 1}
        await problem(await admin.delete("/agents/sub"), 404, "not_found")
        await problem(await admin.post("/agents", json=sub), 409, "name_taken")
        assert [a["agent_id"] for a in (await admin.get("/agents")).json()["items"]] == ["main"]


async def test_members_and_teams(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    async with edge.admin as admin:
        assert (await admin.post("/members", json={"member_id": "lin"})).json()["name"] == "lin"
        assert (await admin.patch("/members/lin", json={"name": "Lin"})).json()["name"] == "Lin"
        await problem(await admin.patch("/members/lin", json={}), 422, "invalid")
        team = await admin.post("/teams", json={"team_id": "T", "name": "Team"})
        assert (team.status_code, team.json()["gate"], team.json()["members"]) == (201, "open", [])
        gated = await admin.post("/teams", json={"team_id": "U", "gate": "verified"})
        assert (gated.status_code, gated.json()["gate"]) == (201, "verified")
        await problem(await admin.post("/teams", json={"team_id": "U", "share_with_subagents": 1}), 422, "invalid")
        put = await admin.put("/teams/T/members/member%3Alin", json={"role": "owner"})
        assert put.json()["members"] == [{"principal": "member:lin", "role": "owner"}]
        await problem(await admin.put("/teams/T/members/lin", json={"role": "owner"}), 422, "invalid", "principal")
        await problem(await admin.put("/teams/T/members/agent:C", json={"role": "owner"}), 404, "not_found")
        await problem(await admin.put("/teams/V/members/agent:A", json={"role": "owner"}), 404, "not_found")
        await problem(await admin.put("/teams/T/members/agent:A", json={"role": "king"}), 422, "invalid", "role")
        await admin.put("/teams/T/members/agent:A", json={"role": "reader"})
        renamed = await admin.patch("/teams/T", json={"share_with_subagents": True})
        assert (renamed.json()["name"], renamed.json()["share_with_subagents"]) == ("Team", True)
        async with edge.as_("A") as a, edge.as_("B") as b:
            assert [t["team_id"] for t in (await a.get("/teams")).json()["items"]] == ["*", "T"]
            assert [t["team_id"] for t in (await b.get("/teams")).json()["items"]] == ["*"]
            assert [x["agent_id"] for x in (await b.get("/agents")).json()["items"]] == ["B"]
            assert (await b.get("/members")).json()["items"] == []
        assert (await admin.delete("/teams/T/members/agent:A")).json() == {"deleted": 1}
        await problem(await admin.delete("/teams/T/members/agent:A"), 404, "not_found")
        await problem(await admin.delete("/teams/*"), 409, "conflict")
        assert (await admin.delete("/teams/T")).json() == {"deleted": 1}
        assert (await admin.delete("/members/lin")).json() == {"deleted": 1}


async def test_names_with_any_characters_work_wherever_they_stand(world: World, wire: Edge, subtests: pytest.Subtests) -> None:
    """Over a real connection: in bodies, in paths, percent-encoded, and as the reader of a share."""
    await world.agents("A")
    async with wire.admin as admin, wire.as_("A") as a:
        memory = (await a.post("/capture", json={"content": "to share"})).json()["memory"]["id"]
        for name in NAMES:
            with subtests.test(name):
                at = quote(name, safe="").replace(".", "%2E")  # clients fold ".." away
                assert (await admin.post("/agents", json={"agent_id": name, "role": "main"})).status_code == 201
                assert (await admin.post("/teams", json={"team_id": name})).status_code == 201
                changed = await admin.patch(f"/agents/{at}", json={"clearance": "need_to_know"})
                assert (changed.status_code, changed.json()["agent_id"]) == (200, name)
                put = await admin.put(f"/teams/{at}/members/{quote(f'agent:{name}', safe='')}", json={"role": "writer"})
                assert put.json()["members"] == [{"principal": f"agent:{name}", "role": "writer"}]
                shared = await a.put(f"/memories/{memory}/shares/{at}")
                assert f"agent:{name}" in shared.json()["visible_to"]
                assert (await a.delete(f"/memories/{memory}/shares/{at}")).status_code == 200
                assert (await admin.delete(f"/teams/{at}")).status_code == 200
                assert (await admin.delete(f"/agents/{at}")).status_code == 200


async def test_why_and_knows_give_the_reason_for_every_yes_and_no(world: World, edge: Edge) -> None:
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    shared = await world.write("A", "words of the team", team_id="T")
    own = await world.write("A", "words of my own")
    async with edge.as_("A") as a, edge.as_("B") as b, edge.as_("C") as c:
        why = (await a.get(f"/memories/{shared.id}/why", params={"reader": "agent:B"})).json()
        assert (why["reader"], why["memory"], why["verdict"]) == ("agent:B", str(shared.id), "visible")
        assert why["rule"].startswith("R1")
        hidden = (await a.get(f"/memories/{own.id}/why", params={"reader": "agent:B"})).json()
        assert hidden["verdict"] == "hidden"
        await problem(await a.get(f"/memories/{own.id}/why", params={"reader": "B"}), 422, "invalid", "reader")
        for reader in ({}, {"reader": "agent:A"}):
            await problem(await c.get(f"/memories/{shared.id}/why", params=reader), 404, "not_found")
        matrix = (await b.get("/knows")).json()
        assert matrix["readers"] == ["agent:B", "agent:A"]
        (row,) = matrix["rows"]
        assert row["memory"]["id"] == str(shared.id)
        assert [(cell["reader"], cell["verdict"]) for cell in row["cells"]] == [("agent:B", "visible"), ("agent:A", "visible")]
        assert len((await a.get("/knows", params={"layer": "private"})).json()["rows"]) == 1


async def test_a_trace_is_its_askers_alone(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    memory = await world.write("A", "the lamp is lit")
    async with edge.as_("A") as a, edge.as_("B") as b:
        asked = (await a.post("/recall", json={"query": "lamp", "min_score": 0, "include": ["trace"]})).json()
        trace = (await a.get(f"/traces/{asked['trace_id']}")).json()
        assert (trace["reader"], trace["question"], trace["searched"]) == ("agent:A", "lamp", asked["searched"])
        assert [h["id"] for h in trace["hits"]] == [str(memory.id)]
        assert "lit" not in json.dumps(trace)
        await problem(await b.get(f"/traces/{asked['trace_id']}"), 404, "not_found")
        await a.delete(f"/memories/{memory.id}")
        assert (await a.get(f"/traces/{asked['trace_id']}")).json()["hits"] == []


async def test_export_is_what_one_may_read_in_every_state(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="writer")
    await world.write("B", "private to B")
    old = await world.write("A", "old words")
    await world.write("A", "new words", supersedes=old.id)
    await world.write("B", "words of the team", team_id="T")
    async with edge.as_("A") as client:
        response = await client.post("/export")
        assert response.headers["content-type"] == "application/x-ndjson"
        lines = [json.loads(line) for line in response.text.splitlines()]
        assert sorted(m["content"] for m in lines) == ["new words", "old words", "words of the team"]
        assert {m["state"] for m in lines} == {"active", "superseded"}


async def test_the_audit_trail_names_ids_and_no_texts(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    async with edge.as_("A") as a, edge.as_("B") as b, edge.admin as admin:
        memory = (await a.post("/capture", json={"content": "sesame"})).json()["memory"]["id"]
        await a.put(f"/memories/{memory}/shares/B")
        rows = (await admin.get("/audit", params={"limit": 2})).json()
        assert len(rows["items"]) == 2
        assert "sesame" not in str(rows)
        older = (await admin.get("/audit", params={"cursor": rows["next_cursor"], "limit": 200})).json()
        assert max(r["at"] for r in older["items"]) <= min(r["at"] for r in rows["items"])
        assert not {r["id"] for r in older["items"]} & {r["id"] for r in rows["items"]}
        assert {r["concerns"] for r in (await b.get("/audit")).json()["items"]} <= {"agent:B"}
        for cursor in ("x", "-1", "9" * 40, ""):
            await problem(await admin.get("/audit", params={"cursor": cursor}), 422, "invalid", "cursor")
        assert (await a.get("/jobs/pending")).json() == {"embedding": 0, "egress_forbidden": 0}
        long = "A sentence that is one of many. " * 200
        assert (await a.post("/capture", json={"content": long})).json()["memory"]["embedding_pending"] is True
        assert (await a.get("/jobs/pending")).json() == {"embedding": 1, "egress_forbidden": 0}
