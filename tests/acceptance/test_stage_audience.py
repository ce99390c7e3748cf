"""Fifty screens before the stage of one case, on two server processes with one database."""

import asyncio
import json
import socket
from contextlib import AsyncExitStack
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from acceptance.two_servers import PATIENCE, Tenant, TwoServers

VIEWERS, EVENTS = 50, 12


@pytest.fixture
def case(two_servers: TwoServers) -> tuple[Tenant, str]:
    """A case, with the keys of its operator and of a screen, and the path that it has."""
    installation = Tenant(two_servers, {"admin": two_servers.key})
    with installation.client("admin") as admin:
        made = admin.post("/bureau/cases", json={"script": "heron", "language": "en"}).json()
    of_case = Tenant(two_servers, {"operator": made["key"]})
    path = f"/bureau/cases/{made['case']}"
    with of_case.client("operator") as operator:
        of_case.keys["screen"] = operator.post(f"{path}/show-key").json()["key"]
    return of_case, path


async def test_fifty_streams_on_two_servers_get_every_event_once_in_order_beside_one_that_is_never_read(
    case: tuple[Tenant, str],
) -> None:
    tenant, path = case
    idle = [_never_read(tenant, f"{path}/events", server) for server in (0, 1)]
    seated = [asyncio.Event() for _ in range(VIEWERS)]
    async with AsyncExitStack() as stack, asyncio.timeout(PATIENCE):
        clients = [await stack.enter_async_context(tenant.async_client("screen", server)) for server in (0, 1)]
        screens = [asyncio.create_task(_heard(clients[n % 2], f"{path}/events", seat, EVENTS)) for n, seat in enumerate(seated)]
        for seat in seated:
            await seat.wait()
        operators = [await stack.enter_async_context(tenant.async_client("operator", server)) for server in (0, 1)]
        told = [
            operators[n % 2].post(f"{path}/whisper", json={"role": "suspect", "content": f"whisper {n}"}) for n in range(EVENTS)
        ]
        assert {a.status_code for a in await asyncio.gather(*told)} == {201}
        heard = await asyncio.gather(*screens)
    for line in idle:
        line.close()
    assert len(set(heard[0])) == EVENTS
    assert all(h == heard[0] for h in heard)


async def _heard(client: httpx.AsyncClient, path: str, seated: asyncio.Event, count: int) -> list[str]:
    found: list[str] = []
    async with client.stream("GET", path) as stream:
        lines: Any = stream.aiter_lines()
        async for line in lines:
            if line == ": connected":
                seated.set()
            if line.startswith("data: "):
                found.append(json.loads(line[6:])["id"])
            if len(found) == count:
                break
    return found


def _never_read(tenant: Tenant, path: str, server: int) -> socket.socket:
    """A connection that asks for the stream, and then takes nothing."""
    url = urlsplit(tenant.servers.all[server].url)
    line = socket.create_connection((url.hostname or "", url.port or 0))
    line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
    request = f"GET /api/v1{path} HTTP/1.1\r\nHost: {url.netloc}\r\nAuthorization: Bearer {tenant.keys['screen']}\r\n\r\n"
    line.sendall(request.encode())
    return line
