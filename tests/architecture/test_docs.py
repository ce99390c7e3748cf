"""What the documentation names is there: links, files, commands and their options, settings."""

import re
import shlex
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from whoknows.cli.main import app
from whoknows.settings import CLIENT_SETTINGS, PREFIX, Settings

ROOT = Path(__file__).parents[2]
DECISIONS = ROOT / "docs" / "decisions"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SETTINGS = {PREFIX + f.name.upper() for f in fields(Settings)} | set(CLIENT_SETTINGS)
TESTS_ONLY = {"WHOKNOWS_STATE_STEPS", "WHOKNOWS_HARNESS", "WHOKNOWS_HARNESS_RUNS"}


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_link_leads_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)\s#]+)[^)]*\)", page.read_text("utf-8"))
    assert not [t for t in targets if "://" not in t and not (page.parent / t).exists()]


def test_every_decision_stands_in_the_list_of_decisions() -> None:
    listed = re.findall(r"^\| \[(\d{4})\]\((\d{4}[\w-]*\.md)\) \|", (DECISIONS / "README.md").read_text("utf-8"), re.MULTILINE)
    assert [file for _, file in listed] == sorted(p.name for p in DECISIONS.glob("0*.md"))
    assert all(number == file[:4] for number, file in listed)


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_file_that_is_named_is_there(page: Path) -> None:
    named = re.findall(r"`((?:src|tests|bench|docs)/[\w./-]+\.\w+)`", page.read_text("utf-8"))
    assert not [n for n in named if not (ROOT / n).exists()]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_setting_that_is_named_is_one(page: Path) -> None:
    named = set(re.findall(r"\bWHOKNOWS_[A-Z_]*[A-Z]\b(?!…)", page.read_text("utf-8")))
    assert named <= SETTINGS | TESTS_ONLY


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_command_in_a_shell_block_is_one_with_these_options(page: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    calls = [c for b in blocks for c in re.findall(r"(?:^|[ (])(?:whoknows|as_\w+) +([a-z][^\n|)>&;#]*)", b, re.MULTILINE)]
    assert not [call for call in calls if not _is_a_call(shlex.split(call.replace('"', "").replace("'", "")))]


def _is_a_call(words: list[str]) -> bool:
    command: Any = get_command(app)
    while hasattr(command, "commands"):
        if not words or words[0] not in command.commands:
            return False
        command = command.commands[words.pop(0)]
    options = {o for p in command.params for o in (*p.opts, *p.secondary_opts)} | {"--help"}
    return all(w in options for w in words if w.startswith("-") and w != "-")
