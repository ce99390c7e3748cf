"""Samples out of the rules of gitleaks: its true and false positives, read from the Go sources and evaluated."""

import random
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from redaction.golang import Go, Text, evaluate, function_bodies
from redaction.regen import generate
from redaction.sample import Sample

_LISTS = re.compile(r"\b(tps|fps)\s*(?::=|=)\s*")
_SKIPPED = {"generic_test.go"}


def samples(root: Path) -> list[Sample]:
    """The positives (with the secret that the rule itself captures, or that was generated) and the negatives.

    A negative of one rule that holds a secret by another rule's positives is no negative for a detector of all of them.
    """
    found = list(_samples(root))
    secrets = {s for sample in found for s in sample.secrets if len(s) >= 12}
    return [s for s in found if s.secrets or not any(secret in s.text for secret in secrets)]


def _samples(root: Path) -> Iterator[Sample]:
    rules = {r["id"]: r for r in tomllib.loads((root / "config" / "gitleaks.toml").read_text())["rules"]}
    shapes = _shapes((root / "cmd/generate/config/utils/generate.go").read_text())
    for path in sorted((root / "cmd/generate/config/rules").glob("*.go")):
        source = path.read_text()
        for body in function_bodies(source):
            name = re.search(r'RuleID:\s*"([^"]+)"', body)
            if name is None:
                continue
            rule = rules.get(name[1])
            go = Go(seed=f"{path.name}:{name[1]}", generate=generate, shapes=shapes, source=source)
            for found in _LISTS.finditer(body):
                positive = found[1] == "tps"
                for text in evaluate(go, body, found.end()):
                    secrets = _secrets(text, rule) if positive else ()
                    if secrets or not positive:
                        yield Sample("gitleaks", f"{path.name}:{name[1]}", text.value, secrets)


def _secrets(text: Text, rule: dict[str, str] | None) -> tuple[str, ...]:
    if text.secret:
        return (text.secret,)
    if rule is None or "regex" not in rule:
        return ()
    try:
        pattern = re.compile(_python(rule["regex"]))
    except re.error:
        return ()
    found = pattern.search(text.value)
    if found is None:
        return ()
    group = int(rule.get("secretGroup", 0)) or next((n for n, g in enumerate(found.groups(), 1) if g), 0)
    return (found[group],)


def _python(regex: str) -> str:
    # Go allows flags anywhere, Python at the beginning or for a group.
    regex = regex.replace(r"\z", r"\Z").replace("[[:alnum:]]", "[0-9A-Za-z]").replace("[:alnum:]", "0-9A-Za-z")
    flags = "".join(sorted(set("".join(re.findall(r"\(\?([is]+)\)", regex)))))
    bare = re.sub(r"\(\?[is]+\)", "", regex)
    return f"(?{flags}){bare}" if flags else bare


def _shapes(source: str) -> list[str]:
    block = source[source.index("samples := map") : source.index("replacer :=")]
    lines = [line for line in block.splitlines() if not line.strip().startswith("//")]
    shapes: list[str] = []
    for line in lines:
        found = re.match(r'\s*"[^"]*":\s*(`[^`]*`|"(?:\\.|[^"\\])*"),\s*$', line)
        if found:
            raw = found[1]
            shapes.append(raw[1:-1] if raw[0] == "`" else raw[1:-1].encode().decode("unicode_escape"))
    random.Random(0).shuffle(shapes)
    return shapes
