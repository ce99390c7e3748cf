"""TOML texts that people and programs wrote, edited line by line: comments, spacing and the order of what is not ours stay."""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from whoknows.connect.faults import ConnectFault

Keys = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Statement:
    """A header of a table (``is_table``) or a pair. ``keys`` is the whole path; ``start`` to ``end`` are whole lines.

    ``value``: where the value of a pair stands.
    """

    keys: Keys
    is_table: bool
    start: int
    end: int
    value: tuple[int, int] = (0, 0)


def loaded(text: str) -> dict[str, Any]:
    """Raises:
    ConnectFault: ``broken_file``.
    """
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise ConnectFault("broken_file", f"this is no TOML: {fault}") from fault


def value_at(text: str, keys: Keys) -> Any:
    """None where there is none."""
    value: Any = loaded(text)
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    return value  # pyright: ignore[reportUnknownVariableType]


def with_table(text: str, keys: Keys, table: Mapping[str, Any]) -> str:
    """``text`` with that table at its end, in place of what it said about it before."""
    if value_at(text, keys) == dict(table):
        return text
    cleared = without(text, keys)
    block = "\n".join(_table(keys, table)) + "\n"
    newline = "\r\n" if "\r\n" in text else "\n"
    joint = "" if not cleared.strip() else "\n" if cleared.endswith("\n") else "\n\n"
    made = cleared + (joint + block).replace("\n", newline)
    return _checked(made, _having(loaded(cleared), keys, dict(table)))


def without(text: str, *paths: Keys) -> str:
    """``text`` without those tables and values, all below them, and the empty line before each."""
    kept, at = "", 0
    for s in statements(text):
        if any(s.keys[: len(p)] == p for p in paths):
            before = text[at : s.start]
            ours = s.is_table and (
                at or before.strip()
            )  # nothing stands between the beginning of a file and what is added to it
            kept += _without_last_blank_line(before) if ours else before
            at = s.end
    if not at:
        return text
    wanted = loaded(text)
    for keys in paths:
        wanted = _lacking(wanted, keys)
    return _checked(kept + text[at:], wanted, loosely=True)


def with_value(text: str, keys: Keys, literal: str) -> str:
    """``text`` with a pair set: in its place where there is one, else below the header of its table, made if need be."""
    wanted = _having(loaded(text), keys, tomllib.loads(f"v = {literal}")["v"])
    newline = "\r\n" if "\r\n" in text else "\n"
    found = list(statements(text))
    for s in found:
        if not s.is_table and s.keys == keys:
            return _checked(text[: s.value[0]] + literal + text[s.value[1] :], wanted)
    line = f"{_key(keys[-1])} = {literal}{newline}"
    for s in found:
        if s.is_table and s.keys == keys[:-1]:
            joint = "" if text[: s.end].endswith("\n") else newline
            return _checked(text[: s.end] + joint + line + text[s.end :], wanted)
    joint = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    return _checked(f"{text}{joint}[{'.'.join(map(_key, keys[:-1]))}]{newline}{line}", wanted)


def statements(text: str) -> Iterator[Statement]:
    """Every header and every pair of a text that is valid TOML."""
    at, table = 0, ()
    while at < len(text):
        start = at
        at = _blank(text, at, " \t\r\n")
        if at >= len(text):
            return
        if text[at] == "#":
            at = _line_end(text, at)
            continue
        start = max(start, text.rfind("\n", 0, at) + 1)
        if text[at] == "[":
            at = _blank(text, at, "[ \t")
            table, at = _keys(text, at)
            end = _line_end(text, at)
            yield Statement(table, True, start, end)
        else:
            keys, at = _keys(text, at)
            begins = _blank(text, at + 1, " \t")
            ends = _value_end(text, begins)
            end = _line_end(text, ends)
            yield Statement(table + keys, False, start, end, (begins, ends))
        at = end


def _table(keys: Keys, table: Mapping[str, Any]) -> Iterator[str]:
    below: list[tuple[str, dict[str, Any]]] = [(k, v) for k, v in table.items() if isinstance(v, dict)]
    plain = {k: v for k, v in table.items() if not isinstance(v, dict)}
    if plain or not table:
        yield f"[{'.'.join(map(_key, keys))}]"
    for name, value in plain.items():
        yield f"{_key(name)} = {literal(value)}"
    for n, (name, value) in enumerate(below):
        if plain or n:
            yield ""
        yield from _table((*keys, name), value)


def literal(value: str | bool | float | Sequence[str]) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return str(value)
        case str():
            return '"' + "".join(_escaped(c) for c in value) + '"'
        case _:
            return f"[{', '.join(literal(v) for v in value)}]"


def _escaped(c: str) -> str:
    if c in '"\\':
        return f"\\{c}"
    return f"\\u{ord(c):04x}" if ord(c) < 0x20 or ord(c) == 0x7F else c


def _key(name: str) -> str:
    return name if name and all(c.isascii() and (c.isalnum() or c in "-_") for c in name) else literal(name)


def _keys(text: str, at: int) -> tuple[Keys, int]:
    """A dotted key from ``at``, and where it ends: at the ``]`` or the ``=`` behind it."""
    keys: list[str] = []
    while True:
        at = _blank(text, at, " \t")
        end = _string_end(text, at) if text[at] in "\"'" else _blank(text, at, _BARE)
        raw = text[at:end]
        keys.append(next(iter(tomllib.loads(f"{raw} = 0"))))
        at = _blank(text, end, " \t")
        if not text.startswith(".", at):
            return tuple(keys), at
        at += 1


def _value_end(text: str, at: int) -> int:
    if text[at] in "\"'":
        return _string_end(text, at)
    if text[at] not in "[{":
        while at < len(text) and text[at] not in "\r\n#":
            at += 1
        return len(text[:at].rstrip(" \t"))
    depth = 0
    while True:
        match text[at]:
            case "[" | "{":
                depth += 1
            case "]" | "}":
                depth -= 1
                if not depth:
                    return at + 1
            case '"' | "'":
                at = _string_end(text, at)
                continue
            case "#":
                at = _line_end(text, at)
                continue
            case _:
                pass
        at += 1


def _string_end(text: str, at: int) -> int:
    quote = text[at]
    closing = quote * 3 if text.startswith(quote * 3, at) else quote
    at += len(closing)
    while not text.startswith(closing, at):
        at += 2 if quote == '"' and text[at] == "\\" else 1
    at += len(closing)
    while len(closing) == 3 and text.startswith(quote, at):  # quotes at the very end of a long text
        at += 1
    return at


def _blank(text: str, at: int, signs: str) -> int:
    while at < len(text) and text[at] in signs:
        at += 1
    return at


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _without_last_blank_line(text: str) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(lines[:-1]) if lines and not lines[-1].strip() else text


def _having(data: dict[str, Any], keys: Keys, value: Any) -> dict[str, Any]:
    first, *rest = keys
    below = data.get(first, {})
    if rest and not isinstance(below, dict):
        raise ConnectFault("unexpected_form", f"{first} is no table")
    return {**data, first: _having(below, tuple(rest), value) if rest else value}  # pyright: ignore[reportUnknownArgumentType]


def _lacking(data: dict[str, Any], keys: Keys) -> dict[str, Any]:
    first, *rest = keys
    if first not in data:
        return data
    if not rest:
        return {k: v for k, v in data.items() if k != first}
    below = data[first]
    return {**data, first: _lacking(below, tuple(rest)) if isinstance(below, dict) else below}  # pyright: ignore[reportUnknownArgumentType]


def _checked(text: str, wanted: dict[str, Any], loosely: bool = False) -> str:
    """``text``, once it is sure that it says what is wanted and nothing else. ``loosely``: empty tables do not count."""
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise ConnectFault("unexpected_form", f"this file cannot be edited safely ({fault}): do it by hand") from fault
    if (_pruned(said) != _pruned(wanted)) if loosely else (said != wanted):
        raise ConnectFault("unexpected_form", "this file is written in a way that cannot be edited safely: do it by hand")
    return text


def _pruned(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    kept = {k: _pruned(v) for k, v in cast(dict[str, Any], value).items()}
    return {k: v for k, v in kept.items() if v != {}}


_BARE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
