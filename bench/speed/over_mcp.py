"""A recall as a tool beside the same recall over REST, in turns on one server: what the protocol costs."""

import asyncio
import itertools
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from speed.figures import Figure, milliseconds, quantile, show
from speed.server import Server, serving

_PART = "recall over MCP"
_WARM = 20
HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-06-18"}
BOOTSTRAP = "wk_" + "b" * 40


async def beside_rest(server: Server, key: str, questions: Sequence[str]) -> list[Figure]:
    """One reader; each question is asked once this way and once that way, the first of the two in turns."""
    times: dict[str, list[float]] = {"REST": [], "MCP": []}
    numbers = itertools.count(1)
    async with httpx.AsyncClient(base_url=server.url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:

        async def ask(way: str, question: str) -> float:
            asked = {"query": question, "limit": 10, "min_score": 0.0}
            call = {"jsonrpc": "2.0", "id": next(numbers), "method": "tools/call"}
            began = time.perf_counter()
            if way == "REST":
                answer = await client.post("/api/v1/recall", json=asked)
            else:
                params = {"name": "recall", "arguments": asked}
                answer = await client.post("/mcp", json={**call, "params": params}, headers=HEADERS)
            took = time.perf_counter() - began
            answer.raise_for_status()
            return took

        for n, question in enumerate(questions):
            for way in ("REST", "MCP") if n % 2 else ("MCP", "REST"):
                took = await ask(way, question)
                if n >= _WARM:
                    times[way].append(took)
    ratio = quantile(times["MCP"], 0.5) / quantile(times["REST"], 0.5)
    return [
        *milliseconds(_PART, "over REST", times["REST"]),
        *milliseconds(_PART, "over MCP", times["MCP"]),
        Figure(_PART, "MCP / REST, of the medians", ratio, "x", at_most=1.5),
    ]


async def main(memories: int = 5_000, asked: int = 300) -> int:
    with TemporaryDirectory(prefix="whoknows-mcp-") as folder, serving(Path(folder), bootstrap_key=BOOTSTRAP) as server:
        key = await filled(server, memories)
        figures = await beside_rest(server, key, [f"Where does service {n % memories} listen?" for n in range(asked + _WARM)])
    show(figures)
    return 1 if any(f.reached is False for f in figures) else 0


async def filled(server: Server, memories: int) -> str:
    """The key of an agent that knows so many things."""
    async with httpx.AsyncClient(base_url=f"{server.url}/api/v1", timeout=600) as client:
        admin = {"Authorization": f"Bearer {BOOTSTRAP}"}
        (await client.post("/agents", json={"agent_id": "reader", "role": "main"}, headers=admin)).raise_for_status()
        made = await client.post("/keys", json={"acts_as": ["reader"]}, headers=admin)
        key: str = made.json()["key"]
        for first in range(0, memories, 500):
            items = [{"content": f"Service {n} listens on port {5000 + n}."} for n in range(first, min(first + 500, memories))]
            kept = await client.post("/capture/batch", json={"items": items}, headers={"Authorization": f"Bearer {key}"})
            kept.raise_for_status()
    return key


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
