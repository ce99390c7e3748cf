"""Draw docs/images/who-knows-what.svg: what `whoknows knows` answers on a fresh installation with fixed data."""

import asyncio
import io
import re
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console

from whoknows.bootstrap import build, install
from whoknows.cli.draw_knowledge import matrix
from whoknows.client import AsyncWhoKnows
from whoknows.rest.app import create_app
from whoknows.settings import Settings

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "who-knows-what.svg"
_HOST = "http://127.0.0.1"
_WIDTH = 110
"""Columns."""
_FONTS = "DejaVu Sans Mono, Menlo, Consolas, monospace"
"""What readers have: nothing is fetched."""


def picture() -> str:
    """The SVG, the same at every call: neither ids nor times are in the matrix."""
    with tempfile.TemporaryDirectory(prefix="whoknows-picture-", ignore_cleanup_errors=True) as directory:
        return _drawn(asyncio.run(_answer(Path(directory))))


async def _answer(directory: Path) -> Any:
    """What the main agent of the story gets from `GET /knows`."""
    settings = replace(Settings.read({}), data_dir=directory)
    installation = install(settings)
    service = build(settings, installation)
    await service.store.open()
    app = create_app(service, body_bytes=settings.body_bytes, version="")
    try:
        async with AsyncWhoKnows(_HOST, key=installation.new_key or "", transport=httpx.ASGITransport(app)) as admin:
            return await _story(admin, app)
    finally:
        await service.close()


async def _story(admin: AsyncWhoKnows, app: Any) -> Any:
    for name in ("claude", "codex", "pi"):
        await admin.add_agent(name, role="main")
    await admin.add_agent("scout", role="sub", parent="claude", clearance="need_to_know")
    await admin.add_team("shop")
    for team, name in (("shop", "claude"), ("shop", "codex"), ("shop", "scout"), ("*", "claude")):
        await admin.join_team(team, f"agent:{name}", "writer")

    async def acting(name: str) -> AsyncWhoKnows:
        made = await admin.add_key([name])
        return AsyncWhoKnows(_HOST, key=made["key"], transport=httpx.ASGITransport(app))

    async with await acting("claude") as claude, await acting("codex") as codex:
        await claude.capture("I doubt the rollback of 0042.")
        await claude.capture("Pi: our interface changes on Friday.", visible_to=["pi"])
        await claude.capture("We renew the certificate on Monday.", **_team("shop"), visible_to=["codex"])
        await codex.capture("The staging database is on port 5433.", **_team("shop"))
        await codex.capture("发布前必须先跑完整的回归测试。", **_team("shop"))
        await claude.capture("Nothing is merged on Fridays.", **_team("*"))
        return await claude.knows(limit=20)


def _team(name: str) -> Any:
    return {"memory_type": "team", "team_id": name}


def _drawn(answer: Any) -> str:
    console = Console(record=True, file=io.StringIO(), width=_WIDTH, markup=False, highlight=False, emoji=False)
    matrix(console, answer)
    svg = console.export_svg(title="claude $ whoknows knows", unique_id="who-knows-what")
    return re.sub(r"@font-face\s*\{.*?\}\s*", "", svg, flags=re.DOTALL).replace("Fira Code, monospace", _FONTS)


def main() -> None:
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    PICTURE.write_text(picture(), "utf-8")
    print(f"docs/images/{PICTURE.name}")


if __name__ == "__main__":
    sys.exit(main())
