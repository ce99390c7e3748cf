"""A person at a real browser: pages, what the browser complained of, and what left the machine."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from playwright.async_api import Browser, ConsoleMessage, Page, Request, expect

SERIOUS = {"serious", "critical"}
expect.set_options(timeout=15_000)  # a crowded machine is slow, not wrong


@dataclass
class Visitor:
    """``forgive`` holds patterns of complaints that the test provokes itself."""

    page: Page
    url: str
    complaints: list[str] = field(default_factory=list)
    forgive: list[str] = field(default_factory=list)

    async def open(self, path: str = "/") -> None:
        """A page of the console, by its path below ``/console``."""
        await self.page.goto(f"{self.url}/console{path}")

    async def sign_in(self, key: str) -> None:
        await self.open("/sign-in")
        await self.page.get_by_label("Your key").or_(self.page.get_by_label("你的密钥")).fill(key)
        await self.page.get_by_role("button", name=re.compile("Enter|进入")).click()
        await expect(self.page.locator("header.top")).to_be_visible()

    async def faults_of_access(self) -> list[str]:
        """What axe finds serious or critical on the page as it stands."""
        if not await self.page.evaluate("() => Boolean(window.axe)"):
            await self.page.evaluate((files("axe_playwright_python") / "axe.min.js").read_text("utf-8"))
        found: dict[str, Any] = await self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
        return [
            f"{v['id']}: {v['help']} ({node['html'][:160]})"
            for v in found["violations"]
            if v["impact"] in SERIOUS
            for node in v["nodes"]
        ]

    def unforgiven(self) -> list[str]:
        return [c for c in self.complaints if not any(re.search(p, c) for p in self.forgive)]


@asynccontextmanager
async def visiting(
    browser: Browser,
    url: str,
    *,
    language: str = "en",
    theme: str = "light",
    width: int = 1280,
    height: int = 900,
    scripts: bool = True,
) -> AsyncIterator[Visitor]:
    """A browser of its own: cookies, language, theme and size. At the end it must have had nothing to complain of."""
    context = await browser.new_context(
        locale="zh-CN" if language == "zh" else "en-GB",
        color_scheme="dark" if theme == "dark" else "light",
        viewport={"width": width, "height": height},
        timezone_id="UTC",
        reduced_motion="reduce",
        java_script_enabled=scripts,
    )
    context.set_default_timeout(15_000)
    page = await context.new_page()
    visitor = Visitor(page, url)

    def said(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            visitor.complaints.append(f"{message.type}: {message.text}")

    def asked(request: Request) -> None:
        if not request.url.startswith((f"{url}/", "data:", "blob:", "about:")):
            visitor.complaints.append(f"left the machine: {request.url}")

    def fault(error: object) -> None:
        visitor.complaints.append(f"uncaught: {error}")

    context.on("console", said)
    context.on("request", asked)
    context.on("weberror", lambda e: fault(e.error))
    try:
        yield visitor
        assert visitor.unforgiven() == [], visitor.unforgiven()
    finally:
        await context.close()
