"""The generated reference is what the code says now."""

from pathlib import Path

import pytest

import shipped_tools
from reference import FOLDER, pages


@pytest.mark.parametrize("name", ["settings.md", "cli.md", "errors.md", "rest.md", "mcp.md"])
def test_the_reference_page_is_what_make_docs_would_write(name: str) -> None:
    assert (FOLDER / name).read_text("utf-8") == pages()[name], "run `make docs`"


def test_every_page_of_the_reference_is_generated() -> None:
    assert {p.name for p in FOLDER.iterdir()} == set(pages())


def test_the_tools_that_are_shipped_with_the_hook_command_are_those_of_the_server() -> None:
    assert Path(shipped_tools.FILE).read_bytes() == shipped_tools.written(), "run `make docs`"
