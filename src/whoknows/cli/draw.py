"""Memories as people read them: whole, in lists, as answers to a question."""

from typing import TYPE_CHECKING, Any

from whoknows.cli.output import counted, plain, table, text, when

if TYPE_CHECKING:
    from rich.console import Console

Json = dict[str, Any]
_PREVIEW = 160
"""Characters of a text in a list."""


def captured(console: "Console", answer: Json) -> None:
    told = {
        "stored": "remembered",
        "merged": "known already: the same text was there, it now has this source and author too",
        "superseding": "remembered; what it overturns comes back only as overturned",
        "held": "held for review",
    }
    console.print(text(told[answer["outcome"]]))
    for finding in answer.get("findings", []):
        console.print(text(f"note: {finding['message']}"))
    memory(console, answer["memory"])


def recollection(console: "Console", answer: Json) -> None:
    if answer.get("degraded"):
        console.print(text(f"note: only words were searched ({answer['degraded']})", "yellow"))
    if answer["outcome"] == "no_match":
        console.print(text("Nothing that you may know answers this."))
    for n, m in enumerate(answer["memories"], start=1):
        console.print(text(f"{n}. {m['score']:.2f}  {_where(m)}", "bold"))
        _body(console, m)
        if m.get("stale"):
            console.print(text("   stale: a memory that it rests on has changed since (whoknows observations get)", "yellow"))
        for older in m.get("history", []):
            if older["id"] != m["id"]:
                console.print(text(f"   {older['state']}: {short(older['content'])}", "dim"))
        console.print(text(f"   {m['id']}", "dim"))
    spaces = ", ".join(f"{s['space']} ({s['why']})" for s in answer["searched"])
    console.print(text(f"searched: {spaces} · {answer['took_ms']:.0f} ms · trace {answer['trace_id']}", "dim"), soft_wrap=True)
    if "trace" in answer:
        from whoknows.cli.draw_knowledge import trace

        trace(console, answer["trace"])


def memory_page(console: "Console", page: Json) -> None:
    rows = [(m["id"], _where(m), short(m["content"], m["title"])) for m in page["items"]]
    console.print(table(("id", "where", "text"), rows) if rows else text("Nothing here."))
    if page["next_cursor"]:
        console.print(text(f"more: --cursor {page['next_cursor']}", "dim"))


def memory(console: "Console", m: Json) -> None:
    console.print(text(f"{m['id']}  version {m['version']}  {m['state']}", "bold"))
    console.print(text(f"   {_where(m)} · open to {', '.join(m.get('visible_to') or [])}"))
    _body(console, m)
    for label, field in (("tags", "tags"), ("subject", "subject"), ("project", "project_id"), ("expires", "expires_at")):
        if m.get(field):
            value = m[field]
            console.print(text(f"   {label}: {', '.join(value) if isinstance(value, list) else value}", "dim"))  # pyright: ignore[reportUnknownArgumentType]


def history(console: "Console", answer: Json) -> None:
    rows = [
        (
            str(v["version"]),
            v["change"],
            v["changed_by"],
            when(v["changed_at"]),
            v["reason"] or "",
            short(v["content"], v["title"]),
        )
        for v in answer["versions"]
    ]
    console.print(table(("version", "change", "by", "at", "reason", "text"), rows))
    if len(answer["chain"]) > 1:
        console.print(text("What it replaced and was replaced by, newest first:", "bold"))
        console.print(
            table(("state", "id", "text"), [(m["state"], m["id"], short(m["content"], m["title"])) for m in answer["chain"]])
        )


def deleted(console: "Console", answer: Json) -> None:
    console.print(text(f"deleted: {answer['deleted']}"))
    if answer.get("copied"):
        console.print(
            text(f"{counted(answer['copied'], 'published or injected copy', 'published or injected copies')} went with it.")
        )
    if answer.get("released"):
        console.print(text(f"{answer['released']} stay, because others wrote the same words; your name is off them."))


def event_line(event: Json) -> str:
    return plain(f"{when(event['at'])}  {event['kind']}  {event['memory_id']}")


def audit(console: "Console", page: Json) -> None:
    rows = [
        (when(r["at"]), r["principal"] or "a key that administers", r["action"], r["target"] or "", r["concerns"] or "")
        for r in page["items"]
    ]
    console.print(table(("at", "who", "did", "to", "concerns"), rows))
    if page["next_cursor"]:
        console.print(text(f"more: --cursor {page['next_cursor']}", "dim"))


def _body(console: "Console", m: Json) -> None:
    if m["title"]:
        console.print(text(f"   {m['title']}", "italic"))
    for line in m["content"].splitlines():
        console.print(text(f"   {line}"))
    for o in m["overturned"]:
        because = f" because {o['reason'].lstrip('-*> ')}" if o["reason"] else ""  # the words of a document may be a list's
        console.print(text(f"   overturned{because}: {short(o['content'], o['title'])}", "yellow"))
    for e in m["evidence"]:
        quoted = f": “{short(e['quote'])}”" if e["quote"] else ""
        checked = "" if e["verified"] else ", not verified"
        checked += ", the source is gone" if e["gone_at"] else ", which says something else by now" if e["moved"] else ""
        console.print(text(f"   from {e['source_kind']} {e['locator']}{quoted}{checked}", "dim"))


def _where(m: Json) -> str:
    place = m["memory_type"] if m["team_id"] is None else ("everyone" if m["team_id"] == "*" else f"team {m['team_id']}")
    return f"{place} · {m['category']} · by {m.get('author') or m['agent_id']}"


def short(content: str, title: str | None = None) -> str:
    """The beginning of a text, in one line."""
    flat = " ".join((content if not title else f"{title}: {content}").split())
    return flat if len(flat) <= _PREVIEW else flat[: _PREVIEW - 1] + "…"
