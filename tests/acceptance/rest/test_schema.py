"""The page of the interface against the interface: generated requests, valid and not, to a real server on loopback.

`SCHEMATHESIS_EXAMPLES=1000` runs it for longer; the default keeps it within the patience of `make test`.
"""

import asyncio
import itertools
import os
import threading
import time
from collections.abc import Iterator

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from own_database import installation, world
from whoknows.bootstrap import Installation, assemble
from whoknows.domain.credential import Permission
from whoknows.flows.limits import Limits
from whoknows.rest.app import create_app
from whoknows.rest.page import described
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

from .conftest import serving
from .test_every_route import ROUTES

__all__ = ["installation", "world"]

EXAMPLES = int(os.environ.get("SCHEMATHESIS_EXAMPLES", "1"))
CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)
STREAMS = {("GET", "/api/v1/events"), ("GET", "/api/v1/bureau/cases/{case}/events")}
"""A stream does not end; `test_events.py` looks after it."""


@pytest.fixture
def address(installation: Installation) -> Iterator[tuple[str, dict[str, str]]]:
    """A server in a thread of its own, with an event loop of its own; its address, and keys by name."""
    ready, stop = threading.Event(), asyncio.Event()
    told: dict[str, object] = {}

    async def serve() -> None:
        told["loop"] = asyncio.get_running_loop()
        service = assemble(PostgresStore(Database(installation.dsn, size=8, timeout=10)), HashEmbedder(), Limits())
        app = create_app(service, body_bytes=100_000, version="test")
        async with serving(app, lifespan="on") as url:
            world = World(service, installation)
            await world.agents("A", "B")
            await world.members("lin")
            await world.team("T", A="owner", B="reader")
            # An administrator's key that acts as an agent reaches the inside of every route.
            key = await world.key("A", permissions=list(Permission))
            told.update(url=url, A=key)
            ready.set()
            await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert ready.wait(30)
    yield str(told["url"]), {"A": str(told["A"])}
    loop = told["loop"]
    assert isinstance(loop, asyncio.AbstractEventLoop)
    loop.call_soon_threadsafe(stop.set)
    thread.join(30)


def test_generated_requests_get_documented_answers(address: tuple[str, dict[str, str]], subtests: pytest.Subtests) -> None:
    url, keys = address
    page = described(create_app(None, body_bytes=1, version="test"))  # pyright: ignore[reportArgumentType]
    schema = schemathesis.openapi.from_dict(page)
    tried: set[tuple[str, str]] = set()
    client = httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {keys['A']}"}, timeout=30)
    with client, requests.Session() as session:
        _every_route(schema, tried, client, session, subtests)
        # The key has lived through it: the answers were not all 401.
        assert client.get("/whoami").status_code == 200
    assert tried == set(ROUTES)


def _every_route(
    schema: schemathesis.BaseSchema,
    tried: set[tuple[str, str]],
    client: httpx.Client,
    session: requests.Session,
    subtests: pytest.Subtests,
) -> None:
    for result in schema.get_all_operations():
        operation = result.ok()
        route = (operation.method.upper(), operation.path)
        tried.add(route)
        if route in STREAMS:
            continue
        with subtests.test(f"{route} valid"):
            _run(operation, schemathesis.GenerationMode.POSITIVE, client, session)
        if operation.body or operation.query or operation.path_parameters or operation.headers:
            with subtests.test(f"{route} invalid"):
                _run(operation, schemathesis.GenerationMode.NEGATIVE, client, session)


def _run(
    operation: schemathesis.APIOperation, mode: schemathesis.GenerationMode, client: httpx.Client, session: requests.Session
) -> None:
    turn = itertools.count()

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        derandomize=EXAMPLES < 100,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def ask(case: schemathesis.Case) -> None:
        authorization = client.headers["Authorization"]
        if next(turn) % 2 == 0:
            case.path_parameters = {**case.path_parameters, **_known(operation, client)}
            if "case" in case.path_parameters:  # a case that is there, with the key of its operator
                made = client.post("/bureau/cases", json={"script": "heron"}).json()
                case.path_parameters["case"] = made["case"]
                authorization = f"Bearer {made['key']}"
        # The key goes last: a generated header must not take its place.
        key = {"Authorization": authorization}
        base = str(client.base_url).removesuffix("/api/v1/")
        case.call_and_validate(base_url=base, headers=key, session=session, checks=list(CHECKS), timeout=20)

    ask()


def _known(operation: schemathesis.APIOperation, client: httpx.Client) -> dict[str, str]:
    """Things that are there, for the parameters of a path: every other request reaches what lies behind the 404."""
    needed = {p.name for p in operation.path_parameters}
    name = next((n for kind, n in (("agents", "B"), ("members", "lin"), ("teams", "T")) if kind in operation.path), "")
    known = {"name": name, "principal": "agent:B", "reader_id": "B"}
    if "memory_id" in needed:
        body = {"content": f"something to work on {time.monotonic_ns()}"}
        memory = client.post("/capture", json=body).json()["memory"]
        known["memory_id"] = memory["id"]
        if operation.path.endswith("restore"):
            client.post(f"/memories/{memory['id']}/archive")
    if "trace_id" in needed:
        known["trace_id"] = client.get("/recall?query=x").json()["trace_id"]
    return {n: v for n, v in known.items() if n in needed}
