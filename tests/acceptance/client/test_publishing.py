"""Publishing by both clients."""

import pytest

from whoknows.client import ApiError

from .conftest import Served


async def test_what_is_private_is_published_renewed_and_taken_back(served: Served) -> None:
    async with served.client("A") as a, served.client("B") as b:
        memory = (await a.capture("保险箱密码是 7391"))["memory"]
        done = await a.publish(memory["id"], "T")
        assert done["memory"] is not None
        copy = done["memory"]["id"]
        assert (await b.get(copy))["origin"] is not None
        await a.edit(memory["id"], 1, content="保险箱换了密码")
        assert (await a.publication(done["publication_id"]))["origin_changed"]
        await a.republish(done["publication_id"])
        seen = await served.waiting("B", lambda wk: wk.get(copy))
        assert (seen["content"], seen["version"]) == ("保险箱换了密码", 2)
        await served.waiting("A", lambda wk: wk.withdraw(done["publication_id"]))
        with pytest.raises(ApiError, match="not_found"):
            await b.get(copy)
        page = await served.waiting("A", lambda wk: wk.publications(limit=5))
        assert [p["state"] for p in page["items"]] == ["withdrawn"]
        with pytest.raises(ApiError, match="publication_withdrawn"):
            await a.publish(memory["id"], "T")
