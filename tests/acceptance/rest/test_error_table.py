"""The table of errors: every class is in it, and what goes wrong inside tells nothing outside."""

import asyncio
import inspect
import logging
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import urlsplit

import psycopg
import pytest

from whoknows import errors
from whoknows.bootstrap import assemble
from whoknows.errors import EmbedderUnavailable, Finding, Forbidden, RefusedByGate, WhoKnowsError
from whoknows.flows.limits import Limits
from whoknows.ports import Vector
from whoknows.rest import errors as edge_errors
from whoknows.rest.app import create_app
from whoknows.rest.errors import STATUS
from whoknows.rest.errors import problem as told
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

from .conftest import Edge, problem, until


def classes() -> Iterator[type[WhoKnowsError]]:
    for module in (errors, edge_errors):
        for _, cls in inspect.getmembers(module, inspect.isclass):
            if issubclass(cls, WhoKnowsError):
                yield cls


def test_every_error_has_its_own_status_a_message_and_a_code() -> None:
    for cls in classes():
        assert cls in STATUS, cls
        assert cls.__doc__, cls
        assert cls.code.replace("_", "").isalpha(), cls


def test_a_kind_of_error_keeps_the_family_of_its_status() -> None:
    """What is a subclass of Conflict is 409, of Forbidden 403, and so on: only faults of the installation leave the family."""
    for cls in classes():
        for family in (errors.Conflict, errors.Forbidden):
            if issubclass(cls, family):
                assert STATUS[cls] == STATUS[family]
        if issubclass(cls, errors.Invalid) and cls is not errors.DimensionMismatch:
            assert STATUS[cls] == 422


def test_a_refusal_carries_its_reason_and_a_503_says_when_to_come_back() -> None:
    refused = told(Forbidden("no", reason_code="not_a_writer"), "r").body
    assert b'"code":"not_a_writer"' in bytes(refused)
    gate = told(RefusedByGate([Finding("secret", "a password", (3, 9))]), "r").body
    assert b'"findings":[{"check":"secret","message":"a password","span":[3,9]}]' in bytes(gate)
    for cls in classes():
        if STATUS[cls] == 503:
            assert int(told(cls(), "r").headers["retry-after"]) > 0


class Broken(HashEmbedder):
    """An embedder that does what it is told to."""

    fault: Exception | None = None
    wrong_size = False

    async def embed_question(self, text: str) -> Vector:
        if self.fault is not None:
            raise self.fault
        return (await super().embed_question(text))[: 3 if self.wrong_size else None]

    async def embed_passages(self, texts):
        if self.fault is not None:
            raise self.fault
        return [v[: 3 if self.wrong_size else None] for v in await super().embed_passages(texts)]


@pytest.fixture
def broken(world: World, edge: Edge) -> tuple[Edge, Broken]:
    """An edge whose embedder can be broken."""
    embedder = Broken()
    service = assemble(world.service.store, embedder, Limits())
    app = create_app(service, body_bytes=10_000, version="test")
    transport = type(edge.transport)(app, raise_app_exceptions=False)  # pyright: ignore[reportCallIssue]
    return replace(edge, app=app, transport=transport), embedder


async def test_an_embedder_that_fails_refuses_the_write_whole_and_leaves_recall_the_words(
    world: World, broken: tuple[Edge, Broken]
) -> None:
    edge, embedder = broken
    await world.agents("A")
    async with edge.as_("A") as client:
        memory = (await client.post("/capture", json={"content": "the port is 5433"})).json()["memory"]
        for fault in (EmbedderUnavailable(), None):
            embedder.fault, embedder.wrong_size = fault, fault is None
            response = await client.post("/capture", json={"content": "another"})
            code = "embedder_unavailable" if fault else "dimension_mismatch"
            await problem(response, 503, code)
            assert int(response.headers["retry-after"]) > 0
            await problem(await client.post("/capture/batch", json={"items": [{"content": "y"}]}), 503, code)
            edit = await client.patch(f"/memories/{memory['id']}", json={"version": 1, "content": "z"})
            await problem(edit, 503, code)
            asked = (await client.get("/recall", params={"query": "port", "min_score": 0})).json()
            assert [m["id"] for m in asked["memories"]] == [memory["id"]]
            assert asked["degraded"] == code
            assert asked["memories"][0]["scores"]["dense"] is None
            ready = await client.get(f"{edge.url}/ready")
            assert (ready.status_code, ready.json()) == (503, {"status": "unavailable"})
        assert [m["content"] for m in (await client.get("/memories")).json()["items"]] == ["the port is 5433"]
        embedder.wrong_size = False
        assert (await client.get(f"{edge.url}/ready")).json() == {"status": "ok"}
        assert (await client.post("/capture", json={"content": "another"})).status_code == 201


async def test_what_nobody_foresaw_is_500_without_a_word_about_it(
    world: World, broken: tuple[Edge, Broken], caplog: pytest.LogCaptureFixture
) -> None:
    edge, embedder = broken
    await world.agents("A")
    embedder.fault = RuntimeError("the text was: sesame")
    async with edge.as_("A") as client:
        with caplog.at_level(logging.DEBUG):
            response = await client.post("/capture", json={"content": "open sesame"})
        await problem(response, 500, "internal")
        assert "sesame" not in response.text
        assert response.json()["request_id"] in caplog.text
        assert "RuntimeError" in caplog.text
        assert "sesame" not in caplog.text
        assert world.keys["A"] not in caplog.text
        assert (await client.get("/memories")).json()["items"] == []


async def test_without_the_database_it_is_503_and_comes_back_by_itself(world: World, edge: Edge) -> None:
    await world.agents("A")
    name = urlsplit(world.installation.dsn).path.removeprefix("/")
    admin = world.installation.dsn.replace(f"/{name}?", "/postgres?")
    service = assemble(PostgresStore(Database(world.installation.dsn, size=4, timeout=0.5)), HashEmbedder(), Limits())
    app = create_app(service, body_bytes=10_000, version="test")
    transport = type(edge.transport)(app, raise_app_exceptions=False)  # pyright: ignore[reportCallIssue]
    impatient = replace(edge, app=app, transport=transport)
    async with app.router.lifespan_context(app), impatient.as_("A") as client:
        assert (await client.post("/capture", json={"content": "before"})).status_code == 201
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])
            for response in (
                await client.get("/memories"),
                await client.post("/capture", json={"content": "meanwhile"}),
                await client.get("/recall", params={"query": "x"}),
            ):
                await problem(response, 503, "store_unavailable")
                assert int(response.headers["retry-after"]) > 0
            ready = await client.get(f"{edge.url}/ready")
            assert (ready.status_code, ready.json()) == (503, {"status": "unavailable"})
            assert (await client.get(f"{edge.url}/health")).status_code == 200
            connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")

        async def is_back() -> bool:
            return (await client.get("/memories")).status_code == 200

        await until(is_back)
        assert [m["content"] for m in (await client.get("/memories")).json()["items"]] == ["before"]


async def test_tasks_run_beside_the_server_and_end_with_it(world: World) -> None:
    running, ended = asyncio.Event(), asyncio.Event()

    async def task() -> None:
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    store = PostgresStore(Database(world.installation.dsn, size=2, timeout=5))
    service = assemble(store, HashEmbedder(), Limits())
    app = create_app(service, body_bytes=10_000, version="test", lifespan_tasks=[task])
    async with app.router.lifespan_context(app):
        async with asyncio.timeout(10):
            await running.wait()
        assert await store.answers()
        assert not ended.is_set()
    assert ended.is_set()
    assert not await store.answers()


async def test_the_log_names_the_request_and_neither_its_question_nor_its_key(
    world: World, edge: Edge, caplog: pytest.LogCaptureFixture
) -> None:
    await world.agents("A")
    with caplog.at_level(logging.INFO, logger="whoknows"):
        async with edge.as_("A") as client:
            response = await client.get("/recall", params={"query": "sesame"})
    assert f"{response.headers['x-request-id']} GET /api/v1/recall 200" in caplog.text
    ours = "\n".join(r.getMessage() for r in caplog.records if r.name.startswith("whoknows"))
    assert "sesame" not in ours
    assert world.keys["A"] not in ours
