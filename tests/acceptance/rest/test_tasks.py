"""Tasks through the interface: who opens them, what their tokens can do, and how they end (rules I6, R1)."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest

from whoknows.domain.principal import AgentRole
from worlds import World

from .conftest import Edge, problem
from .handing import captured, family, injected, injections, listed, opened

HOSTILE = ("k1#2", "a/b", "100%", "%2F", "#", "任务一", "back end", "k1#0", "..", "agent:A", "' OR 1=1 --", "*")
"""Names that mean something elsewhere, or look like the inside of this program."""


async def test_a_task_is_opened_listed_and_closed(world: World, edge: Edge) -> None:
    await family(world, "S", "S2")
    async with edge.as_("A") as a, edge.as_("S") as s:
        made = await a.post("/tasks", json={"task_id": "backend-dev", "agents": ["S", "agent:S2", "S"], "expires_in": 3600})
        assert made.status_code == 201
        assert "no-store" in made.headers["cache-control"]
        told = made.json()
        assert (told["task_id"], told["opened_by"], told["agents"]) == ("backend-dev", "agent:A", ["S", "S2"])
        assert set(told["tokens"]) == {"S", "S2"}
        assert len(set(told["tokens"].values())) == 2
        ends = datetime.fromisoformat(told["expires_at"])
        assert timedelta(minutes=59) < ends - datetime.now(UTC) < timedelta(minutes=61)
        (mine,) = (await a.get("/tasks")).json()["items"]
        assert (mine["agents"], mine["closed_at"]) == (["S", "S2"], None)
        (seen,) = (await s.get("/tasks")).json()["items"]
        assert (seen["opened_by"], seen["agents"]) == ("agent:A", ["S"]), "not who else is on it"
        assert "token" not in str(mine) + str(seen)
        closed = await a.post("/tasks/backend-dev/close")
        assert (closed.json()["tokens_revoked"], closed.json()["injections_ended"]) == (2, 0)
        again = await a.post("/tasks/backend-dev/close")
        assert (again.json()["tokens_revoked"], again.json()["closed_at"]) == (0, closed.json()["closed_at"])


async def test_only_a_main_agent_opens_one_and_only_for_its_descendants(world: World, edge: Edge) -> None:
    await family(world, "S", "S2")
    await family(world, "other", main="B")
    await world.agents("SS", role=AgentRole.SUB, parent="S")
    await world.members("m")
    async with edge.as_("A") as a:
        for agents in (["A"], ["B"], ["other"], ["nobody"], ["S", "other"], ["m"]):
            body = {"task_id": "t", "agents": agents}
            await problem(await a.post("/tasks", json=body), 403, "not_a_descendant", "agents")
        assert (await a.get("/tasks")).json()["items"] == [], "half of it was not done either"
        assert set(await opened(a, "t", "S", "SS")) == {"S", "SS"}
    for who in ("S", "member:m"):
        async with edge.as_(who) as client:
            body = {"task_id": "t2", "agents": ["SS"]}
            await problem(await client.post("/tasks", json=body), 403, "not_a_main_agent")


async def test_one_closes_what_one_opened(world: World, edge: Edge) -> None:
    await family(world, "S")
    await world.agents("B")
    async with edge.as_("A") as a, edge.as_("S") as s, edge.as_("B") as b:
        token = (await opened(a, "t", "S"))["S"]
        await problem(await b.post("/tasks/t/close"), 404, "not_found")
        await problem(await a.post("/tasks/nowhere/close"), 404, "not_found")
        await problem(await s.post("/tasks/t/close"), 403, "not_your_task")
        async with edge.as_(token) as worker:
            await problem(await worker.post("/tasks/t/close"), 403, "not_your_task")
            assert (await worker.get("/memories")).status_code == 200


async def test_two_main_agents_use_one_name_and_learn_nothing_of_each_other(world: World, edge: Edge) -> None:
    await family(world, "S")
    await family(world, "other", main="B")
    async with edge.as_("A") as a, edge.as_("B") as b:
        ours, theirs = await opened(a, "build", "S"), await opened(b, "build", "other")
        assert [t["agents"] for t in (await a.get("/tasks")).json()["items"]] == [["S"]]
        assert [t["agents"] for t in (await b.get("/tasks")).json()["items"]] == [["other"]]
        await injected(a, "S", memory_ids=[await captured(a, "for the one")], task_id="build")
        await injected(b, "other", memory_ids=[await captured(b, "for the other")], task_id="build")
        async with edge.as_(ours["S"]) as s, edge.as_(theirs["other"]) as other:
            assert (await listed(s), await listed(other)) == ({"for the one"}, {"for the other"})
            assert (await a.post("/tasks/build/close")).json()["injections_ended"] == 1
            await problem(await s.get("/memories"), 401, "unauthenticated")
            assert await listed(other) == {"for the other"}


async def test_what_was_written_for_the_opener_stays_also_where_it_is_bound_to_the_task(world: World, edge: Edge) -> None:
    """I6. A result of the task is read by its opener within it, also when it is closed, and by no one else."""
    await family(world, "S", "S2")
    async with edge.as_("A") as a, edge.as_("A", X_Task="t") as opener:
        tokens = await opened(a, "t", "S", "S2")
        async with edge.as_(tokens["S"]) as worker:
            bound = {"content": "result of the task", "isolation": "task", "task_id": "t", "visible_to": ["A"]}
            assert (await worker.post("/capture", json=bound)).status_code == 201
            await captured(worker, "result for all times", visible_to=["A"])
        assert await listed(opener) == {"result of the task", "result for all times"}
        assert (await a.post("/tasks/t/close")).status_code == 200
        assert await listed(opener) == {"result of the task", "result for all times"}
        assert await listed(a) == {"result for all times"}
        for who in ("S", "S2"):
            async with edge.as_(who, X_Task="t") as other:
                assert "result of the task" not in await listed(other)
        gift = {"agent_id": "S", "task": "x", "task_id": "t"}
        await problem(await opener.post("/inject-context", json=gift), 409, "task_closed")


async def test_opening_again_adds_agents_and_renews_the_tokens_of_those_named(world: World, edge: Edge) -> None:
    await family(world, "S", "S2", "S3")
    async with edge.as_("A") as a:
        first = await opened(a, "t", "S", "S2")
        again = await opened(a, "t", "S", "S3")
        assert (await a.get("/tasks")).json()["items"][0]["agents"] == ["S", "S2", "S3"]
        for token, alive in ((first["S"], False), (first["S2"], True), (again["S"], True), (again["S3"], True)):
            async with edge.as_(token) as worker:
                assert (await worker.get("/memories")).status_code == (200 if alive else 401)
        assert (await a.post("/tasks/t/close")).json()["tokens_revoked"] == 3
        await problem(await a.post("/tasks", json={"task_id": "t", "agents": ["S"]}), 409, "task_closed")


async def test_an_agent_that_moves_elsewhere_is_on_none_of_its_former_tasks(world: World, edge: Edge) -> None:
    await family(world, "S")
    await world.agents("B")
    async with edge.as_("A") as a, edge.as_("S", X_Task="t") as claiming, edge.admin as admin:
        token = (await opened(a, "t", "S"))["S"]
        await injected(a, "S", memory_ids=[await captured(a, "secret of A")], task_id="t")
        assert await listed(claiming) == {"secret of A"}
        assert (await admin.patch("/agents/S", json={"parent": "B"})).status_code == 200
        assert await listed(claiming) == set()
        async with edge.as_(token) as worker:
            await problem(await worker.get("/memories"), 401, "unauthenticated")
        assert (await a.get("/tasks")).json()["items"][0]["agents"] == []


async def test_an_opener_that_is_main_no_more_has_no_tasks(world: World, edge: Edge) -> None:
    await world.agents("top", "A")
    await world.agents("S", role=AgentRole.SUB, parent="A")
    async with edge.as_("A") as a, edge.as_("S", X_Task="t") as claiming, edge.admin as admin:
        token = (await opened(a, "t", "S"))["S"]
        await injected(a, "S", memory_ids=[await captured(a, "secret of A")])
        assert await listed(claiming) == {"secret of A"}
        assert (await admin.patch("/agents/A", json={"role": "sub", "parent": "top"})).status_code == 200
        assert await listed(claiming) == set()
        async with edge.as_(token) as worker:
            await problem(await worker.get("/memories"), 401, "unauthenticated")


@pytest.mark.parametrize("name", HOSTILE)
async def test_a_task_may_have_any_name_and_is_itself(world: World, edge: Edge, name: str) -> None:
    await family(world, "S")
    async with edge.as_("A") as a:
        await opened(a, "k1", "S")
        token = (await opened(a, name, "S"))["S"]
        await injected(a, "S", memory_ids=[await captured(a, "bound")], task_id=name)
        async with edge.as_(token) as worker:
            assert await listed(worker) == {"bound"}
            assert (await worker.get("/whoami")).json()["task_id"] == name
            assert {m["task_id"] for m in await injections(worker)} == {name}
        for claim in ("k1", "k1#1", "k1#2", f"{name}#2"):
            if claim != name:
                async with edge.client(Authorization=f"Bearer {world.keys['S']}", **{"X-Task": claim.encode()}) as claiming:
                    assert await listed(claiming) == set(), claim
        async with edge.client(Authorization=f"Bearer {world.keys['S']}", **{"X-Task": name.encode()}) as claiming:
            assert await listed(claiming) == {"bound"}
        quoted = httpx.URL(f"{edge.url}/api/v1/tasks/", raw_path=b"/api/v1/tasks/" + _quoted(name) + b"/close")
        closed = await a.post(quoted)
        assert closed.status_code == 200, closed.text
        assert closed.json()["tokens_revoked"] == 1


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"task_id": ""}, "task_id"),
        ({"task_id": "t" * 5000}, "task_id"),
        ({"task_id": 5}, "task_id"),
        ({"agents": []}, "agents"),
        ({"agents": "S"}, "agents"),
        ({"agents": [""]}, "agents"),
        ({"agents": [f"S{n}" for n in range(1000)]}, "agents"),
        ({"expires_in": 0}, "expires_in"),
        ({"expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
        ({"expires_at": "2090-01-01T00:00:00Z", "expires_in": 4}, None),
        ({"owner": "B"}, "owner"),
    ],
)
async def test_bad_input_opens_nothing(world: World, edge: Edge, fields: dict[str, object], field: str | None) -> None:
    await family(world, "S")
    async with edge.as_("A") as a:
        response = await a.post("/tasks", json={"task_id": "t", "agents": ["S"], **fields})
        assert response.status_code == 422, response.text
        if field is not None:
            assert str(response.json()["field"]).split(".")[0] == field
        assert (await a.get("/tasks")).json()["items"] == []


def _quoted(name: str) -> bytes:
    return "".join(f"%{b:02X}" for b in name.encode()).encode()
