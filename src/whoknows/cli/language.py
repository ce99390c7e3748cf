"""The language of what a command shows to people, where it is written in both."""

import os
from typing import Annotated

from typer import Option

from whoknows.cli.faults import CliFault, ExitCode

Lang = Annotated[str | None, Option("--lang", metavar="zh|en", help="Language. Default: the terminal's.")]


def language(lang: str | None) -> str:
    """What was said, else what the terminal says."""
    if lang is None:
        terminal = os.environ.get("LC_ALL") or os.environ.get("LC_MESSAGES") or os.environ.get("LANG") or ""
        return "zh" if terminal.startswith("zh") else "en"
    if lang not in ("zh", "en"):
        raise CliFault("usage", f"--lang is zh or en, not {lang!r}", ExitCode.USAGE)
    return lang
