"""Prompts and contexts as people read them."""

from typing import TYPE_CHECKING, Any

from whoknows.cli.draw import short
from whoknows.cli.output import counted, table, text, when

if TYPE_CHECKING:
    from rich.console import Console

Json = dict[str, Any]
_TITLES = {
    "global": "1 · global prompt (administrators; cannot be overridden from below)",
    "user": "2 · user prompt",
    "conversation": "3 · conversation prompt",
}


def prompts(console: "Console", found: Json) -> None:
    for layer, p in found.items():
        console.print(text(_TITLES[layer], "bold"))
        if p is None:
            console.print(text("   no account behind this key", "dim"))
        else:
            saved(console, p)


def saved(console: "Console", p: Json) -> None:
    console.print(text(_content(p) or "(empty)"))
    controls = [f"{name} {p[field]}" for name, field in _CONTROLS.items() if p.get(field)]
    version = "never saved" if p["version"] == 0 else f"version {p['version']} · {when(p['updatedAt'])} · {_by(p)}"
    console.print(text("   " + " · ".join([version, *controls]), "dim"))


def history(console: "Console", page: Json) -> None:
    rows = [(p["version"], when(p["updatedAt"]), _by(p), short(_content(p))) for p in page["items"]]
    console.print(table(("version", "saved", "by", "text"), rows) if rows else text("Never saved."))
    if page["nextCursor"]:
        console.print(text(f"more: --cursor {page['nextCursor']}", "dim"))


def context(console: "Console", c: Json) -> None:
    for n, part in enumerate(c["parts"], start=1):
        held = f", {counted(len(part['items']), 'memory', 'memories')}" if part["items"] else ""
        console.print(text(f"── {n} · {part['part']} · {counted(part['tokens'], 'token')}{held}", "bold"))
        if part["text"]:
            console.print(text(part["text"]))
    console.print(text(f"── {c['tokens']} tokens, counted by {c['tokenizer']}", "bold"))
    for dropped in c["dropped"]:
        console.print(text(f"left out of {dropped['part']}: {dropped['id']}: {dropped['why']}", "yellow"))
    texts = {p["part"]: p["text"] for p in c["parts"]}
    for mark in c["marks"]:
        start, end = mark["span"]
        console.print(text(f"{mark['layer']} {mark['reason']}, in vain: {texts[mark['layer']][start:end]}", "yellow"))


_CONTROLS = {"model": "modelOverride", "effort": "reasoningEffortOverride"}


def _by(p: Json) -> str:
    """Who saved it; a key that only administers has no better name."""
    return "a key that administers" if str(p["updatedBy"]).startswith("key:") else str(p["updatedBy"])


def _content(p: Json) -> str:
    return str(next(p[f] for f in ("globalPrompt", "content", "promptOverride") if f in p))
