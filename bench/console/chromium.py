"""Debian's Chromium, driven by Playwright: nothing is fetched, and nothing is asked of anybody else."""

import os
from pathlib import Path

from playwright.async_api import Browser, Playwright

PLACES = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
"""Where Debian puts them; the first is the same engine without the windows around it, and costs a quarter less."""
CHROMIUM = os.environ.get("CHROMIUM") or next((p for p in PLACES if Path(p).exists()), PLACES[-1])
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
