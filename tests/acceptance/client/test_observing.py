"""Observations and proposals by both clients."""

import pytest

from whoknows.client import ApiError

from .conftest import Served

SAME = (
    "Rebuild the search index before every release or results stay old",
    "Before every release rebuild the search index or results stay old",
)


async def test_what_two_memories_say_is_stated_and_what_held_in_two_projects_proposed(served: Served) -> None:
    async with served.client("A") as a, served.client("B") as b:
        ids = [
            (await a.capture(text, project_id=project, category="experience"))["memory"]["id"]
            for text, project in zip(SAME, ("shop", "wiki"), strict=True)
        ]
        made = await a.observe(ids)
        identity = made["observation"]["id"]
        assert (await a.observation(identity))["rests_on"][0]["memory_id"] in ids
        page = await served.waiting("A", lambda wk: wk.observations(stale=False, limit=5))
        assert [o["id"] for o in page["items"]] == [identity]
        assert (await served.waiting("A", lambda wk: wk.consolidate()))["items"] == []
        assert (await a.recompute(identity))["outcome"] == "unchanged"
        (proposed,) = (await a.proposals())["items"]
        assert proposed["projects"] == ["shop", "wiki"]
        with pytest.raises(ApiError, match="not_a_member"):
            await a.reject_proposal(proposed["proposal_id"], "no")
        with pytest.raises(ApiError):
            await a.confirm_proposal(proposed["proposal_id"], "handbook", "docs/rules/a.md")
        assert (await b.proposals())["items"] == []
        with pytest.raises(ApiError, match="not_found"):
            await b.observation(identity)
