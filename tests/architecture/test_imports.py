"""Directions of imports, as the contracts in pyproject.toml have them, and some that the contracts cannot say."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "whoknows"
CORE = [p for part in ("domain", "policy", "gate", "recall", "documents", "flows") for p in sorted((SRC / part).rglob("*.py"))]
ALLOWED_OUTSIDE = {
    "domain": set[str](),
    "policy": set[str](),
    "gate": {"phonenumbers", "stdnum", "rjieba"},
    "flows": set[str](),
    "documents": set[str](),
    "recall": {"Stemmer", "rjieba", "opencc"},
}
"""What the core may import beside the standard library: words are cut, and numbers checked, by those who know how."""


def test_the_contracts_are_kept() -> None:
    done = subprocess.run(
        [Path(sys.executable).parent / "lint-imports", "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", CORE, ids=lambda p: f"{p.relative_to(SRC).parts[0]}/{p.name}")
def test_the_core_imports_itself_and_the_standard_library(path: Path) -> None:
    outside = {m.split(".")[0] for m in imported(path)} - {"whoknows"} - sys.stdlib_module_names
    assert outside <= ALLOWED_OUTSIDE[path.relative_to(SRC).parts[0]]


@pytest.mark.parametrize(
    "path",
    [p for p in CORE if p.relative_to(SRC).parts[0] in ("domain", "policy", "gate", "recall")],
    ids=lambda p: f"{p.relative_to(SRC).parts[0]}/{p.name}",
)
def test_pure_parts_wait_for_nothing_and_read_no_clock(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.AsyncFunctionDef | ast.Await)]
    called = {ast.unparse(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    assert not called & {"datetime.now", "datetime.utcnow", "time.time", "open", "print"} or path.name == "ids.py"


def test_a_scope_is_derived_in_flows_and_nowhere_else() -> None:
    """`scope_for` is called in flows; edges and stores are handed a scope, or never see one."""
    callers = {
        p.parent.relative_to(SRC).parts[0]
        for p in SRC.rglob("*.py")
        for n in ast.walk(ast.parse(p.read_text("utf-8")))
        if isinstance(n, ast.Call) and ast.unparse(n.func) in ("scope_for", "ReadScope") and p.parent != SRC
    }
    assert callers <= {"flows", "policy"}


def imported(path: Path) -> set[str]:
    """Modules that a file imports, wherever in it."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
    return found
