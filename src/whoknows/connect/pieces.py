"""What stands in the files of a program once it is connected: whole files of ours, and our entries in files of others."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from whoknows.connect import json_text, toml_text
from whoknows.connect.faults import ConnectFault
from whoknows.connect.files import as_text

MARK = "whoknows-hook"
"""A command in a hook file that holds this is ours."""


class Piece(Protocol):
    """One file and our part of it. ``base`` is what the file held before us: what was empty in it already stays."""

    @property
    def path(self) -> Path: ...
    @property
    def mode(self) -> int:
        """Of the file, where it is new."""
        ...

    def present(self, content: bytes | None) -> bool:
        """Whether anything of ours is in it."""
        ...

    def written_by_us(self, content: bytes | None) -> bool:
        """Whether what is in it can only be ours, so that it goes although no record knows it. What somebody wrote there by
        hand stays, or comes back."""
        ...

    def added(self, content: bytes | None) -> bytes: ...
    def removed(self, content: bytes, base: bytes | None) -> bytes | None:
        """None: there is nothing in it but ours."""
        ...


@dataclass(frozen=True, slots=True)
class WholeFile:
    """A file that is ours from the first byte to the last."""

    path: Path
    content: bytes
    mode: int = 0o644

    def present(self, content: bytes | None) -> bool:
        return content == self.content

    def written_by_us(self, content: bytes | None) -> bool:
        return content == self.content

    def added(self, content: bytes | None) -> bytes:  # noqa: ARG002
        return self.content

    def removed(self, content: bytes, base: bytes | None) -> bytes | None:  # noqa: ARG002
        return base


@dataclass(frozen=True, slots=True)
class Hooks:
    """Groups of hooks in a JSON file of hooks: for each event one group of ours, at the end of those that are there."""

    path: Path
    groups: Mapping[str, Mapping[str, Any]]
    mode: int = 0o644

    def present(self, content: bytes | None) -> bool:
        with naming(self.path):
            return bool(places_of_ours(_json(self.path, content)[1]))

    def written_by_us(self, content: bytes | None) -> bool:
        with naming(self.path):
            text = _json(self.path, content)[1]
            found = [json_text.found(text, ("hooks", event, g, "hooks", h)) for event, g, h in places_of_ours(text)]
            said = [_members(json_text.value_of(text, node)) for node in found if node is not None]
            commands = {_members(h).get("command") for g in self.groups.values() for h in _elements(g.get("hooks"))}
            return bool(said) and all(hook.get("command") in commands for hook in said)

    def added(self, content: bytes | None) -> bytes:
        with naming(self.path):
            mark, text = _json(self.path, content)
            for event, group in self.groups.items():
                text = _with_group(text, event, group)
            return (mark + text).encode()

    def removed(self, content: bytes, base: bytes | None) -> bytes | None:
        with naming(self.path):
            mark, text = _json(self.path, content)
            ours = places_of_ours(text)
            text = _without(text, ours)
            was = as_text(self.path, base)[1]
            for path in (*(("hooks", event) for event in dict.fromkeys(p[0] for p in ours)), ("hooks",)):
                node = json_text.found(text, path)
                if node is not None and not node.parts and json_text.found(was, path) is None:
                    text = json_text.removed(text, path)
            left = json_text.found(text, ())
            return None if base is None and (left is None or not left.parts) else (mark + text).encode()


def places_of_ours(text: str) -> list[tuple[str, int, int]]:
    """(event, group, hook) of each hook of ours, as they are counted in the file."""
    root = json_text.found(text, ("hooks",))
    events = _members(json_text.value_of(text, root)) if root is not None else {}
    return [
        (event, g, h)
        for event, groups in events.items()
        for g, group in enumerate(_elements(groups))
        for h, hook in enumerate(_elements(_members(group).get("hooks")))
        if MARK in str(_members(hook).get("command", ""))
    ]


@dataclass(frozen=True, slots=True)
class Tables:
    """Tables in a TOML file. ``also``: what else there is of ours that a program wrote by itself, taken out with them."""

    path: Path
    tables: Mapping[toml_text.Keys, Mapping[str, Any]]
    also: Sequence[toml_text.Keys] = ()
    mode: int = 0o600

    def present(self, content: bytes | None) -> bool:
        with naming(self.path):
            text = as_text(self.path, content)[1]
            return any(toml_text.value_at(text, keys) is not None for keys in (*self.tables, *self.also))

    def written_by_us(self, content: bytes | None) -> bool:
        with naming(self.path):
            text = as_text(self.path, content)[1]
            said = [(_members(toml_text.value_at(text, keys)), table) for keys, table in self.tables.items()]
            return any(value for value, _ in said) and all(not value or set(value) == set(table) for value, table in said)

    def added(self, content: bytes | None) -> bytes:
        mark, text = as_text(self.path, content)
        with naming(self.path):
            for keys, table in self.tables.items():
                text = toml_text.with_table(text, keys, table)
        return (mark + text).encode()

    def removed(self, content: bytes, base: bytes | None) -> bytes | None:
        mark, text = as_text(self.path, content)
        with naming(self.path):
            text = toml_text.without(text, *self.tables, *self.also)
            was = as_text(self.path, base)[1]
            for keys in self.tables:
                if table := _members(toml_text.value_at(was, keys)):  # somebody's own, in whose place ours stood
                    text = toml_text.with_table(text, keys, table)
        return None if base is None and not text.strip() else (mark + text).encode()


@contextmanager
def naming(path: Path) -> Generator[None]:
    """What is wrong with a text is told with the name of its file."""
    try:
        yield
    except ConnectFault as fault:
        detail = fault.detail if str(path) in fault.detail else f"{path}: {fault.detail}"
        raise ConnectFault(fault.code, detail) from fault


def _json(path: Path, content: bytes | None) -> tuple[str, str]:
    mark, text = as_text(path, content)
    root = json_text.found(text, ())
    if root is not None and root.kind != "{":
        raise ConnectFault("unexpected_form", "this is no object")
    return mark, text


def _with_group(text: str, event: str, group: Mapping[str, Any]) -> str:
    ours = [p for p in places_of_ours(text) if p[0] == event]
    if len(ours) == 1:  # kept in its place: programs count the hooks of a file
        hooks = json_text.found(text, ("hooks", event, ours[0][1], "hooks"))
        if hooks is not None and len(hooks.parts) == 1:
            return json_text.put(text, ("hooks", event, ours[0][1]), dict(group))
    text = _without(text, ours)
    groups = json_text.found(text, ("hooks", event))
    return json_text.put(text, ("hooks", event, len(groups.parts) if groups else 0), dict(group))


def _without(text: str, ours: Iterable[tuple[str, int, int]]) -> str:
    for event, g, h in sorted(ours, reverse=True):
        hooks = json_text.found(text, ("hooks", event, g, "hooks"))
        alone = hooks is not None and len(hooks.parts) == 1
        text = json_text.removed(text, ("hooks", event, g) if alone else ("hooks", event, g, "hooks", h))
    return text


def _members(value: Any) -> dict[str, Any]:
    return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _elements(value: Any) -> list[Any]:
    return cast(list[Any], value) if isinstance(value, list) else []
