"""The client's verbs against a real server, waiting and awaited."""

import asyncio
import inspect

import pytest

from whoknows.client import ApiError, AsyncWhoKnows, ServerUnreachable, WhoKnows

from .conftest import Served


async def test_both_clients_write_and_recall_what_each_may_know(served: Served) -> None:
    async with served.client("A") as a:
        written = await a.capture("预发环境数据库端口是 5433", memory_type="team", team_id="T", tags=["staging"])
    assert written["outcome"] == "stored"
    seen = await served.waiting("B", lambda wk: wk.recall("预发 数据库 端口", min_score=0, tags=["staging"]))
    assert [m["id"] for m in seen["memories"]] == [written["memory"]["id"]]
    async with served.client("C") as c:
        assert (await c.recall("预发 数据库 端口", min_score=0))["outcome"] == "no_match"


@pytest.mark.parametrize("key", ["", "wk_two parts", "wk_with_the_end_of_its_line\n"])
def test_what_cannot_be_a_key_is_said_at_once_and_is_no_silent_server(key: str) -> None:
    with pytest.raises(ValueError, match="WHOKNOWS_KEY"):
        WhoKnows(key=key)


async def test_an_error_carries_status_code_and_detail(served: Served) -> None:
    memory = await served.world.write("A", "only for A")
    async with served.client("B") as b:
        with pytest.raises(ApiError) as refused:
            await b.get(str(memory.id))
    assert (refused.value.status, refused.value.code) == (404, "not_found")
    assert refused.value.detail
    assert refused.value.request_id


async def test_a_memory_is_edited_shared_and_forgotten(served: Served) -> None:
    async with served.client("A") as a, served.client("C") as c:
        memory = (await a.capture("first", title="a title"))["memory"]
        changed = await a.edit(memory["id"], memory["version"], content="second", title=None)
        assert (changed["content"], changed["title"], changed["version"]) == ("second", None, 2)
        with pytest.raises(ApiError, match="version_conflict"):
            await a.edit(memory["id"], 1, content="third")
        await a.share(memory["id"], "C")
        assert (await c.get(memory["id"]))["content"] == "second"
        assert (await c.why(memory["id"], "agent:A"))["verdict"] == "visible"
        await a.unshare(memory["id"], "C")
        with pytest.raises(ApiError, match="not_found"):
            await c.history(memory["id"])
        assert (await a.forget(memory["id"], version=2))["deleted"] == 1


async def test_names_may_hold_any_characters(served: Served) -> None:
    name = "小明/的 代理%2F?"
    async with served.client("admin") as admin:
        await admin.add_agent(name)
        await admin.change_agent(name, clearance="need_to_know")
        await admin.join_team("T", f"agent:{name}", "reader")
        key = (await admin.add_key([name, "A"], permissions=[]))["key"]
        async with AsyncWhoKnows(served.url, key=key, agent=name) as wk:
            assert (await wk.capture("mine"))["memory"]["agent_id"] == name
        await admin.leave_team("T", f"agent:{name}")
        await admin.remove_agent(name)
        assert name not in [a["agent_id"] for a in (await admin.agents())["items"]]


async def test_a_batch_answers_in_order_and_export_brings_everything(served: Served) -> None:
    async with served.client("A") as a:
        answer = await a.capture_batch([{"content": "one"}, {"content": " "}, {"content": "two"}])
        assert [r.get("outcome") for r in answer["results"]] == ["stored", None, "stored"]
        assert answer["results"][1]["error"]["code"] == "invalid"
        assert {m["content"] async for m in a.export()} == {"one", "two"}
    exported = await served.waiting("A", lambda wk: [m["content"] for m in wk.export()])
    assert sorted(exported) == ["one", "two"]


async def test_events_arrive_while_they_are_followed(served: Served) -> None:
    async with served.client("B") as b, asyncio.timeout(30):
        following = b.events()
        first = asyncio.ensure_future(anext(following))
        written: set[str] = set()
        while not first.done():
            written.add(str((await served.world.write("A", f"event {len(written)}", team_id="T")).id))
            await asyncio.sleep(0.1)
        assert first.result()["memory_id"] in written
        await following.aclose()


async def test_nothing_listens_there() -> None:
    with WhoKnows("http://127.0.0.1:9", key="wk_" + "x" * 40) as wk, pytest.raises(ServerUnreachable, match="whoknows serve"):
        wk.whoami()


def test_both_clients_have_the_same_verbs() -> None:
    def verbs(client: type) -> set[str]:
        return {name for name, _ in inspect.getmembers(client) if not name.startswith("_")}

    assert verbs(WhoKnows) == verbs(AsyncWhoKnows)
