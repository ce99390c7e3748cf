"""Each tool does what its name says, for the official client, in both eras of the protocol."""

from uuid import uuid4

import pytest

from whoknows.domain.principal import AgentRole, GateLevel
from whoknows.mcp.tools import TOOLS
from worlds import World

from .conftest import NEW, OLD, Called, Tools

pytestmark = pytest.mark.asyncio(loop_scope="session")
PORT = "预发环境数据库端口是 5433"


@pytest.mark.parametrize("mode", [NEW, OLD])
async def test_both_eras_list_and_call_every_tool(world: World, tools: Tools, mode: str) -> None:
    await world.agents("A")
    await world.agents("S", role=AgentRole.SUB, parent="A")
    await world.team("T", A="writer")
    note = await world.write("A", "The log of Tuesday says: the port is 5433.")
    async with tools.client("A", mode) as client:
        listed = [t.name for t in (await client.list_tools()).tools]
        kept = Called(await client.call_tool("remember", {"content": PORT, "tags": ["staging"]})).told
        mine = kept["memory_id"]
        fact = {"text": "The port is 5433.", "source": f"memory:{note.id}", "quote": "the port is 5433"}
        told = {
            "remember": kept,
            "recall": Called(await client.call_tool("recall", {"query": "预发 数据库 端口"})).told,
            "get": Called(await client.call_tool("get", {"memory_id": mine})).told,
            "list": Called(await client.call_tool("list", {"tags": ["staging"]})).told,
            "why": Called(await client.call_tool("why", {"memory_id": mine})).told,
            "publish": Called(await client.call_tool("publish", {"memory_id": mine, "team_id": "T"})).told,
            "inject_context": Called(
                await client.call_tool("inject_context", {"agent_id": "S", "task": "端口", "memory_ids": [mine]})
            ).told,
            "propose_fact": Called(await client.call_tool("propose_fact", fact)).told,
            "forget": Called(await client.call_tool("forget", {"memory_id": mine})).told,
        }
    assert sorted(listed) == sorted(told)
    assert kept["outcome"] == "stored"
    assert kept["visible_to"] == ["agent:A"]
    assert (told["recall"]["outcome"], told["recall"]["memories"][0]["content"]) == ("ok", PORT)
    assert told["get"]["content"] == PORT
    assert [m["id"] for m in told["list"]["memories"]] == [mine]
    assert (told["why"]["verdict"], told["why"]["reader"]) == ("visible", "agent:A")
    assert (told["publish"]["state"], told["publish"]["team_id"]) == ("ready", "T")
    assert PORT in told["inject_context"]["context"]
    assert (told["propose_fact"]["outcome"], told["propose_fact"]["verified"]) == ("stored", True)
    assert (told["forget"]["deleted"], told["forget"]["copied"]) == (1, 2)


async def test_recall_says_that_nothing_is_known_and_brings_no_filler(world: World, tools: Tools) -> None:
    await world.agents("A")
    await world.write("A", "The lunch menu is on the wall.")
    asked = await tools("A", "recall", query="Which key signs the release?")
    assert asked.told["outcome"] == "no_match"
    assert asked.told["memories"] == []
    assert asked.text.startswith("no_match: nothing is known about this")
    anything = await tools("A", "recall", query="lunch menu key", min_score=0.0)
    assert anything.contents == ["The lunch menu is on the wall."]


async def test_a_correction_brings_the_old_one_back_as_overturned(world: World, tools: Tools) -> None:
    await world.agents("A")
    old = (await tools("A", "remember", content="The deployment window is Tuesday.")).told["memory_id"]
    new = await tools("A", "remember", content="The deployment window is Thursday.", supersedes=old, reason="moved in May")
    assert (new.told["outcome"], new.told["supersedes"]) == ("superseding", old)
    asked = await tools("A", "recall", query="When is the deployment window?")
    (memory,) = asked.told["memories"]
    assert memory["content"] == "The deployment window is Thursday."
    assert [(o["id"], o["content"], o["reason"]) for o in memory["overturned"]] == [
        (old, "The deployment window is Tuesday.", "moved in May")
    ]
    assert 'overturned, do not use: "The deployment window is Tuesday.", because "moved in May"' in asked.text
    before = await tools("A", "get", memory_id=old)
    assert (before.told["state"], before.told["superseded_by"]) == ("superseded", new.told["memory_id"])
    assert f"the present one is {new.told['memory_id']}" in before.text
    again = await tools("A", "remember", content="It is Friday.", supersedes=old)
    assert again.code == "already_superseded"
    assert "superseded_by" in again.text


async def test_recall_brings_the_evidence_and_says_whether_it_was_found(world: World, tools: Tools) -> None:
    await world.agents("A")
    note = await world.write("A", "Minutes: 端口改为 5433, agreed by all.")
    fact = {"source": f"memory:{note.id}", "quote": "端口改为 5433"}
    assert (await tools("A", "propose_fact", text=PORT, **fact)).told["verified"]
    told = (await tools("A", "recall", query="预发 数据库 端口")).told["memories"][0]["evidence"]
    assert [(e["source_kind"], e["quote"], e["verified"]) for e in told] == [("memory", "端口改为 5433", True)]
    wrong = await tools("A", "propose_fact", text="It is 5434.", source=f"memory:{note.id}", quote="端口改为 5434")
    assert wrong.code == "quote_not_found"
    assert "5434" not in str((await tools("A", "list")).told)


async def test_what_is_remembered_is_the_persons_and_every_agent_of_that_person_recalls_it(world: World, tools: Tools) -> None:
    await world.members("mira", "otto")
    await world.agents("claude", "codex", account="mira")
    await world.agents("other", account="otto")
    await world.agents("S", role=AgentRole.SUB, parent="claude")
    kept = await tools("claude", "remember", content="Mira prefers tabs.", category="user_preference")
    assert kept.told["visible_to"] == ["member:mira"]
    assert kept.told["memory_type"] == "private"
    for who, knows in (("claude", True), ("codex", True), ("member:mira", True), ("other", False), ("S", False)):
        told = (await tools(who, "recall", query="tabs preference", min_score=0.0)).contents
        assert told == (["Mira prefers tabs."] if knows else []), who
    alone = await tools("claude", "remember", content="A note to myself.", keep_for="self")
    assert alone.told["visible_to"] == ["agent:claude"]
    assert (await tools("codex", "get", memory_id=alone.told["memory_id"])).code == "not_found"


async def test_a_team_is_named_or_follows_from_the_project(world: World, tools: Tools) -> None:
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    await world.service.banks.route(await world.admin(), "boss", "T", [])
    kept = await tools("A", "remember", content=PORT, keep_for="team", project_id="boss")
    assert kept.told["visible_to"] == ["team:T"]
    assert (await tools("B", "recall", query="预发 数据库 端口", project_id="boss")).contents == [PORT]
    assert (await tools("C", "recall", query="预发 数据库 端口", project_id="boss")).contents == []
    assert (await tools("A", "remember", content="x", keep_for="team")).fault["field"] == "team_id"
    assert (await tools("A", "remember", content="x", team_id="T")).fault["field"] == "team_id"
    assert (await tools("B", "remember", content="x", keep_for="team", team_id="T")).fault["status"] == 403
    assert (await tools("A", "remember", content="x", keep_for="team", team_id="nowhere")).code == "not_found"


async def test_a_project_brings_its_own_memories_and_those_of_none_and_never_anothers(world: World, tools: Tools) -> None:
    await world.agents("A")
    for content, project in (("the port of a is 1", "a"), ("the port of b is 2", "b"), ("the port is asked of Ana", None)):
        await tools("A", "remember", content=content, **({} if project is None else {"project_id": project}))
    told = (await tools("A", "recall", query="the port", project_id="a", min_score=0.0)).contents
    assert sorted(told) == ["the port is asked of Ana", "the port of a is 1"]
    assert len((await tools("A", "recall", query="the port", min_score=0.0)).contents) == 3
    assert (await tools("A", "list", project_id="b")).contents == ["the port of b is 2"]
    assert (await tools("A", "recall", query="the port", project_id="unheard-of", min_score=0.0)).contents == [
        "the port is asked of Ana"
    ]


async def test_a_list_is_paged_and_narrowed(world: World, tools: Tools) -> None:
    await world.agents("A")
    for n in range(5):
        await world.write("A", f"note {n}", tags=("odd",) if n % 2 else ())
    first = (await tools("A", "list", limit=2)).told
    second = (await tools("A", "list", limit=2, cursor=first["next_cursor"])).told
    third = (await tools("A", "list", limit=2, cursor=second["next_cursor"])).told
    assert [m["content"] for page in (first, second, third) for m in page["memories"]] == [f"note {n}" for n in (4, 3, 2, 1, 0)]
    assert "next_cursor" not in third
    assert (await tools("A", "list", tags=["odd"])).contents == ["note 3", "note 1"]
    assert (await tools("A", "list", layer="team")).text == "There are none."


async def test_a_gate_holds_or_refuses_and_says_what_to_do(world: World, tools: Tools) -> None:
    await world.agents("A", "B")
    await world.members("o")
    await world.team("V", GateLevel.VERIFIED, A="writer", B="reader")
    await world.team("R", GateLevel.REVIEWED, A="writer", B="reader", **{"member:o": "owner"})
    refused = await tools("A", "remember", content=PORT, keep_for="team", team_id="V")
    assert refused.code == "refused_by_gate"
    assert refused.fault["findings"]
    assert "propose_fact" in refused.text
    held = await tools("A", "remember", content=PORT, keep_for="team", team_id="R")
    assert held.told["outcome"] == "held"
    assert "nobody recalls it before" in held.text
    assert (await tools("B", "list")).told["memories"] == []


async def test_publishing_twice_gives_one_copy_and_only_ones_own_can_be(world: World, tools: Tools) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="writer")
    mine = str((await world.write("A", PORT)).id)
    first = await tools("A", "publish", memory_id=mine, team_id="T")
    again = await tools("A", "publish", memory_id=mine, team_id="T")
    assert first.told == again.told
    assert first.text.startswith("Published to team T as")
    assert again.text.startswith("Published before to team T as")
    (copy,) = (await tools("B", "list")).told["memories"]
    assert (copy["id"], copy["published_by"]) == (first.told["memory_id"], "A")
    assert (await tools("B", "publish", memory_id=mine, team_id="T")).code == "not_found"
    assert (await tools("A", "publish", memory_id=mine, team_id="nowhere")).code == "not_found"


async def test_only_a_main_agent_injects_and_only_for_what_is_below_it(world: World, tools: Tools) -> None:
    await world.agents("A", "B")
    await world.agents("S", "Z", role=AgentRole.SUB, parent="A")
    mine = str((await world.write("A", PORT)).id)
    given = await tools("A", "inject_context", agent_id="S", task="move the database", memory_ids=[mine])
    assert given.told["source"] == "injected_by_A"
    assert given.text == given.told["context"]
    (copy,) = (await tools("S", "recall", query="预发 数据库 端口")).told["memories"]
    assert (copy["memory_type"], copy["injected_by"]) == ("injected", "A")
    assert (await tools("A", "inject_context", agent_id="S", task="again", memory_ids=[mine])).told["memories"] == (
        given.told["memories"]
    )
    assert (await tools("S", "inject_context", agent_id="Z", task="x", memory_ids=[copy["id"]])).fault["status"] == 403
    assert (await tools("B", "inject_context", agent_id="S", task="x")).code == "not_a_descendant"
    assert (await tools("S", "publish", memory_id=copy["id"], team_id="*")).fault["status"] == 403


async def test_why_names_the_rule_for_oneself_and_for_another(world: World, tools: Tools) -> None:
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    team = str((await world.write("A", PORT, team_id="T")).id)
    assert (await tools("B", "why", memory_id=team)).told["rule"]
    asked = await tools("A", "why", memory_id=team, reader="agent:B")
    assert (asked.told["verdict"], asked.told["reader"]) == ("visible", "agent:B")
    assert asked.text.startswith("visible to agent:B, by ")
    assert (await tools("C", "why", memory_id=team)).code == "not_found"
    assert (await tools("A", "why", memory_id=team, reader="agent:nobody")).code == "not_found"


async def test_forget_leaves_nothing_and_minds_the_version(world: World, tools: Tools) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    mine = str((await world.write("A", PORT, team_id="T")).id)
    assert (await tools("A", "forget", memory_id=mine, version=7)).code == "version_conflict"
    assert (await tools("B", "forget", memory_id=mine)).fault["status"] == 403
    assert (await tools("A", "forget", memory_id=mine, version=1)).told["deleted"] == 1
    assert (await tools("A", "get", memory_id=mine)).code == "not_found"
    assert (await tools("B", "recall", query="预发 数据库 端口", min_score=0.0)).told["outcome"] == "no_match"


async def test_hidden_and_absent_are_told_alike(world: World, tools: Tools) -> None:
    await world.agents("A", "B")
    hidden, absent = str((await world.write("A", PORT)).id), str(uuid4())
    for tool, more in (("get", {}), ("why", {}), ("forget", {}), ("publish", {"team_id": "*"})):
        told = [await tools("B", tool, memory_id=m, **more) for m in (hidden, absent, "no-such-form")]
        assert {t.code for t in told} == {"not_found"}, tool
        assert told[0].text == told[1].text == told[2].text, tool
    for supersedes in (hidden, absent):
        assert (await tools("B", "remember", content="x", supersedes=supersedes)).code == "not_found"


async def test_what_memory_itself_gave_is_not_remembered_again(world: World, tools: Tools) -> None:
    await world.agents("A")
    await world.write("A", PORT)
    told = (await tools("A", "recall", query="预发 数据库 端口")).text
    fenced = told.partition("\n\n")[2]
    block = f"<whoknows-memory>\n{PORT}\n</whoknows-memory>"
    for own in (fenced, block, f"{block}\n{fenced}", f"<system-reminder>{PORT}</system-reminder>"):
        assert (await tools("A", "remember", content=own)).fault["field"] == "content", own
    kept = await tools("A", "remember", content=f"{block}\nThe console listens on 8080.")
    assert (await tools("A", "get", memory_id=kept.told["memory_id"])).told["content"] == "The console listens on 8080."
    assert len((await tools("A", "list")).told["memories"]) == 2


async def test_the_same_again_is_merged_where_it_got_in_and_waits_again_where_it_did_not(world: World, tools: Tools) -> None:
    """Why neither remember nor propose_fact carries the hint `idempotent`."""
    await world.agents("A")
    await world.members("o")
    await world.team("R", GateLevel.REVIEWED, A="writer", **{"member:o": "owner"})
    note = await world.write("A", "Minutes: 端口改为 5433, agreed by all.")
    end = "2099-01-31T12:00:00Z"
    calls = [
        ("remember", {"content": PORT, "tags": ["x"], "subject": "staging.port", "expires_at": end}),
        ("propose_fact", {"text": "5433 it is.", "source": f"memory:{note.id}", "quote": "端口改为 5433"}),
    ]
    for tool, arguments in calls:
        first, again = [await tools("A", tool, **arguments) for _ in range(2)]
        assert (first.told["outcome"], again.told["outcome"]) == ("stored", "merged")
        assert first.told["memory_id"] == again.told["memory_id"]
    assert len((await tools("A", "list")).told["memories"]) == 3
    held = [await tools("A", "remember", content=PORT, keep_for="team", team_id="R") for _ in range(2)]
    assert len({h.told["memory_id"] for h in held}) == 2
    for name, tool in TOOLS.items():
        assert tool.listed.annotations is not None
        assert tool.listed.annotations.idempotent_hint == (name not in ("remember", "propose_fact")), name
