"""Calls of tools have so many places: who finds none waits, and is then told so, with nothing done."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import httpx
import pytest

from acceptance.rest.conftest import URL
from whoknows.mcp.app import PLACES
from whoknows.ports import Vector
from worlds import HashEmbedder, World

from .conftest import OLD_HEADERS, Called, Tools, app_of, call

pytestmark = pytest.mark.asyncio(loop_scope="session")


class HeldEmbedder(HashEmbedder):
    """A double that answers when it is told to; ``asked``: how many texts wait in it, ``most``: how many ever did."""

    def __init__(self) -> None:
        self.go_on = asyncio.Event()
        self.full = asyncio.Event()
        self.asked = 0
        self.most = 0

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        if any("held up" in t for t in texts):
            self.asked += 1
            self.most = max(self.most, self.asked)
            if self.asked == PLACES:
                self.full.set()
            await self.go_on.wait()
            self.asked -= 1
        return await super().embed_passages(texts)


def crowded(world: World, patience: float) -> tuple[Tools, HeldEmbedder]:
    embedder = HeldEmbedder()
    capture = replace(world.service.capture, embedder=embedder)
    held = replace(world.service, capture=capture, remember=replace(world.service.remember, capture=capture))
    return Tools(world, app_of(replace(world, service=held), patience=patience)), embedder


async def remembering(tools: Tools, embedder: HeldEmbedder, count: int) -> list[asyncio.Task[Called]]:
    """So many calls, of which as many as there are places for are at it by now."""
    tasks = [asyncio.create_task(tools("A", "remember", content=f"number {n} is held up")) for n in range(count)]
    await asyncio.wait_for(embedder.full.wait(), 20)
    return tasks


async def test_the_fifth_waits_and_is_told_to_come_again_and_nothing_of_it_is_done(world: World) -> None:
    await world.agents("A")
    tools, embedder = crowded(world, patience=0.05)
    four = await remembering(tools, embedder, 4)
    fifth = await tools("A", "remember", content="number 5 is quick")
    assert fifth.code == "busy"
    assert "Nothing was done" in fifth.text
    assert fifth.text.endswith("Call again in a few seconds.")
    assert (await tools("A", "recall", query="number")).code == "busy"
    async with tools.client("A") as client:
        assert (await client.list_tools()).tools, "what a server says of itself waits for nobody"
    async with httpx.AsyncClient(transport=httpx.ASGITransport(tools.app), base_url=URL) as anybody:
        assert (await anybody.get("/health")).status_code == 200
        rest = await anybody.post(
            "/api/v1/recall", json={"query": "number"}, headers={"Authorization": f"Bearer {world.keys['A']}"}
        )
        assert rest.status_code == 200, "REST is answered beside them"
    embedder.go_on.set()
    assert [(await one).told["outcome"] for one in four] == ["stored"] * 4
    kept = (await tools("A", "list")).contents
    assert sorted(kept) == [f"number {n} is held up" for n in range(4)]
    assert (await tools("A", "remember", content="number 5 is quick")).told["outcome"] == "stored", "and then there is room"


async def test_who_waits_in_time_is_answered_in_turn_and_never_more_than_four_at_once(world: World) -> None:
    await world.agents("A")
    tools, embedder = crowded(world, patience=30)
    twelve = await remembering(tools, embedder, 12)
    embedder.go_on.set()
    assert [(await one).told["outcome"] for one in twelve] == ["stored"] * 12
    assert embedder.most == 4


async def test_who_hung_up_while_it_waited_has_nothing_done(world: World) -> None:
    await world.agents("A")
    tools, embedder = crowded(world, patience=30)
    four = await remembering(tools, embedder, 4)
    heard, gone = asyncio.Event(), asyncio.Event()
    body = httpx.Request("POST", URL, json=call("remember", {"content": "nobody waits for this"})).read()

    async def receive() -> dict[str, object]:
        if not heard.is_set():
            heard.set()
            return {"type": "http.request", "body": body, "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    sent: list[object] = []

    async def send(message: object) -> None:
        sent.append(message)

    headers = {
        **OLD_HEADERS,
        "Authorization": f"Bearer {world.keys['A']}",
        "Content-Type": "application/json",
        "Host": "127.0.0.1",
    }
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/mcp",
        "raw_path": b"/mcp",
        "query_string": b"",
        "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
    }
    waiting = asyncio.create_task(tools.app(scope, receive, send))  # pyright: ignore[reportArgumentType]
    await asyncio.wait_for(heard.wait(), 20)
    gone.set()
    embedder.go_on.set()
    await waiting
    for one in four:
        await one
    assert sent == []
    assert len((await tools("A", "list")).contents) == 4
