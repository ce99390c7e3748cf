"""Personal data out of the tests of presidio: texts with the places of bank cards, e-mail addresses and telephone numbers."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from redaction.sample import Sample

_KINDS = {
    "bank_card": "test_credit_card_recognizer.py",
    "email": "test_email_recognizer.py",
    "phone": "test_phone_recognizer.py",
}


def samples(root: Path) -> dict[str, list[Sample]]:
    """By kind. Telephone numbers without a country's prefix are left out: which country they are of is a guess."""
    tests = root / "presidio-analyzer" / "tests"
    return {kind: list(_rows(kind, tests / name)) for kind, name in _KINDS.items()}


def _rows(kind: str, path: Path) -> Iterator[Sample]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("parametrize") and isinstance(node.args[1], ast.List):
            for row in node.args[1].elts:
                cells = [c for c in row.elts if not isinstance(c, ast.Name)] if isinstance(row, ast.Tuple) else []
                values = [ast.literal_eval(c) for c in cells]
                if values and isinstance(values[0], str):
                    yield from _labelled(kind, path.name, values)


def _labelled(kind: str, name: str, values: list[Any]) -> Iterator[Sample]:
    text = str(values[0])
    places: list[tuple[int, int]] = []
    for value in values[2:]:
        if isinstance(value, tuple) and not places:
            places = [p for p in cast(tuple[Any, ...], value) if isinstance(p, tuple)]
    secrets = tuple(text[a:b] for a, b in places)
    if kind != "phone" or all(s.startswith("+") or (len(s) == 11 and s[0] == "1") for s in secrets):
        yield Sample("presidio", f"{name}:{kind}", text, secrets)
