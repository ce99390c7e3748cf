"""What the main agent keeps to itself and does not list appears nowhere for its sub-agent: no answer, trace, event or count."""

import json
from typing import Any

from worlds import World

from .conftest import Edge
from .handing import captured, family, injected, opened
from .test_events import following
from .test_every_route import READS, ROUTES, call

SECRET = "发布口令是蓝鲸计划，the launch code is blue whale"
GIVEN = "发布窗口是周二，the launch window is Tuesday"
QUESTION = "发布 launch: which is it"
"""Finds both, and names nothing that only the secret holds."""


async def test_no_route_that_reads_tells_a_sub_agent_of_it(world: World, edge: Edge) -> None:
    """With its token and with its own key, after an injection of all that may be given."""
    await family(world, "S")
    await world.team("T", A="writer", S="reader")
    async with edge.as_("A") as a:
        secret = await captured(a, SECRET, title="蓝鲸", tags=["whale"], project_id="launch", subject="launch.code")
        told = {secret}
        token = (await opened(a, "t", "S"))["S"]
        own = await captured(a, GIVEN, project_id="launch")
        answer = await injected(a, "S", QUESTION, depth="full", project_id="launch", memory_ids=[own], task_id="t")
        told |= {m["origin"]["memory_id"] for m in answer["memories"] if m["origin"]} - {own}
        assert "蓝鲸" not in str(answer)
        trace = (await a.post("/recall", json={"query": QUESTION})).json()["trace_id"]
        copy = answer["memories"][0]["id"]
        given = (await a.get("/injections")).json()["items"][0]["id"]
    for key, sees in ((token, True), ("S", False)):
        async with edge.as_(key) as s:
            recalled = await s.post("/recall", json={"query": QUESTION, "min_score": 0, "include": ["trace", "history"]})
            assert (GIVEN in recalled.text) == sees, "the walk is not blind"
            answers = [recalled, await s.get(f"/traces/{recalled.json()['trace_id']}")]
            for route, kind in ROUTES.items():
                if kind != READS or route[1] == "/api/v1/events":
                    continue
                ids = (secret, own, copy, given, trace, recalled.json()["trace_id"])
                answers += [await call(s, edge.url, route, i) for i in ids]
            for path in ("/memories", "/knows"):
                narrowed = ({"project_id": "launch"}, {"tags": "whale"}, {"layer": "private"}, {"layer": "injected"})
                answers += [await s.get(path, params=params) for params in narrowed]
            for answer in answers:
                assert answer.status_code in (200, 404, 409, 422), (answer.request.url, answer.text)
                for word in ("蓝鲸", "blue whale", "whale", "launch.code", *told):
                    assert word not in answer.text, (answer.request.method, answer.request.url)


async def test_no_event_tells_a_sub_agent_of_it(world: World, wire: Edge) -> None:
    await family(world, "S")
    async with wire.as_("A") as a:
        token = (await opened(a, "t", "S"))["S"]
        own = await captured(a, GIVEN)
        async with wire.as_(token) as worker, wire.as_("S") as s, following(worker) as of_task, following(s) as of_agent:
            secret = await captured(a, SECRET)
            bound = await injected(a, "S", QUESTION, depth="full", memory_ids=[own], task_id="t")
            free = await injected(a, "S", QUESTION, depth="full", memory_ids=[own])
            copies = [c["memories"][0]["id"] for c in (bound, free)]
            heard = [json.loads((await of_task.next())["data"]) for _ in copies]
            assert [e["memory_id"] for e in heard] == copies
            heard_free = json.loads((await of_agent.next())["data"])
            assert heard_free["memory_id"] == copies[1], "what is bound to the task is of the task"
            assert secret not in str(heard) + str(heard_free)
            assert own not in str(heard) + str(heard_free)


async def test_nothing_a_sub_agent_gets_depends_on_it(world: World, edge: Edge) -> None:
    """R4, with and without it: the context, its tokens, hits, order, scores, counts, spaces, statuses."""
    await family(world, "S")
    await world.team("T", A="writer", S="reader")
    async with edge.as_("A") as a:
        token = (await opened(a, "t", "S"))["S"]
        own = await captured(a, GIVEN, project_id="launch")
        await captured(a, "the team launches on Tuesdays", memory_type="team", team_id="T", project_id="launch")

        async def everything() -> list[Any]:
            gift = await injected(a, "S", QUESTION, depth="full", project_id="launch", memory_ids=[own], task_id="t")
            found: list[Any] = [gift]
            for key in (token, "S"):
                async with edge.as_(key) as s:
                    for query in (QUESTION, "launch", "蓝鲸", "窗口"):
                        body = {"query": query, "min_score": 0, "include": ["trace"]}
                        found.append(_timeless((await s.post("/recall", json=body)).json()))
                        found.append(_timeless((await s.post("/recall", json={"query": query})).json()))
                    found += [(await s.get(path)).json() for path in ("/memories", "/knows", "/injections", "/tasks")]
            return found

        before = await everything()
        for n in range(30):
            await captured(a, f"{SECRET} number {n}", project_id="launch")
        kept = await captured(a, "the launch window, kept back", project_id="launch")
        assert await everything() == before
        assert (await a.delete(f"/memories/{kept}")).status_code == 200
        assert await everything() == before


def _timeless(answer: Any) -> Any:
    """Without what differs from one asking to the next: ids of traces, and times."""
    if isinstance(answer, dict):
        return {k: _timeless(v) for k, v in answer.items() if k not in ("trace_id", "asked_at") and not k.endswith("_ms")}
    return [_timeless(v) for v in answer] if isinstance(answer, list) else answer
