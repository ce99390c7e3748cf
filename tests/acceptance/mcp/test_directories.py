"""A call in a directory belongs to the project that somebody registered there, and to no other."""

import pytest

from whoknows.domain.harness import Program
from worlds import World

from .conftest import Tools

pytestmark = pytest.mark.asyncio(loop_scope="session")
HERE = {"X-Machine": "aurora"}


async def registered(world: World, who: str, directory: str, project: str, machine: str = "aurora") -> None:
    await world.service.workplaces.register(await world.caller(who), Program.CODEX, machine, directory, project)


async def test_what_is_remembered_in_a_directory_is_recalled_there_and_never_in_another_project(
    world: World, tools: Tools
) -> None:
    await world.members("ana")
    await world.agents("claude", "codex", account="ana")
    await registered(world, "claude", "/home/ana/shop", "shop")
    await registered(world, "claude", "/home/ana/码头", "dock")
    kept = await tools("claude", "remember", HERE, content="The port is 5433.", directory="/home/ana/shop/src/api")
    assert (kept.told["project_id"], kept.told["visible_to"]) == ("shop", ["member:ana"])
    await tools("claude", "remember", HERE, content="The port of the dock is 7001.", directory="/home/ana/码头")
    await tools("claude", "remember", content="Ana likes short ports.")
    ask = {"query": "the port", "min_score": 0.0}
    shop = (await tools("codex", "recall", HERE, directory="/home/ana/shop", **ask)).contents
    dock = (await tools("codex", "recall", HERE, directory="/home/ana/码头/船", **ask)).contents
    assert sorted(shop) == ["Ana likes short ports.", "The port is 5433."]
    assert sorted(dock) == ["Ana likes short ports.", "The port of the dock is 7001."]
    assert (await tools("codex", "list", HERE, directory="/home/ana/shop")).contents == ["The port is 5433."]
    fact = {"text": "5433 it is.", "source": f"memory:{kept.told['memory_id']}", "quote": "The port is 5433"}
    proposed = await tools("codex", "propose_fact", HERE, directory="/home/ana/shop", **fact)
    assert proposed.told["project_id"] == "shop"


async def test_below_the_stage_of_the_team_a_directory_brings_what_is_personal(world: World, tools: Tools) -> None:
    await world.members("ana")
    await world.agents("claude", account="ana")
    await world.team("T", **{"claude": "writer", "member:ana": "reader"})
    await registered(world, "claude", "/home/ana/shop", "shop")
    await world.write("claude", "The port of the team is 1.", team_id="T", project_id="shop")
    await tools("claude", "remember", content="The port of mine is 2.", project_id="shop")
    ask = {"query": "the port", "min_score": 0.0}
    assert (await tools("claude", "recall", HERE, directory="/home/ana/shop", **ask)).contents == ["The port of mine is 2."]
    assert len((await tools("claude", "recall", project_id="shop", **ask)).contents) == 2
    for more in ({"team_id": "T"}, {"session_id": "s"}):
        assert (await tools("claude", "recall", HERE, directory="/home/ana/shop", **ask, **more)).fault["field"] == "directory"


async def test_a_directory_that_nobody_registered_is_told_and_nothing_is_kept(world: World, tools: Tools) -> None:
    await world.members("ana", "otto")
    await world.agents("A", account="ana")
    await world.agents("B", account="otto")
    await registered(world, "A", "/home/ana/shop", "shop")
    nowhere = [
        ("A", HERE, "/home/ana"),
        ("A", HERE, "/home/ana/shop-of-another"),
        ("A", {"X-Machine": "borealis"}, "/home/ana/shop"),
        ("B", HERE, "/home/ana/shop"),
    ]
    for who, headers, directory in nowhere:
        for tool, more in (("recall", {"query": "x"}), ("list", {}), ("remember", {"content": "x"})):
            told = await tools(who, tool, headers, directory=directory, **more)
            assert (told.code, told.fault["field"]) == ("not_found", "directory"), (who, directory, tool)
            assert told.text.endswith("Leave it out, or name project_id.")
        assert (await tools(who, "list")).told["memories"] == []
    for directory in ("shop", "", "/home/ana/\0", "/" + "x" * 5000):
        assert (await tools("A", "recall", HERE, query="x", directory=directory)).fault["field"] == "directory", directory[:20]
