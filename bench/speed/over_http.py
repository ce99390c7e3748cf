"""Through the real server on loopback: twenty readers at once, hidden beside absent, memory, and the time to a first answer."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import httpx
import psutil

from speed.figures import Figure, milliseconds, quantile
from speed.over_mcp import beside_rest
from speed.server import Server, megabytes, postgres_processes, serving, start
from speed.world import READER
from whoknows.domain.ids import new_memory_id

READERS = 20
_WARM = 10


async def through_the_server(
    data_dir: Path, keys: dict[str, str], questions: Sequence[str], hidden: Sequence[str], per_reader: int
) -> list[Figure]:
    with serving(data_dir) as server:
        figures = await _readers(server, keys[READER], questions, per_reader)
        figures += await beside_rest(server, keys[READER], questions)
        figures += await _hidden(server, keys[READER], hidden)
        figures += _memory(server, data_dir)
    return [*figures, await _first_answer(data_dir, keys[READER], questions[0])]


async def _readers(server: Server, key: str, questions: Sequence[str], per_reader: int) -> list[Figure]:
    """Closed loop: each reader asks its next question when it has the answer to the last."""
    seconds: list[float] = []
    lost = 0

    async def read(client: httpx.AsyncClient, asked: Sequence[str]) -> None:
        nonlocal lost
        for question in asked:
            began = time.perf_counter()
            try:
                answer = await client.get("/api/v1/recall", params={"query": question, "min_score": "0"})
                lost += answer.status_code != 200
            except httpx.HTTPError:
                lost += 1
            seconds.append(time.perf_counter() - began)

    async with _client(server, key) as client:
        await read(client, questions[:_WARM])
        seconds.clear()
        shares = [[questions[(n * per_reader + i) % len(questions)] for i in range(per_reader)] for n in range(READERS)]
        began = time.perf_counter()
        await asyncio.gather(*(read(client, share) for share in shares))
        took = time.perf_counter() - began
    part = f"{READERS} readers over HTTP"
    return [
        Figure(part, f"requests lost of {READERS * per_reader}", lost, at_most=0),
        Figure(part, "answers", len(seconds) / took, "/s"),
        *milliseconds(part, "recall", seconds),
    ]


async def _hidden(server: Server, key: str, hidden: Sequence[str]) -> list[Figure]:
    """GET of memories that others have, and of ids that nobody has, in turns."""
    times: dict[bool, list[float]] = {True: [], False: []}
    async with _client(server, key) as client:
        for n, memory in enumerate(hidden):
            for is_hidden in (True, False) if n % 2 else (False, True):
                wanted = memory if is_hidden else str(new_memory_id())
                began = time.perf_counter()
                answer = await client.get(f"/api/v1/memories/{wanted}")
                if n >= _WARM:
                    times[is_hidden].append(time.perf_counter() - began)
                assert answer.status_code == 404, answer.status_code
    return ratio_of_medians("over HTTP", times[True], times[False])


def ratio_of_medians(where: str, hidden: Sequence[float], absent: Sequence[float]) -> list[Figure]:
    medians = [quantile(v, 0.5) for v in (hidden, absent)]
    part = "hidden beside absent"
    return [
        Figure(part, f"get of a hidden memory {where}, p50", 1000 * medians[0], "ms"),
        Figure(part, f"slower / faster of the two medians {where}", max(medians) / min(medians), "x", at_most=1.2),
    ]


def _memory(server: Server, data_dir: Path) -> list[Figure]:
    parent = psutil.Process(server.process.pid)
    processes = [parent, *(c for c in parent.children(recursive=True) if "postgres" not in c.name())]
    return [
        Figure("memory", "server", megabytes(processes), "MB"),
        Figure("memory", "database, all its processes", megabytes(postgres_processes(data_dir)), "MB"),
    ]


async def _first_answer(data_dir: Path, key: str, question: str) -> Figure:
    """From the start of the process to the first recall that is answered; files are in the system's cache."""
    began = time.perf_counter()
    server = start(data_dir)
    try:
        async with _client(server, key) as client:
            while time.perf_counter() - began < 60:
                try:
                    answer = await client.get("/api/v1/recall", params={"query": question})
                    if answer.status_code == 200:
                        return Figure("start", "start to first answer", time.perf_counter() - began, "s", at_most=3.0)
                except httpx.TransportError:
                    pass
                await asyncio.sleep(0.02)
        return Figure("start", "start to first answer", float("nan"), "s", at_most=3.0)
    finally:
        server.end()


def _client(server: Server, key: str) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=READERS, max_keepalive_connections=READERS)
    return httpx.AsyncClient(base_url=server.url, headers={"Authorization": f"Bearer {key}"}, timeout=60, limits=limits)
