"""YAML that was not trusted: nodes with their lines, and one finding for each thing that is wrong."""

import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

E = TypeVar("E", bound=StrEnum)
_YAML: Any = yaml
"""Without types for what it reads: each node is looked at below."""
LARGEST = 256 * 1024
"""Bytes of a file."""
DEEPEST = 20
_UNSEEN = ("Cc", "Cf")
_UNWRITTEN = ("Cc", "Cs")
"""Categories of characters: controls and formats show nothing; controls and halves of characters no text is stored with."""
_STRING = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class Fault:
    """``line`` counts from 1. ``field`` is the way to the value, ``roles[0].name.zh``; empty for the file as a whole."""

    line: int
    field: str
    detail: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.field}: {self.detail}" if self.field else f"line {self.line}: {self.detail}"


class Unreadable(Exception):
    """Raised with the fault of a text that is no YAML of ours at all."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(str(fault))
        self.fault = fault


def root(text: bytes) -> Node:
    """The one document of ``text``. Raises Unreadable: not UTF-8, too large, no YAML, anchors, several documents, too deep."""
    if len(text) > LARGEST:
        raise Unreadable(Fault(1, "", f"the file has more than {LARGEST} bytes: split it"))
    try:
        decoded = text.decode("utf-8-sig")
    except UnicodeDecodeError as e:
        raise Unreadable(Fault(text[: e.start].count(b"\n") + 1, "", "this is not UTF-8: save the file as UTF-8")) from e
    try:
        depth = 0
        for event in _YAML.parse(decoded, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            line: int = event.start_mark.line + 1 if event.start_mark else 1
            if isinstance(event, yaml.AliasEvent):
                raise Unreadable(Fault(line, "", "anchors and aliases are not taken: write the value out"))
            if depth > DEEPEST:
                raise Unreadable(Fault(line, "", "this is nested too deeply for a script"))
        node: Node | None = _YAML.compose(decoded, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as e:
        mark: Any = e.problem_mark or e.context_mark
        raise Unreadable(Fault(mark.line + 1 if mark else 1, "", f"this is no YAML: {e.problem or e.context}")) from e
    except (ValueError, OverflowError) as e:  # a number that is none: of a version, or of an escaped character
        raise Unreadable(Fault(1, "", "this is no YAML: a number in it is out of its range")) from e
    except yaml.YAMLError as e:  # a character that YAML does not take
        raise Unreadable(Fault(1, "", "the file holds characters that YAML does not take: remove control characters")) from e
    if node is None:
        raise Unreadable(Fault(1, "", "the file is empty"))
    return node


@dataclass
class Findings:
    """What is wrong so far, in the order of the file."""

    faults: list[Fault] = field(default_factory=list[Fault])

    def add(self, node: Node, path: str, detail: str) -> None:
        self.faults.append(Fault(node.start_mark.line + 1, path, detail))

    def mapping(self, node: Node, path: str, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> Mapping[str, Node]:
        """The values by key; what is missing, unknown or named twice is found here."""
        if not isinstance(node, MappingNode):
            self.add(node, path, f"write `key: value` pairs here: {', '.join(required)}")
            return {}
        values: dict[str, Node] = {}
        for key, value in _pairs(node):
            name = key.value if isinstance(key, ScalarNode) else ""
            if name in values:
                self.add(key, _below(path, name), "this stands twice: keep one")
            elif name not in required + optional:
                known = ", ".join((*required, *optional))
                self.add(key, _below(path, name), f"there is no such field: take it out; known are {known}")
            else:
                values[name] = value
        for name in required:
            if name not in values:
                self.add(node, _below(path, name), "this is missing: add it")
        return values

    def sequence(self, node: Node, path: str, least: int, most: int) -> list[tuple[str, Node]]:
        """(path, item) of a list of ``least`` to ``most`` items."""
        if not isinstance(node, SequenceNode):
            self.add(node, path, "write a list here: items that begin with `- `")
            return []
        items: list[Node] = list(node.value)
        if not least <= len(items) <= most:
            self.add(node, path, f"{len(items)} items, {least} to {most} are needed")
        return [(f"{path}[{n}]", item) for n, item in enumerate(items[:most])]

    def text(self, node: Node, path: str, most: int, fits: Callable[[str], str | None] = lambda _: None) -> str:
        """A text that says something; ``fits`` answers what is wrong with it, or None."""
        if not isinstance(node, ScalarNode):
            self.add(node, path, "write a text here")
            return ""
        value: str = node.value.strip()
        if node.tag != _STRING:
            self.add(node, path, f"{value!r} is read as something else than a text: put it in quotes")
        elif all(c.isspace() or unicodedata.category(c) in _UNSEEN for c in value):
            self.add(node, path, "this is empty: write something")
        elif wrong := next((c for c in value if unicodedata.category(c) in _UNWRITTEN and c not in "\n\t"), None):
            self.add(node, path, f"the character {wrong!a} is no text: take it out")
        elif len(value) > most:
            self.add(node, path, f"{len(value)} characters, {most} are accepted: shorten it")
        elif wrong := fits(value):
            self.add(node, path, wrong)
        return value

    def choice(self, node: Node, path: str, kind: type[E]) -> E | None:
        value = self.text(node, path, 100)
        if value in set(kind):
            return kind(value)
        if value:
            self.add(node, path, f"{value!r} is none of {', '.join(kind)}")
        return None


def _pairs(node: MappingNode) -> Iterator[tuple[Node, Node]]:
    yield from node.value


def _below(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name
