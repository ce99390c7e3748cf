"""Where a memory comes from, as people read it: a tree from its words to the lines of its sources."""

from typing import TYPE_CHECKING, Any

from whoknows.cli.draw import short
from whoknows.cli.output import plain, text, when

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree

Json = dict[str, Any]
_FOUND = {
    "stands": ("stands there", "green"),
    "moved": ("the newest state of the source does not say it any more", "yellow"),
    "gone": ("the source is not there any more", "red"),
    "unread": ("its source is not read here", "dim"),
}


def provenance(console: "Console", answer: Json) -> None:
    from rich.tree import Tree

    tree = Tree(_head(answer))
    _grow(tree, answer)
    console.print(tree)
    if answer["cut"]:
        console.print(text("It rests on more than is shown: trace the last ones by their ids.", "dim"))


def _head(m: Json) -> Any:
    head = text(short(m["content"], m["title"]), "bold")
    head.append(f"\n{m['id']} · {m['category']} · by {m['author']} · {m['state']} · {when(m['created_at'])}", "dim")
    if m["batch_id"]:
        head.append(f"\nkept by the distillation {m['batch_id']}", "dim")
    return head


def _grow(tree: "Tree", m: Json) -> None:
    for e in m["evidence"]:
        branch = tree.add(_evidence(e))
        if e["memory"]:
            _grow(branch.add(_head(e["memory"])), e["memory"])
    if m["copy_of"]:
        branch = tree.add(text(f"a copy, published {when(m['origin']['published_at'])}, of"))
        _grow(branch.add(_head(m["copy_of"])), m["copy_of"])
    elif m["origin"]:
        tree.add(text(f"a copy, published {when(m['origin']['published_at'])}; the original is not yours to see", "dim"))
    if not m["evidence"] and not m["origin"]:
        tree.add(text("it names no source", "dim"))
    if len(m["chain"]) > 1:
        branch = tree.add(text("what it replaced and what replaced it, newest first"))
        for link in m["chain"]:
            because = f" because {link['reason']}" if link["reason"] else ""
            branch.add(
                text(f"{link['state']}{because}: {short(link['content'])}", "yellow" if link["id"] != m["id"] else "dim")
            )


def _evidence(e: Json) -> Any:
    revision = f" at {e['revision'][:12]}" if e["revision"] else ""
    lines = "" if e["line_start"] is None else f", {_lines(e['line_start'], e['line_end'])}"
    told = text(plain(f"{e['source_kind']} {e['locator']}{revision}{lines}"))
    if e["quote"]:
        told.append(plain(f"\n“{short(e['quote'])}”"), "italic")
    said, style = _FOUND[e["found"]]
    since = e["moved_at"] or e["gone_at"]
    told.append(f"\n{'verified' if e['verified'] else 'not verified'}; {said}{f' since {when(since)}' if since else ''}", style)
    for line in e["around"]:
        quoted = e["line_start"] <= line["line"] <= e["line_end"]
        told.append(plain(f"\n{line['line']:>6} {line['text']}"), "" if quoted else "dim")
    return told


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"
