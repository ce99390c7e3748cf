"""How long pages take with 10,000 memories, how much they weigh, and when their largest part is painted."""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import psycopg
from playwright.async_api import Browser, Page, Response, async_playwright

from console.chromium import launched
from console.parts import parts, token_of
from console.routes import all_routes
from speed.figures import Figure, quantile
from speed.fill import centres, fill
from speed.server import serving
from speed.texts import Writer
from speed.world import READER, TEAMS_OF_READER, World, world
from whoknows.console import app as console_app
from whoknows.console.paths import CONSOLE
from whoknows.domain.credential import Permission
from whoknows.domain.principal import AgentRole, Clearance, TeamRole
from whoknows.flows.administer import AgentPatch, NewAgent
from whoknows.flows.recall import Question

MEMORIES, OTHERS, TRACES, ROUNDS = 10_000, 45, 250, 40
OF_PROJECTS = ("/chat", "/prompts", "/memory", "/knows")
_DIVIDE = """
    UPDATE memories SET
        project_id = CASE WHEN memory_no % 4 < 2 THEN 'boss' WHEN memory_no % 4 = 2 THEN 'other-' || memory_no % 19 END,
        tags = CASE WHEN memory_no % 2 = 0 THEN ARRAY['tag' || memory_no % 97] ELSE '{}' END"""
_LARGEST = """() => new Promise((done) => new PerformanceObserver((list) => done(list.getEntries().at(-1).startTime))
    .observe({type: 'largest-contentful-paint', buffered: true}))"""


async def pages(rounds: int = ROUNDS) -> list[Figure]:
    """One server of its own on 10,000 memories that its reader sees, in five audiences, and 45 other agents on its teams."""
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        async with world(Path(folder), audiences=1 + TEAMS_OF_READER) as here:
            writer = Writer(5)
            fill(here, writer.texts(MEMORIES // (1 + TEAMS_OF_READER), 15, 40), 1 + TEAMS_OF_READER, await centres(
                here.service.embedder, writer, 200
            ))  # fmt: skip
            with psycopg.connect(here.installation.dsn, options="-c search_path=whoknows,public") as connection:
                connection.execute(_DIVIDE)
            key = await _people(here)
            for question in writer.questions(TRACES):
                await here.service.recall(await here.caller(), Question(question))
            with serving(Path(folder), console="true") as server, httpx.Client(base_url=server.url, timeout=60) as client:
                _enter(client, key)
                paths = [p for p in _paths() if _is_page(client, p)]
                timed = [f for path in paths for f in _timed(path, lambda p=path: _get(client, p), rounds)]
                token, question = token_of(client), writer.questions(1)[0]
                for part in parts(client, question):
                    timed += _timed(part.name, lambda p=part: p.ask(client, token), rounds)
                _choose_project(client, token)
                for path in OF_PROJECTS:
                    timed += _timed(f"{path} in a project", lambda p=path: _get(client, p), rounds)
                return [*timed, *await _seen(server.url, key, paths)]


async def _people(here: World) -> str:
    """The reader works for a member, so that conversations and prompts are there as well."""
    admin = await here.service.authenticate(here.installation.new_key)
    await here.service.administer.make_member(admin, "lin", None)
    await here.service.administer.change_agent(admin, READER, AgentPatch(frozenset({"account"}), account="lin"))
    for n in range(OTHERS):
        await here.service.administer.make_agent(admin, NewAgent(f"agent-{n}", AgentRole.MAIN, None, None, Clearance.OPEN))
        await here.service.administer.put_membership(admin, f"team-{n % TEAMS_OF_READER}", f"agent:agent-{n}", TeamRole.READER)
    made = await here.service.keys.make(admin, [READER], [Permission.ADMIN, Permission.INSPECT, Permission.AUDIT], None, None)
    return made.secret


def _paths() -> list[str]:
    routes = [r for page in console_app.PAGES for r in all_routes(page.router)]
    return sorted({r.path for r in routes if "GET" in (r.methods or ()) and "{" not in r.path} - {"/", "/live", "/sign-in"})


def _enter(client: httpx.Client, key: str) -> None:
    answer = client.post(f"{CONSOLE}/sign-in", data={"key": key})
    if answer.status_code != 303:
        raise RuntimeError(f"signing in answered {answer.status_code}")


def _choose_project(client: httpx.Client, token: str) -> None:
    """As on most days: what is shown is that of a project, and what belongs to none."""
    client.post(f"{CONSOLE}/project", data={"project": "boss", "csrf": token, "back": f"{CONSOLE}/memory"})


def _is_page(client: httpx.Client, path: str) -> bool:
    with client.stream("GET", CONSOLE + path) as answer:
        html = answer.status_code == 200 and answer.headers.get("content-type", "").startswith("text/html")
        return html and answer.read().startswith(b"<!doctype html>")


def _get(client: httpx.Client, path: str) -> None:
    client.get(CONSOLE + path).raise_for_status()


def _timed(name: str, ask: Callable[[], None], rounds: int) -> list[Figure]:
    """From the request to the last byte of the answer, over loopback: more than the server's own time."""
    took: list[float] = []
    for _ in range(rounds + 3):
        began = time.perf_counter()
        ask()
        took.append(time.perf_counter() - began)
    took = took[3:]
    return [
        Figure(name, "server, p50", 1000 * quantile(took, 0.5), "ms"),
        Figure(name, "server, p95", 1000 * quantile(took, 0.95), "ms", at_most=100),
    ]


async def _seen(url: str, key: str, paths: Sequence[str]) -> list[Figure]:
    """Each page in a browser that has never been here: all that it loads, and its largest contentful paint."""
    figures: list[Figure] = []
    async with async_playwright() as playwright:
        browser = await launched(playwright)
        state = await _signed_in(browser, url, key)
        for path in paths:
            context = await browser.new_context(storage_state=state)
            page = await context.new_page()
            weight = await _weighed(page, f"{url}{CONSOLE}{path}")
            largest = await page.evaluate(_LARGEST)
            figures += [
                Figure(path, "weight, cold", weight / 1000, "kB", at_most=300),
                Figure(path, "largest contentful paint, cold", float(largest), "ms"),
            ]
            await context.close()
        await browser.close()
    return figures


async def _signed_in(browser: Browser, url: str, key: str) -> Any:
    context = await browser.new_context()
    answer = await context.request.post(f"{url}{CONSOLE}/sign-in", form={"key": key})
    if not answer.ok:
        raise RuntimeError(f"signing in answered {answer.status}")
    state = await context.storage_state()
    await context.close()
    return state


async def _weighed(page: Page, address: str) -> int:
    """Bytes of all bodies; a stream that stays open weighs nothing yet."""
    loaded: list[Response] = []

    def noted(response: Response) -> None:  # a method of a list is not taken by Playwright
        loaded.append(response)

    page.on("response", noted)
    await page.goto(address, wait_until="load")
    await page.wait_for_timeout(300)
    streams = "text/event-stream"
    return sum([len(await r.body()) for r in loaded if r.ok and streams not in r.headers.get("content-type", "")])
