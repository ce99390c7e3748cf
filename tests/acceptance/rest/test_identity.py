"""Who may call what: the key decides, everything else only narrows it."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from own_database import installation, world
from whoknows.domain.credential import Permission
from worlds import World

from .conftest import Edge, problem, until

__all__ = ["installation", "world"]


async def test_without_a_valid_key_nothing_is_looked_at(world: World, edge: Edge) -> None:
    await world.agents("A")
    key = world.keys["A"]
    wrong: list[dict[str, str | bytes]] = [
        {},
        {"Authorization": "Bearer"},
        {"Authorization": f"Basic {key}"},
        {"Authorization": key},
        {"Authorization": f"Bearer {key}x"},
        {"Authorization": f"Bearer {'x' * 600}"},
        {"X-API-Key": ""},
        {"X-API-Key": b"wk_\xc3\xbc"},
        {"X-API-Key": f"{key}x", "Authorization": f"Bearer {key}"},
    ]
    for headers in wrong:
        async with edge.client(**headers) as client:
            for response in (
                await client.get("/memories"),
                await client.post("/capture", content=b"{", headers={"Content-Type": "application/json"}),
                await client.get("/recall", params={"unknown": "1", "api_key": key, "access_token": key}),
                await client.get("/nowhere"),
                await client.request("BREW", "/capture"),
            ):
                await problem(response, 401, "unauthenticated")
                assert response.headers["www-authenticate"].startswith("Bearer")
                assert "no-store" in response.headers["cache-control"]


async def test_both_headers_carry_a_key(world: World, edge: Edge) -> None:
    await world.agents("A")
    key = world.keys["A"]
    for headers in ({"Authorization": f"Bearer {key}"}, {"authorization": f"bearer  {key} "}, {"X-API-Key": key}):
        async with edge.client(**headers) as client:
            assert (await client.get("/whoami")).json() == {
                "tenant": "default", "acts_as": ["agent:A"], "role": "main", "permissions": [], "task_id": None,
                "expires_at": None,
            }  # fmt: skip


async def test_whoami_tells_administrators_members_and_keys_for_several(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    await world.agents("S", role="sub", parent="A")  # pyright: ignore[reportArgumentType]
    await world.members("lin")
    both = await world.key("A", "B", permissions=[Permission.AUDIT])
    async with edge.admin as client:
        assert (await client.get("/whoami")).json()["role"] == "admin"
    for who, role in (("member:lin", "member"), ("S", "sub"), (both, None)):
        async with edge.as_(who) as client:
            assert (await client.get("/whoami")).json()["role"] == role


async def test_an_agent_that_the_key_may_not_act_as_is_refused_whether_it_exists_or_not(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    async with edge.as_("A") as client:
        for name in ("B", "nobody", "agent:B", "member:A"):
            answers = [
                await client.get("/memories", headers={"X-Agent": name}),
                await client.get("/memories", params={"agent_id": name}),
                await client.get("/recall", params={"query": "q", "agent_id": name}),
                await client.post("/recall", json={"query": "q", "agent_id": name}),
                await client.post("/capture", json={"content": "q", "agent_id": name}),
                await client.get("/knows", params={"agent_id": name}),
                await client.get("/jobs/pending", params={"agent_id": name}),
                await client.post("/export", params={"agent_id": name}),
                await client.get("/events", params={"agent_id": name}),
            ]
            bodies = []
            for response in answers:
                told = await problem(response, 403, "not_your_agent")
                bodies.append({k: v for k, v in told.items() if k not in ("request_id", "field")})
            assert all(b == bodies[0] for b in bodies)


async def test_a_key_for_several_says_which_one_and_is_never_the_union(world: World, edge: Edge) -> None:
    await world.agents("A", "B", "名字/é")
    await world.write("A", "the tide is high")
    await world.write("B", "the tide is low")
    async with edge.as_(await world.key("A", "B", "名字/é")) as client:
        await problem(await client.get("/memories"), 422, "agent_required")
        await problem(await client.get("/recall", params={"query": "tide"}), 422, "agent_required")
        for name in ("A", "agent:A"):
            by_header = await client.get("/memories", headers={"X-Agent": name})
            by_query = await client.get("/memories", params={"agent_id": name})
            assert [m["content"] for m in by_header.json()["items"]] == ["the tide is high"]
            assert by_query.json() == by_header.json()
        both = await client.get("/memories", headers={"X-Agent": "A"}, params={"agent_id": "B"})
        await problem(both, 403, "not_your_agent")
        named = await client.get("/memories", headers=[("X-Agent", "名字/é".encode())])
        assert named.json()["items"] == []
        for raw in (b"", b"\xff\xfe"):
            await problem(await client.get("/memories", headers=[("X-Agent", raw)]), 422, "invalid", "X-Agent")
        for header in ("X-Agent", "X-Task"):
            await problem(await client.get("/memories", headers=[(header, b"a\x00b")]), 422, "invalid", header)
        twice = [("X-Agent", "A"), ("X-Agent", "B")]
        await problem(await client.get("/memories", headers=twice), 422, "invalid", "X-Agent")


async def test_a_key_that_only_administers_acts_as_nobody(world: World, edge: Edge) -> None:
    await world.agents("A")
    memory = await world.write("A", "private to A")
    async with edge.admin as client:
        for path in ("/memories", f"/memories/{memory.id}", "/recall?query=private", "/knows", "/events"):
            await problem(await client.get(path), 403, "permission_missing")
        await problem(await client.post("/export"), 403, "permission_missing")


async def test_seeing_as_another_needs_inspect_reads_only_and_is_told_to_the_one_concerned(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    memory = await world.write("A", "the vault opens at nine")
    inspector = await world.key(permissions=[Permission.INSPECT])
    async with edge.as_("B", X_Seen_As="A") as client:
        await problem(await client.get("/memories"), 403, "permission_missing")
    async with edge.as_(inspector, X_Seen_As="agent:A") as client:
        assert [m["id"] for m in (await client.get("/memories")).json()["items"]] == [str(memory.id)]
        asked = await client.get("/recall", params={"query": "vault opens", "min_score": 0})
        assert [m["id"] for m in asked.json()["memories"]] == [str(memory.id)]
        lines = (await client.post("/export")).text.splitlines()
        assert len(lines) == 1
        for response in (
            await client.delete(f"/memories/{memory.id}"),
            await client.post("/capture", json={"content": "x"}),
            await client.get("/keys"),
            await client.get("/whoami"),
        ):
            await problem(response, 403, "seen_as_reads_only")
    async with edge.as_(inspector, X_Seen_As="nobody") as client:
        await problem(await client.get("/memories"), 403, "not_your_agent", "X-Seen-As")
    async with edge.as_("A") as client:
        noted = [r["target"] for r in (await client.get("/audit")).json()["items"] if r["action"] == "inspect"]
    assert noted == ["POST /api/v1/export", "GET /api/v1/recall", "GET /api/v1/memories"]


async def test_expired_and_revoked_keys_are_like_wrong_ones(world: World, edge: Edge) -> None:
    await world.agents("A")
    async with edge.admin as admin:
        short = (await admin.post("/keys", json={"acts_as": ["A"], "expires_in": 1})).json()
        long = (await admin.post("/keys", json={"acts_as": ["agent:A"], "expires_in": 3600})).json()
        async with edge.as_(long["key"]) as client:
            assert (await client.get("/whoami")).status_code == 200
            assert (await admin.delete(f"/keys/{long['id']}")).json() == {"deleted": 1}
            await problem(await client.get("/whoami"), 401, "unauthenticated")
        await problem(await admin.delete(f"/keys/{long['id']}"), 404, "not_found")
    async with edge.as_(short["key"]) as client:

        async def has_ended() -> bool:
            return (await client.get("/whoami")).status_code != 200

        await until(has_ended)
        await problem(await client.get("/whoami"), 401, "unauthenticated")


async def test_keys_are_made_listed_and_never_shown_again(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    async with edge.admin as admin:
        made = await admin.post("/keys", json={"acts_as": ["A", "agent:B"], "permissions": ["audit"], "expires_at": later})
        assert made.status_code == 201
        assert set(made.json()) == {"id", "key"}
        listed = await admin.get("/keys")
        assert made.json()["key"] not in listed.text
        (row,) = [k for k in listed.json()["items"] if k["id"] == made.json()["id"]]
        assert (row["acts_as"], row["permissions"], row["revoked_at"]) == (["agent:A", "agent:B"], ["audit"], None)
        administrator = await admin.post("/keys", json={"role": "admin"})
        async with edge.as_(administrator.json()["key"]) as second:
            assert (await second.get("/whoami")).json()["permissions"] == ["admin"]
            # A second key for somebody who has one is the same as becoming him.
            await problem(await second.post("/keys", json={"acts_as": ["A"]}), 403, "impersonate_required")
            await problem(await second.post("/keys", json={"permissions": ["audit"]}), 403, "permission_missing")
        await problem(await admin.post("/keys", json={}), 422, "invalid", "acts_as")
        await problem(await admin.post("/keys", json={"acts_as": ["C"]}), 404, "not_found", "acts_as")
        await problem(await admin.post("/keys", json={"acts_as": ["team:*"]}), 422, "invalid", "acts_as")
        await problem(await admin.post("/keys", json={"acts_as": ["A"], "permissions": ["root"]}), 422, "invalid")
        both = {"acts_as": ["A"], "expires_at": later, "expires_in": 5}
        await problem(await admin.post("/keys", json=both), 422, "invalid")
    async with edge.as_("A") as client:
        await problem(await client.post("/keys", json={"acts_as": ["B"]}), 403, "permission_missing")


async def test_tenants_are_walls(world: World, edge: Edge) -> None:
    await world.agents("A")
    memory = await world.write("A", "the moat is deep")
    async with edge.admin as admin:
        founded = await admin.post("/tenants", json={"tenant_id": "default-corp"})
        assert founded.status_code == 201
        await problem(await admin.post("/tenants", json={"tenant_id": "default-corp"}), 409, "name_taken")
    async with edge.as_(founded.json()["key"]) as other:
        await problem(await other.post("/tenants", json={"tenant_id": "third"}), 403, "permission_missing")
        assert (await other.get("/agents")).json()["items"] == []
        assert (await other.post("/agents", json={"agent_id": "A", "role": "main"})).status_code == 201
        key = (await other.post("/keys", json={"acts_as": ["A"]})).json()["key"]
    async with edge.as_(key) as stranger:
        assert (await stranger.get("/whoami")).json()["tenant"] == "default-corp"
        await problem(await stranger.get(f"/memories/{memory.id}"), 404, "not_found")
        asked = await stranger.get("/recall", params={"query": "moat", "min_score": 0})
        assert asked.json()["memories"] == []


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", ""])
async def test_a_page_of_a_stranger_cannot_name_this_server_its_own(edge: Edge, host: str) -> None:
    """DNS rebinding: the browser of a user would send the stranger's host name."""
    async with edge.admin as client:
        await problem(await client.get("/whoami", headers={"Host": host}), 421, "host_not_allowed")
        await problem(await client.get(f"{edge.url}/docs", headers={"Host": host}), 421, "host_not_allowed")
        assert (await client.get(f"{edge.url}/health", headers={"Host": host})).status_code == 200


@pytest.mark.parametrize("host", ["localhost:8765", "127.0.0.1", "[::1]:8765", "LOCALHOST"])
async def test_loopback_names_are_answered_and_no_other_origin_is_let_in(edge: Edge, host: str) -> None:
    async with edge.admin as client:
        response = await client.get("/whoami", headers={"Host": host, "Origin": "https://evil.example"})
        assert response.status_code == 200
        assert not [h for h in response.headers if h.startswith("access-control")]
        preflight = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST", "Host": host}
        await problem(await client.options("/capture", headers=preflight), 405, "method_not_allowed")


async def test_second_spellings_of_a_path_lead_nowhere(world: World, edge: Edge) -> None:
    await world.agents("A")
    async with httpx.AsyncClient(transport=edge.transport, base_url=edge.url) as client:
        for path in ("/api%2Fv1/memories", "/%61pi/v1/memories", "//api/v1/memories", "/api/v1%2Fmemories", "/API/v1/memories"):
            response = await client.get(path)
            assert response.status_code in (401, 404), path
    async with edge.as_("A") as client:
        await problem(await client.get("/memories/"), 404, "not_found")
