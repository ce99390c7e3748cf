"""What an attacker found at the edge: answers that were faults of the server, and numbers that counted strangers."""

from own_database import installation, world
from worlds import World

from .conftest import Edge, problem

__all__ = ["installation", "world"]

CJK = "".join(chr(0x4E00 + (n * 7919) % 20_000) for n in range(1_900))
"""A text that no index compresses."""


async def test_a_locator_too_long_for_an_index_is_kept(world: World, edge: Edge) -> None:
    await world.agents("A")
    async with edge.as_("A") as a:
        for source in (f"url:https://{CJK}", f"git:{CJK[:900]}@{CJK[900:1800]}:p"):
            response = await a.post("/capture", json={"content": source[-9:], "source": source})
            assert response.status_code == 201, response.text
            again = await a.post("/capture", json={"content": source[-9:], "source": source})
            assert len(again.json()["memory"]["evidence"]) == 1


async def test_a_batch_repeated_with_a_key_that_may_write_less_of_it_is_another_request(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    both = await world.key("A", "B")
    body = {"items": [{"content": "one", "agent_id": "A"}, {"content": "two"}]}
    async with edge.as_("A", Idempotency_Key="k") as a, edge.as_(both, Idempotency_Key="k") as wider:
        assert (await a.post("/capture/batch", json=body)).status_code == 200
        await problem(await wider.post("/capture/batch", json=body), 422, "idempotency_mismatch")


async def test_the_audit_trail_does_not_count_what_other_tenants_do(world: World, edge: Edge) -> None:
    await world.agents("A")
    async with edge.admin as admin:
        made = (await admin.post("/tenants", json={"tenant_id": "elsewhere"})).json()
        rows = (await admin.get("/audit", params={"limit": 1})).json()
    assert not rows["next_cursor"].isdigit()
    assert not any(isinstance(value, int) for value in rows["items"][0].values())
    async with edge.as_(made["key"]) as elsewhere:
        response = await elsewhere.get("/audit", params={"cursor": rows["next_cursor"]})
        await problem(response, 422, "invalid", "cursor")
