"""The stream of news that a page listens to: what its reader may know of, as long as it is still that reader."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI

from acceptance.rest.conftest import serving, until
from whoknows.domain.credential import Permission
from whoknows.flows.keys import Keys
from worlds import World

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session")
async def url(app: FastAPI) -> AsyncIterator[str]:
    async with serving(app) as url:
        yield url


async def test_news_are_of_what_the_reader_may_see_and_hold_no_text(world: World, url: str) -> None:
    await world.agents("wukong", "maomao")
    await world.team("T", wukong="writer", maomao="writer")
    async with listening(url, world.keys["wukong"]) as heard:
        await world.write("maomao", "a canary that sings for nobody else")
        told = await world.write("maomao", "the lamp is lit at nine", team_id="T")
        await until(lambda: _holds(heard, str(told.id)))
    assert [json.loads(line)["memory_id"] for line in heard.data] == [str(told.id)]
    assert "lamp" not in str(heard.data)


@pytest.mark.parametrize("ending", ["signed out", "the key is revoked", "seen with the eyes of another"])
async def test_the_stream_ends_when_it_would_speak_to_somebody_else(world: World, url: str, ending: str) -> None:
    await world.agents("wukong", "maomao")
    await world.team("T", wukong="writer", maomao="writer")
    key = await world.key("wukong", permissions=[Permission.INSPECT])
    async with listening(url, key) as heard:
        match ending:
            case "signed out":
                await heard.post("sign-out")
            case "the key is revoked":
                await _revoked(world.service.keys, world, key)
            case _:
                await heard.post("eyes", eyes="agent:maomao")
        await world.write("maomao", "said too late", team_id="T")
        await until(heard.is_over)
    assert heard.data == []


async def _revoked(keys: Keys, world: World, key: str) -> None:
    credential = await world.service.authenticate(key)
    await keys.revoke(await world.admin(), credential.id)


class Heard:
    def __init__(self, client: httpx.AsyncClient, task: "asyncio.Task[None]", data: list[str]) -> None:
        self.client, self.task, self.data = client, task, data

    async def is_over(self) -> bool:
        return self.task.done()

    async def post(self, verb: str, **fields: str) -> None:
        answer = await self.client.post(f"/console/{verb}", data=fields)
        assert answer.status_code == 303, answer.text


@asynccontextmanager
async def listening(url: str, key: str) -> AsyncIterator[Heard]:
    async with httpx.AsyncClient(base_url=url, timeout=30) as client:
        await client.post("/console/sign-in", data={"key": key})
        page = await client.get("/console/nothing")
        client.headers["X-CSRF-Token"] = page.text.partition('"X-CSRF-Token": "')[2][:64]
        data: list[str] = []
        begun = asyncio.Event()

        async def read() -> None:
            async with client.stream("GET", "/console/live") as answer:
                assert answer.status_code == 200
                async for line in answer.aiter_lines():
                    begun.set()
                    if line.startswith("data: "):
                        data.append(line.removeprefix("data: "))

        task = asyncio.create_task(read())
        await asyncio.wait_for(begun.wait(), 20)
        yield Heard(client, task, data)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _holds(heard: Heard, identity: str) -> bool:
    return any(identity in line for line in heard.data)
