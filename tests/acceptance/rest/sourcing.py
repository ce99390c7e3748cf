"""An edge whose server may read sources under one folder, and the verbs of sources in a few words."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from reading_sources import reading
from whoknows.bootstrap import Installation
from whoknows.rest.app import create_app
from worlds import World

from .conftest import BODY_BYTES, Edge

Json = dict[str, Any]


@dataclass
class Sourced:
    """``await s.register("git", path, "name", "team:T")`` by the administrator; ``await s.ask("B", "…")`` recalls."""

    edge: Edge
    root: Path
    ids: dict[str, str] = field(default_factory=dict[str, str])

    async def register(self, kind: str, locator: Path | str, name: str, audience: str, by: str | None = None) -> Json:
        body = {"kind": kind, "locator": str(locator), "name": name, "audience": audience}
        async with self._as(by) as client:
            answered = await client.post("/sources", json=body)
        assert answered.status_code == 201, answered.text
        self.ids[name] = answered.json()["source_id"]
        return answered.json()

    async def sync(self, name: str, by: str | None = None) -> Json:
        async with self._as(by) as client:
            answered = await client.post(f"/sources/{self.ids[name]}/sync")
        assert answered.status_code == 200, answered.text
        return answered.json()

    async def ask(self, who: str, question: str, **more: Any) -> list[Json]:
        body = {"query": question, "min_score": 0.0, **more}
        async with self.edge.as_(who) as client:
            answered = await client.post("/recall", json=body)
        assert answered.status_code == 200, answered.text
        return answered.json()["memories"]

    async def all_of(self, who: str, **query: str) -> list[Json]:
        async with self.edge.as_(who) as client:
            answered = await client.get("/memories", params={"limit": "200", **query})
        assert answered.status_code == 200, answered.text
        return answered.json()["items"]

    def _as(self, by: str | None) -> httpx.AsyncClient:
        return self.edge.admin if by is None else self.edge.as_(by)


@asynccontextmanager
async def sourced_edge(installation: Installation, root: Path, world: World | None = None) -> AsyncIterator[Sourced]:
    async with reading(installation, root / "sources", root / "mirrors") as mine:
        app = create_app(mine.service, body_bytes=BODY_BYTES, version="test")
        if world is not None:
            mine.keys = world.keys
        (root / "sources").mkdir(exist_ok=True)
        yield Sourced(Edge(mine, app, httpx.ASGITransport(app, raise_app_exceptions=False)), root / "sources")
