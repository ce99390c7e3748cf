"""Pictures of the main pages for the documentation, from a fresh installation with the furnished scene."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.async_api import Browser, Page, async_playwright

from console.chromium import launched
from console.scene import PROJECT, Scene, furnish
from speed.server import start
from whoknows.client import AsyncWhoKnows
from whoknows.console.paths import CONSOLE
from whoknows.flows.keys import new_secret
from whoknows.settings import Settings

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SIZE = {"width": 1280, "height": 800}


async def pictures() -> Sequence[str]:
    """Names of the files that were written: each main page in both languages, the English ones light, the Chinese ones dark."""
    secret = replace(Settings.read({}), bootstrap_key=new_secret()).bootstrap_key
    written: list[str] = []
    with TemporaryDirectory(prefix="whoknows-pictures-", ignore_cleanup_errors=True) as folder:
        server = start(Path(folder), secret, console="true")
        try:
            server.wait()
            async with async_playwright() as playwright:
                browser = await launched(playwright)
                for language, theme in (("en", "light"), ("zh", "dark")):
                    async with AsyncWhoKnows(server.url, key=secret) as installation:
                        key = (await installation.add_tenant("harbour" if language == "en" else "港务处"))["key"]
                    scene = await furnish(server.url, key, language)
                    written += await _drawn(browser, server.url, scene, language, theme, secret)
                await browser.close()
        finally:
            server.end()
    return written


async def _drawn(browser: Browser, url: str, scene: Scene, language: str, theme: str, installation: str) -> list[str]:
    context = await browser.new_context(
        viewport={"width": 1280, "height": 800},
        locale="zh-CN" if language == "zh" else "en-GB",
        color_scheme="dark" if theme == "dark" else "light",
        timezone_id="UTC",
        reduced_motion="reduce",
    )
    page = await context.new_page()
    await _enter(page, url, scene.operator, "member:lin")
    written = [
        await _shot(page, f"{url}{CONSOLE}/chat/{scene.conversation}", "chat", language),
        await _shot(page, f"{url}{CONSOLE}/prompts", "prompts", language),
    ]
    await _act(page, url, "agent:ada")
    written += [
        await _shot(page, f"{url}{CONSOLE}/memory", "memory", language),
        await _shot(page, f"{url}{CONSOLE}/knows", "knows", language),
        await _shot(page, f"{url}{CONSOLE}/knows/inspector?trace={scene.trace}", "inspector", language),
        await _shot(page, f"{url}{CONSOLE}/programs", "programs", language),
    ]
    await _act(page, url, "member:lin")
    written += [
        await _shot(page, f"{url}{CONSOLE}/gate", "gate", language),
        await _shot(page, f"{url}{CONSOLE}/gate/corrections", "corrections", language),
        await _shot(page, f"{url}{CONSOLE}/admin/people", "people", language),
    ]
    written += await _bureau(page, url, language, installation)
    await context.close()
    return written


async def _bureau(page: Page, url: str, language: str, installation: str) -> list[str]:
    async with AsyncWhoKnows(url, key=installation) as client:
        opened = await client.open_case("heron", language)
    async with AsyncWhoKnows(url, key=opened["key"]) as operator:
        case = opened["case"]
        cards = (await operator.case(case))["roles"]
        card = next(c["id"] for role in cards if role["role"] == "informant" for c in role["cards"])
        await operator.publish_card(case, card)
    await page.goto(f"{url}{CONSOLE}/bureau")
    await page.locator("form[action$='/bureau/enter'] input[name=key]").fill(opened["key"])
    await page.locator("form[action$='/bureau/enter'] button").click()
    await page.wait_for_url(f"{url}{CONSOLE}/bureau")
    return [
        await _shot(page, f"{url}{CONSOLE}/bureau", "bureau", language),
        await _shot(page, f"{url}{CONSOLE}/bureau/stage", "stage", language),
    ]


async def _enter(page: Page, url: str, key: str, acting: str) -> None:
    await page.goto(f"{url}{CONSOLE}/sign-in")
    await page.locator("input[name=key]").fill(key)
    await page.locator("button.main").click()
    await page.wait_for_selector("header.top")
    await _act(page, url, acting)
    await _post(page, url, "project", {"project": PROJECT})


async def _act(page: Page, url: str, space: str) -> None:
    await _post(page, url, "acting", {"acting": space})


async def _post(page: Page, url: str, verb: str, fields: dict[str, str]) -> None:
    token = await page.locator("input[name=csrf]").first.get_attribute("value") or ""
    answer = await page.request.post(f"{url}{CONSOLE}/{verb}", form={"csrf": token, **fields})
    if not answer.ok:
        raise RuntimeError(f"{verb} answered {answer.status}")


async def _shot(page: Page, address: str, name: str, language: str) -> str:
    await page.goto(address, wait_until="load")
    await page.wait_for_timeout(400)  # local times, first news
    path = IMAGES / f"console-{name}.{language}.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    await page.screenshot(path=path)
    return f"docs/images/{path.name}"


def main() -> None:
    for name in asyncio.run(pictures()):
        print(name)


if __name__ == "__main__":
    sys.exit(main())
