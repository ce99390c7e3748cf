"""Every page, found by the routes and by the links on pages: both languages, three widths, light and dark; what axe says."""

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from acceptance.rest.shared import founded
from browser.conftest import House
from browser.governed import governed, governed_founder, roots
from browser.visiting import Visitor, visiting
from console.routes import all_routes
from console.scene import PROJECT, Scene, furnish
from whoknows.console import app as console_app
from whoknows.console.paths import CONSOLE
from whoknows.domain.principal import GateLevel
from whoknows.domain.script import Language
from worlds import World

__all__ = ["governed_founder", "roots"]
WIDTHS = (390, 1280, 2560)
QUICK = (("zh", "dark"),)
LOOKS = [
    look if look in QUICK else pytest.param(*look, marks=pytest.mark.slow)
    for look in itertools.product(("en", "zh"), ("light", "dark"))
]
"""`make test-browser` draws all pages in one of the four (other tests are English and light), `make test-long` in the rest."""
PARTS = {
    "/", "/live", "/admin/try", "/bureau/stage", "/bureau/stage/events", "/bureau/stage/board",
    "/chat/{conversation}/{message}", "/chat/{conversation}/{message}/kept", "/memory/{memory}/card",
}  # fmt: skip
"""Streams, what leads elsewhere, what is asked for by pages alone, and the stage, which is looked at below."""
ASKING = {
    "/sign-in", "/sign-out", "/preferences", "/acting", "/eyes", "/project",
    "/memory", "/memory/more", "/knows", "/knows/rows", "/knows/why", "/knows/reader", "/knows/two", "/knows/inspector",
    "/knows/inspector/open", "/prompts/composed", "/prompts/history", "/admin/prompt/size", "/admin/guide/open",
    "/admin/guide/close", "/bureau/enter", "/bureau/stage", "/bureau/leave",
}  # fmt: skip
"""Forms that ask, and those about one's own session."""


@dataclass
class Furnished:
    """``operator`` is the key of an open case, ``show`` one that opens its stage, ``owner`` that of who owns a source, a
    proposal and a draft, which stand at ``owned``."""

    url: str
    scene: Scene
    operator: str
    show: str
    owner: str
    owned: Sequence[str]

    @property
    def with_ids(self) -> list[str]:
        """Where no link of another page leads to."""
        return [
            f"/knows/inspector?trace={self.scene.trace}",
            f"/knows/of/{self.scene.memory}",
            f"/memory/{self.scene.memory}/edit",
        ]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def founder(governed_founder: World) -> World:
    return governed_founder


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def furnished(founder: World, address: str, roots: Path) -> Furnished:
    world = await founded(founder)
    scene = await furnish(address, world.installation.new_key or "", "zh")
    case = await founder.service.cases.open(await founder.admin(), "heron", Language.EN)
    shown = await founder.service.cases.show_key(await founder.service.authenticate(case.secret), case.case, None)
    owned = await governed(House(await founded(founder), address), roots, GateLevel.OPEN)
    await owned.learned()
    caller = await owned.world.caller("member:o")
    await founder.service.index_source(caller, owned.source.id)
    (proposal,) = await founder.service.propose.list(caller)
    await owned.gate(GateLevel.REVIEWED)
    draft = await owned.sourced()
    at = (
        f"/sources/{owned.source.id}",
        f"/gate/proposals/{proposal.id}",
        f"/gate/review/{draft.id}",
        "/gate/proposals",
        "/sources",
    )
    return Furnished(address, scene, case.secret, shown.secret, owned.world.keys["member:o"], at)


def gets() -> dict[str, re.Pattern[str]]:
    """Paths of routes that are asked for by GET, as patterns of what stands in an address."""
    routes = [r for page in console_app.PAGES for r in all_routes(page.router)]
    return {r.path: r.path_regex for r in routes if "GET" in (r.methods or ())}


def without_ids() -> list[str]:
    """The paths of GET routes that need nothing more."""
    return sorted({path for path in gets() if "{" not in path} - PARTS)


def route_of(path: str) -> str | None:
    bare = path.partition("?")[0]
    return next((name for name, pattern in gets().items() if pattern.match(bare)), None)


async def pages_of(visitor: Visitor, more: Sequence[str] = ()) -> dict[str, str]:
    """Every route that answers a whole page and that links lead to, with the first address of it that was met."""
    cookies = {c["name"]: c["value"] for c in await visitor.page.context.cookies()}  # pyright: ignore[reportTypedDictNotRequiredAccess]
    found: dict[str, str] = {}
    queue, met = [*without_ids(), *more], set[str]()
    async with httpx.AsyncClient(base_url=f"{visitor.url}{CONSOLE}", cookies=cookies, timeout=30) as client:
        while queue:
            path = queue.pop(0)
            key = path if path in more else route_of(path)
            if key is None or key in met or key in PARTS:
                continue
            met.add(key)
            async with client.stream("GET", path) as answer:
                if answer.status_code == 303 or not answer.headers.get("content-type", "").startswith("text/html"):
                    continue
                text = (await answer.aread()).decode()
            assert answer.status_code == 200, (path, answer.status_code)
            if text.startswith("<!doctype html>"):
                found[key] = path
            queue += re.findall(rf'(?:href|hx-get)="{CONSOLE}(/[^"#]*)', text)
    return found


@pytest.mark.parametrize(("language", "theme"), LOOKS)
async def test_every_page_in_both_languages_at_three_widths_in_light_and_dark(
    browser: Browser, furnished: Furnished, language: str, theme: str
) -> None:
    """As the member, and as an agent, whose memories and traces are others."""

    async with visiting(browser, furnished.url, language=language, theme=theme) as visitor:
        await signed_in_as_lin(visitor, furnished.scene)
        seen = await pages_of(visitor)
        faults = await faults_of(visitor, list(seen.values()), language, theme)
        await act_as(visitor, "agent:ada")
        others = await pages_of(visitor, furnished.with_ids)
        faults += await faults_of(visitor, [path for route, path in others.items() if route not in seen], language, theme)
        opened = {route_of(path) for path in [*seen.values(), *others.values(), *furnished.owned, "/bureau", "/sign-in"]}
        unseen = set(gets()) - opened - PARTS - {"/admin/guide", "/gate/news", "/chat/{conversation}/turns"}
        found = [*faults, *(f"nobody was led to {route}" for route in sorted(unseen))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(("language", "theme"), LOOKS)
async def test_table_stage_and_what_an_owner_decides_in_both_languages_at_three_widths_in_light_and_dark(
    browser: Browser, furnished: Furnished, language: str, theme: str
) -> None:
    async with visiting(browser, furnished.url, language=language, theme=theme) as visitor:
        faults = await faults_of(visitor, ["/sign-in", "/bureau/stage"], language, theme)
        await visitor.sign_in(furnished.operator)
        faults += await faults_of(visitor, ["/bureau"], language, theme)
    async with visiting(browser, furnished.url, language=language, theme=theme) as owner:
        await owner.sign_in(furnished.owner)
        faults += await faults_of(owner, furnished.owned, language, theme)
    async with visiting(browser, furnished.url, language=language, theme=theme) as watcher:
        await watcher.open("/bureau/stage")
        await watcher.page.locator("input[name=key]").fill(furnished.show)
        await watcher.page.keyboard.press("Enter")
        await expect(watcher.page.locator("#stage")).to_be_visible()
        found = [*faults, *await faults_of(watcher, ["/bureau/stage"], language, theme)]
    assert not found, "\n".join(found)


@pytest.mark.slow
async def test_every_page_for_an_administrator_who_acts_as_nobody(browser: Browser, furnished: Furnished) -> None:
    async with visiting(browser, furnished.url) as visitor:
        await visitor.sign_in(furnished.scene.administrator)
        paths = [p for p in without_ids() if p not in ("/sign-in",)]
        faults: list[str] = []
        for path in paths:
            answer = await visitor.page.request.get(f"{furnished.url}/console{path}", max_redirects=0)
            if answer.status == 303 or "text/html" not in answer.headers.get("content-type", ""):
                continue
            assert answer.status in (200, 403), (path, answer.status)
            if answer.status == 200 and (await answer.text()).startswith("<!doctype"):
                await visitor.open(path)
                faults += [f"{path}: {f}" for f in await visitor.faults_of_access()]
        assert faults == []


async def test_every_form_sent_while_seeing_with_the_eyes_of_another_changes_nothing(
    browser: Browser, furnished: Furnished
) -> None:
    """Whatever form a page still shows, the server takes none but those that ask, and those of one's own session."""
    async with visiting(browser, furnished.url) as visitor:
        await signed_in_as_lin(visitor, furnished.scene)
        await visitor.page.locator("summary", has_text="See as …").click()
        await visitor.page.locator("header.top button[name=eyes][value='agent:ada']").click()
        await visitor.open("/memory")
        await expect(visitor.page.locator(".looking")).to_contain_text("ada")
        token = await visitor.page.locator("input[name=csrf]").first.get_attribute("value")
        filled: dict[str, str | float | bool] = {
            "csrf": token or "",
            "content": "written through other eyes",
            "version": "1",
            "name": "harbour",
            "bank": "member:lin",
        }
        routes = [r for page in console_app.PAGES for r in all_routes(page.router) if "POST" in (r.methods or ())]
        taken: list[str] = []
        for path in sorted({r.path for r in routes} - ASKING):
            at = re.sub(r"\{[^}]*\}", furnished.scene.memory, path)
            answer = await visitor.page.request.post(f"{furnished.url}{CONSOLE}{at}", form=filled, max_redirects=0)
            elsewhere = (
                answer.status == 303 and at.startswith("/bureau/") and answer.headers["location"] == f"{CONSOLE}/bureau/cases"
            )
            if answer.status not in (403, 404, 422) and not elsewhere:  # a key of no case is led to the lobby
                taken.append(f"{path}: {answer.status} {answer.headers.get('location')}")
        assert taken == []


async def signed_in_as_lin(visitor: Visitor, scene: Scene) -> None:
    await visitor.sign_in(scene.operator)
    await act_as(visitor, "member:lin")
    await post(visitor, "project", {"project": PROJECT})


async def act_as(visitor: Visitor, space: str) -> None:
    await post(visitor, "acting", {"acting": space})


async def post(visitor: Visitor, verb: str, fields: dict[str, str]) -> None:
    token = await visitor.page.locator("input[name=csrf]").first.get_attribute("value") or ""
    filled: dict[str, str | float | bool] = {"csrf": token, **fields}
    answer = await visitor.page.request.post(f"{visitor.url}{CONSOLE}/{verb}", form=filled)
    assert answer.ok, (verb, answer.status)


async def faults_of(visitor: Visitor, paths: Sequence[str], language: str, theme: str) -> list[str]:
    """Opened at one width, and drawn at the others too."""
    faults: list[str] = []
    phone = (language, theme) in (("zh", "dark"), ("en", "dark"))
    for path in paths:
        await visitor.page.set_viewport_size({"width": 390 if phone else 1280, "height": 900})
        await visitor.open(path)
        where = f"{path} {language} {theme}"
        headings = await visitor.page.locator("h1").count()
        if headings != 1:
            faults.append(f"{where}: {headings} first headings")
        faults += [f"{where}: {f}" for f in await visitor.faults_of_access()]
        for width in WIDTHS:
            await visitor.page.set_viewport_size({"width": width, "height": 900})
            wider = await visitor.page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
            if wider > 0:
                faults.append(f"{where}: {wider} pixels wider than a window of {width}")
    return faults
