"""A world whose model and embedder count as outside: doubles that say so, and remember what they were given."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from model_double import ModelDouble
from whoknows.bootstrap import Installation, assemble
from whoknows.domain.case import HitCard
from whoknows.flows.answering import Pace
from whoknows.flows.limits import Limits
from whoknows.policy.egress import EgressGrant
from whoknows.rest.app import create_app
from whoknows.speakers.openai import OpenAISpeaker
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import World

from .conftest import BODY_BYTES, Edge
from .listening import Listener

MODEL_HOST, EMBEDDER_HOST = "model.example", "embed.example"


class OutsideSpeaker(OpenAISpeaker):
    """A double: it talks to an endpoint on loopback, and says that it is elsewhere."""

    @property
    def address(self) -> str:
        return f"https://{MODEL_HOST}/v1"


class OutsideEmbedder(Listener):
    """A double: it hashes words, says that it is elsewhere, and remembers what it was given."""

    name = "openai:hash"
    address: str | None = f"https://{EMBEDDER_HOST}/v1"

    def heard_of(self, words: str) -> bool:
        return any(words in text for text in self.heard)


@dataclass
class RoleDouble:
    """A double of the speaker of roles: it repeats the cards that it is given."""

    grants: list[EgressGrant] = field(default_factory=list[EgressGrant])
    cards: list[HitCard] = field(default_factory=list[HitCard])

    async def speak(self, grant: EgressGrant, *given: Any) -> str:
        self.grants.append(grant)
        self.cards += given[-1]
        return " ".join(c.content for c in given[-1]) or "nothing"


@dataclass
class Outside:
    """``edge`` is the REST edge of it; ``double`` the model's endpoint, ``roles`` the speaker of the Bureau."""

    edge: Edge
    double: ModelDouble
    embedder: OutsideEmbedder
    roles: RoleDouble

    @property
    def world(self) -> World:
        return self.edge.world

    async def forbid(self, who: str | None, bank: str, egress: str = "forbidden") -> httpx.Response:
        client = self.edge.admin if who is None else self.edge.as_(who)
        async with client:
            return await client.put(f"/egress/{bank}", json={"egress": egress})

    async def services(self, who: str, bank: str) -> dict[str, dict[str, Any]]:
        """What ``who`` is told of the services of ``bank``, by purpose."""
        async with self.edge.as_(who) as client:
            items = (await client.get("/egress")).json()["items"]
        (found,) = [b for b in items if b["bank"] == bank]
        return {s["purpose"]: s for s in found["services"]}


@asynccontextmanager
async def outside_world(installation: Installation, double: ModelDouble) -> AsyncIterator[Outside]:
    store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
    await store.open()
    embedder, roles = OutsideEmbedder(), RoleDouble()
    speaker = OutsideSpeaker(double.url, "not-a-key", "m-1")
    pace = Pace(patience=20, deadline=30)
    service = assemble(store, embedder, Limits(), speaker=speaker, role_speaker=roles, pace=pace)
    app = create_app(service, body_bytes=BODY_BYTES, version="test")
    edge = Edge(World(service, installation), app, httpx.ASGITransport(app, raise_app_exceptions=False))
    yield Outside(edge, double, embedder, roles)
    await service.close()
