"""Debian's Chromium, driven by Playwright: nothing is fetched, and nothing is asked of anybody else."""

import os

from playwright.async_api import Browser, Playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


async def launched(playwright: Playwright) -> Browser:
    """A browser without a window. The variable CHROMIUM names another program than Debian's."""
    return await playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
