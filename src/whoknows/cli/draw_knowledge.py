"""Who knows what and why, as people read it: verdicts, the matrix, and traces of a search."""

from typing import TYPE_CHECKING, Any

from whoknows.cli.output import plain, table, text, when

if TYPE_CHECKING:
    from rich.console import Console

Json = dict[str, Any]
_PREVIEW = 60


def why(console: "Console", answer: Json) -> None:
    sees = answer["verdict"] == "visible"
    verb = "sees this" if sees else "does not see this"
    console.print(text(f"{answer['reader']} {verb}: {answer['reason']}", "green" if sees else "red"))
    console.print(text(f"rule: {answer['rule']}"))
    for fact in answer["facts"]:
        console.print(text(f"  {fact}", "dim"))


def matrix(console: "Console", answer: Json) -> None:
    """Readers across, memories down; in each cell the reason in a word."""
    from rich import box
    from rich.table import Table

    drawn = Table(box=box.ROUNDED, header_style="bold", show_lines=True)
    drawn.add_column("memory", ratio=1, overflow="fold")
    for reader in answer["readers"]:
        drawn.add_column(text(reader), justify="center", overflow="fold")
    for row in answer["rows"]:
        m = row["memory"]
        place = m["memory_type"] if m["team_id"] is None else ("everyone" if m["team_id"] == "*" else f"team {m['team_id']}")
        first = text(_short(m["title"] or m["content"]))
        first.append(f"\n{place}", "dim")
        drawn.add_row(first, *(_cell(c, m) for c in row["cells"]))
    console.print(drawn if answer["rows"] else text("You see no memories here."))
    if answer["next_cursor"]:
        console.print(text(f"more: --cursor {answer['next_cursor']}", "dim"))


def trace(console: "Console", answer: Json) -> None:
    asked = answer["question"] or "[its words went with a memory that was forgotten]"
    console.print(text(f"{answer['reader']} asked: {asked}", "bold"))
    console.print(text(f"at {when(answer['asked_at'])} · {answer['took_ms']:.1f} ms · arms: {answer['mode']}"))
    console.print(text("searched: " + ", ".join(f"{s['space']} ({s['why']})" for s in answer["searched"])))
    console.print(text(f"texts in sight: {answer.get('visible')} · floor: {answer.get('floor')}"))
    kept = [(h["id"], f"{h['score']:.3f}", _figure(h["cosine"]), _figure(h["bm25"]), "kept") for h in answer.get("hits", [])]
    dropped = [
        (d["id"], f"{d['score']:.3f}", "", "", f"dropped: {d['why'].replace('_', ' ')}") for d in answer.get("dropped", [])
    ]
    if kept or dropped:
        console.print(table(("memory", "score", "cosine", "bm25", "what became of it"), kept + dropped))


def _cell(cell: Json, memory: Json) -> Any:
    rule = cell["rule"].removeprefix("R1 ")
    if cell["verdict"] == "visible":
        return text(f"● {_yes(rule, cell['reader'], memory)}", "green")
    # Not being in the audience is the ordinary case; anything else deserves its word.
    return text("· hidden" if rule == "audience" else f"· hidden: {rule.replace('_', ' ')}", "dim")


def _yes(rule: str, reader: str, memory: Json) -> str:
    """One word for a way in, as `whoknows why` explains it in a sentence."""
    if rule == "self" and memory["memory_type"] == "private":
        return "own" if reader in (memory["author"], f"member:{memory['account']}") else "shared"
    if rule == "team" and memory["team_id"] == "*":
        return "everyone"
    return {"self": "injected", "while_on_team": "named"}.get(rule, rule.replace("_", " "))


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _short(value: str) -> str:
    flat = plain(" ".join(value.split()))
    return flat if len(flat) <= _PREVIEW else flat[: _PREVIEW - 1] + "…"
