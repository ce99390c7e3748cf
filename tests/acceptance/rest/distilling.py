"""For tests of distillation: conversations in a few words, and a server whose distiller reads marks."""

import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from marked_distiller import MarkedDistiller
from model_double import ModelDouble
from whoknows.bootstrap import Installation, assemble
from whoknows.flows.answering import Pace
from whoknows.flows.limits import Limits
from whoknows.rest.app import create_app
from whoknows.speakers.openai import OpenAISpeaker
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

from .conftest import BODY_BYTES, Edge

_NUMBERS = itertools.count()
_NAMES: dict[tuple[int, str], str] = {}
DISTILL = "/master-agent/distill"
MEMORIES = "/master-agent/memories"


@asynccontextmanager
async def marked(installation: Installation, double: ModelDouble | None = None) -> AsyncIterator[tuple[Edge, MarkedDistiller]]:
    """A server on the database whose distiller reads marks; with a double, its master agent speaks through that."""
    store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
    await store.open()
    distiller = MarkedDistiller()
    speaker = None if double is None else OpenAISpeaker(double.url, "not-a-key", "m-1")
    service = assemble(store, HashEmbedder(), Limits(), speaker=speaker, pace=Pace(20, 30), distiller=distiller)
    app = create_app(service, body_bytes=BODY_BYTES, version="test")
    yield Edge(World(service, installation), app, httpx.ASGITransport(app, raise_app_exceptions=False)), distiller
    await service.close()


async def two_members(edge: Edge) -> Edge:
    """The same server for two members that are new: ``member:mira`` and ``member:noor``, whatever they are called there."""
    n = next(_NUMBERS)
    for name in ("mira", "noor"):
        await edge.world.members(f"{name}{n}")
        edge.world.keys[f"member:{name}"] = edge.world.keys[f"member:{name}{n}"]
        _NAMES[id(edge), name] = f"{name}{n}"
    return edge


def name_of(edge: Edge, who: str) -> str:
    """What ``who`` of ``two_members`` is called on the server."""
    return _NAMES[id(edge), who]


def said(*texts: str, role: str = "user", first: int = 1) -> list[dict[str, str]]:
    """Messages m1, m2, … of one role."""
    return [{"id": f"m{n}", "role": role, "content": text} for n, text in enumerate(texts, first)]


async def distil(
    client: httpx.AsyncClient, messages: list[dict[str, str]], project: str = "boss", **more: Any
) -> dict[str, Any]:
    answer = await client.post(DISTILL, json={"projectId": project, "messages": messages, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def memories(client: httpx.AsyncClient, **query: Any) -> dict[str, dict[str, Any]]:
    """Current account memories, by their words."""
    listed = await client.get(MEMORIES, params={"limit": 200, **query})
    assert listed.status_code == 200, listed.text
    return {m["content"]: m for m in listed.json()["items"]}


def texts(answer: dict[str, Any]) -> list[tuple[str, str]]:
    """(outcome, words) of what was kept."""
    return [(k["outcome"], k["memory"]["content"]) for k in answer["kept"]]


def whys(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(s["messageId"], s["why"]) for s in answer["skipped"]]
