"""Workplaces, stages and reports by both clients."""

import pytest

from whoknows.client import ApiError
from whoknows.machine import this_machine

from .conftest import Served


async def test_a_directory_is_registered_routed_staged_reported_and_given_up(served: Served) -> None:
    async with served.client("A") as a, served.client("B") as b:
        made = await a.register_workplace("codex", "/srv/工作/boss", "a/b %")
        assert (made["machine"], made["directory"]) == (this_machine(), "/srv/工作/boss")
        assert await served.waiting("A", lambda wk: wk.register_workplace("codex", "/srv/工作/boss/", "a/b %")) == made
        routed = {"project_id": "a/b %", "directory": "/srv/工作/boss", "stage": "off", "team_id": None, "account": None}
        assert await a.route_workplace("/srv/工作/boss/src") == routed
        assert await served.waiting("A", lambda wk: wk.route_workplace("/srv/工作/boss", program="codex")) == routed
        for elsewhere in ({"program": "pi"}, {"machine": "another"}):
            with pytest.raises(ApiError, match="not_found"):
                await a.route_workplace("/srv/工作/boss", **elsewhere)
        with pytest.raises(ApiError, match="not_found"):
            await b.route_workplace("/srv/工作/boss")
        assert (await b.workplaces())["items"] == []

        now = await a.set_project_stage("a/b %", "read-only", reason="to see")
        assert now == await served.waiting("A", lambda wk: wk.project_stage("a/b %")) | {"findings": []}
        with pytest.raises(ApiError, match="stage_unreachable"):
            await served.waiting("A", lambda wk: wk.set_project_stage("a/b %", "team"))
        memory = (await a.capture("the boss is in the tower", directory="/srv/工作/boss/src"))["memory"]
        kept = memory["id"]
        assert memory["project_id"] == "a/b %"
        quoting = {"source": f"memory:{kept}", "quote": "the boss is in the tower", "context": "personal"}
        fact = await served.waiting("A", lambda wk: wk.ingest("in the tower", directory="/srv/工作/boss", **quoting))
        assert fact["memory"]["project_id"] == "a/b %"
        await a.forget(fact["memory"]["id"])
        await a.capture("the cook is in the tower", project_id="cook")
        found = await a.recall("who is in the tower", directory="/srv/工作/boss/src", min_score=0)
        assert [m["id"] for m in found["memories"]] == [kept]
        told = await served.waiting("A", lambda wk: wk.harness_report("a/b %", since="2026-01-31T00:00:00Z"))
        assert (told["stage"], told["workplaces"], told["since"]) == ("read-only", 1, "2026-01-31T00:00:00Z")
        assert (await a.harness_report("a/b %"))["stages"] == []

        assert (await served.waiting("A", lambda wk: wk.unregister_workplace("codex", "/srv/工作/boss")))["deleted"] == 1
        assert (await a.workplaces())["items"] == []
