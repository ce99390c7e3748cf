"""Scripts of the Bureau, read from YAML files: those of the package, and those of a folder of one's own."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from yaml.nodes import Node

from whoknows.domain.script import (
    AskStep,
    CardKind,
    CardText,
    Knowledge,
    Language,
    Place,
    PublishStep,
    RoleText,
    Script,
    Step,
    WhisperStep,
    Words,
)
from whoknows.errors import ConfigurationFault, ScriptInvalid
from whoknows.gate.duplicates import dedupe_key
from whoknows.recall.passages import is_inline
from whoknows.sources.yaml_nodes import LARGEST, Fault, Findings, Unreadable, root

_Fits = Callable[[str], str | None]
"""What is wrong with a text, or None."""
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_TEXT = 600
"""Characters of a card: short enough to be embedded at once."""


class ScriptFiles:
    """The scripts that cases are opened from, read once. ``folder`` holds further ones, with ids of their own."""

    def __init__(self, folder: Path | None = None) -> None:
        """Raises ConfigurationFault or ScriptInvalid for a folder of one's own that is not as it should be."""
        self._folder = folder
        if folder is not None:
            self.all()

    def all(self) -> Sequence[Script]:
        return list(self._scripts.values())

    def get(self, script: str) -> Script | None:
        return self._scripts.get(script)

    @cached_property
    def _scripts(self) -> dict[str, Script]:
        found = [(f.name, read(f)) for f in _yaml(files("whoknows.bureau_scripts"))]
        if self._folder is not None:
            try:
                found += [(str(f), read(f)) for f in _yaml(_existing(self._folder))]
            except OSError as e:
                raise ConfigurationFault(f"WHOKNOWS_BUREAU_SCRIPTS: {e.filename} cannot be read: {e.strerror}") from e
        scripts: dict[str, Script] = {}
        for name, text in found:
            script = parse(text, name)
            if script.id in scripts:
                raise ConfigurationFault(f"{name}: there is a script {script.id!r} already: give this one another id")
            scripts[script.id] = script
        return scripts


def read(file: Traversable) -> bytes:
    """What ``parse`` takes of a file; of one that is too large no more than shows it."""
    with file.open("rb") as opened:
        return opened.read(LARGEST + 1)


def parse(text: bytes, file: str) -> Script:
    """The script of a file. Raises ScriptInvalid with everything that is wrong: file, line, field, and what to do."""
    try:
        node = root(text)
    except Unreadable as e:
        raise ScriptInvalid(file, [str(e.fault)]) from e
    found = Findings()
    script = _Reader(found).script(node)
    if found.faults:
        raise ScriptInvalid(file, [str(f) for f in sorted(found.faults, key=_line)])
    return script


class _Reader:
    """One pass over the nodes; what cannot be read stands in the findings, and the pass goes on."""

    def __init__(self, found: Findings) -> None:
        self._found = found
        self._roles: set[str] = set()
        self._cards: set[str] = set()

    def script(self, node: Node) -> Script:
        fields = self._found.mapping(node, "", ("id", "title", "intro", "roles", "steps"))
        roles: list[RoleText] = []
        if "roles" in fields:
            roles = [self._role(item, path) for path, item in self._found.sequence(fields["roles"], "roles", 2, 8)]
        steps: list[Step | None] = []
        if "steps" in fields:
            steps = [self._step(item, path) for path, item in self._found.sequence(fields["steps"], "steps", 1, 100)]
        return Script(
            self._slug(fields, "", "id"),
            self._words(fields, "", "title", 100),
            self._words(fields, "", "intro", 2000),
            tuple(roles),
            tuple(s for s in steps if s is not None),
        )

    def _role(self, node: Node, path: str) -> RoleText:
        fields = self._found.mapping(node, path, ("id", "name", "persona", "memories"))
        role = self._slug(fields, path, "id")
        if role and role in self._roles:
            self._found.add(fields["id"], f"{path}.id", f"two roles are called {role!r}: give one another id")
        self._roles.add(role)
        memories: list[CardText] = []
        if "memories" in fields:
            items = self._found.sequence(fields["memories"], f"{path}.memories", 1, 20)
            memories = [self._card(item, where) for where, item in items]
            self._all_different(memories, items)
        name, persona = self._words(fields, path, "name", 100), self._words(fields, path, "persona", 2000)
        return RoleText(role, name, persona, tuple(memories))

    def _card(self, node: Node, path: str, kind: CardKind | None = None) -> CardText:
        names = ("id", "topic", "text") if kind else ("id", "topic", "kind", "text")
        fields = self._found.mapping(node, path, names)
        card = self._slug(fields, path, "id")
        if card and card in self._cards:
            self._found.add(fields["id"], f"{path}.id", f"two cards are called {card!r}: give one another id")
        self._cards.add(card)
        if kind is None and "kind" in fields:
            kind = self._found.choice(fields["kind"], f"{path}.kind", CardKind)
        return CardText(
            card,
            self._slug(fields, path, "topic"),
            kind or CardKind.KNOWLEDGE,
            self._words(fields, path, "text", _TEXT, _short),
        )

    def _all_different(self, memories: list[CardText], items: list[tuple[str, Node]]) -> None:
        seen: set[tuple[Language, bytes]] = set()
        for card, (where, item) in zip(memories, items, strict=True):
            texts = {language: card.text.speak(language) for language in Language}
            keys = {(language, dedupe_key(text, None)) for language, text in texts.items() if text}
            if keys & seen:
                self._found.add(item, f"{where}.text", "this role has a card with the same words: say it once")
            seen |= keys

    def _step(self, node: Node, path: str) -> Step | None:
        fields = self._found.mapping(node, path, (), ("whisper", "ask", "publish"))
        if len(fields) != 1:
            self._found.add(node, path, "a step is one of `whisper:`, `ask:` or `publish:`")
            return None
        ((kind, value),) = fields.items()
        match kind:
            case "whisper":
                return self._whisper(value, f"{path}.whisper")
            case "ask":
                return self._ask(value, f"{path}.ask")
            case _:
                fields = self._found.mapping(value, f"{path}.publish", ("card",))
                return PublishStep(self._a_card(fields, f"{path}.publish"))

    def _whisper(self, node: Node, path: str) -> WhisperStep:
        fields = self._found.mapping(node, path, ("role", "card"))
        role = self._a_role(fields, path)
        card = self._card(fields["card"], f"{path}.card", CardKind.WHISPER) if "card" in fields else None
        return WhisperStep(role, card or CardText("", "", CardKind.WHISPER, Words("", "")))

    def _ask(self, node: Node, path: str) -> AskStep:
        fields = self._found.mapping(node, path, ("role", "question", "expect"), ("card", "from"))
        expect = self._found.choice(fields["expect"], f"{path}.expect", Knowledge) if "expect" in fields else None
        card = self._a_card(fields, path) if "card" in fields else None
        place = self._found.choice(fields["from"], f"{path}.from", Place) if "from" in fields else None
        if expect is Knowledge.UNKNOWN and ("card" in fields or "from" in fields):
            self._found.add(node, path, "what is unknown comes from nowhere: take `card` and `from` out")
        return AskStep(
            self._a_role(fields, path), self._words(fields, path, "question", _TEXT), expect or Knowledge.KNOWN, card, place
        )

    def _a_role(self, fields: Mapping[str, Node], path: str) -> str:
        role = self._slug(fields, path, "role")
        if role and role not in self._roles:
            self._found.add(fields["role"], f"{path}.role", f"no role is called {role!r}: take one of {', '.join(self._roles)}")
        return role

    def _a_card(self, fields: Mapping[str, Node], path: str) -> str:
        card = self._slug(fields, path, "card")
        if card and card not in self._cards:
            self._found.add(fields["card"], f"{path}.card", f"no card before this step is called {card!r}")
        return card

    def _words(self, fields: Mapping[str, Node], path: str, name: str, most: int, fits: _Fits | None = None) -> Words:
        if name not in fields:
            return Words("", "")
        where = f"{path}.{name}" if path else name
        both = self._found.mapping(fields[name], where, ("zh", "en"))
        texts = {
            language: self._found.text(value, f"{where}.{language}", most, fits or _anything)
            for language, value in both.items()
        }
        return Words(texts.get("zh", ""), texts.get("en", ""))

    def _slug(self, fields: Mapping[str, Node], path: str, name: str) -> str:
        return self._found.text(fields[name], f"{path}.{name}" if path else name, 60, _no_slug) if name in fields else ""


def _no_slug(value: str) -> str | None:
    return None if _SLUG.fullmatch(value) else f"{value!r} is no id: small letters a-z, digits, and single hyphens between them"


def _short(value: str) -> str | None:
    return None if is_inline(value) else "this is too long for one card: shorten it, or make two of it"


def _anything(_: str) -> str | None:
    return None


def _line(fault: Fault) -> int:
    return fault.line


def _yaml(folder: Traversable) -> list[Traversable]:
    return sorted((f for f in folder.iterdir() if f.name.endswith((".yaml", ".yml")) and f.is_file()), key=lambda f: f.name)


def _existing(folder: Path) -> Path:
    if not folder.is_dir():
        raise ConfigurationFault(f"WHOKNOWS_BUREAU_SCRIPTS: there is no folder {folder}")
    return folder
