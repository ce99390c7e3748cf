"""The report of a migration, for programs and for people: which line became what, and what waits for whom."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from whoknows.gate.redact import redact
from whoknows.migration.plan import Item, Plan
from whoknows.migration.reconciliation import Account, Reconciliation, Span
from whoknows.migration.sending import Became
from whoknows.migration.statements import Fate

Json = dict[str, Any]


def as_json(plan: Plan, became: Sequence[Became], reconciliation: Reconciliation) -> Json:
    """All of it: ``files`` with their spans of lines, ``items`` with their texts, secrets taken out."""
    return {
        "program": str(plan.program),
        "reconciled": "clean" if reconciliation.is_clean else "not",
        "adds_up": reconciliation.adds_up,
        "counts": reconciliation.counts,
        "projects": _by_project(plan, became),
        "items": [_item(i, b) for i, b in sorted(zip(plan.items, became, strict=True), key=_place)],
        "files": [_file(a) for a in reconciliation.accounts],
    }


def as_markdown(report: Json) -> str:
    """The same for people, without the texts of what went in."""
    counts = report["counts"]
    lines = [
        f"# Migration of {report['program']}",
        "",
        f"- at: {report['at']}" if report.get("at") else "- a dry run: nothing was written",
        f"- reconciled: {report['reconciled']}" + ("" if report["adds_up"] else " (the sum of the lines is wrong)"),
        *([f"- backup: `{report['backup']['path']}`, sha256 {report['backup']['sha256']}"] if report.get("backup") else []),
        f"- files: {counts['files']}, of which {counts['unreadable_files']} unreadable",
        "",
        "| lines | of them |",
        "|---:|---|",
        *(f"| {counts[str(f)]} | {f} |" for f in Fate),
        f"| **{counts['lines']}** | **all** |",
        "",
        *_waiting(report),
        "## By file",
        "",
        *(line for file in report["files"] for line in _of_file(file)),
    ]
    return "\n".join(lines) + "\n"


def written(path: Path, report: Json) -> str:
    """``path`` decides the form: `.json`, else Markdown."""
    return json.dumps(report, ensure_ascii=False, indent=2) + "\n" if path.suffix == ".json" else as_markdown(report)


def _by_project(plan: Plan, became: Sequence[Became]) -> Json:
    found: dict[str, dict[str, int]] = {}
    for item, fate in zip(plan.items, became, strict=True):
        name = "(waits)" if item.problem is not None else item.project or "(of no project)"
        counts = found.setdefault(name, {})
        counts[str(fate.fate)] = counts.get(str(fate.fate), 0) + 1
    return dict(sorted(found.items()))


def _place(told: tuple[Item, Became]) -> tuple[str, int, int]:
    statement = told[0].statement
    return statement.path, statement.lines[0], len(statement.lines)


def _item(item: Item, became: Became) -> Json:
    s = item.statement
    said: Json = {
        "path": _clean(s.path),
        "lines": [s.lines[0], s.lines[-1]],
        "becomes": str(became.fate),
        "code": became.code,
        "why": _clean(became.why),
        "memory": became.memory,
        "project": item.project,
        "category": str(s.category),
        "title": item.body.get("title"),
        "content": item.body.get("content") or _clean(s.text),
        "redacted": list(item.redacted),
        "findings": list(became.findings),
        "place": _clean(s.place.key) or None,
    }
    return {k: v for k, v in said.items() if v not in (None, "", [])}


def _file(account: Account) -> Json:
    said: Json = {"path": _clean(account.path), "lines": account.lines, "spans": [_span(s) for s in account.spans]}
    return said if account.unreadable is None else {**said, "unreadable": account.unreadable}


def _span(span: Span) -> Json:
    said: Json = {
        "first": span.first,
        "last": span.last,
        "fate": str(span.fate),
        "code": span.code,
        "why": _clean(span.why),
        "memories": list(span.memories),
    }
    return {k: v for k, v in said.items() if v not in ("", [])}


def _waiting(report: Json) -> Iterator[str]:
    waiting = [i for i in report["items"] if i["becomes"] in (Fate.HELD, Fate.REFUSED)]
    unreadable = [f for f in report["files"] if "unreadable" in f]
    if not waiting and not unreadable:
        return
    yield "## What did not go in"
    yield ""
    for item in waiting:
        yield f"- `{item['path']}` {_lines(*item['lines'])}: {item['code']}: {_flat(item.get('why', ''))}"
    for file in unreadable:
        yield f"- `{file['path']}`: {file['unreadable']}"
    yield ""


def _of_file(file: Json) -> Iterator[str]:
    yield f"### `{file['path']}`"
    yield ""
    for span in file["spans"]:
        memory = f" → {', '.join(span['memories'])}" if "memories" in span else ""
        yield f"- {_lines(span['first'], span['last'])}: {span['fate']} ({_flat(span['code'])}){memory}"
    if "unreadable" in file:
        yield f"- {file['unreadable']}"
    yield ""


def _lines(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _clean(text: str) -> str:
    return redact(text).text


def _flat(text: str) -> str:
    return " ".join(text.split())
