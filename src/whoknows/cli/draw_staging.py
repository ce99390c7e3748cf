"""Stages and reports, for people."""

from typing import TYPE_CHECKING, Any

from whoknows.cli.output import counted, table, text, when

if TYPE_CHECKING:
    from rich.console import Console

Json = dict[str, Any]
DOES = {
    "off": "its hooks answer nothing",
    "read-only": "what your own memory knows is put beside prompts",
    "governed": "besides, what an exchange says that is new goes through distillation and the gate",
    "team": "besides, the bank of the team that the project goes to is recalled",
}


def stage(console: "Console", told: Json) -> None:
    """The stage, its history, and what the next one asks for."""
    since = "" if told["since"] is None else f", since {when(told['since'])}"
    console.print(text(f"{told['project_id']} is {told['stage']}{since}: {DOES[told['stage']]}.", "bold"))
    if told["next"] is not None:
        console.print(text(f"next: {told['next']['stage']}: {DOES[told['next']['stage']]}"))
        _needs(console, told["next"]["needs"])
        if told["stage"] == "off" and not told["history"] and not all(n["met"] for n in told["next"]["needs"]):
            console.print(text(f"a project of this name was never connected; if a stage was meant: {', '.join(DOES)}"))
    if told["history"]:
        rows = [(when(c["at"]), f"{c['before']} → {c['stage']}", c["changed_by"], c["reason"]) for c in told["history"]]
        console.print(table(("at", "change", "by", "reason"), rows))


def change(console: "Console", before: Json, wanted: str, native: list[Json]) -> None:
    """What will change, before it does."""
    if before["stage"] != wanted:
        console.print(text(f"{before['project_id']}: {before['stage']} → {wanted}: {DOES[wanted]}"))
    following = before["next"]
    if following is not None and following["stage"] == wanted:
        _needs(console, [n for n in following["needs"] if not n["met"]])
    for f in native:
        console.print(text(f"   {_own_memory(f)}"), soft_wrap=True)


def changed(console: "Console", told: Json) -> None:
    console.print(text(f"{told['project_id']} is {told['stage']}: {DOES[told['stage']]}."))
    for finding in told["findings"]:
        console.print(text(f"note: {finding['message']}"))
    for f in told["native_memory"]:
        console.print(text(_own_memory(f)), soft_wrap=True)  # a command is copied from it


def report(console: "Console", told: Json) -> None:
    """Every stage of the span in a table of its own, then what is still corrected."""
    since = "" if told["stage_since"] is None else f" since {when(told['stage_since'])}"
    head = f"{told['project_id']} is {told['stage']}{since}; {counted(told['workplaces'], 'workplace')}"
    console.print(text(head, "bold"))
    console.print(text(f"from {when(told['since'])} to {when(told['until'])}", "dim"))
    for figures in told["stages"]:
        console.print(text(""))
        console.print(table((figures["stage"], f"{when(figures['first'])} to {when(figures['last'])}"), _rows(figures)))
    if told["corrections"] is not None:
        _corrections(console, told["corrections"])
    for missing in told["missing"]:
        console.print(text(f"missing: {missing}", "yellow"))


def _rows(f: Json) -> list[tuple[str, str]]:
    rows = [
        ("programs", _counts(f["programs"])),
        ("sessions", str(f["sessions"])),
        ("events", f"{f['events']}, of them {counted(f['prompts'], 'prompt')}"),
        ("injected", str(f["injected"])),
        ("nothing to add", str(f["empty"])),
        ("skipped", _counts(f["skipped"])),
        ("failed", _counts(f["failed"])),
        *((name, _amount(f[name])) for name in ("memories", "tokens", "characters")),
        ("scores", _scores(f["scores"])),
        ("server", f"{f['latency']['p50']} ms in the middle, {f['latency']['p95']} ms at the 95th percentile"),
    ]
    if f["captured"] or f["captures"]["exchanges"]:
        c = f["captures"]
        facts = _counts(c["facts"])
        told = f"{counted(c['exchanges'], 'exchange')}; kept: {facts}; nothing in {c['nothing']}, waiting {c['waiting']}"
        rows += [("captured", told), ("not kept", _counts(c["skipped"]))]
    return rows


def _corrections(console: "Console", c: Json) -> None:
    console.print(text(""))
    told = ", ".join(f"{p} {len(c[p]['repeated'])}" for p in ("before", "after"))
    weeks = counted(c["weeks"], "week")
    console.print(text(f"corrected at least twice, {weeks} before this stage began and {weeks} after: {told}", "bold"))
    rows = [
        (period, r["count"], r["subject"], "(the text went with a memory)" if r["text"] is None else r["text"])
        for period in ("before", "after")
        for r in c[period]["repeated"]
    ]
    if rows:
        console.print(table(("", "times", "subject", "text"), rows))


def _own_memory(native: Json) -> str:
    does = {"off": "switched off", "on": "switched on again", "left": "left as it is"}[native["does"]]
    return f"the own memory of {native['program']} is {does}: {native['detail']}"


def _needs(console: "Console", needs: list[Json]) -> None:
    for need in needs:
        mark, style = ("✓", "green") if need["met"] else ("✗", "red") if need["blocks"] else ("!", "yellow")
        console.print(text(f"   {mark} {need['need']}: {need['detail']}", style), soft_wrap=True)


def _counts(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {n}" for name, n in counts.items()) or "none"


def _amount(a: Json) -> str:
    return f"{a['total']} in all; of a prompt {a['prompt_median']} in the middle, {a['prompt_p95']} at the 95th percentile"


def _scores(s: Json | None) -> str:
    return "none" if s is None else f"lowest {s['lowest']}, middle {s['median']}, highest {s['highest']}"
