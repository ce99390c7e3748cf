"""Somebody asks over REST beside two hundred calls of tools at once: how long that takes, and what becomes of the calls."""

import asyncio
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from speed.figures import Figure, quantile, show
from speed.over_mcp import BOOTSTRAP, HEADERS, filled
from speed.server import Server, serving

_PART = "REST beside 200 calls of tools"
CROWD = 200
ROUNDS = 3
_WARM, _ALONE = 20, 60


@dataclass(slots=True)
class Seen:
    """How long answers took, in seconds, and what was answered."""

    alone: list[float] = field(default_factory=list[float])
    beside: list[float] = field(default_factory=list[float])
    crowd: list[float] = field(default_factory=list[float])
    told: Counter[str] = field(default_factory=Counter[str])


async def beside(server: Server, key: str, memories: int) -> list[Figure]:
    """Recalls over REST, one after the other: alone, and as long as a crowd is being answered."""
    seen = Seen()
    # No connection is kept: one that the server closes while it lies idle between two rounds would count as a fault.
    limits = httpx.Limits(max_connections=CROWD + 10, max_keepalive_connections=0)
    async with httpx.AsyncClient(
        base_url=server.url, headers={"Authorization": f"Bearer {key}"}, timeout=120, limits=limits
    ) as client:
        for n in range(_WARM):
            await _rest(client, n, [], Counter())
        for n in range(_ALONE):
            await _rest(client, n, seen.alone, seen.told)
        for _ in range(ROUNDS):
            crowd = [asyncio.create_task(_call(client, n % memories, seen)) for n in range(CROWD)]
            await asyncio.sleep(0.05)
            while not all(t.done() for t in crowd):
                await _rest(client, len(seen.beside), seen.beside, seen.told)
            await asyncio.gather(*crowd)
    return [
        *_times("REST alone", seen.alone),
        *_times("REST beside the crowd", seen.beside),
        *_times("a call of the crowd", seen.crowd),
        *(Figure(_PART, f"in all rounds: {what}", n, "times") for what, n in sorted(seen.told.items())),
    ]


async def _rest(client: httpx.AsyncClient, n: int, took: list[float], told: Counter[str]) -> None:
    began = time.perf_counter()
    answer = await client.post("/api/v1/recall", json={"query": f"Where does service {n} listen?"})
    took.append(time.perf_counter() - began)
    told[f"REST {answer.status_code}"] += 1


async def _call(client: httpx.AsyncClient, n: int, seen: Seen) -> None:
    params = {"name": "recall", "arguments": {"query": f"Where does service {n} listen?"}}
    call = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}
    began = time.perf_counter()
    try:
        answer = await client.post("/mcp", json=call, headers=HEADERS)
    except httpx.TransportError as fault:
        seen.told[f"a call {type(fault).__name__}"] += 1
        return
    seen.crowd.append(time.perf_counter() - began)
    result: dict[str, Any] = answer.json().get("result", {})
    fault = result["_meta"]["whoknows/error"]["code"] if result.get("isError") else "answered"
    seen.told[f"a call {fault if answer.status_code == 200 else answer.status_code}"] += 1


def _times(what: str, took: list[float]) -> list[Figure]:
    shares = (("p50", 0.5), ("p95", 0.95), ("longest", 1.0))
    return [Figure(_PART, f"{what}, {name}", 1000 * quantile(took, share), "ms") for name, share in shares]


async def main(memories: int = 1_000) -> int:
    with TemporaryDirectory(prefix="whoknows-crowd-") as folder, serving(Path(folder), bootstrap_key=BOOTSTRAP) as server:
        key = await filled(server, memories)
        show(await beside(server, key, memories))
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
