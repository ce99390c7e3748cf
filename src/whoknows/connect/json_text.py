"""JSON texts that others wrote, edited in place: what is not ours keeps its order, its spacing and its comments."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from whoknows.connect.faults import ConnectFault

Path = Sequence[str | int]
DEEPEST = 200
"""Levels of nesting. A file of settings has a handful."""


@dataclass(frozen=True, slots=True)
class Node:
    """A value and where it stands in the text. ``parts`` are its members or elements, each with its name or its place."""

    start: int
    end: int
    kind: str
    """``{``, ``[`` or empty for a plain value."""
    parts: tuple["Part", ...] = ()

    def at(self, name: str | int) -> "Part | None":
        """The last one of that name: the one that a program takes where there are two."""
        return next((p for p in reversed(self.parts) if p.name == name), None)


@dataclass(frozen=True, slots=True)
class Part:
    """``start`` is where its name stands, for a member of an object. ``comma``: where the comma after it is."""

    name: str | int
    start: int
    node: Node
    comma: int | None


def parsed(text: str) -> Node:
    """The tree of ``text``. Comments and a comma before a closing bracket are let pass: it is not ours to judge them.

    Raises:
        ConnectFault: ``broken_file``, with the line.
    """
    return _Scanner(text).whole()


def value_of(text: str, node: Node) -> Any:
    match node.kind:
        case "{":
            return {p.name: value_of(text, p.node) for p in node.parts}
        case "[":
            return [value_of(text, p.node) for p in node.parts]
        case _:
            return json.loads(text[node.start : node.end])


def found(text: str, path: Path) -> Node | None:
    """The value at ``path``; None where there is none. A text of nothing but white space holds nothing."""
    node: Node | None = parsed(text) if text.strip() else None
    for name in path:
        part = node.at(name) if node is not None else None
        node = part.node if part is not None else None
    return node


def put(text: str, path: Path, value: Any) -> str:
    """``text`` with ``value`` at ``path``. Objects on the way are made; an index one past the end of an array adds to it."""
    if not text.strip():
        return rendered(_nested(path, value), _Style("  ", "\n", roomy=True), 0) + "\n"
    style = _style_of(text)
    node, depth = parsed(text), 0
    for n, name in enumerate(path):
        if node.kind != ("[" if isinstance(name, int) else "{"):
            where = ".".join(map(str, path[:n])) or "the whole"
            raise ConnectFault("unexpected_form", f"{where} is no {'list' if isinstance(name, int) else 'object'}")
        part = node.at(name)
        if part is None:
            return _added(text, node, depth, name, _nested(path[n + 1 :], value), style)
        node, depth = part.node, depth + 1
    if value_of(text, node) == value:
        return text
    return text[: node.start] + rendered(value, style, depth) + text[node.end :]


def removed(text: str, path: Path) -> str:
    """``text`` without what is at ``path``, and without its comma."""
    holder = found(text, path[:-1])
    index = next((n for n, p in reversed(list(enumerate(holder.parts))) if p.name == path[-1]), None) if holder else None
    if holder is None or index is None:
        return text
    part = holder.parts[index]
    around = text[holder.start + 1 : part.start] + text[part.node.end : holder.end - 1]
    if len(holder.parts) == 1 and not around.strip(" \t\r\n,"):  # no comment
        return text[: holder.start + 1] + text[holder.end - 1 :]
    if index + 1 < len(holder.parts):  # up to the next one, which takes its place
        return text[: part.start] + text[holder.parts[index + 1].start :]
    begins = part.start - len(text[: part.start]) + len(text[: part.start].rstrip())
    ends = part.node.end if part.comma is None else part.comma + 1
    before = holder.parts[index - 1].comma if index else None
    if before is None:
        return text[:begins] + text[ends:]
    return text[:before] + text[before + 1 : begins] + text[ends:]


def rendered(value: Any, style: "_Style", depth: int) -> str:
    if not style.roomy:
        return json.dumps(value, ensure_ascii=False)
    lines = json.dumps(value, ensure_ascii=False, indent=style.indent).split("\n")
    return (style.newline + style.indent * depth).join(lines)


@dataclass(frozen=True, slots=True)
class _Style:
    indent: str
    newline: str
    roomy: bool
    """Whether there is a line for each value."""


def _style_of(text: str) -> _Style:
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = text.strip().splitlines()
    indents = (line[: len(line) - len(line.lstrip())] for line in lines[1:] if line.strip())
    return _Style(next((i for i in indents if i), "  "), newline, roomy=len(lines) > 1 or text.strip() in ("{}", "[]"))


def _added(text: str, holder: Node, depth: int, name: str | int, value: Any, style: _Style) -> str:
    written = rendered(value, style, depth + 1)
    if isinstance(name, str):
        written = f"{json.dumps(name, ensure_ascii=False)}: {written}"
    line, outer = style.newline + style.indent * (depth + 1), style.newline + style.indent * depth
    if not holder.parts:
        inside = text[holder.start + 1 : holder.end - 1]
        kept = inside.rstrip() if inside.strip() else ""  # a comment
        written = f"{line}{written}{outer}" if style.roomy or kept else written
        return text[: holder.start + 1] + kept + written + text[holder.end - 1 :]
    last = holder.parts[-1]
    spread = style.roomy and "\n" in text[holder.start : holder.end]
    if not spread:
        compact = _Style(style.indent, style.newline, roomy=False)
        written = rendered(value, compact, 0) if isinstance(name, int) else f"{json.dumps(name)}: {rendered(value, compact, 0)}"
    if last.comma is not None:
        return text[: last.comma + 1] + (line if spread else " ") + written + text[last.comma + 1 :]
    beside = _rest_of_line(text, last.node.end, holder.end - 1) if spread else last.node.end
    return text[: last.node.end] + "," + text[last.node.end : beside] + (line if spread else " ") + written + text[beside:]


def _rest_of_line(text: str, start: int, end: int) -> int:
    """Where a comment ends that stands beside a value, else ``start``."""
    stop = text.find("\n", start, end)
    rest = text[start : stop if stop >= 0 else end]
    return start + len(rest.rstrip()) if rest.strip().startswith("//") else start


def _nested(path: Path, value: Any) -> Any:
    for name in reversed(path):
        value = [value] if isinstance(name, int) else {name: value}
    return value


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._decoder = json.JSONDecoder()

    def whole(self) -> Node:
        self._blank()
        node = self._value(0)
        self._blank()
        if self._at < len(self._text):
            raise self._broken("there is something after the end")
        return node

    def _value(self, depth: int) -> Node:
        if depth > DEEPEST:
            raise self._broken("it is nested too deep")
        match self._text[self._at : self._at + 1]:
            case "{":
                return self._holder("{", "}", self._member, depth)
            case "[":
                return self._holder("[", "]", self._element, depth)
            case _:
                start = self._at
                self._plain()
                return Node(start, self._at, "")

    def _holder(self, opened: str, closed: str, one: Callable[[int, int], tuple[str | int, int, Node]], depth: int) -> Node:
        start = self._at
        self._at += 1
        parts: list[Part] = []
        self._blank()
        while not self._text.startswith(closed, self._at):
            name, begins, node = one(len(parts), depth + 1)
            self._blank()
            comma = self._at if self._text.startswith(",", self._at) else None
            parts.append(Part(name, begins, node, comma))
            if comma is None:
                break
            self._at += 1
            self._blank()
        if not self._text.startswith(closed, self._at):
            raise self._broken(f"a {closed} or a comma is missing")
        self._at += 1
        return Node(start, self._at, opened, tuple(parts))

    def _member(self, _: int, depth: int) -> tuple[str | int, int, Node]:
        start = self._at
        if not self._text.startswith('"', start):
            raise self._broken("a name in quotes is missing")
        self._plain()
        name = json.loads(self._text[start : self._at])
        self._blank()
        if not self._text.startswith(":", self._at):
            raise self._broken("a colon is missing")
        self._at += 1
        self._blank()
        return name, start, self._value(depth)

    def _element(self, n: int, depth: int) -> tuple[str | int, int, Node]:
        return n, self._at, self._value(depth)

    def _plain(self) -> None:
        try:
            _, self._at = self._decoder.raw_decode(self._text, self._at)
        except ValueError as fault:
            raise self._broken("no value can be read") from fault

    def _blank(self) -> None:
        for skip in iter(self._next_blank, 0):
            self._at += skip

    def _next_blank(self) -> int:
        rest = self._text
        if rest.startswith("//", self._at):
            end = rest.find("\n", self._at)
            return (len(rest) if end < 0 else end) - self._at
        if rest.startswith("/*", self._at):
            end = rest.find("*/", self._at + 2)
            if end < 0:
                raise self._broken("a comment does not end")
            return end + 2 - self._at
        return 1 if rest[self._at : self._at + 1] in _WHITE else 0

    def _broken(self, why: str) -> ConnectFault:
        line = self._text.count("\n", 0, self._at) + 1
        return ConnectFault("broken_file", f"this is no JSON, line {line}: {why}")


_WHITE = frozenset(" \t\r\n")
