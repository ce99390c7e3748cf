"""Recall by a directory: what a program that works there would get, no other project's, and no team's before its stage."""

import pytest
import pytest_asyncio

from .conftest import Edge, problem
from .shared import founder, world

__all__ = ["founder", "world"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

WORD = "lighthouse"


@pytest_asyncio.fixture(loop_scope="session")
async def desk(edge: Edge) -> Edge:
    """ana's agent on the team T; one memory of each kind, all about the same word; /srv/boss is registered."""
    world = edge.world
    await world.members("ana")
    await world.agents("claude", "codex", account="ana")
    await world.agents("other")
    await world.team("T", claude="writer", other="writer")
    await world.team("U", claude="writer")
    await world.service.banks.route(await world.admin(), "boss", "T", [])
    for name, fields in {
        "own, of the project": {"project_id": "boss"},
        "own, of no project": {},
        "own, of another project": {"project_id": "cook"},
        "account's, of the project": {"project_id": "boss", "account": "ana"},
        "team's, of the project": {"project_id": "boss", "team_id": "T"},
        "team's, of no project": {"team_id": "T"},
        "team's, of another project": {"project_id": "cook", "team_id": "T"},
        "another team's": {"project_id": "boss", "team_id": "U"},
    }.items():
        await world.write("claude", f"{WORD}: {name}", **fields)
    await world.write("other", f"{WORD}: board", team_id="T", project_id="boss")
    await world.write("codex", f"{WORD}: of the other agent", project_id="boss")
    async with edge.as_("claude") as claude:
        body = {"program": "pi", "machine": "m", "directory": "/srv/boss", "project_id": "boss"}
        assert (await claude.put("/workplaces", json=body)).status_code == 200
    return edge


async def _recalled(desk: Edge, directory: str = "/srv/boss/src", **more: object) -> set[str]:
    async with desk.as_("claude", X_Machine="m") as claude:
        body = {"query": WORD, "min_score": 0, "directory": directory, "limit": 50, **more}
        by_post = (await claude.post("/recall", json=body)).json()
        by_get = (await claude.get("/recall", params=body)).json()  # pyright: ignore[reportArgumentType]
        found = {m["content"].removeprefix(f"{WORD}: ") for m in by_post["memories"]}
        assert found == {m["content"].removeprefix(f"{WORD}: ") for m in by_get["memories"]}
        assert by_post["searched"] == by_get["searched"]
        return found | {f"@{s['space']}" for s in by_post["searched"]}


PERSONAL = {"own, of the project", "own, of no project", "account's, of the project", "@agent:claude", "@member:ana"}


async def test_below_team_only_the_personal_bank_and_never_another_project(desk: Edge) -> None:
    async with desk.as_("claude") as claude:
        assert await _recalled(desk) == PERSONAL
        for stage in ("read-only", "governed"):
            await claude.put("/projects/boss/stage", json={"stage": stage})
            assert await _recalled(desk) == PERSONAL, stage


async def test_at_team_the_bank_of_its_one_team_comes_beside(desk: Edge) -> None:
    async with desk.as_("claude") as claude:
        for stage in ("read-only", "governed", "team"):
            await claude.put("/projects/boss/stage", json={"stage": stage})
        assert await _recalled(desk) == PERSONAL | {"team's, of the project", "team's, of no project", "board", "@team:T"}
        await desk.world.service.banks.route(await desk.world.admin(), "boss", None, [])
        assert await _recalled(desk) == PERSONAL
        await claude.put("/projects/boss/stage", json={"stage": "off"})
        assert await _recalled(desk) == PERSONAL


async def test_nowhere_is_an_error_that_says_the_way_and_nothing_is_guessed(desk: Edge) -> None:
    async with desk.as_("claude", X_Machine="m") as claude, desk.as_("claude") as without:
        body = {"query": WORD, "directory": "/srv/elsewhere"}
        told = await problem(await claude.post("/recall", json=body), 404, "not_found")
        assert "whoknows connect" in str(told["detail"])
        for more in ({"project_id": "boss"}, {"team_id": "T"}):
            both = {"query": WORD, "directory": "/srv/boss", **more}
            assert (await claude.post("/recall", json=both)).status_code == 422
        told = await problem(await without.post("/recall", json={"query": WORD, "directory": "/srv/boss"}), 422, "invalid")
        assert told["field"] == "X-Machine"
        assert (await claude.post("/recall", json={"query": WORD, "directory": "src"})).status_code == 404


async def test_a_project_that_is_named_brings_what_is_of_none_only_when_asked(desk: Edge) -> None:
    async def found(**more: object) -> set[str | None]:
        async with desk.as_("claude") as claude:
            body = {"query": WORD, "min_score": 0, "project_id": "boss", "limit": 50, **more}
            by_post = (await claude.post("/recall", json=body)).json()["memories"]
            by_get = (await claude.get("/recall", params=body)).json()["memories"]  # pyright: ignore[reportArgumentType]
            assert [m["id"] for m in by_post] == [m["id"] for m in by_get]
            return {m["project_id"] for m in by_post}

    assert await found() == {"boss"}
    assert await found(or_global=True) == {"boss", None}
