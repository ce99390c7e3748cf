"""Tokens of tasks, and claims of tasks by one's own key: what they open, and when they end (rules I6, R1)."""

from datetime import UTC, datetime, timedelta

import psycopg

from whoknows.domain.principal import AgentRole
from worlds import World

from .conftest import Edge, problem
from .handing import captured, family, injected, injections, listed, opened, recalled


async def test_what_is_bound_to_a_task_is_seen_by_those_who_work_on_it(world: World, edge: Edge) -> None:
    """By its token, or with the own key and X-Task where one was put on it; never otherwise."""
    await family(world, "S", "S2")
    async with edge.as_("A") as a, edge.as_("S") as s, edge.as_("S2") as s2:
        token = (await opened(a, "t", "S"))["S"]
        await opened(a, "t2", "S2")
        await injected(a, "S", memory_ids=[await captured(a, "bound to t")], task_id="t")
        async with edge.as_(token) as worker:
            assert await listed(worker) == {"bound to t"}
            note = await worker.post("/capture", json={"content": "S's own of t", "isolation": "task", "task_id": "t"})
            assert note.status_code == 201, note.text
        assert await listed(s) == set()
        for claim, sees in (
            ("t", {"bound to t", "S's own of t"}),
            ("t2", set[str]()),
            ("nowhere", set[str]()),
            ("t#1", set[str]()),
        ):
            async with edge.as_("S", X_Task=claim) as claiming:
                assert await listed(claiming) == sees, claim
                assert await recalled(claiming, "bound to t own") == sees, claim
        assert {m["content"] for m in (await s.get("/memories", params={"task_id": "t"})).json()["items"]} <= {"S's own of t"}
        async with edge.as_("S2", X_Task="t") as claiming:
            assert await listed(claiming) == set()
        async with edge.as_("A", X_Task="t") as opener:
            assert await listed(opener) == {"bound to t"}, "its own original, no copy"
        both = await s.get("/memories", params={"task_id": "t"}, headers={"X-Task": "t2"})
        await problem(both, 422, "invalid", "task_id")
        assert await listed(s2) == set()


async def test_a_token_says_its_task_and_cannot_be_used_for_another(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.as_("A") as a:
        first, second = (await opened(a, "one", "S"))["S"], (await opened(a, "two", "S"))["S"]
        await injected(a, "S", memory_ids=[await captured(a, "for one")], task_id="one")
        await injected(a, "S", memory_ids=[await captured(a, "for two")], task_id="two")
        for token, sees in ((first, {"for one"}), (second, {"for two"})):
            async with edge.as_(token, X_Task="two" if token == first else "one") as claiming:
                assert await listed(claiming) <= sees, "a claim widens no token"
            async with edge.as_(token) as worker:
                assert await listed(worker) == sees


async def test_a_token_acts_for_its_agent_alone_and_makes_no_keys(world: World, edge: Edge) -> None:
    await family(world, "S", "S2")
    async with edge.as_("A") as a:
        token = (await opened(a, "t", "S", "S2"))["S"]
    async with edge.as_(token) as worker:
        for other in ("A", "S2", "nobody"):
            await problem(await worker.get("/memories", params={"agent_id": other}), 403, "not_your_agent")
        for body in (
            {"acts_as": ["S"]}, {"acts_as": ["S"], "task_id": "t"}, {"acts_as": ["S"], "task_id": "other"},
            {"acts_as": ["S"], "expires_in": 9999}, {"acts_as": ["S2"]}, {"acts_as": ["A"]},
            {"acts_as": ["S"], "permissions": ["admin"]},
        ):  # fmt: skip
            made = await worker.post("/keys", json=body)
            assert made.status_code == 403, (body, made.text)
        body = {"task_id": "t3", "agents": ["S2"]}
        await problem(await worker.post("/tasks", json=body), 403, "not_a_main_agent")
        me = (await worker.get("/whoami")).json()
        assert (me["acts_as"], me["permissions"], me["task_id"]) == (["agent:S"], [], "t")


async def test_a_token_cannot_outlive_the_key_that_made_it(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.admin as admin:
        soon = (await admin.post("/keys", json={"acts_as": ["A"], "expires_in": 600})).json()
        later = (await admin.post("/keys", json={"acts_as": ["A"]})).json()
    async with edge.as_(soon["key"]) as brief, edge.as_(later["key"]) as lasting:
        token = (await opened(brief, "t", "S", expires_in=86_400))["S"]
        async with edge.as_(token) as worker:
            ends = datetime.fromisoformat((await worker.get("/whoami")).json()["expires_at"])
            assert ends - datetime.now(UTC) < timedelta(seconds=601)
            await world.agents("S2", role=AgentRole.SUB, parent="A")
            await opened(lasting, "t", "S2", expires_in=172_800)
            ends = datetime.fromisoformat((await worker.get("/whoami")).json()["expires_at"])
            assert ends - datetime.now(UTC) < timedelta(seconds=601), "not by a longer task either"
            async with edge.admin as admin:
                assert (await admin.delete(f"/keys/{soon['id']}")).status_code == 200
            await problem(await worker.get("/memories"), 401, "unauthenticated")


async def test_a_task_ends_by_its_time_with_its_tokens_and_copies(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.as_("A") as a, edge.as_("S", X_Task="t") as claiming:
        token = (await opened(a, "t", "S", expires_in=3600))["S"]
        told = await injected(a, "S", memory_ids=[await captured(a, "for an hour")], task_id="t")
        copy = next(m["id"] for m in told["memories"] if m["injected_by"])
        async with edge.as_(token) as worker:
            ends = datetime.fromisoformat((await worker.get(f"/memories/{copy}")).json()["expires_at"])
            assert ends - datetime.now(UTC) < timedelta(minutes=61)
            assert await listed(claiming) == {"for an hour"}
            _an_hour_later(world, "t")
            await problem(await worker.get("/memories"), 401, "unauthenticated")
            assert await listed(claiming) == set()
            assert [bool(i["ended_at"]) for i in await injections(a)] == [True]
        (task,) = (await a.get("/tasks")).json()["items"]
        assert task["closed_at"] == task["expires_at"]
        await world.service.work.sweep()
        (swept,) = (await a.get("/tasks")).json()["items"]
        assert swept == task
        assert (await a.post("/tasks/t/close")).json()["injections_ended"] == 0
        assert all(i["ended_why"] for i in await injections(a))
        await problem(await a.post("/tasks", json={"task_id": "t", "agents": ["S"]}), 409, "task_closed")


async def test_who_works_on_a_task_gives_within_it(world: World, edge: Edge) -> None:
    """What is passed on by a token of a task ends with that task, and is given for no other."""
    await family(world, "S")
    await world.agents("SS", role=AgentRole.SUB, parent="S")
    async with edge.as_("A") as a, edge.as_("SS") as without:
        tokens, others = await opened(a, "t", "S", "SS"), await opened(a, "t2", "S", "SS")
        own = await captured(a, "to be passed on")
        told = await injected(a, "S", memory_ids=[own], task_id="t", may_pass_on=True)
        copy = next(m["id"] for m in told["memories"] if m["injected_by"])
        async with edge.as_(tokens["S"]) as worker, edge.as_(tokens["SS"]) as below, edge.as_(others["SS"]) as other:
            body = {"agent_id": "SS", "task": "x", "memory_ids": [copy]}
            await problem(await worker.post("/inject-context", json={**body, "task_id": "t2"}), 403, "not_your_task", "task_id")
            assert (await worker.post("/inject-context", json=body)).status_code == 200
            assert await listed(below) == {"to be passed on"}
            assert await listed(other) == await listed(without) == set()
            assert await injections(other) == []
            assert (await a.post("/tasks/t2/close")).json()["injections_ended"] == 0
            assert await listed(below) == {"to be passed on"}
            assert (await a.post("/tasks/t/close")).json()["injections_ended"] == 2
            await problem(await below.get("/memories"), 401, "unauthenticated")
        assert await listed(without) == set()


async def test_the_trail_of_a_task_names_it_and_counts_no_others(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.as_("A") as a, edge.as_("S") as s, edge.admin as admin:
        await opened(a, "任务", "S")
        assert (await a.post("/tasks/任务/close")).status_code == 200
        trail = [i for i in (await admin.get("/audit")).json()["items"] if i["action"].startswith("task.")]
        told = [i for i in (await s.get("/audit")).json()["items"] if i["action"].startswith("task.")]
    assert [(i["action"], i["target"]) for i in trail if i["action"] != "task.token"] == [
        ("task.close", "任务"),
        ("task.open", "任务"),
    ]
    assert [(i["action"], i["detail"]) for i in told] == [("task.token", {"task_id": "任务"})]


def _an_hour_later(world: World, task: str) -> None:
    """What time does to a task: its end, and the ends that its tokens and copies have from it, are past."""
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public") as owner:
        owner.execute("UPDATE tasks SET expires_at = now() - interval '1 minute' WHERE name = %s", (task,))
        owner.execute("UPDATE credentials SET expires_at = now() - interval '1 minute' WHERE task_id = %s", (task,))
        owner.execute("UPDATE injections SET expires_at = now() - interval '1 minute' WHERE task_no IS NOT NULL")


async def test_a_token_is_told_of_its_own_task_alone(world: World, edge: Edge) -> None:
    await family(world, "S")
    async with edge.as_("A") as a, edge.as_("S") as own:
        token = (await opened(a, "this", "S"))["S"]
        await opened(a, "secret merger", "S")
        given = await captured(a, "bound to that")
        await injected(a, "S", memory_ids=[given], task_id="secret merger")
        await injected(a, "S", memory_ids=[given], task_id="this")
        async with edge.as_(token) as worker:
            assert [t["task_id"] for t in (await worker.get("/tasks")).json()["items"]] == ["this"]
            assert [i["task_id"] for i in await injections(worker)] == ["this"]
        assert {t["task_id"] for t in (await own.get("/tasks")).json()["items"]} == {"this", "secret merger"}
        assert len(await injections(a)) == 2
