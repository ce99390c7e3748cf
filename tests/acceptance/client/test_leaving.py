"""What may leave, by both clients."""

import pytest

from whoknows.client import ApiError

from .conftest import Served


async def test_a_bank_is_seen_and_forbidden_by_both_clients(served: Served) -> None:
    async with served.client("A") as a, served.client("B") as b:
        assert (await a.set_egress("agent:A", "forbidden"))["egress"] == "forbidden"
        seen = await served.waiting("A", lambda wk: wk.egress())
        assert {i["bank"]: i["egress"] for i in seen["items"]}["agent:A"] == "forbidden"
        with pytest.raises(ApiError, match="egress_not_yours"):
            await b.set_egress("agent:A", "allowed")
        await served.waiting("A", lambda wk: wk.set_egress("agent:A", "allowed"))
        assert {i["bank"]: i["egress"] for i in (await a.egress())["items"]}["agent:A"] == "allowed"
