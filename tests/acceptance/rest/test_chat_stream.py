"""The stream of an answer, over a real server: its events, and how it ends when somebody or something goes away."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import psycopg
import pytest

import model_double as play
from model_double import ModelDouble

from .conftest import Edge, problem, serving, until

CHAT = "/master-agent/chat"
STREAM = {"Accept": "text/event-stream"}
BODY = {"projectId": "boss", "message": "服务器是哪台？"}


@pytest.fixture
async def wired(talk: Edge) -> AsyncIterator[Edge]:
    """The edge that speaks through the double, behind a real server on loopback."""
    await talk.world.members("mira")
    async with serving(talk.app) as url, httpx.AsyncHTTPTransport() as transport:
        yield Edge(talk.world, talk.app, transport, url)


async def events(response: httpx.Response) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    kind = ""
    async for line in response.aiter_lines():
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, json.loads(line.removeprefix("data: "))


async def messages(client: httpx.AsyncClient, conversation: str) -> list[dict[str, Any]]:
    return (await client.get(f"/master-agent/conversations/{conversation}")).json()["messages"]


async def ended(client: httpx.AsyncClient, conversation: str) -> list[dict[str, Any]]:
    """The messages, once nobody waits for an answer any more."""

    async def over() -> bool:
        return (await messages(client, conversation))[0]["state"] != "sending"

    await until(over)
    return await messages(client, conversation)


async def test_the_answer_comes_as_it_is_spoken_and_is_kept(wired: Edge, double: ModelDouble) -> None:
    memory = await wired.world.write("member:mira", "服务器固定是 srv-4", account="mira", project_id="boss")
    double.plays(double.says_and_waits("服务器", then=("是 ", "srv-4。")))
    async with wired.as_("member:mira") as mira:
        async with mira.stream("POST", CHAT, json=BODY, headers=STREAM) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            stream = events(response)
            kind, start = await anext(stream)
            assert (kind, start["mode"], start["model"]) == ("start", "full", "m-1")
            assert [s["id"] for s in start["sources"]] == [str(memory.id)]
            assert await anext(stream) == ("delta", {"kind": "delta", "text": "服务器"})
            # Before the answer is whole, the message is kept already.
            (user,) = await messages(mira, start["conversationId"])
            assert (user["content"], user["state"]) == (BODY["message"], "sending")
            double.go_on.set()
            rest = [event async for event in stream]
        assert [k for k, _ in rest] == ["delta", "delta", "done"]
        done = rest[-1][1]
        assert (done["answer"], done["state"]) == ("服务器是 srv-4。", "done")
        assert {k: done[k] for k in ("conversationId", "messageId", "answerId")} == {
            k: start[k] for k in ("conversationId", "messageId", "answerId")
        }
        assert [(m["content"], m["state"]) for m in await messages(mira, start["conversationId"])] == [
            (BODY["message"], "done"),
            ("服务器是 srv-4。", "done"),
        ]


async def test_what_is_wrong_with_the_request_is_a_status_and_no_stream(wired: Edge, double: ModelDouble) -> None:
    async with wired.as_("member:mira") as mira, wired.as_(None) as nobody:
        await problem(await mira.post(CHAT, json={**BODY, "message": ""}, headers=STREAM), 422, "invalid", "message")
        nowhere = {**BODY, "conversationId": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"}
        await problem(await mira.post(CHAT, json=nowhere, headers=STREAM), 404, "not_found")
        await problem(await nobody.post(CHAT, json=BODY, headers=STREAM), 401, "unauthenticated")
    assert double.requests == []


async def test_a_model_that_fails_in_the_middle_is_an_event_that_says_how_to_go_on(wired: Edge, double: ModelDouble) -> None:
    double.plays(play.fails_in_the_stream("insufficient_quota", "服务器"))
    async with wired.as_("member:mira") as mira:
        async with mira.stream("POST", CHAT, json=BODY, headers=STREAM) as response:
            assert response.status_code == 200
            said = [event async for event in events(response)]
        assert [k for k, _ in said] == ["start", "delta", "error"]
        error = said[-1][1]
        assert (error["code"], error["status"], error["answer"]) == ("model_quota", 429, "服务器")
        assert error["detail"]
        assert error["retryOf"] == said[0][1]["messageId"]
        user, answer = await messages(mira, error["conversationId"])
        assert (user["state"], answer["content"], answer["state"]) == ("failed", "服务器", "broken")


async def test_a_client_that_goes_away_ends_the_call_and_the_part_is_kept(wired: Edge, double: ModelDouble) -> None:
    double.plays(double.says_and_waits("服务器", "是"))
    async with wired.as_("member:mira") as mira:
        async with mira.stream("POST", CHAT, json=BODY, headers=STREAM) as response:
            stream = events(response)
            _, start = await anext(stream)
            await anext(stream)
            await anext(stream)
        assert await asyncio.to_thread(double.left.wait, 20), "the model's call goes on"
        user, answer = await ended(mira, start["conversationId"])
        assert (user["state"], user["error"]) == ("failed", "interrupted")
        assert (answer["content"], answer["state"], answer["error"]) == ("服务器是", "broken", "interrupted")


async def test_a_key_that_is_revoked_on_another_server_ends_the_stream_and_the_call(
    wired: Edge, beside: Edge, double: ModelDouble
) -> None:
    world = wired.world
    double.plays(double.says_and_waits("服务器", then=["是 srv-4。"]))
    key = await world.service.keys.make(await _own(world), ["member:mira"], (), None, None)
    async with wired.as_(key.secret) as mira:
        async with mira.stream("POST", CHAT, json=BODY, headers=STREAM) as response:
            stream = events(response)
            _, start = await anext(stream)
            await anext(stream)
            async with beside.admin as admin:
                assert (await admin.delete(f"/keys/{key.id}")).json() == {"deleted": 1}
            rest = [event async for event in stream]
        assert [(k, e["code"]) for k, e in rest] == [("error", "unauthenticated")]
        assert await asyncio.to_thread(double.left.wait, 20), "the model's call goes on"
        await problem(await mira.get("/master-agent/conversations"), 401, "unauthenticated")
    async with wired.as_("member:mira") as mira:  # her other key still holds
        (user,) = await messages(mira, start["conversationId"])
        assert user["content"] == BODY["message"]


async def _own(world: Any) -> Any:
    return await world.service.authenticate(world.keys["member:mira"])


async def test_a_conversation_that_is_deleted_on_another_server_ends_the_stream_and_nothing_is_kept(
    wired: Edge, beside: Edge, double: ModelDouble
) -> None:
    double.plays(double.says_and_waits("服务器", then=["是 srv-4。"]))
    async with wired.as_("member:mira") as mira:
        async with mira.stream("POST", CHAT, json=BODY, headers=STREAM) as response:
            stream = events(response)
            _, start = await anext(stream)
            await anext(stream)
            async with beside.as_("member:mira") as elsewhere:
                gone = await elsewhere.delete(f"/master-agent/conversations/{start['conversationId']}")
                assert gone.json() == {"deleted": 1}
            rest = [event async for event in stream]
        assert [(k, e["code"]) for k, e in rest] == [("error", "not_found")]
        assert await asyncio.to_thread(double.left.wait, 20), "the model's call goes on"
        await problem(await mira.get(f"/master-agent/conversations/{start['conversationId']}"), 404, "not_found")
        assert (await mira.get("/master-agent/conversations")).json()["items"] == []


async def test_a_server_that_ends_keeps_what_was_said_by_then(wired: Edge, double: ModelDouble) -> None:
    double.plays(double.says_and_waits("服务器", "是"))
    async with wired.as_("member:mira") as mira:
        async with mira.stream("POST", CHAT, json=BODY, headers=STREAM) as response:
            stream = events(response)
            _, start = await anext(stream)
            await anext(stream)
            await anext(stream)
            await wired.world.service.converse.close()
            rest = [event async for event in stream]
        assert [(k, e["code"], e["answer"]) for k, e in rest] == [("error", "interrupted", "服务器是")]
        assert [m["state"] for m in await messages(mira, start["conversationId"])] == ["failed", "broken"]


async def test_a_database_that_drops_its_connections_while_the_model_speaks_costs_nothing(
    wired: Edge, double: ModelDouble
) -> None:
    double.plays(double.says_and_waits("服务器", then=["是 srv-4。"]))
    async with wired.as_("member:mira") as mira:
        async with mira.stream("POST", CHAT, json=BODY, headers=STREAM) as response:
            stream = events(response)
            _, start = await anext(stream)
            await anext(stream)
            with psycopg.connect(wired.world.installation.dsn, autocommit=True) as owner:
                dropped = owner.execute(
                    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
                ).fetchone()
            assert dropped is not None
            assert dropped[0] > 0
            double.go_on.set()
            rest = [event async for event in stream]
        assert [k for k, _ in rest] == ["delta", "done"]
        assert [m["state"] for m in await messages(mira, start["conversationId"])] == ["done", "done"]


async def test_the_same_request_while_it_is_answered_waits_and_gets_that_answer(wired: Edge, double: ModelDouble) -> None:
    double.plays(double.says_and_waits("服务器", then=["是 srv-4。"]))
    key = {"Idempotency-Key": "5e2a"}
    async with wired.as_("member:mira") as mira:
        first = asyncio.create_task(mira.post(CHAT, json=BODY, headers=key))
        assert await asyncio.to_thread(double.reached.wait, 20)
        second = asyncio.create_task(mira.post(CHAT, json=BODY, headers=key))
        asked_twice = asyncio.create_task(mira.post(CHAT, json={**BODY, "message": "other"}, headers=key))
        await problem(await asked_twice, 422, "idempotency_mismatch")
        assert not second.done()
        double.go_on.set()
        assert (await first).json() == (await second).json()
    assert len(double.requests) == 1
