"""Banks, facts and corrections by both clients."""

import pytest

from whoknows.client import ApiError

from .conftest import Served


async def test_a_project_is_routed_a_fact_taken_in_and_a_correction_counted(served: Served) -> None:
    async with served.client("admin") as admin, served.client("A") as a, served.client("B") as b:
        routed = await admin.route_project("a/b %", "T", ["https://git.example.org/acme/x.git"])
        assert routed == await served.waiting("B", lambda wk: wk.routing("a/b %"))
        assert [i["bank"] for i in (await a.banks())["items"]] == ["agent:A", "team:T", "*"]
        source = (await a.capture("the mast is nine metres high, they said", memory_type="team", team_id="T"))["memory"]["id"]
        fact = {"source": f"memory:{source}", "quote": "the mast is nine metres high", "context": "team"}
        done = await a.ingest("the mast: nine metres", **fact, project_id="a/b %")
        assert (done["outcome"], done["memory"]["team_id"]) == ("stored", "T")
        again = await served.waiting("A", lambda wk: wk.ingest("the mast: nine metres", **fact, project_id="a/b %"))
        assert (again["outcome"], again["memory"]["id"]) == ("merged", done["memory"]["id"])
        with pytest.raises(ApiError, match="not_a_writer"):
            await b.ingest("x", **fact, project_id="a/b %")
        for _ in range(2):
            made = await a.correct("say metres, not feet", subject="units")
        summary = await served.waiting("A", lambda wk: wk.corrections_summary(weeks=1))
        assert [r["count"] for r in summary["after"]["repeated"]] == [2]
        assert len((await a.corrections(limit=5))["items"]) == 2
        assert (await served.waiting("A", lambda wk: wk.forget_correction(made["correction"]["id"])))["deleted"] == 1
        assert (await b.corrections())["items"] == []
