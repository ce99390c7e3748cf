"""The report of a project: what its hooks brought, stage by stage, in figures; the account's alone."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

from whoknows.domain.harness import HookEvent, HookTurn, Outcome, Program, Stage
from whoknows.policy.suggesting import ENOUGH

from .conftest import Edge
from .hooking import connected, distilled, number, session, staged
from .shared import founder, world

__all__ = ["founder", "world"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

KNOWN = "灯塔每四秒闪一次 the lighthouse flashes every four seconds"


@pytest_asyncio.fixture(loop_scope="session")
async def office(edge: Edge) -> Edge:
    """ana with two agents, ben with one; one memory about the lighthouse; `boss` is connected, read-only."""
    await edge.world.members("ana", "ben")
    await edge.world.agents("claude", "codex", account="ana")
    await edge.world.agents("bens", account="ben")
    await edge.world.write("claude", KNOWN, project_id="boss", account="ana")
    await connected(edge, "claude", "boss", "/srv/boss")
    return edge


async def _report(edge: Edge, who: str = "claude", project: str = "boss", **span: str) -> Any:
    async with edge.as_(who) as client:
        answer = await client.get(f"/projects/{project}/report", params=span)
        assert answer.status_code == 200, answer.text
        return answer.json()


async def test_the_figures_are_those_of_what_came(office: Edge) -> None:
    one = session(office)
    first = await one.asks("how often does the lighthouse flash? 灯塔多久闪一次")
    assert KNOWN in first
    assert await one.asks("and again: how often does the lighthouse flash?") == "", "once a session"
    assert await one.asks("zzqx vvkw unrelated gibberish entirely") == ""
    assert await one.asks("/compact") == ""
    other = session(office, "codex", "codex")
    assert KNOWN in await other.asks("lighthouse flash 灯塔 四秒")
    told = await _report(office)
    assert (told["project_id"], told["stage"], told["workplaces"], told["missing"]) == ("boss", "read-only", 3, [])
    (figures,) = told["stages"]
    assert figures["stage"] == "read-only"
    assert (figures["sessions"], figures["events"], figures["prompts"]) == (2, 5, 5)
    assert (figures["injected"], figures["empty"], sum(figures["skipped"].values())) == (2, 2, 1)
    assert figures["programs"] == {"claude-code": 4, "codex": 1}
    assert (figures["failed"], figures["captured"]) == ({}, 0)
    assert figures["memories"] == {"total": 2, "prompt_median": 0, "prompt_p95": 1}
    assert figures["characters"]["prompt_p95"] in (len(first), figures["characters"]["total"] - len(first))
    assert 0 < figures["tokens"]["prompt_p95"] <= figures["tokens"]["total"]
    scores = figures["scores"]
    assert 0 < scores["lowest"] <= scores["median"] <= scores["highest"] <= 1
    assert 0 < figures["latency"]["p50"] <= figures["latency"]["p95"]
    assert 0 < told["floor"] <= scores["lowest"]
    suggested = told["suggestion"]
    assert (suggested["stage"], suggested["because"] in ("too_few", "slow", "failing")) == ("read-only", True), "five prompts"
    assert "prompt" in suggested["detail"]
    async with office.as_("claude") as client:
        for trace in (await client.get("/projects/boss/stage")).json()["next"]["needs"]:
            assert trace["met"] is True


async def test_each_stage_is_counted_for_itself_and_captures_for_what_became_of_them(office: Edge) -> None:
    await session(office).asks("how often does the lighthouse flash?")
    await staged(office, "claude", "boss", "governed")
    talk = session(office)
    await talk.exchange("定了：预发环境的数据库端口以后固定用 5433。", "好的，我会用 5433。")
    await talk.exchange("how often does the lighthouse flash, do you know?", "Every four seconds.")
    waiting = next(s for s in (await _report(office))["stages"] if s["stage"] == "governed")["captures"]
    assert (waiting["exchanges"], waiting["waiting"]) == (2, 2)
    await distilled(office.world.service)
    stages = {s["stage"]: s for s in (await _report(office))["stages"]}
    assert set(stages) == {"read-only", "governed"}
    assert (stages["read-only"]["prompts"], stages["read-only"]["captured"]) == (1, 0)
    assert (stages["governed"]["prompts"], stages["governed"]["captured"]) == (2, 2)
    captures = stages["governed"]["captures"]
    assert (captures["exchanges"], captures["waiting"], captures["nothing"]) == (2, 0, 1)
    assert captures["facts"] == {"stored": 1}
    assert sum(captures["skipped"].values()) >= 1


async def test_corrections_are_compared_before_and_since_the_stage_began(office: Edge) -> None:
    async with office.as_("claude") as claude:
        for at in ("2026-01-05T10:00:00Z", "2026-01-06T10:00:00Z"):
            body = {"text": "缩进用四个空格", "subject": "缩进", "project_id": "boss", "at": at}
            assert (await claude.post("/corrections", json=body)).status_code == 201
        for _ in range(2):
            body = {"text": "端口是 5433", "subject": "端口", "project_id": "boss"}
            assert (await claude.post("/corrections", json=body)).status_code == 201
    compared = (await _report(office))["corrections"]
    assert compared["weeks"] == 1
    assert [r["subject"] for r in compared["after"]["repeated"]] == ["端口"]
    assert compared["before"]["repeated"] == []


async def test_a_span_is_what_lies_between(office: Edge) -> None:
    await session(office).asks("how often does the lighthouse flash?")
    now = (await _report(office))["stages"][0]["first"]
    assert (await _report(office, until=now))["stages"] == []
    assert len((await _report(office, since=now))["stages"]) == 1
    async with office.as_("claude") as client:
        for span in ({"since": now, "until": now}, {"since": "yesterday"}, {"until": "0001-01-01T00:00:00Z"}):
            assert (await client.get("/projects/boss/report", params=span)).status_code == 422, span


async def test_nobody_else_sees_a_figure_of_it(office: Edge) -> None:
    await session(office).asks("how often does the lighthouse flash?")
    unknown = await _report(office, "bens", "nobodys-project")
    hidden = await _report(office, "bens", "boss")
    for told in (unknown, hidden):
        told.pop("project_id")
        assert told.pop("since") < told.pop("until")
    assert hidden == unknown
    assert (hidden["stages"], hidden["workplaces"], hidden["corrections"]) == ([], 0, None)
    assert (await _report(office, "codex"))["stages"] != [], "of one account"
    async with office.admin as admin:
        assert (await admin.get("/projects/boss/report")).status_code == 403


async def test_prompts_that_were_left_alone_speak_for_nothing(office: Edge) -> None:
    assert KNOWN in await session(office).asks("how often does the lighthouse flash? 灯塔多久闪一次")
    world = office.world
    async with world.service.store.write(await world.caller("claude")) as tx:
        for _ in range(ENOUGH):
            turn = HookTurn(
                uuid4(), Program.CODEX, "s", number(), "boss", Stage.READ_ONLY, HookEvent.PROMPT, Outcome.SKIPPED,
                datetime.now(UTC), 1.0, "command",
            )  # fmt: skip
            await tx.hook_turns.note(turn)
    told = await _report(office)
    assert told["stages"][0]["prompts"] == ENOUGH + 1
    assert told["suggestion"]["stage"] == "read-only"


async def test_an_empty_report_says_what_is_missing(office: Edge) -> None:
    def missing(told: Any) -> str:
        return " ".join(m["detail"] for m in told["missing"])

    other = await _report(office, project="other")
    assert "whoknows connect" in missing(other)
    assert [m["code"] for m in other["missing"]] == ["no_workplace", "stage_off"]
    assert (other["suggestion"]["stage"], other["suggestion"]["because"]) == ("off", "not_connected")
    assert "whoknows doctor" in missing(await _report(office))
    await session(office).starts()
    assert "no prompt came" in missing(await _report(office))
    await session(office).asks("zzqx vvkw unrelated gibberish entirely")
    assert "nothing reached the floor" in missing(await _report(office))
    await staged(office, "claude", "boss", "governed")
    await session(office).asks("how often does the lighthouse flash?")
    assert "no exchange was captured" in missing(await _report(office))
    await staged(office, "claude", "boss", "off")
    assert "its stage is off" in missing(await _report(office))
