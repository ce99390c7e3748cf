"""Samples out of the tests of detect-secrets: the rows of its parametrized tests, read without running them."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from redaction.sample import Sample

_STANDARD = {"base64", "random", "textwrap", "string", "json"}
_NOT_SECRETS = {"ip_public_test.py", "base_test.py", "high_entropy_strings_test.py"}
"""An address is no secret, and a string of high entropy is one by its looks alone: no label of a person stands behind it."""


def samples(root: Path) -> Iterator[Sample]:
    """Rows that contradict each other (the same line counts in Go and not in Java) are left out."""
    rows: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
    for path in sorted((root / "tests" / "plugins").glob("*_test.py")):
        if path.name not in _NOT_SECRETS:
            for text, secret in _rows(path):
                rows[text].add((path.name, secret))
    for text, found in rows.items():
        secrets = {s for _, s in found}
        if len(secrets) == 1 and len(text) < 2000:
            yield Sample("detect-secrets", min(found)[0], text, tuple(s for s in secrets if s))


def _rows(path: Path) -> Iterator[tuple[str, str]]:
    tree = ast.parse(path.read_text())
    names: dict[str, Any] = {}
    for node in tree.body:
        kept = isinstance(node, ast.Assign) or (isinstance(node, ast.FunctionDef) and not node.decorator_list)
        if (
            kept
            or (isinstance(node, ast.Import) and all(a.name in _STANDARD for a in node.names))
            or (isinstance(node, ast.ImportFrom) and node.module in _STANDARD)
        ):
            _run(node, names)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            for decorator in node.decorator_list:
                if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("parametrize"):
                    yield from _labelled(decorator, names)


def _run(node: ast.stmt, names: dict[str, Any]) -> None:
    try:
        exec(compile(ast.Module([node], []), "corpus", "exec"), names)
    except (NameError, AttributeError):
        return  # it needs the project itself


def _labelled(decorator: ast.Call, names: dict[str, Any]) -> Iterator[tuple[str, str]]:
    try:
        arguments, values = (eval(compile(ast.Expression(a), "corpus", "eval"), names) for a in decorator.args[:2])
    except (NameError, AttributeError, ValueError):
        return
    fields = [a.strip() for a in arguments.split(",")] if isinstance(arguments, str) else list(arguments)
    for row in values:
        cells = dict(zip(fields, row if len(fields) > 1 else (row,), strict=False))
        text = next((cells[f] for f in ("line", "payload", "file_content", "secret") if isinstance(cells.get(f), str)), None)
        if text is None:
            continue
        label = next((cells[f] for f in ("expected_secret", "should_flag", "expected_output") if f in cells), True)
        if isinstance(label, str) and label in text:
            yield text, label
        elif not label:
            yield text, ""
        elif "PRIVATE KEY" not in text and (core := _core(text)):
            yield text, core


def _core(text: str) -> str:
    # Where a row says only that a line holds a secret, it is the longest run without white space and quotes.
    text = re.sub(r"X-JFrog-Art-Api|//registry\.npmjs\.org/|//username|//api\.softlayer\.com/soap/v3[.1]*/", " ", text)
    runs = re.findall(r"[^\s\"'`=:<>(){},;@]{6,}", text)
    return max(runs, key=len, default="")
