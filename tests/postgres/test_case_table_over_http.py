"""The same table of cases through the doors themselves: REST and the tools of MCP, with a key, over HTTP."""

import itertools
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx
import pytest
import pytest_asyncio

from visibility_cases import CASES, Case
from visibility_stage import QUESTION, Stage
from whoknows.mcp.app import add_mcp
from whoknows.rest.app import create_app
from worlds import World

pytestmark = pytest.mark.asyncio(loop_scope="session")
Json = dict[str, Any]
STATES = ("active", "held", "superseded", "archived", "withdrawn")


class Way(Protocol):
    """One way in. None where it says that there is no such memory, or that the key is nobody's any more."""

    async def recall(self, key: str, query: str, session: str | None) -> list[Json] | None: ...

    async def list(self, key: str, state: str) -> list[Json] | None: ...

    async def get(self, key: str, memory: str) -> Json | None: ...

    async def why(self, key: str, memory: str) -> Json | None: ...


@dataclass
class Rest:
    client: httpx.AsyncClient

    async def recall(self, key: str, query: str, session: str | None) -> list[Json] | None:
        told = await self._get(key, "/recall", query=query, min_score=0, limit=100, session_id=session)
        return None if told is None else told["memories"]

    async def list(self, key: str, state: str) -> list[Json] | None:
        told = await self._get(key, "/memories", state=state, limit=200)
        return None if told is None else told["items"]

    async def get(self, key: str, memory: str) -> Json | None:
        return await self._get(key, f"/memories/{memory}")

    async def why(self, key: str, memory: str) -> Json | None:
        return await self._get(key, f"/memories/{memory}/why")

    async def _get(self, key: str, path: str, **asked: Any) -> Json | None:
        params = {k: v for k, v in asked.items() if v is not None}
        response = await self.client.get(f"/api/v1{path}", params=params, headers={"Authorization": f"Bearer {key}"})
        assert response.status_code in (200, 401, 403, 404), response.text
        return response.json() if response.status_code == 200 else None


@dataclass
class Mcp:
    """As Codex and Pi speak, without the client's own work around each call."""

    client: httpx.AsyncClient
    numbers: Any = field(default_factory=itertools.count)

    async def recall(self, key: str, query: str, session: str | None) -> list[Json] | None:
        told = await self._call(key, "recall", query=query, min_score=0.0, limit=50, session_id=session)
        return None if told is None else told["memories"]

    async def list(self, key: str, state: str) -> list[Json] | None:
        told = await self._call(key, "list", state=state, limit=100)
        return None if told is None else told["memories"]

    async def get(self, key: str, memory: str) -> Json | None:
        return await self._call(key, "get", memory_id=memory)

    async def why(self, key: str, memory: str) -> Json | None:
        return await self._call(key, "why", memory_id=memory)

    async def _call(self, key: str, tool: str, **arguments: Any) -> Json | None:
        asked = {"jsonrpc": "2.0", "id": next(self.numbers), "method": "tools/call"}
        params = {"name": tool, "arguments": {k: v for k, v in arguments.items() if v is not None}}
        headers = {
            "Authorization": f"Bearer {key}",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        }
        response = await self.client.post("/mcp", json={**asked, "params": params}, headers=headers)
        if response.status_code == 401:
            return None
        assert response.status_code == 200, response.text
        result = response.json()["result"]
        if result.get("isError"):
            assert result["_meta"]["whoknows/error"]["code"] in ("not_found", "permission_missing"), result
            return None
        return result["structuredContent"]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def doors(founder: World) -> AsyncIterator[Mapping[str, Way]]:
    app = create_app(founder.service, body_bytes=1 << 20, version="test")
    add_mcp(app, founder.service, "test")
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1"))
        yield {"rest": Rest(client), "mcp": Mcp(client)}


@pytest.mark.parametrize("way", [pytest.param("rest", marks=pytest.mark.slow), "mcp"])
@pytest.mark.parametrize("case", CASES, ids=str)
async def test_what_comes_through_a_door_is_what_the_case_says(
    case: Case, way: str, stages: dict[str, Stage], doors: Mapping[str, Way]
) -> None:
    stage, door = stages[case.name], doors[way]
    for reader in stage.readers():
        key = stage.secrets[reader.partition("#")[0]]
        recalled = await door.recall(key, QUESTION, stage.session(reader))
        assert _names(stage, recalled) == stage.recalls(reader), reader
        for state in sorted({"active", *case.states.values()}):
            listed = _names(stage, await door.list(key, state))
            assert listed == {m for m in stage.sees(reader) if case.states.get(m, "active") == state}, reader
        for name, memory in stage.memories.items():
            got = await door.get(key, str(memory))
            assert (got is not None) == (name in stage.sees(reader)), f"{reader} and {name}"
            if got is not None:
                assert got["state"] == case.states.get(name, "active")


def _names(stage: Stage, memories: list[Json] | None) -> set[str]:
    by_id = {str(i): n for n, i in stage.memories.items()}
    return {by_id.get(m["id"], m["id"]) for m in memories or ()}
