"""The stage in step: how long a published card takes to an open stage, alone and beside fifty others, and what they cost.

`python -m console.stage`. A server of its own, the Bureau's first script, a real browser; the clock of one machine.
The fifty are read by this process: what it takes them to read is in the figures too.
"""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import psutil
from playwright.async_api import Page, async_playwright

from console.chromium import launched
from speed.figures import Figure, quantile, show
from speed.server import serving
from whoknows.flows.keys import new_secret

PUBLISHED, VIEWERS, BESIDE = 30, 50, 60
PATIENCE = 600.0
"""Seconds for all of it."""
_STAGE = "/console/bureau/stage"
_WATCH = """() => {
    window.shown = {};
    const look = () => requestAnimationFrame(() => {
        for (const card of document.querySelectorAll('#board .statement'))
            window.shown[card.textContent] ??= performance.timeOrigin + performance.now();
    });
    new MutationObserver(look).observe(document.body, {subtree: true, childList: true, characterData: true});
}"""


@dataclass(frozen=True, slots=True)
class Case:
    """``operator`` has the key of the case's operator; ``url`` is the server's."""

    name: str
    url: str
    operator: httpx.AsyncClient

    async def show_key(self) -> str:
        return (await self._post("show-key", {}))["key"]

    async def whisper(self, text: str) -> str:
        return (await self._post("whisper", {"role": "informant", "content": text}))["memory"]["id"]

    async def publish(self, card: str) -> None:
        await self._post("publish", {"memory_id": card})

    async def ask(self) -> None:
        await self._post("ask", {"role": "detective", "question": "Where does the boat lie?"})

    async def reset(self) -> None:
        await self._post("reset", {})

    async def _post(self, verb: str, body: dict[str, str]) -> dict[str, Any]:
        answer = await self.operator.post(f"/api/v1/bureau/cases/{self.name}/{verb}", json=body)
        answer.raise_for_status()
        return answer.json()


@dataclass
class Audience:
    """``heard`` says of each event how many have it by now; ``last`` is when the newest of them got it."""

    heard: dict[str, int] = field(default_factory=dict[str, int])
    last: dict[str, float] = field(default_factory=dict[str, float])
    published: list[str] = field(default_factory=list[str])

    def hears(self, event: dict[str, Any]) -> None:
        identity = event["id"]
        if identity not in self.heard and event["kind"] == "published":
            self.published.append(identity)
        self.heard[identity] = self.heard.get(identity, 0) + 1
        self.last[identity] = time.time()

    async def all_have(self, number: int) -> float:
        """When the last of them had the ``number``-th card that was published."""
        while len(self.published) <= number or self.heard[self.published[number]] < VIEWERS:  # noqa: ASYNC110
            await asyncio.sleep(0.005)
        return self.last[self.published[number]]


async def stage() -> list[Figure]:
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        key = new_secret()
        with serving(Path(folder), console="true", bootstrap_key=key) as server:
            async with asyncio.timeout(PATIENCE), _opened(server.url, key) as case, async_playwright() as playwright:
                browser = await launched(playwright)
                page = await (await browser.new_context()).new_page()
                await _sit_down(page, case)
                process = psutil.Process(server.process.pid)
                alone, _, work = await _in_step(case, page, None, process)
                quiet = await _beside(case)
                await case.reset()
                async with _audience(case, await case.show_key()) as audience:
                    full, everybody, hard = await _in_step(case, page, audience, process)
                    loud = await _beside(case)
                await browser.close()
    return [
        Figure("card on an open stage", f"median of {PUBLISHED}", quantile(alone, 0.5), "ms", at_most=300),
        Figure("card on an open stage", "p95", quantile(alone, 0.95), "ms"),
        Figure(f"the same, {VIEWERS} viewers", f"median of {PUBLISHED}", quantile(full, 0.5), "ms", at_most=300),
        Figure(f"the same, {VIEWERS} viewers", "p95", quantile(full, 0.95), "ms"),
        Figure(f"event with all {VIEWERS}", f"median of {PUBLISHED}", quantile(everybody, 0.5), "ms"),
        Figure(f"event with all {VIEWERS}", "p95", quantile(everybody, 0.95), "ms"),
        Figure("server's work for a card", "mean, nobody else watches", work, "ms"),
        Figure("server's work for a card", f"mean, {VIEWERS} watch", hard, "ms"),
        Figure("question beside it", "p50, nobody else watches", quantile(quiet, 0.5), "ms"),
        Figure("question beside it", "p95, nobody else watches", quantile(quiet, 0.95), "ms"),
        Figure("question beside it", f"p50, {VIEWERS} watch", quantile(loud, 0.5), "ms"),
        Figure("question beside it", f"p95, {VIEWERS} watch", quantile(loud, 0.95), "ms"),
        Figure("question beside it", "ratio of medians", quantile(loud, 0.5) / quantile(quiet, 0.5), "x"),
        Figure("question beside it", "ratio of p95", quantile(loud, 0.95) / quantile(quiet, 0.95), "x"),
    ]


@asynccontextmanager
async def _opened(url: str, key: str) -> AsyncGenerator[Case]:
    async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {key}"}, timeout=60) as admin:
        made = (await admin.post("/api/v1/bureau/cases", json={"script": "heron", "language": "en"})).raise_for_status().json()
    async with httpx.AsyncClient(base_url=url, headers={"Authorization": f"Bearer {made['key']}"}, timeout=60) as operator:
        case = Case(made["case"], url, operator)
        for _ in range(10):  # the first question waits for the dictionaries
            await case.ask()
        yield case


async def _sit_down(page: Page, case: Case) -> None:
    await page.goto(case.url + _STAGE)
    await page.locator("input[name=key]").fill(await case.show_key())
    await page.keyboard.press("Enter")
    await page.locator("#stage").wait_for()
    await page.evaluate(_WATCH)


async def _in_step(
    case: Case, page: Page, audience: Audience | None, server: psutil.Process
) -> tuple[list[float], list[float], float]:
    """From the request to publish until the card is drawn, and until everybody has the event; one after the other.

    And what the server's process worked for each, its whisper and the fetching of the board included.
    """
    spent = _worked(server)
    drawn: list[float] = []
    told: list[float] = []
    for n in range(PUBLISHED + 1):
        text = f"Card {n}, {'alone' if audience is None else 'in a full house'}: the boat lies at pier {n + 3}"
        card = await case.whisper(text)
        await asyncio.sleep(0.2)
        began = time.time()
        await case.publish(card)
        shown = await page.wait_for_function("text => window.shown[text]", arg=text, polling=20)
        drawn.append(await shown.json_value() - 1000 * began)
        if audience is not None:
            told.append(1000 * (await audience.all_have(n) - began))
    return drawn[1:], told[1:], 1000 * (_worked(server) - spent) / len(drawn)


def _worked(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


async def _beside(case: Case) -> list[float]:
    took: list[float] = []
    for _ in range(BESIDE):
        began = time.perf_counter()
        await case.ask()
        took.append(1000 * (time.perf_counter() - began))
    return took


@asynccontextmanager
async def _audience(case: Case, key: str) -> AsyncGenerator[Audience]:
    """Fifty screens: each a session and a stream, each fetching the board when it has changed."""
    audience = Audience()
    listening: list[asyncio.Task[None]] = []
    for _ in range(VIEWERS):
        async with httpx.AsyncClient(base_url=case.url, timeout=60) as screen:
            await screen.post(_STAGE, data={"key": key})
            cookie = screen.cookies["whoknows_stage"]
        seated = asyncio.Event()
        listening.append(asyncio.create_task(_watch(case.url, cookie, audience, seated)))
        await asyncio.wait_for(seated.wait(), 30)
    try:
        yield audience
    finally:
        dead = [t for t in listening if t.done()]
        for task in listening:
            task.cancel()
        ends = await asyncio.gather(*listening, return_exceptions=True)
        if dead:
            raise RuntimeError(f"{len(dead)} of {VIEWERS} streams ended early: {ends[0]!r}")


async def _watch(url: str, cookie: str, audience: Audience, seated: asyncio.Event) -> None:
    """Over bare sockets: real screens are other machines, and what fifty of them take to read is not to slow this one."""
    async with _connected(url) as (events, ask), _connected(url) as (board, fetch):
        ask.write(_asked(f"{_STAGE}/events", url, cookie))
        async for line in events:
            if line == b": connected\n":
                seated.set()
            if line.startswith(b"data: "):
                event = json.loads(line[6:])
                audience.hears(event)
                if event["kind"] == "published":
                    fetch.write(_asked(f"{_STAGE}/board", url, cookie))
                    head = await board.readuntil(b"\r\n\r\n")
                    if not head.startswith(b"HTTP/1.1 200"):
                        raise RuntimeError(head.decode())
                    length = next(h for h in head.lower().split(b"\r\n") if h.startswith(b"content-length:"))
                    await board.readexactly(int(length.split(b":")[1]))


@asynccontextmanager
async def _connected(url: str) -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


def _asked(path: str, url: str, cookie: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: {url.removeprefix('http://')}\r\nCookie: whoknows_stage={cookie}\r\n\r\n".encode()


if __name__ == "__main__":
    show(asyncio.run(stage()))
