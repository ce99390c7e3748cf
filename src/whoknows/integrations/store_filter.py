"""Filters of a LangGraph store: which values they let through, and which namespaces a condition means."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda found, wanted: found == wanted,
    "$ne": lambda found, wanted: found != wanted,
    "$gt": lambda found, wanted: _comparable(found, wanted) and found > wanted,
    "$gte": lambda found, wanted: _comparable(found, wanted) and found >= wanted,
    "$lt": lambda found, wanted: _comparable(found, wanted) and found < wanted,
    "$lte": lambda found, wanted: _comparable(found, wanted) and found <= wanted,
}


def checked(conditions: Mapping[str, Any] | None) -> None:
    """ValueError for an operator that there is not, before anything is asked."""
    for wanted in (conditions or {}).values():
        if isinstance(wanted, dict):
            operators = [k for k in cast(dict[str, Any], wanted) if k.startswith("$")]
            unknown = [k for k in operators if k not in OPERATORS]
            if unknown:
                raise ValueError(f"Unsupported operator: {', '.join(unknown)}; there are {', '.join(OPERATORS)}")
            checked(cast(dict[str, Any], wanted) if not operators else None)


def lets_through(conditions: Mapping[str, Any] | None, value: Mapping[str, Any]) -> bool:
    return all(_meets(value.get(name), wanted) for name, wanted in (conditions or {}).items())


def is_meant(kind: str, path: Sequence[str], namespace: Sequence[str]) -> bool:
    """Whether a namespace begins (``prefix``) or ends (``suffix``) as the path says; ``*`` stands for any one part."""
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if kind == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", found) for wanted, found in zip(path, part, strict=True))


def _meets(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict):
        fields = cast(dict[str, Any], wanted)
        if any(k.startswith("$") for k in fields):
            return all(OPERATORS[k](found, v) for k, v in fields.items() if k.startswith("$"))
        return isinstance(found, dict) and lets_through(fields, cast(dict[str, Any], found))
    if isinstance(wanted, list | tuple):
        parts = list(cast(Sequence[Any], wanted))
        if not isinstance(found, list):
            return False
        there = cast(list[Any], found)
        return len(there) == len(parts) and all(_meets(f, w) for f, w in zip(there, parts, strict=True))
    return found == wanted


def _comparable(found: Any, wanted: Any) -> bool:
    numbers = isinstance(found, int | float) and isinstance(wanted, int | float)
    return numbers or (isinstance(found, str) and isinstance(wanted, str))
