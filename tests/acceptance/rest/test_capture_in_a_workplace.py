"""A memory kept by a directory: for the person behind the key, in the project that was registered there, or not at all."""

from typing import Any

import pytest
import pytest_asyncio

from whoknows.domain.principal import AgentRole

from .casework import ok
from .conftest import Edge, problem
from .shared import founder, world

__all__ = ["founder", "world"]
pytestmark = pytest.mark.asyncio(loop_scope="session")
HERE = "/srv/code/boss"


@pytest_asyncio.fixture(loop_scope="session")
async def desk(edge: Edge) -> Edge:
    """ana's agents claude and codex, the lone agent L, the sub-agent S; boss goes to the team T; claude and L work in HERE."""
    world = edge.world
    await world.members("ana")
    await world.agents("claude", "codex", account="ana")
    await world.agents("L")
    await world.agents("S", role=AgentRole.SUB, parent="claude")
    await world.team("T", claude="writer", L="writer")
    await world.team("U", claude="writer")
    await world.service.banks.route(await world.admin(), "boss", "T", [])
    for who in ("claude", "L"):
        async with edge.as_(who) as client:
            place = {"program": "codex", "machine": "m", "directory": HERE, "project_id": "boss"}
            ok(await client.put("/workplaces", json=place))
    return edge


async def kept(desk: Edge, who: str, directory: str = f"{HERE}/src", **fields: Any) -> dict[str, Any]:
    async with desk.as_(who, X_Machine="m") as client:
        return ok(await client.post("/capture", json={"content": "So it was decided.", "directory": directory, **fields}), 201)[
            "memory"
        ]


async def readers(desk: Edge, memory: dict[str, Any]) -> set[str]:
    found: set[str] = set()
    for who in ("claude", "codex", "L", "member:ana"):
        async with desk.as_(who) as client:
            if (await client.get(f"/memories/{memory['id']}")).status_code == 200:
                found.add(who)
    return found


async def test_it_is_kept_for_the_person_and_found_by_all_programs_of_that_person(desk: Edge) -> None:
    memory = await kept(desk, "claude")
    assert memory["project_id"] == "boss"
    assert await readers(desk, memory) == {"claude", "codex", "member:ana"}
    async with desk.as_("codex") as codex:
        assert ok(await codex.get("/memories", params={"project_id": "boss"}))["items"] == [memory]
    assert (await kept(desk, "codex"))["project_id"] == "boss", "what one of them registered holds for all that work for ana"


async def test_who_works_for_nobody_keeps_it_alone(desk: Edge) -> None:
    memory = await kept(desk, "L")
    assert memory["project_id"] == "boss"
    assert await readers(desk, memory) == {"L"}


@pytest.mark.parametrize(
    "fields", [{"visible_to": ["L"]}, {"isolation": "session", "session_id": "s"}], ids=["shared by name", "bound to a session"]
)
async def test_what_is_said_of_its_readers_holds(desk: Edge, fields: dict[str, Any]) -> None:
    memory = await kept(desk, "claude", **fields)
    assert memory["project_id"] == "boss"
    assert await readers(desk, memory) == {"claude", *fields.get("visible_to", [])}


async def test_for_a_team_it_goes_to_the_one_that_is_named_else_to_that_of_the_project(desk: Edge) -> None:
    assert await readers(desk, await kept(desk, "claude", memory_type="team")) == {"claude", "L"}
    assert await readers(desk, await kept(desk, "claude", memory_type="team", team_id="U")) == {"claude"}
    await desk.world.service.banks.route(await desk.world.admin(), "boss", None, [])
    async with desk.as_("claude", X_Machine="m") as claude:
        body = {"content": "x", "directory": HERE, "memory_type": "team"}
        await problem(await claude.post("/capture", json=body), 422, "invalid", "team_id")


async def test_a_fact_goes_where_the_project_of_its_directory_goes(desk: Edge) -> None:
    source = await kept(desk, "claude")
    async with desk.as_("claude", X_Machine="m") as claude:
        body = {"text": "So it is.", "source": f"memory:{source['id']}", "quote": source["content"], "directory": HERE}
        fact = ok(await claude.post("/ingest", json={**body, "context": "personal"}), 201)["memory"]
        assert (fact["project_id"], await readers(desk, fact)) == ("boss", {"claude", "codex", "member:ana"})
        both = {**body, "context": "personal", "project_id": "boss"}
        await problem(await claude.post("/ingest", json=both), 422, "invalid", "directory")
        await problem(await claude.post("/ingest", json={**body, "context": "team", "directory": "/srv"}), 404, "not_found")


async def test_where_nobody_registered_it_nothing_is_kept_and_the_way_is_told(desk: Edge) -> None:
    here: dict[str, Any] = {"content": "x", "directory": HERE}
    for who, machine, body, status, field in (
        ("claude", "m", {**here, "directory": "/srv/code"}, 404, "directory"),
        ("claude", "m", {**here, "directory": "src"}, 404, "directory"),
        ("claude", "another", here, 404, "directory"),
        ("S", "m", here, 404, "directory"),
        ("claude", "m", {**here, "project_id": "boss"}, 422, "directory"),
        ("claude", "m", {**here, "directory": ""}, 422, "directory"),
        ("claude", "m", {**here, "account": "otto"}, 403, "account"),
    ):
        async with desk.as_(who, X_Machine=machine) as client:
            answer = await client.post("/capture", json=body)
            assert (answer.status_code, answer.json()["field"]) == (status, field), (who, machine, body)
            if status == 404:
                assert "whoknows connect" in answer.json()["detail"]
                assert [e["route"] for e in ok(await client.get("/ledger"))["items"]].count("capture") >= 1
            assert ok(await client.get("/memories"))["items"] == []
    async with desk.as_("claude") as without:
        await problem(await without.post("/capture", json=here), 422, "invalid", "X-Machine")
        (told,) = ok(await without.post("/capture/batch", json={"items": [here]}))["results"]
        assert (told["error"]["status"], told["error"]["field"]) == (422, "directory"), "of many, each names its project"
