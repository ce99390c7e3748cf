"""The shape of the files: how long they are, what they are called, and what they say they are for."""

import ast
from collections import Counter
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src" / "whoknows"
FILES = sorted(SRC.rglob("*.py"))
ALL_TEXTS = sorted([*FILES, *SRC.rglob("*.sql")])
TESTS = sorted(Path(__file__).parents[1].rglob("*.py"))
FAULT, SMELL = 400, 300
FORBIDDEN = {"utils", "util", "helpers", "helper", "common", "base", "manager", "engine", "misc"}


def name(path: Path) -> str:
    return str(path.relative_to(SRC.parents[1]))


@pytest.mark.parametrize("path", ALL_TEXTS, ids=name)
def test_no_file_is_longer_than_one_can_hold(path: Path) -> None:
    lines = len(path.read_text("utf-8").splitlines())
    if lines > SMELL:
        print(f"{name(path)}: {lines} lines, more than {SMELL} is a smell")
    assert lines <= FAULT, f"{lines} lines: split it"


@pytest.mark.parametrize("path", [*FILES, *TESTS], ids=lambda p: p.name)
def test_no_file_is_named_after_nothing(path: Path) -> None:
    assert not {part.removesuffix(".py") for part in path.relative_to(SRC.parents[1]).parts} & FORBIDDEN


def test_no_two_tests_outside_of_packages_have_one_name() -> None:
    """pytest would import the first for both, and collect neither."""
    bare = Counter(p.name for p in TESTS if p.name.startswith("test_") and not (p.parent / "__init__.py").exists())
    assert not [n for n, count in bare.items() if count > 1]


@pytest.mark.parametrize("path", FILES, ids=name)
def test_every_module_says_in_one_sentence_what_it_is_for(path: Path) -> None:
    said = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert said, "no docstring"
    first = said.split("\n\n")[0]
    assert first.rstrip().endswith((".", "?")), f"not a sentence: {first!r}"
    assert len(first) <= 320, "one sentence, not a page"


@pytest.mark.parametrize("path", FILES, ids=name)
def test_nothing_keeps_state_between_requests_in_a_module(path: Path) -> None:
    """No `global`, and no context variable: what matters for security is passed on in the open."""
    tree = ast.parse(path.read_text("utf-8"))
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.Global)]
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom | ast.Import) and "contextvars" in ast.unparse(n)]
