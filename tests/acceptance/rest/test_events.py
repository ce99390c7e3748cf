"""Events over a real connection: who is told what, from where, and when the stream ends."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx

from worlds import World

from .conftest import Edge, problem

PATIENCE = 20.0


@dataclass
class Stream:
    """An open stream; ``next`` is its next event."""

    lines: AsyncIterator[str]
    comments: list[str] = field(default_factory=list[str])

    async def next(self) -> dict[str, str]:
        told: dict[str, str] = {}
        async with asyncio.timeout(PATIENCE):
            async for line in self.lines:
                if line.startswith(":"):
                    self.comments.append(line)
                elif line:
                    name, _, value = line.partition(": ")
                    told[name] = value
                elif told:
                    return told
        raise EOFError


@asynccontextmanager
async def following(
    client: httpx.AsyncClient, last: str | None = None, path: str = "/events", **query: str
) -> AsyncIterator[Stream]:
    headers = {} if last is None else {"Last-Event-ID": last}
    async with client.stream("GET", path, headers=headers, params=query) as response:
        assert response.status_code == 200
        assert response.headers["content-type"].startswith("text/event-stream")
        assert "no-store" in response.headers["cache-control"]
        stream = Stream(response.aiter_lines())
        if last is None:
            async with asyncio.timeout(PATIENCE):
                assert await anext(stream.lines) == ": connected"
        yield stream


async def test_events_tell_what_happens_without_a_text(world: World, wire: Edge) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    async with wire.as_("A") as a, wire.as_("B") as b, following(b) as stream:
        await a.post("/capture", json={"content": "private words"})
        written = await a.post("/capture", json={"content": "words of the team", "memory_type": "team", "team_id": "T"})
        memory = written.json()["memory"]["id"]
        first = await stream.next()
        told = json.loads(first["data"])
        assert set(told) == {"id", "kind", "memory_id", "at"}
        assert (told["memory_id"], told["id"], told["kind"]) == (memory, first["id"], first["event"])
        assert "words" not in str(first)
        await a.delete(f"/memories/{memory}")
        second = await stream.next()
        assert (second["event"], json.loads(second["data"])["memory_id"]) == ("memory.deleted", memory)


async def test_a_stream_goes_on_from_the_last_event_and_leaves_none_out(world: World, wire: Edge) -> None:
    await world.agents("A")
    async with wire.as_("A") as client:
        async with following(client) as stream:
            await client.post("/capture", json={"content": "one"})
            last = (await stream.next())["id"]
        ids = [(await client.post("/capture", json={"content": t})).json()["memory"]["id"] for t in ("two", "three")]
        async with following(client, last) as stream:
            missed = [json.loads((await stream.next())["data"])["memory_id"] for _ in ids]
        assert missed == ids
        wrong = await client.get("/events", headers={"Last-Event-ID": "7"})
        await problem(wrong, 422, "invalid", "Last-Event-ID")


async def test_what_was_missed_is_told_by_todays_standing(world: World, wire: Edge) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    async with wire.as_("B") as client:
        async with following(client) as stream:
            await world.write("B", "one")
            last = (await stream.next())["id"]
        await world.write("A", "two", team_id="T")
        await world.expel("T", "B")
        own = await world.write("B", "three")
        async with following(client, last) as stream:
            assert json.loads((await stream.next())["data"])["memory_id"] == str(own.id)


async def test_the_one_who_is_expelled_while_listening_hears_no_more_of_the_team(world: World, wire: Edge) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    async with wire.as_("B") as client, following(client) as stream:
        await world.write("A", "one", team_id="T")
        await stream.next()
        await world.expel("T", "B")
        await world.write("A", "two", team_id="T")
        own = await world.write("B", "three")
        assert json.loads((await stream.next())["data"])["memory_id"] == str(own.id)


async def test_the_stream_ends_when_its_key_is_revoked_or_expires(world: World, wire: Edge) -> None:
    await world.agents("A")
    async with wire.admin as admin:
        for life in ({}, {"expires_in": 2}):
            key = (await admin.post("/keys", json={"acts_as": ["A"], **life})).json()
            async with wire.as_(key["key"]) as client, following(client) as stream:
                if not life:
                    await admin.delete(f"/keys/{key['id']}")
                try:
                    told = await stream.next()
                except EOFError:
                    pass
                else:
                    raise AssertionError(f"the stream went on: {told}")


async def test_a_stream_that_cannot_begin_answers_with_the_problem(world: World, wire: Edge) -> None:
    async with wire.client() as nobody:
        await problem(await nobody.get("/events"), 401, "unauthenticated")
    async with wire.admin as admin:
        await problem(await admin.get("/events"), 403, "permission_missing")
