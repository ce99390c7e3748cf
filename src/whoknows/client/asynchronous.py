"""The client that is awaited."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, Self, TypeVar, cast

import httpx

from whoknows.client import directory, memories
from whoknows.client.answers import Json, Memory
from whoknows.client.call import Call
from whoknows.client.connection import DEFAULT_URL, event_fields, settings
from whoknows.client.errors import ServerUnreachable, error_of
from whoknows.client.retrying import pause
from whoknows.client.verbs import Awaits

T = TypeVar("T")


class AsyncWhoKnows:
    """``async with AsyncWhoKnows(key=…) as wk: await wk.recall("…")``. Every verb may raise ApiError or ServerUnreachable."""

    def __init__(
        self,
        url: str = DEFAULT_URL,
        *,
        key: str,
        agent: str | None = None,
        timeout: httpx.Timeout | float | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.url = url
        self._http = httpx.AsyncClient(**settings(url, key, agent, timeout), transport=transport)

    capture = Awaits(memories.capture)
    capture_batch = Awaits(memories.capture_batch)
    recall = Awaits(memories.recall)
    list = Awaits(memories.list_memories)
    get = Awaits(memories.get)
    edit = Awaits(memories.edit)
    archive = Awaits(memories.archive)
    restore = Awaits(memories.restore)
    forget = Awaits(memories.forget)
    forget_all = Awaits(memories.forget_all)
    share = Awaits(memories.share)
    unshare = Awaits(memories.unshare)
    history = Awaits(memories.history)
    why = Awaits(memories.why)
    knows = Awaits(memories.knows)
    trace = Awaits(memories.trace)
    pending = Awaits(memories.pending)

    whoami = Awaits(directory.whoami)
    agents = Awaits(directory.agents)
    add_agent = Awaits(directory.add_agent)
    change_agent = Awaits(directory.change_agent)
    remove_agent = Awaits(directory.remove_agent)
    members = Awaits(directory.members)
    add_member = Awaits(directory.add_member)
    change_member = Awaits(directory.change_member)
    remove_member = Awaits(directory.remove_member)
    teams = Awaits(directory.teams)
    add_team = Awaits(directory.add_team)
    change_team = Awaits(directory.change_team)
    remove_team = Awaits(directory.remove_team)
    join_team = Awaits(directory.join_team)
    leave_team = Awaits(directory.leave_team)
    keys = Awaits(directory.keys)
    add_key = Awaits(directory.add_key)
    revoke_key = Awaits(directory.revoke_key)
    add_tenant = Awaits(directory.add_tenant)
    audit = Awaits(directory.audit)

    async def export(self) -> AsyncGenerator[Memory]:
        """Everything the caller may read, one memory after the other, as it arrives."""
        async with self._stream(memories.export()) as response:
            async for line in response.aiter_lines():
                if line:
                    yield cast(Memory, json.loads(line))

    async def events(self, last_event_id: str | None = None) -> AsyncGenerator[Json]:
        """What happens to memories that the caller may see, from now on or after ``last_event_id``. No texts."""
        async with self._stream(memories.events(last_event_id)) as response:
            block: list[str] = []
            async for line in response.aiter_lines():
                if line:
                    block.append(line)
                    continue
                if "data" in (fields := event_fields(block)):
                    yield {"id": fields.get("id"), **json.loads(fields["data"])}
                block = []

    async def send(self, call: Call[T]) -> T:
        """Send any call; again where that is safe."""
        attempt = 1
        while True:
            try:
                outcome = await self._http.send(call.request(self._http))
            except httpx.TransportError as e:
                outcome = e
            wait = pause(cast(Call[object], call), attempt, outcome)
            if wait is None:
                break
            await asyncio.sleep(wait)
            attempt += 1
        if isinstance(outcome, httpx.TransportError):
            raise ServerUnreachable(self.url, outcome) from outcome
        if outcome.status_code >= 300:
            raise error_of(outcome)
        return cast(T, outcome.json())

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    @asynccontextmanager
    async def _stream(self, call: Call[Any]) -> AsyncGenerator[httpx.Response]:
        request = call.request(self._http)
        request.extensions["timeout"] = {**request.extensions["timeout"], "read": None}
        try:
            response = await self._http.send(request, stream=True)
            try:
                if response.status_code >= 300:
                    await response.aread()
                    raise error_of(response)
                yield response
            finally:
                await response.aclose()
        except httpx.TransportError as e:
            raise ServerUnreachable(self.url, e) from e
