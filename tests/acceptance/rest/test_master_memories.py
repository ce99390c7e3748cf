"""The memories of an account through REST: by the paths and names of the second source, behind the walls of accounts."""

import asyncio
from typing import Any
from uuid import uuid4

import httpx
import pytest

from whoknows.domain.memory import Category
from whoknows.domain.principal import AgentRole, Clearance
from worlds import World

from .conftest import Edge, problem

PATH = "/master-agent/memories"


async def household(world: World) -> None:
    await world.members("lin", "wu")
    await world.agents("lin-agent", account="lin")
    await world.agents("wu-agent", account="wu")
    await world.agents("stranger")
    await world.agents("sub", role=AgentRole.SUB, parent="lin-agent")
    await world.agents("blind", account="lin", clearance=Clearance.NEED_TO_KNOW)
    await world.team("T", **{"lin-agent": "writer", "wu-agent": "writer"})


async def made(client: httpx.AsyncClient, content: str, **fields: Any) -> dict[str, Any]:
    response = await client.post(PATH, json={"content": content, **fields})
    assert response.status_code == 201, response.text
    return response.json()


async def listed(client: httpx.AsyncClient, **query: Any) -> list[str]:
    response = await client.get(PATH, params=query)
    assert response.status_code == 200, response.text
    return [m["content"] for m in response.json()["items"]]


async def test_a_memory_is_made_with_the_fields_of_the_source(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        told = await made(
            lin, "服务器固定在上海机房", scope="project", projectId="boss", title="机房", memoryType="decision",
            tags=["服务器", "机房"], sourceMessageId="m-17",
        )  # fmt: skip
        assert {k: v for k, v in told.items() if not k.endswith("At") and k != "memoryId"} == {
            "account": "lin", "scope": "project", "projectId": "boss", "title": "机房", "content": "服务器固定在上海机房",
            "memoryType": "decision", "tags": ["服务器", "机房"], "sourceMessageId": "m-17", "archived": False, "version": 1,
            "distilled": None,
        }  # fmt: skip
        assert told["createdAt"] == told["updatedAt"]
        assert told["lastUsedAt"] is None
        assert (await lin.get(PATH)).json() == {"items": [told], "nextCursor": None}
        ours = (await lin.get(f"/memories/{told['memoryId']}")).json()
    assert ours["account"] == "lin"
    assert [(e["source_kind"], e["locator"]) for e in ours["evidence"]] == [("message", "m-17")]


@pytest.mark.parametrize("kind", list(Category))
async def test_every_type_is_taken(world: World, edge: Edge, kind: Category) -> None:
    await household(world)
    async with edge.as_("lin-agent") as agent:
        assert (await made(agent, "x", memoryType=kind))["memoryType"] == kind


async def test_scope_and_type_have_sensible_defaults(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        general = await made(lin, "偏好中文直接回复")
        project = await made(lin, "发布已完成", projectId="boss")
    assert (general["scope"], general["projectId"], general["memoryType"]) == ("global", None, "user_preference")
    assert (project["scope"], project["projectId"], project["memoryType"]) == ("project", "boss", "project_progress")


async def test_lists_are_narrowed_by_scope_project_type_tag_and_archive(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        await made(lin, "通用", memoryType="user_preference", tags=["甲"])
        await made(lin, "boss 决策", projectId="boss", memoryType="decision")
        await made(lin, "boss 风险", projectId="boss", memoryType="risk", tags=["甲", "乙"])
        await made(lin, "另一个项目", projectId="other", memoryType="risk")
        gone = await made(lin, "旧的", projectId="boss")
        assert (await lin.post(f"{PATH}/{gone['memoryId']}", json={"archived": True})).json()["archived"] is True
        assert await listed(lin) == ["另一个项目", "boss 风险", "boss 决策", "通用"]
        assert await listed(lin, scope="global") == ["通用"]
        assert await listed(lin, scope="project") == ["另一个项目", "boss 风险", "boss 决策"]
        assert await listed(lin, projectId="boss") == ["boss 风险", "boss 决策"]
        assert await listed(lin, scope="project", projectId="other") == ["另一个项目"]
        assert await listed(lin, memoryType="risk") == ["另一个项目", "boss 风险"]
        assert await listed(lin, tags="甲") == ["boss 风险", "通用"]
        assert await listed(lin, archived="true") == ["旧的"]
        assert await listed(lin, archived="true", projectId="other") == []
        assert await listed(lin, projectId="unknown") == []
        first = (await lin.get(PATH, params={"limit": 3})).json()
        rest = (await lin.get(PATH, params={"limit": 3, "cursor": first["nextCursor"]})).json()
        assert len(first["items"]) == 3
        assert [m["content"] for m in rest["items"]] == ["通用"]


async def test_editing_changes_what_is_named_and_nothing_else(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin, edge.as_("lin-agent") as agent:
        told = await made(lin, "端口是 5433", projectId="boss", memoryType="decision", tags=["端口"], sourceMessageId="m-1")
        path = f"{PATH}/{told['memoryId']}"
        edited = (await agent.post(path, json={"content": "端口是 5434", "title": "端口"})).json()
        assert edited == {**told, "content": "端口是 5434", "title": "端口", "version": 2, "updatedAt": edited["updatedAt"]}
        assert edited["updatedAt"] > told["updatedAt"]
        again = (await lin.post(path, json={"tags": [], "title": "", "memoryType": "risk", "version": 2})).json()
        assert (again["tags"], again["title"], again["memoryType"], again["version"]) == ([], "", "risk", 3)
        assert (again["content"], again["projectId"], again["scope"]) == ("端口是 5434", "boss", "project")


async def test_scope_and_project_may_be_said_again_and_never_changed(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        told = await made(lin, "一", projectId="boss")
        path = f"{PATH}/{told['memoryId']}"
        again = {"content": "二", "scope": "project", "projectId": "boss", "memoryType": "risk", "tags": [], "archived": False}
        assert (await lin.post(path, json=again)).json()["content"] == "二"
        for body, field in (({"projectId": "other"}, "projectId"), ({"scope": "global"}, "scope")):
            await problem(await lin.post(path, json={**again, "content": "三", **body}), 422, "invalid", field)
        assert await listed(lin, projectId="boss") == ["二"]


async def test_two_edits_without_a_version_at_the_same_moment_both_count(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        told = await made(lin, "一", projectId="boss")
        path = f"{PATH}/{told['memoryId']}"
        answers = await asyncio.gather(lin.post(path, json={"content": "二"}), lin.post(path, json={"tags": ["甲"]}))
        assert [a.status_code for a in answers] == [200, 200]
        (now,) = (await lin.get(PATH)).json()["items"]
        assert (now["content"], now["tags"], now["version"]) == ("二", ["甲"], 3)


async def test_archive_takes_a_memory_away_and_restore_brings_it_back(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        told = await made(lin, "归档的口令是青山")
        path = f"{PATH}/{told['memoryId']}"
        both = (await lin.post(path, json={"archived": True, "content": "归档的口令是绿水"})).json()
        assert (both["archived"], both["content"], both["version"]) == (True, "归档的口令是绿水", 2)
        assert (await lin.post(path, json={"archived": True})).json() == both
        context = (await lin.get("/master-agent/context", params={"projectId": "p", "message": "归档的口令"})).json()
        assert "绿水" not in context["composed"]
        assert (await lin.get("/recall", params={"query": "归档的口令是什么", "min_score": 0})).json()["memories"] == []
        back = (await lin.post(path, json={"archived": False})).json()
        assert back["archived"] is False
        context = (await lin.get("/master-agent/context", params={"projectId": "p", "message": "归档的口令"})).json()
        assert "绿水" in context["composed"]


async def test_a_version_counts_where_it_is_given(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        told = await made(lin, "一")
        path = f"{PATH}/{told['memoryId']}"
        assert (await lin.post(path, json={"content": "二"})).json()["version"] == 2
        for body in ({"content": "三"}, {"archived": True}, {"content": "三", "archived": True}):
            await problem(await lin.post(path, json={**body, "version": 1}), 409, "version_conflict")
            await problem(await lin.post(path, json=body, headers={"If-Match": '"1"'}), 409, "version_conflict")
        await problem(await lin.delete(path, headers={"If-Match": "1"}), 409, "version_conflict")
        assert await listed(lin) == ["二"]
        assert (await lin.delete(path, headers={"If-Match": "2"})).json()["deleted"] == 1
        assert await listed(lin) == []
        await problem(await lin.delete(path), 404, "not_found")


async def test_a_repeated_post_is_one_memory(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        first = await made(lin, "同一句话")
        assert (await made(lin, "同一句话"))["memoryId"] == first["memoryId"]
        once = {"Idempotency-Key": "k-1"}
        answers = [await lin.post(PATH, json={"content": "另一句"}, headers=once) for _ in range(2)]
        assert answers[0].json() == answers[1].json()
        refused = await lin.post(PATH, json={"content": "第三句"}, headers=once)
        await problem(refused, 422, "idempotency_mismatch")
        assert sorted(await listed(lin)) == ["另一句", "同一句话"]


async def test_another_accounts_memory_is_absent_on_every_path(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        told = await made(lin, "发布口令是蓝鲸计划", projectId="boss")
    absent = str(uuid4())
    for who in ("member:wu", "wu-agent"):
        async with edge.as_(who) as other:
            assert await listed(other) == []
            assert await listed(other, projectId="boss") == []
            for method, body in (("POST", {"content": "x"}), ("POST", {"archived": True}), ("DELETE", None)):
                hidden = await other.request(method, f"{PATH}/{told['memoryId']}", json=body)
                nothing = await other.request(method, f"{PATH}/{absent}", json=body)
                one, two = await problem(hidden, 404, "not_found"), await problem(nothing, 404, "not_found")
                assert {k: v for k, v in one.items() if k != "request_id"} == {
                    k: v for k, v in two.items() if k != "request_id"
                }
            for account in ("lin", "nobody"):
                await problem(await other.get(PATH, params={"account": account}), 403, "not_your_account", "account")
                refused = await other.post(PATH, json={"content": "x", "account": account})
                await problem(refused, 403, "not_your_account", "account")
            context = (await other.get("/master-agent/context", params={"projectId": "boss", "message": "发布口令"})).text
            assert "蓝鲸" not in context
            assert told["memoryId"] not in context
    for who in ("stranger", "sub", "blind"):
        async with edge.as_(who) as client:
            for method, path, body in (("GET", "", None), ("POST", "", {"content": "x"}), ("DELETE", f"/{absent}", None)):
                await problem(await client.request(method, PATH + path, json=body), 403, "no_account")
    async with edge.as_("lin-agent") as agent:
        assert await listed(agent) == ["发布口令是蓝鲸计划"]


async def test_what_one_sees_elsewhere_is_no_memory_of_the_account(world: World, edge: Edge) -> None:
    await household(world)
    team = await world.write("lin-agent", "团队的记忆", team_id="T")
    own = await world.write("lin-agent", "代理自己的记忆")
    shared = await world.write("stranger", "别人分享的记忆", visible_to=("lin-agent",))
    async with edge.as_("lin-agent") as agent:
        assert await listed(agent) == []
        for memory in (team, own, shared):
            assert (await agent.get(f"/memories/{memory.id}")).status_code == 200
            await problem(await agent.post(f"{PATH}/{memory.id}", json={"content": "x"}), 404, "not_found")
            await problem(await agent.delete(f"{PATH}/{memory.id}"), 404, "not_found")
            assert (await agent.get(f"/memories/{memory.id}")).status_code == 200


async def test_bad_memories_get_a_clear_error_and_nothing_is_kept(world: World, edge: Edge) -> None:
    await household(world)
    async with edge.as_("member:lin") as lin:
        told = await made(lin, "一")
        for body, field in (
            ({"content": ""}, "content"),
            ({"content": " \u200b"}, "content"),
            ({"content": "x", "memoryType": "banana"}, "memoryType"),
            ({"content": "x", "scope": "team"}, "scope"),
            ({"content": "x", "projectId": ""}, "projectId"),
            ({"content": "x", "projectId": "\u200b"}, "projectId"),
            ({"content": "x", "tags": [""]}, "tags"),
            ({"content": "x", "memory_type": "fact"}, "memory_type"),
            ({"content": "x", "lastUsedAt": "2026-01-01T00:00:00Z"}, "lastUsedAt"),
        ):
            await problem(await lin.post(PATH, json=body), 422, "invalid", None if field == "tags" else field)
        await problem(await lin.post(PATH, json={"content": "x", "scope": "project"}), 422, "invalid")
        await problem(await lin.post(PATH, json={"content": "x", "scope": "global", "projectId": "boss"}), 422, "invalid")
        await problem(await lin.post(PATH, json={"content": "x" * 40_000}), 422, "text_too_long")
        path = f"{PATH}/{told['memoryId']}"
        for body in ({}, {"content": ""}, {"content": None}, {"projectId": "other"}, {"archived": "yes"}, {"version": 1}):
            await problem(await lin.post(path, json=body), 422, "invalid")
        for query in ({"scope": "team"}, {"projectId": ""}, {"archived": "perhaps"}, {"scope": "global", "projectId": "boss"}):
            await problem(await lin.get(PATH, params=query), 422, "invalid")
        await problem(await lin.post(f"{PATH}/no-id", json={"content": "x"}), 404, "not_found")
        assert (await lin.get(PATH)).json()["items"] == [told]


async def test_a_member_that_is_seen_as_shows_its_memories_and_nothing_is_written(world: World, edge: Edge) -> None:
    from whoknows.domain.credential import Permission

    await household(world)
    async with edge.as_("member:lin") as lin:
        told = await made(lin, "看得见")
    operator = await world.key(permissions=[Permission.INSPECT])
    async with edge.as_(operator, X_Seen_As="member:lin") as eyes:
        assert await listed(eyes) == ["看得见"]
        assert "看得见" in (await eyes.get("/master-agent/context", params={"projectId": "p", "message": "x"})).text
        await problem(await eyes.post(PATH, json={"content": "x"}), 403, "seen_as_reads_only")
        await problem(await eyes.delete(f"{PATH}/{told['memoryId']}"), 403, "seen_as_reads_only")
