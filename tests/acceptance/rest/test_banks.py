"""Banks over HTTP: an administrator routes projects, the caller never picks, and a bank of others looks like none."""

import asyncio
from typing import Any

import pytest
import pytest_asyncio

from whoknows.domain.principal import Clearance
from worlds import World

from .conftest import Edge, problem
from .shared import founded, founder, world

__all__ = ["founder", "world"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

HARD = ["100%", "a_b", "a/b", "..", ".", "行\n二", " x ", "'; DROP TABLE memories; --", "项目" * 50, "%2F", "x" * 200, "*"]
"""Names of projects that are no different from others."""


async def _routed(client: Any, project: str, team: str | None, *remotes: str) -> dict[str, Any]:
    answer = await client.put(_bank(project), json={"team_id": team, "git_remotes": list(remotes)})
    assert answer.status_code == 200, answer.text
    return answer.json()


def _bank(project: str) -> str:
    from whoknows.client.call import path

    return path("projects", project, "bank")


@pytest_asyncio.fixture(loop_scope="session")
async def placed(edge: Edge) -> Edge:
    """`boss` goes to T, where A writes and R reads; B writes to U alone; N is on T and only needs to know."""
    await edge.world.agents("A", "B", "R")
    await edge.world.agents("N", clearance=Clearance.NEED_TO_KNOW)
    await edge.world.team("T", A="writer", R="reader", N="writer")
    await edge.world.team("U", B="writer")
    async with edge.admin as admin:
        await _routed(admin, "boss", "T", "git@git.example.org:acme/boss.git")
        await _routed(admin, "cook", "U")
    return edge


async def test_an_administrator_routes_a_project_and_the_last_word_counts(placed: Edge) -> None:
    async with placed.admin as admin:
        told = await _routed(admin, "boss", "U", "https://git.example.org/acme/boss", "ssh://git@git.example.org/acme/two")
        assert told == {
            "project_id": "boss",
            "team_id": "U",
            "git_remotes": ["git.example.org/acme/boss", "git.example.org/acme/two"],
        }
        assert (await admin.get(_bank("boss"))).json() == told
        assert await _routed(admin, "boss", None) == {"project_id": "boss", "team_id": None, "git_remotes": []}
        audit = (await admin.get("/audit")).json()["items"]
        mine = [(r["target"], r["detail"]) for r in audit if r["action"] == "project.route"]
        assert mine[:2] == [("boss", {"team": None, "git_remotes": 0}), ("boss", {"team": "U", "git_remotes": 2})]


async def test_a_remote_belongs_to_one_project(placed: Edge) -> None:
    async with placed.admin as admin:
        taken = await admin.put(_bank("cook"), json={"team_id": "U", "git_remotes": ["https://git.example.org/acme/boss.git"]})
        fault = await problem(taken, 409, "remote_taken", "git_remotes")
        assert "'boss'" in fault["detail"]
        assert (await admin.get(_bank("cook"))).json()["team_id"] == "U"
        await _routed(admin, "boss", "T")
        assert (await _routed(admin, "cook", "U", "https://git.example.org/acme/boss"))["git_remotes"] == [
            "git.example.org/acme/boss"
        ]


async def test_projects_that_are_routed_at_once_end_with_each_remote_in_one(placed: Edge) -> None:
    async with placed.admin as admin:
        remotes = ["h.example/one", "h.example/two"]
        tries = [
            admin.put(_bank(p), json={"team_id": "T", "git_remotes": r})
            for p in ("x", "y", "z")
            for r in (remotes, remotes[::-1])
        ]
        done = await asyncio.gather(*tries)
        assert {d.status_code for d in done} <= {200, 409}
        assert {d.json()["code"] for d in done if d.status_code == 409} <= {"remote_taken"}
        held = [(await admin.get(_bank(p))).json()["git_remotes"] for p in ("x", "y", "z")]
        assert sorted(r for h in held for r in h) == remotes


UNCLEAR: list[tuple[dict[str, Any], str]] = [
    ({}, "team_id"),
    ({"team_id": ""}, "team_id"),
    ({"team_id": None, "git_remotes": ["/srv/boss.git"]}, "git_remotes"),
    ({"team_id": None, "git_remotes": [""]}, "git_remotes"),
    ({"team_id": None, "git_remotes": "x"}, "git_remotes"),
    ({"team_id": None, "git_remotes": [f"https://h.example/{n}" for n in range(51)]}, "git_remotes"),
    ({"team_id": None, "bank": "x"}, "bank"),
]


async def test_a_routing_that_says_nothing_clear_is_refused(placed: Edge) -> None:
    async with placed.admin as admin:
        for body, field in UNCLEAR:
            fault = await problem(await admin.put(_bank("boss"), json=body), 422, "invalid")
            assert str(fault["field"]).startswith(field)
            assert (await admin.get(_bank("boss"))).json()["team_id"] == "T"


async def test_a_project_is_routed_by_administrators_alone_and_to_teams_that_are_there(placed: Edge) -> None:
    async with placed.as_("A") as a, placed.admin as admin:
        await problem(await a.put(_bank("boss"), json={"team_id": "T"}), 403, "permission_missing")
        await problem(await admin.put(_bank("boss"), json={"team_id": "nobody"}), 404, "not_found", "team_id")
        assert (await a.get(_bank("boss"))).json()["team_id"] == "T"


async def test_what_goes_to_others_looks_like_what_goes_nowhere(placed: Edge) -> None:
    async with placed.as_("B") as b, placed.as_("N") as n, placed.as_("R") as r:
        for client in (b, n):
            assert (await client.get(_bank("boss"))).json() == {"project_id": "boss", "team_id": None, "git_remotes": []}
            assert (await client.get(_bank("nobody's"))).json() == {
                "project_id": "nobody's",
                "team_id": None,
                "git_remotes": [],
            }
        assert (await r.get(_bank("boss"))).json() == {
            "project_id": "boss",
            "team_id": "T",
            "git_remotes": ["git.example.org/acme/boss"],
        }


async def test_a_bank_lists_what_one_may_do_there_and_which_projects_come(placed: Edge) -> None:
    async def banks(who: str) -> list[tuple[str, bool, str, list[str]]]:
        async with placed.as_(who) as client:
            items = (await client.get("/banks")).json()["items"]
            return [(i["bank"], i["may_write"], i["context"], i["projects"]) for i in items]

    every = ("*", False, "team", [])
    assert await banks("A") == [("agent:A", True, "personal", []), ("team:T", True, "team", ["boss"]), every]
    assert await banks("R") == [("agent:R", True, "personal", []), ("team:T", False, "team", ["boss"]), every]
    assert await banks("B") == [("agent:B", True, "personal", []), ("team:U", True, "team", ["cook"]), every]
    assert await banks("N") == [("agent:N", True, "personal", [])]


async def test_the_personal_bank_of_a_member_and_its_main_agent_is_one(edge: Edge) -> None:
    await edge.world.members("lin")
    await edge.world.agents("desk", account="lin")
    for who in ("member:lin", "desk"):
        async with edge.as_(who) as client:
            assert (await client.get("/banks")).json()["items"][0]["bank"] == "member:lin"


async def test_a_team_that_is_gone_leaves_its_projects_routed_nowhere(placed: Edge) -> None:
    async with placed.admin as admin, placed.as_("A") as a:
        await admin.delete("/teams/T")
        for client in (admin, a):
            assert (await client.get(_bank("boss"))).json()["team_id"] is None
        await problem(await a.post("/ingest", json=_fact(project_id="boss")), 404, "not_found", "project_id")


async def test_names_of_projects_are_compared_and_never_interpreted(edge: Edge) -> None:
    await edge.world.agents("A")
    await edge.world.team("T", A="writer")
    await edge.world.team("U", A="writer")
    async with edge.admin as admin, edge.as_("A") as a:
        for n, name in enumerate(HARD):
            assert (await _routed(admin, name, "T"))["project_id"] == name
            for other in HARD[n + 1 :]:
                assert (await a.get(_bank(other))).json()["team_id"] is None
        assert {p for b in (await a.get("/banks")).json()["items"] for p in b["projects"]} == set(HARD)
        too_long = await admin.put(_bank("x" * 201), json={"team_id": "T"})
        await problem(too_long, 422, "invalid", "projectId")
        await problem(await admin.put(_bank("  "), json={"team_id": "T"}), 422, "invalid", "projectId")


async def test_two_tenants_route_projects_of_one_name_and_one_remote_each_for_itself(placed: Edge, founder: World) -> None:
    other = (await founded(founder)).installation.new_key
    async with placed.as_(other) as theirs, placed.as_("A") as a:
        assert (await theirs.get(_bank("boss"))).json()["team_id"] is None
        await problem(await theirs.put(_bank("boss"), json={"team_id": "T"}), 404, "not_found", "team_id")
        await theirs.post("/teams", json={"team_id": "theirs"})
        await _routed(theirs, "boss", "theirs", "https://git.example.org/acme/boss")
        assert (await a.get(_bank("boss"))).json()["team_id"] == "T"
        await _routed(theirs, "boss", None)
        assert (await a.get(_bank("boss"))).json()["git_remotes"] == ["git.example.org/acme/boss"]


async def test_an_inspector_sees_the_banks_of_the_one_it_looks_through(placed: Edge) -> None:
    async with placed.as_(placed.world.installation.new_key, X_Seen_As="agent:B") as eyes:
        assert [i["bank"] for i in (await eyes.get("/banks")).json()["items"]] == ["agent:B", "team:U", "*"]
        assert (await eyes.get(_bank("boss"))).json()["team_id"] is None
        assert (await eyes.get(_bank("cook"))).json()["team_id"] == "U"


def _fact(**fields: Any) -> dict[str, Any]:
    return {
        "text": "x is 1",
        "source": "memory:0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55",
        "quote": "x is 1",
        "context": "team",
        **fields,
    }


async def _source(client: Any, text: str, **fields: Any) -> str:
    answer = await client.post("/capture", json={"content": text, **fields})
    assert answer.status_code == 201, answer.text
    return f"memory:{answer.json()['memory']['id']}"


async def _ingested(client: Any, **fields: Any) -> Any:
    return await client.post("/ingest", json=_fact(**fields))


async def test_a_fact_goes_to_the_bank_of_its_project_with_its_verified_quote(placed: Edge) -> None:
    async with placed.as_("A") as a, placed.as_("R") as r, placed.as_("B") as b:
        source = await _source(a, "会议纪要：预发数据库端口改为 5433，周四生效", memory_type="team", team_id="T")
        fact = {"text": "预发数据库端口是 5433", "source": source, "quote": "预发数据库端口改为 5433", "subject": "port"}
        done = await _ingested(a, **fact, project_id="boss")
        assert done.status_code == 201, done.text
        told = done.json()
        assert (told["outcome"], told["memory"]["team_id"], told["memory"]["project_id"]) == ("stored", "T", "boss")
        (evidence,) = told["memory"]["evidence"]
        assert (evidence["verified"], evidence["quote"]) == (True, "预发数据库端口改为 5433")
        again = await _ingested(a, **fact, project_id="boss")
        assert (again.status_code, again.json()["outcome"], again.json()["memory"]["id"]) == (
            201,
            "merged",
            told["memory"]["id"],
        )
        seen = (await r.get("/recall", params={"query": "预发数据库端口"})).json()["memories"]
        assert told["memory"]["id"] in [m["id"] for m in seen]
        assert (await b.get("/recall", params={"query": "预发数据库端口", "min_score": 0})).json()["memories"] == []

        mine = await _ingested(a, **fact, project_id="boss", context="personal")
        assert (mine.json()["memory"]["memory_type"], mine.json()["memory"]["visible_to"]) == ("private", ["agent:A"])
        await problem(await r.get(f"/memories/{mine.json()['memory']['id']}"), 404, "not_found")


async def test_what_has_no_quote_that_is_found_is_kept_nowhere_but_in_the_ledger(placed: Edge) -> None:
    async with placed.as_("A") as a, placed.as_("B") as b:
        source = await _source(a, "the harbour light is green at night")
        theirs = await _source(b, "the harbour light is green at night")
        for fields in (
            {"source": source, "quote": "the harbour light is red at night"},
            {"source": theirs, "quote": "the harbour light is green"},
            {"source": "memory:0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55", "quote": "the harbour light is green"},
            {"source": "url:https://example.org", "quote": "the harbour light is green"},
            {"source": "somebody said so", "quote": "the harbour light is green"},
        ):
            refused = await _ingested(a, text="the light is red", context="personal", **fields)
            fault = await problem(refused, 422, "quote_not_found")
            assert fault["findings"]
        assert [m["content"] for m in (await a.get("/memories")).json()["items"]] == ["the harbour light is green at night"]
        await problem(await _ingested(a, project_id="cook"), 404, "not_found", "project_id")
        noted = (await a.get("/ledger")).json()["items"]
        assert [(n["route"], n["code"]) for n in noted] == [("ingest", "not_found"), *[("ingest", "quote_not_found")] * 5]
        assert "harbour" not in (await a.get("/ledger")).text


async def test_the_bank_is_never_picked_by_the_caller(placed: Edge) -> None:
    await placed.world.team("V", A="writer")
    async with placed.as_("A") as a, placed.as_("R") as r, placed.as_("B") as b, placed.as_("N") as n:
        source = await _source(a, "the crane stands on pier three", memory_type="team", team_id="T")
        fact = {"text": "pier three", "source": source, "quote": "the crane stands on pier three"}
        for fields, status, code, field in (
            ({}, 422, "bank_ambiguous", "team_id"),
            ({"team_id": "U"}, 404, "not_found", "team_id"),
            ({"team_id": "V", "project_id": "boss"}, 422, "invalid", "team_id"),
            ({"project_id": "cook"}, 404, "not_found", "project_id"),
            ({"project_id": "nobody's"}, 404, "not_found", "project_id"),
            ({"team_id": "T", "context": "personal"}, 422, "invalid", "team_id"),
            ({"bank": "team:T"}, 422, "invalid", "bank"),
            ({"context": "everyone"}, 422, "invalid", "context"),
            ({"quote": ""}, 422, "invalid", "quote"),
        ):
            await problem(await _ingested(a, **(fact | fields)), status, code, field)
        ambiguous = await _ingested(a, **fact)
        assert "'T', 'V'" in ambiguous.json()["detail"]
        assert "'U'" not in ambiguous.json()["detail"]
        await problem(await _ingested(r, **fact, project_id="boss"), 403, "not_a_writer")
        hidden = await problem(await _ingested(b, **fact, project_id="boss"), 404, "not_found", "project_id")
        absent = await problem(await _ingested(b, **fact, project_id="bosS"), 404, "not_found", "project_id")
        assert hidden["detail"].replace("boss", "") == absent["detail"].replace("bosS", "")
        await problem(await _ingested(n, **fact, project_id="boss"), 404, "not_found", "project_id")
        done = await _ingested(a, **fact, team_id="T")
        assert (done.status_code, done.json()["memory"]["team_id"]) == (201, "T")


async def test_a_fact_passes_the_gate_of_its_bank_besides(placed: Edge) -> None:
    async with placed.admin as admin, placed.as_("A") as a:
        source = await _source(a, "the tide turns at six in the morning", memory_type="team", team_id="T")
        await admin.patch("/teams/T", json={"gate": "reviewed"})
        held = await _ingested(a, text="six", source=source, quote="the tide turns at six", project_id="boss")
        assert (held.status_code, held.json()["outcome"], held.json()["memory"]["state"]) == (202, "held", "held")
        assert [b["gate"] for b in (await a.get("/banks")).json()["items"]] == ["open", "reviewed", "open"]


async def test_a_fact_overturns_what_it_names_and_a_repeated_request_does_it_once(placed: Edge) -> None:
    async with placed.as_("A") as a:
        source = await _source(a, "minutes: the pump is replaced in May", memory_type="team", team_id="T")
        old = (await _source(a, "the pump is replaced in June", memory_type="team", team_id="T", project_id="boss"))[7:]
        body = _fact(text="The pump is replaced in May", source=source, quote="the pump is replaced in May", project_id="boss")
        body |= {"supersedes": old, "reason": "new minutes"}
        done = [await a.post("/ingest", json=body, headers={"Idempotency-Key": "k"}) for _ in range(2)]
        assert [d.status_code for d in done] == [201, 201]
        assert done[0].json()["outcome"] == "superseding"
        assert done[0].json()["memory"]["id"] == done[1].json()["memory"]["id"]
        assert done[0].json()["memory"]["overturned"][0]["id"] == old
        other = await a.post("/ingest", json=body | {"text": "y"}, headers={"Idempotency-Key": "k"})
        await problem(other, 422, "idempotency_mismatch")
