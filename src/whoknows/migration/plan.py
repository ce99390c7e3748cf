"""The plan of a migration: every statement with its project, its words without secrets, and what it will be joined to."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from whoknows.gate.redact import redact
from whoknows.migration.homes import Native
from whoknows.migration.joining import Joiner
from whoknows.migration.places import LEAVE, Places, Unplaced
from whoknows.migration.statements import Parsed, Statement

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Item:
    """``problem``: why it is not sent; ``body`` is empty then. ``key`` is what the ledger knows it by.

    ``joined``: the number of the item whose words it takes, as one more source of them. ``redacted``: kinds of what
    was taken out.
    """

    statement: Statement
    project: str | None
    key: str
    body: Json
    problem: Unplaced | None = None
    joined: int | None = None
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plan:
    """``files`` in the order of their paths, ``items`` in the order in which they are sent: the oldest first."""

    program: Native
    files: Sequence[Parsed]
    items: Sequence[Item]
    left_out: Mapping[str, Unplaced]
    """Files that are to stay where they are, by their paths."""


def plan_of(
    program: Native,
    files: Sequence[Parsed],
    places: Places,
    account: str | None,
    committed: Mapping[str, str] | None = None,
) -> Plan:
    """``account``: whose memory it becomes; None: the private memory of the caller. ``committed``: why files are none of
    their own, by their paths.
    """
    left_out = {path: Unplaced("committed", why) for path, why in (committed or {}).items()}
    left_out |= {f.path: _ON_PURPOSE for f in files if places.mapped.get(f.path) == LEAVE}
    statements = sorted((s for f in files for s in f.statements), key=_order)
    items = [_item(s, places, account, program, left_out.get(s.path)) for s in statements]
    return Plan(program, files, list(_joined(items)), left_out)


def locator(statement: Statement) -> str:
    first, last = statement.lines[0], statement.lines[-1]
    return f"{statement.path}#L{first}" + (f"-L{last}" if last != first else "")


def _order(s: Statement) -> tuple[int, str, str, int]:
    """What a program made of its raw notes before those notes; then the oldest first, so that newer ones are newer here too."""
    return int(_RAW.search(s.path) is not None), s.noted or "", s.path, s.lines[0]


def _item(s: Statement, places: Places, account: str | None, program: Native, left_out: Unplaced | None) -> Item:
    place = places.of(s.place) if left_out is None else left_out
    if isinstance(place, Unplaced):
        return Item(s, None, "", {}, place)
    text, taken = _clean(s.text)
    title, more = _clean(s.title or "")
    quote = redact(s.quote)
    body: Json = {
        "content": text,
        "title": title[:_TITLE] or None,
        "category": str(s.category),
        "tags": list(dict.fromkeys(t for tag in _tags(s, program) if (t := _clean(tag)[0][:_TAG].strip()))),
        "project_id": place.project,
        "account": account,
        "source": f"file:{_clean(locator(s))[0]}"[:_SOURCE],
        # What stands there, or nothing: without its secret it would be another line. What is one only beside its neighbours is
        # gone from the text, and the line with it.
        "quote": s.quote if s.quote and not quote.hits and (not taken or s.quote in text) else None,
        "subject": _subject(s) if s.topic else None,
    }
    body = {k: v for k, v in body.items() if v is not None and v != []}
    said = json.dumps([s.path, place.project, text, title, str(s.category)])
    return Item(s, place.project, hashlib.sha256(said.encode()).hexdigest()[:32], body, None, None, tuple(sorted(taken | more)))


def _joined(items: Iterable[Item]) -> Iterable[Item]:
    joiner = Joiner()
    first: dict[int, Item] = {}
    for number, item in enumerate(items):
        if item.problem is not None:
            yield item
            continue
        earlier = joiner.earlier(number, item.project, item.body["content"])
        if earlier is None:
            first[number] = item
            yield item
        else:
            yield replace(item, body=_source_of(first[earlier].body, item.body), joined=earlier)


def _source_of(words: Mapping[str, Any], own: Mapping[str, Any]) -> Json:
    body = {k: v for k, v in words.items() if k not in ("source", "quote")}
    return body | {k: own[k] for k in ("source", "quote") if k in own}


def _tags(s: Statement, program: Native) -> Iterable[str]:
    yield f"native:{program}"
    yield from s.tags
    if s.noted:
        yield f"noted:{s.noted[:10]}"


def _subject(s: Statement) -> str | None:
    whole = f"file:{s.path}"
    if redact(whole).hits:
        return None
    return whole if len(whole) <= _SUBJECT else f"file:{hashlib.sha256(whole.encode()).hexdigest()}"


def _clean(text: str) -> tuple[str, set[str]]:
    done = redact(text)
    return done.text, {h.kind for h in done.hits}


_ON_PURPOSE = Unplaced("left_out", "its file was left out on purpose")
_RAW = re.compile(r"/memories(_v2)?/(raw_memories\.md$|rollout_summaries/)|\.sqlite/")
_TITLE, _TAG, _SOURCE, _SUBJECT = 300, 100, 2000, 200
