"""Stages over HTTP: forward step by step, backward at once, `team` only where the project goes to one of one's own."""

import asyncio
from typing import Any, get_args

import httpx
import pytest
import pytest_asyncio

from made_up import github_token
from whoknows.domain.harness import Stage
from whoknows.rest.schemas.workplaces import StageName

from .conftest import Edge, problem
from .shared import founder, world

__all__ = ["founder", "world"]
pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_interface_names_every_stage() -> None:
    assert get_args(StageName) == tuple(Stage)


async def _set(client: httpx.AsyncClient, stage: str, project: str = "boss", **more: Any) -> httpx.Response:
    return await client.put(f"/projects/{project}/stage", json={"stage": stage, **more})


async def _stage(client: httpx.AsyncClient, project: str = "boss") -> Any:
    return (await client.get(f"/projects/{project}/stage")).json()


@pytest_asyncio.fixture(loop_scope="session")
async def office(edge: Edge) -> Edge:
    """ana, her agent on the team T; ben, whose agent is on none. `boss` goes to T."""
    await edge.world.members("ana", "ben")
    await edge.world.agents("claude", "codex", account="ana")
    await edge.world.agents("bens", account="ben")
    await edge.world.team("T", claude="reader")
    await edge.world.service.banks.route(await edge.world.admin(), "boss", "T", [])
    return edge


async def test_a_project_goes_forward_step_by_step_and_back_at_once(office: Edge) -> None:
    async with office.as_("claude") as claude:
        assert (await _stage(claude))["stage"] == "off"
        assert (await _stage(claude))["since"] is None
        for stage in ("read-only", "governed", "team"):
            done = await _set(claude, stage, reason=f"to {stage}")
            assert (done.status_code, done.json()["stage"]) == (200, stage), done.text
        assert done.json()["next"] is None
        now = (await _set(claude, "off")).json()
        assert now["stage"] == "off"
        assert [(c["before"], c["stage"], c["reason"]) for c in now["history"]] == [
            ("team", "off", None),
            ("governed", "team", "to team"),
            ("read-only", "governed", "to governed"),
            ("off", "read-only", "to read-only"),
        ]
        assert {c["changed_by"] for c in now["history"]} == {"agent:claude"}
        assert now["since"] == now["history"][0]["at"]


async def test_no_step_is_left_out(office: Edge) -> None:
    async with office.as_("claude") as claude:
        for stage in ("governed", "team"):
            told = await problem(await _set(claude, stage), 409, "stage_unreachable")
            assert "from off to read-only first" in told["detail"]
            assert told["field"] == "stage"
        assert (await _stage(claude))["history"] == []
        await _set(claude, "read-only")
        await problem(await _set(claude, "team"), 409, "stage_unreachable")
        assert (await _stage(claude))["stage"] == "read-only"


async def test_the_same_stage_again_changes_nothing(office: Edge) -> None:
    async with office.as_("claude") as claude:
        assert (await _set(claude, "off")).json()["history"] == []
        await _set(claude, "read-only")
        assert len((await _set(claude, "read-only", reason="again")).json()["history"]) == 1


async def test_the_account_has_one_stage_and_another_account_its_own(office: Edge) -> None:
    async with office.as_("claude") as claude, office.as_("codex") as codex, office.as_("bens") as bens:
        await _set(claude, "read-only")
        assert (await _stage(codex))["stage"] == "read-only"
        assert (await _stage(bens))["history"] == []
        await _set(codex, "governed")
        assert (await _stage(claude))["stage"] == "governed"
        assert [c["changed_by"] for c in (await _stage(claude))["history"]] == ["agent:codex", "agent:claude"]


async def test_team_needs_a_team_that_the_caller_reads(office: Edge) -> None:
    async with office.as_("claude") as claude, office.as_("codex") as codex, office.as_("bens") as bens:
        for client in (claude, bens):
            for stage in ("read-only", "governed"):
                assert (await _set(client, stage)).status_code == 200
        elsewhere = await problem(await _set(bens, "team"), 409, "stage_unreachable")
        for stage in ("read-only", "governed"):
            await _set(bens, stage, project="nowhere")
        nowhere = await problem(await _set(bens, "team", project="nowhere"), 409, "stage_unreachable")
        assert elsewhere["detail"] == nowhere["detail"]
        needs = {n["need"]: n for n in (await _stage(bens))["next"]["needs"]}
        assert (needs["team"]["met"], needs["team"]["blocks"]) == (False, True)
        await problem(await _set(codex, "team"), 409, "stage_unreachable")  # the team is its agent's, not its account's
        assert {n["need"]: n["met"] for n in (await _stage(claude))["next"]["needs"]}["team"] is True
        assert (await _set(claude, "team")).status_code == 200


async def test_a_team_that_is_gone_leaves_the_stage_and_no_team(office: Edge) -> None:
    at = {"machine": "m", "directory": "/srv/boss", "program": "pi"}
    async with office.as_("claude") as claude, office.admin as admin:
        await claude.put("/workplaces", json={**at, "project_id": "boss"})
        for stage in ("read-only", "governed", "team"):
            await _set(claude, stage)
        routed = (await claude.get("/workplaces/route", params=at)).json()
        assert (routed["stage"], routed["team_id"]) == ("team", "T")
        await admin.delete("/teams/T/members/agent%3Aclaude")
        routed = (await claude.get("/workplaces/route", params=at)).json()
        assert (routed["stage"], routed["team_id"]) == ("team", None)
        assert (await _set(claude, "governed")).status_code == 200


async def test_of_many_at_once_each_step_is_taken_once(office: Edge) -> None:
    async with office.as_("claude") as claude, office.as_("codex") as codex:
        done = await asyncio.gather(*(_set((claude, codex)[n % 2], "read-only") for n in range(10)))
        assert {d.status_code for d in done} <= {200, 409}
        assert 200 in {d.status_code for d in done}
        assert {d.json()["code"] for d in done if d.status_code == 409} <= {"concurrent_change"}
        assert [c["stage"] for c in (await _stage(claude))["history"]] == ["read-only"]


async def test_a_change_is_in_the_trail_without_its_reason(office: Edge) -> None:
    async with office.as_("claude") as claude, office.admin as admin:
        await _set(claude, "read-only", reason="because the moon is made of cheese")
        audit = (await admin.get("/audit")).json()["items"]
        (row,) = [r for r in audit if r["action"] == "stage.set"]
        assert (row["target"], row["principal"], row["concerns"]) == ("boss", "agent:claude", "member:ana")
        assert row["detail"] == {"before": "off", "stage": "read-only"}
        assert "cheese" not in str(audit)


async def test_a_reason_is_redacted_and_bad_ones_are_refused(office: Edge) -> None:
    secret = github_token()
    async with office.as_("claude") as claude:
        for bad in ("", "   ", "x" * 2001, "a\0b"):
            assert (await _set(claude, "read-only", reason=bad)).status_code == 422, bad
        assert (await _set(claude, "sideways")).status_code == 422
        assert (await _set(claude, "read-only", project="p" * 201)).status_code == 422
        await problem(await _set(claude, "read-only", project=secret), 422, "refused_by_gate")
        assert (await _stage(claude))["history"] == []
        told = (await _set(claude, "read-only", reason=f"the key was {secret}")).json()
        assert secret not in str(told)
        assert [f["check"] for f in told["findings"]] == ["redacted"]


async def test_any_name_of_a_project_has_its_stage(office: Edge) -> None:
    async with office.as_("claude") as claude:
        for project in ("a%2Fb", "%E8%80%81%E6%9D%BF", "100%25", "a_b", "%2E%2E"):
            assert (await _set(claude, "read-only", project=project)).json()["stage"] == "read-only"
            assert (await _stage(claude, project))["stage"] == "read-only"
        assert (await _stage(claude))["stage"] == "off"
