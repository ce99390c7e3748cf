"""Corrections over HTTP: recorded in one's own bank, counted over weeks, and silent about what is gone."""

from datetime import UTC, datetime, timedelta
from secrets import token_hex
from typing import Any

import pytest
import pytest_asyncio

from whoknows.domain.memory import State
from whoknows.domain.principal import AgentRole

from .conftest import Edge, problem
from .shared import founder, world

__all__ = ["founder", "world"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

NOW = datetime.now(UTC)


async def add(client: Any, text: str, weeks_ago: float = 0, **fields: Any) -> dict[str, Any]:
    at = {} if not weeks_ago else {"at": (NOW - timedelta(weeks=weeks_ago)).isoformat()}
    answer = await client.post("/corrections", json={"text": text, **at, **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()


async def listed(client: Any, **query: Any) -> list[Any]:
    return [c["text"] for c in (await client.get("/corrections", params=query)).json()["items"]]


@pytest_asyncio.fixture(loop_scope="session")
async def desk(edge: Edge) -> Edge:
    """Lin, her main agents `desk`, with its sub-agent `hand`, and `other`; wang. `boss` goes to T: desk writes, wang reads."""
    await edge.world.members("lin", "wang")
    await edge.world.agents("desk", "other", account="lin")
    await edge.world.agents("hand", role=AgentRole.SUB, parent="desk")
    await edge.world.team("T", desk="writer", **{"member:wang": "reader"})
    async with edge.admin as admin:
        await admin.put("/projects/boss/bank", json={"team_id": "T"})
    return edge


async def test_the_same_thing_corrected_again_is_reported_before_and_after_a_day(desk: Edge) -> None:
    async with desk.as_("desk") as a:
        for weeks in (7.9, 6.1, 5.2):
            await add(a, f"用 pnpm，不要用 npm（第 {weeks} 次）", weeks, subject="package-manager", harness="claude-code")
        await add(a, "提交信息用英文写", 6)
        await add(a, "提交信息用英文写", 4.5)
        await add(a, "日志里不要打印口令", 5)
        await add(a, "用 pnpm", 1, subject="package-manager", harness="codex")
        told = (await a.get("/corrections/summary")).json()
        before, after = told["before"], told["after"]
        assert (told["weeks"], told["change"]) == (4, -2)
        assert (before["corrections"], before["things"]) == (6, 3)
        assert (after["corrections"], after["things"], after["repeated"]) == (1, 1, [])
        most, other = before["repeated"]
        assert (most["count"], most["subject"], most["bank"]) == (3, "package-manager", "member:lin")
        assert sum(most["weeks"].values()) == 3
        assert len(most["weeks"]) >= 2
        assert (other["count"], other["text"]) == (2, "提交信息用英文写")
        early = (NOW - timedelta(weeks=5.1)).isoformat()
        moved = (await a.get("/corrections/summary", params={"weeks": 2, "at": early})).json()
        assert [r["count"] for r in moved["before"]["repeated"]] == [2]
        assert (moved["after"]["corrections"], moved["change"]) == (2, -1)


async def test_a_correction_is_the_accounts_and_nobody_elses(desk: Edge) -> None:
    async with desk.as_("desk") as a, desk.as_("other") as b, desk.as_("member:lin") as lin:
        made = (await add(a, "发布口令不是蓝鲸"))["correction"]
        assert (made["bank"], made["author"]) == ("member:lin", "agent:desk")
        for mine in (a, b, lin):
            assert await listed(mine) == ["发布口令不是蓝鲸"]
        for who in ("hand", "member:wang"):
            async with desk.as_(who) as other:
                assert await listed(other) == []
                assert (await other.get("/corrections/summary")).json()["after"]["corrections"] == 0
                await problem(await other.delete(f"/corrections/{made['id']}"), 404, "not_found")
        assert (await b.delete(f"/corrections/{made['id']}")).json() == {"deleted": 1}
        assert await listed(lin) == []
        await problem(await a.delete(f"/corrections/{made['id']}"), 404, "not_found")


async def test_a_correction_for_the_team_goes_where_its_project_is_routed(desk: Edge) -> None:
    async with desk.as_("desk") as a, desk.as_("member:wang") as wang, desk.as_("hand") as hand:
        made = (await add(a, "接口返回 404 而不是 403", context="team", project_id="boss"))["correction"]
        assert made["bank"] == "team:T"
        assert await listed(wang, project_id="boss") == ["接口返回 404 而不是 403"]
        assert await listed(wang, project_id="else") == []
        await problem(await wang.delete(f"/corrections/{made['id']}"), 403, "not_the_author")
        body = {"text": "x", "context": "team", "project_id": "boss"}
        await problem(await wang.post("/corrections", json=body), 403, "not_a_writer")
        await problem(await hand.post("/corrections", json=body), 404, "not_found", "project_id")
        assert [(n["route"], n["code"]) for n in (await wang.get("/ledger")).json()["items"]] == [
            ("corrections", "not_a_writer")
        ]
        assert await listed(hand) == []


async def test_a_correction_overturns_the_memory_that_was_wrong(desk: Edge) -> None:
    async with desk.as_("desk") as a:
        wrong = await desk.world.write("desk", "预发数据库端口是 5432", subject="staging.port", account="lin")
        told = await add(a, "预发数据库端口是 5433", about=str(wrong.id), supersedes=True, reason="搬过家")
        assert (told["outcome"], told["correction"]["about"]) == ("superseding", str(wrong.id))
        assert told["correction"]["subject"] == "staging.port"
        assert told["correction"]["memory"] == told["memory"]["id"]
        assert told["memory"]["category"] == "correction"
        (found,) = (await a.get("/recall", params={"query": "预发数据库端口", "min_score": 0})).json()["memories"]
        assert found["content"] == "预发数据库端口是 5433"
        assert [(o["id"], o["reason"]) for o in found["overturned"]] == [(str(wrong.id), "搬过家")]


async def test_a_teams_memory_is_overturned_in_its_team_and_the_correction_stays_ones_own(desk: Edge) -> None:
    wrong = await desk.world.write("desk", "部署窗口是周二", team_id="T")
    async with desk.as_("desk") as a, desk.as_("member:wang") as wang:
        told = await add(a, "部署窗口是周四", about=str(wrong.id), supersedes=True)
        assert (told["memory"]["team_id"], told["correction"]["bank"]) == ("T", "member:lin")
        assert [m["content"] for m in (await wang.get("/memories")).json()["items"]] == ["部署窗口是周四"]
        assert await listed(wang) == []


async def test_a_correction_takes_no_subject_to_those_who_may_not_read_what_was_wrong(desk: Edge) -> None:
    own = await desk.world.write("desk", "the board leaves in March", subject="merger.with.acme")
    async with desk.as_("desk") as a, desk.as_("member:wang") as wang:
        told = await add(a, "dates are not ours to name", context="team", project_id="boss", about=str(own.id))
        assert told["correction"]["subject"] is None
        (seen,) = (await wang.get("/corrections", params={"project_id": "boss"})).json()["items"]
        assert (seen["subject"], seen["about"]) == (None, None)
        shared = await desk.world.write("desk", "boss deploys on Mondays", team_id="T", subject="boss.deploys")
        told = await add(a, "on Tuesdays", context="team", project_id="boss", about=str(shared.id))
        assert told["correction"]["subject"] == "boss.deploys"


async def test_what_may_not_be_overturned_is_not_recorded_either(desk: Edge) -> None:
    hidden = await desk.world.write("other", "other's own", account=None)
    shared = await desk.world.write("other", "shown to desk", visible_to=("desk",))
    async with desk.as_("desk") as a:
        for about in (hidden.id, "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"):
            for supersedes in (True, False):
                body = {"text": "x", "about": str(about), "supersedes": supersedes}
                await problem(await a.post("/corrections", json=body), 404, "not_found", "about")
        body = {"text": "x", "about": str(shared.id), "supersedes": True}
        assert (await a.post("/corrections", json=body)).status_code in (403, 422)
        mine = await desk.world.write("desk", "the door is shut", account="lin")
        body = {
            "text": "the door is open",
            "about": str(mine.id),
            "supersedes": True,
            "context": "team",
            "project_id": "nobody's",
        }
        await problem(await a.post("/corrections", json=body), 404, "not_found", "project_id")
        assert (await a.get(f"/memories/{mine.id}")).json()["state"] == "active"
        assert await listed(a) == []
        assert (await add(a, "that is wrong", about=str(shared.id)))["correction"]["about"] == str(shared.id)


async def test_a_deleted_memory_leaves_corrections_of_it_without_a_text(desk: Edge) -> None:
    async with desk.as_("desk") as a:
        wrong = await desk.world.write("desk", "鹤在三号码头", account="lin")
        await add(a, "不对，鹤在三号码头是旧消息", 1, about=str(wrong.id))
        told = await add(a, "鹤在五号码头", about=str(wrong.id), supersedes=True)
        await add(a, "另一件事")
        assert len(await listed(a)) == 3
        await a.delete(f"/memories/{told['memory']['id']}")
        assert await listed(a) == ["另一件事", None, "不对，鹤在三号码头是旧消息"]
        assert (await desk.world.service.read.get(await desk.world.caller("desk"), wrong.id)).state is State.ACTIVE
        await a.delete(f"/memories/{wrong.id}")
        assert await listed(a) == ["另一件事", None, None]
        found = (await a.get("/corrections")).json()["items"]
        assert [(c["about"], c["memory"]) for c in found] == [(None, None)] * 3
        (again,) = (await a.get("/corrections/summary")).json()["after"]["repeated"]
        assert (again["count"], again["text"], again["about"]) == (2, None, None)


async def test_a_request_that_is_repeated_counts_once_and_two_that_say_the_same_count_twice(desk: Edge) -> None:
    wrong = await desk.world.write("desk", "the gate opens at eight", account="lin")
    async with desk.as_("desk") as a:
        body = {"text": "the gate opens at nine", "about": str(wrong.id), "supersedes": True}
        answers = [await a.post("/corrections", json=body, headers={"Idempotency-Key": "k"}) for _ in range(3)]
        assert [r.status_code for r in answers] == [201, 201, 201]
        assert {r.json()["correction"]["id"] for r in answers} == {answers[0].json()["correction"]["id"]}
        assert {r.json()["memory"]["id"] for r in answers} == {answers[0].json()["memory"]["id"]}
        other = await a.post("/corrections", json=body | {"text": "y"}, headers={"Idempotency-Key": "k"})
        await problem(other, 422, "idempotency_mismatch")
        await add(a, "tests before the code")
        await add(a, "tests before the code")
        assert len(await listed(a)) == 3


async def test_secrets_never_enter_a_correction(desk: Edge) -> None:
    secret = f"ghp_{token_hex(18)}"
    async with desk.as_("desk") as a:
        told = await add(a, f"the token is {secret}, not the other", subject=f"token {secret}")
        assert "[secret:" in told["correction"]["text"]
        assert secret not in (await a.get("/corrections")).text + str(told)
        assert {f["check"] for f in told["findings"]} == {"redacted"}
        refused = await a.post("/corrections", json={"text": "x", "harness": secret})
        await problem(refused, 422, "refused_by_gate")


UNCLEAR: list[tuple[dict[str, Any], str]] = [
    ({}, "text"),
    ({"text": ""}, "text"),
    ({"text": " \u200b"}, "text"),
    ({"text": "x", "at": "yesterday"}, "at"),
    ({"text": "x", "at": (NOW + timedelta(days=1)).isoformat()}, "at"),
    ({"text": "x", "supersedes": True}, "about"),
    ({"text": "x", "quote": "y"}, "quote"),
    ({"text": "x", "context": "everyone"}, "context"),
    ({"text": "x", "context": "personal", "team_id": "T"}, "team_id"),
    ({"text": "x", "subject": "s" * 201}, "subject"),
    ({"text": "x", "bank": "member:wang"}, "bank"),
    ({"text": "x", "account": "wang"}, "account"),
]


async def test_what_says_nothing_clear_is_refused_and_not_recorded(desk: Edge) -> None:
    async with desk.as_("desk") as a:
        for body, field in UNCLEAR:
            await problem(await a.post("/corrections", json=body), 422, "invalid", field)
        assert await listed(a) == []


async def test_lists_go_on_where_the_page_before_ended(desk: Edge) -> None:
    async with desk.as_("desk") as a:
        for n in range(5):
            await add(a, f"correction {n}")
        found: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = (await a.get("/corrections", params={"limit": 2, **cursor})).json()
            found += [c["text"] for c in page["items"]]
            if page["next_cursor"] is None:
                break
            cursor = {"cursor": page["next_cursor"]}
        assert found == [f"correction {n}" for n in (4, 3, 2, 1, 0)]
        for query in ({"weeks": 0}, {"weeks": 53}, {"at": "0001-01-01T00:00:00Z", "weeks": 52}):
            await problem(await a.get("/corrections/summary", params=query), 422, "invalid")
