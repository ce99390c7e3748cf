"""Cases for the tests: opened through REST, and played with their operator's key."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from .conftest import Edge

Json = dict[str, Any]
SAFE = {"zh": "保险箱的密码是多少？", "en": "What is the combination of the safe?"}
"""The source's question; in the script `heron` the informant alone knows the answer."""
CODE = "4826"
_CODE = re.compile(rf"(?<![0-9a-f.-]){CODE}(?![0-9a-f-])")


@dataclass
class Casework:
    """One case, and a client with the key of its operator."""

    name: str
    key: str
    client: httpx.AsyncClient
    language: str = "zh"
    seen: dict[str, str] = field(default_factory=dict[str, str])
    """Ids of the script's cards, by their names."""

    @property
    def path(self) -> str:
        return f"/bureau/cases/{self.name}"

    async def look(self) -> Json:
        return ok(await self.client.get(self.path))

    async def cards(self) -> dict[str, Json]:
        """Every private card by the script's name for it, or by its text."""
        return {c["card"] or c["content"]: {**c, "role": r["role"]} for r in (await self.look())["roles"] for c in r["cards"]}

    async def ask(self, role: str, question: str) -> Json:
        return ok(await self.client.post(f"{self.path}/ask", json={"role": role, "question": question}))

    async def whisper(self, role: str, content: str) -> Json:
        return ok(await self.client.post(f"{self.path}/whisper", json={"role": role, "content": content}), 201)["memory"]

    async def publish(self, memory: str) -> httpx.Response:
        return await self.client.post(f"{self.path}/publish", json={"memory_id": memory})

    async def publish_card(self, name: str) -> Json:
        return ok(await self.publish((await self.cards())[name]["id"]), 201)["memory"]

    async def reset(self) -> Json:
        return ok(await self.client.post(f"{self.path}/reset"))

    async def stage(self) -> Json:
        return ok(await self.client.get(f"{self.path}/stage"))

    async def show_key(self, **body: Any) -> str:
        return ok(await self.client.post(f"{self.path}/show-key", json=body), 201)["key"]


@asynccontextmanager
async def opened(edge: Edge, script: str = "heron", language: str = "zh") -> AsyncIterator[Casework]:
    async with edge.admin as admin:
        made = ok(await admin.post("/bureau/cases", json={"script": script, "language": language}), 201)
    async with edge.as_(made["key"]) as client:
        yield Casework(made["case"], made["key"], client, language)


def ok(response: httpx.Response, status: int = 200) -> Json:
    assert response.status_code == status, response.text
    return response.json()


def searched(answer: Json) -> list[str]:
    return [s["space"] for s in answer["trace"]["searched"]]


def hits(answer: Json) -> list[str]:
    return [h["content"] for h in answer["trace"]["hits"]]


def tells_the_code(value: Any) -> bool:
    """Whether the combination stands in it. The same digits within an id, a time or a score are chance."""
    return _CODE.search(value if isinstance(value, str) else told(value)) is not None


def windows(text: str, size: int = 8) -> set[str]:
    """Every stretch of ``size`` characters of a text; a shorter text is one of its own."""
    return {text[i : i + size] for i in range(max(1, len(text) - size + 1))}


def told(value: Any) -> str:
    """As it goes over the wire, characters as they are."""
    return json.dumps(value, ensure_ascii=False)
