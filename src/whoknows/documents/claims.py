"""What a record claims of itself and of others: its status, its day, what it supersedes, and what superseded it."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import Enum
from typing import TypeVar

from whoknows.documents.lines import Kind, Line
from whoknows.documents.references import Reference, is_only_references, references_in
from whoknows.documents.status import Status, date_of, status_of

T = TypeVar("T")


class Of(Enum):
    SUPERSEDES = "supersedes"
    SUPERSEDED_BY = "superseded by"


@dataclass(frozen=True, slots=True)
class Claim:
    """``said`` is the line, or lines, word for word. ``in_part``: it says that only a part gives way."""

    of: Of
    references: tuple[Reference, ...]
    said: str
    line: int
    in_part: bool = False


@dataclass(frozen=True, slots=True)
class Claims:
    status: Status | None
    dated: date | None
    made: tuple[Claim, ...]
    metadata: frozenset[int]
    """Numbers of the lines that are fields of the record, not prose."""


def claims_of(lines: Sequence[Line], fields: Mapping[str, str]) -> Claims:
    """From front matter, lists, bold and plain lines, tables, and a section called Status; never from code or quotations."""
    status = _first(status_of(fields[k]) for k in ("status", "state", "状态") if k in fields)
    dated = _first(date_of(fields[k]) for k in ("date", "decided", "created", "日期") if k in fields)
    made = [c for key, value in fields.items() if (c := _claim(key, value, f"{key}: {value}", 1))]
    metadata: set[int] = set()
    for item in _items(lines):
        key = item.key.casefold()
        if key:
            metadata |= set(item.numbers)
        if item.is_early and status is None and key in _STATUS:
            status = status_of(item.value)
        if item.is_early and dated is None and key in _DATES:
            dated = date_of(item.value)
        claim = _claim(key, item.value, item.said, item.number)
        if claim:
            made.append(claim)
        elif key in _STATUS or item.is_status:
            if item.is_status and not key and status is None:
                status = status_of(item.value)
            made += _in_status(item)
    return Claims(status, dated, _once(made), frozenset(metadata))


_STATUS = frozenset({"status", "state", "状态", "狀態", "decision status", "决策状态"})
_DATES = frozenset({"date", "decided", "created", "decision date", "日期", "时间", "决定日期", "创建日期"})
_SUPERSEDES = r"supersedes|supercedes|replaces|obsoletes|取代了?|替代了?|代替了?|废止了?"
_SUPERSEDED = r"supersede?d[ -]by|superceded[ -]by|replaced[ -]by|obsoleted[ -]by|被取代于|被替代于|取代者|替代者|被以下取代"
_PART = r"partial(?:ly)?|in part|part of|部分"
_KEY = re.compile(rf"(?:({_PART})\s*)?(?:({_SUPERSEDES})|({_SUPERSEDED}))(?:\s*[(（]?({_PART})[)）]?)?", re.IGNORECASE)
_FIELD = re.compile(
    r"\s{0,3}(?:[-*+]\s+)?(?:\*\*|__)?([^\W\d_][^:：*_|`\[\]]{0,40}?)\s*(?:\*\*|__)?\s*[:：]\s*(?:\*\*|__)?(.*)$"
)
_ROW = re.compile(r"\s*\|\s*(?:\*\*)?([^|*]{1,40}?)(?:\*\*)?\s*\|\s*([^|]{0,500}?)\s*\|\s*$")
_LISTED = re.compile(r"\s{0,3}[-*+]\s+")
_NESTED = re.compile(r"\s+[-*+]\s+|\s{2,}\S")
_LEADING = re.compile(
    rf"\s{{0,3}}(?:[-*+]\s+)?(?:\*\*|__)?((?:(?:{_PART})\s*)?(?:{_SUPERSEDED}|{_SUPERSEDES}))(?:\*\*|__)?\s+(.*)$",
    re.IGNORECASE,
)
_SPOKEN = re.compile(
    rf"(?<![\w])({_SUPERSEDED}|{_SUPERSEDES})\s*[:：]?\s*([^.。;；\n]{{1,300}}(?:\.(?:md|markdown|txt)\)?)?)", re.IGNORECASE
)
_PASSIVE = re.compile(r"被\s{0,2}([^被。；;\n]{1,120}?)\s{0,2}(?:取代|替代|代替)")


@dataclass(frozen=True, slots=True)
class _Item:
    """One field, or one line. ``is_early``: before the first section. ``is_status``: in a section called Status."""

    key: str
    value: str
    said: str
    number: int
    numbers: tuple[int, ...]
    is_early: bool
    is_status: bool


def _items(lines: Sequence[Line]) -> Iterator[_Item]:
    is_early, is_status, seen_title = True, False, False
    n = 0
    while n < len(lines):
        line = lines[n]
        n += 1
        if line.kind is Kind.HEADING:
            if seen_title or line.level > 1:
                is_early = False
            seen_title = True
            is_status = line.heading.strip(" *:：").casefold() in _STATUS
            continue
        if line.kind is not Kind.TEXT or line.is_blank:
            continue
        row = _ROW.match(line.text)
        field = row or _FIELD.match(line.text)
        key, value = (field[1].strip(), field[2].strip()) if field else ("", _plain(line.text))
        taken = [line]
        known, lists = _is_known(key), not value
        if known and not row:
            while n < len(lines) and lines[n].kind is Kind.TEXT and not lines[n].is_blank and _continues(line, lines[n], lists):
                value = f"{value}\n{_plain(lines[n].text)}".strip("\n")
                taken.append(lines[n])
                n += 1
        if field and not known:
            key = key if is_early else ""
            value = value if is_early else _plain(line.text)
        said = "\n".join(t.text for t in taken).strip()
        yield _Item(key, value, said, line.number, tuple(t.number for t in taken), is_early, is_status)


def _is_known(key: str) -> bool:
    return key.casefold() in _STATUS or key.casefold() in _DATES or _KEY.fullmatch(key) is not None


def _continues(first: Line, line: Line, lists: bool) -> bool:
    """An indented line goes on with the field above; so does a list, where nothing stands behind the colon."""
    if _NESTED.match(line.text):
        return True
    return lists and _LISTED.match(line.text) is not None and _LISTED.match(first.text) is None


def _claim(key: str, value: str, said: str, number: int) -> Claim | None:
    """A field `Supersedes: …`, or a line that begins with the word and names documents alone."""
    named = _KEY.fullmatch(key)
    if named is None and not key:
        leading = _LEADING.match(said)
        if leading and is_only_references(leading[2]):
            named, value = _KEY.fullmatch(leading[1].strip()), leading[2]
    if named is None:
        return None
    references = references_in(value)
    if not references:
        return None
    in_part = bool(named[1] or named[4]) or re.search(rf"[(（][^()（）]{{0,40}}(?:{_PART})", value, re.IGNORECASE) is not None
    return Claim(Of.SUPERSEDES if named[2] else Of.SUPERSEDED_BY, references, said, number, in_part)


def _in_status(item: _Item) -> list[Claim]:
    """`Accepted, supersedes ADR 3`, `Superseded by [7](0007.md)`, `已被 0007 取代`."""
    made = [
        Claim(Of.SUPERSEDED_BY, references, item.said, item.number)
        for passive in _PASSIVE.findall(item.value)
        if (references := references_in(passive))
    ]
    for word, value in _SPOKEN.findall(item.value) if not made else ():
        references = references_in(value)
        if references and re.search(r"\d|\.md|\]\(", value):
            of = Of.SUPERSEDED_BY if re.fullmatch(_SUPERSEDED, word, re.IGNORECASE) else Of.SUPERSEDES
            made.append(Claim(of, references, item.said, item.number))
    return made


def _plain(text: str) -> str:
    return _LISTED.sub("", text, count=1).strip()


def _once(made: list[Claim]) -> tuple[Claim, ...]:
    """The same claim in several places of a record is one."""
    found: dict[tuple[Of, Reference], Claim] = {}
    for claim in made:
        for reference in claim.references:
            found.setdefault((claim.of, reference), claim)
    kept = {id(c): c for c in found.values()}
    return tuple(kept.values())


def _first(values: Iterator[T | None]) -> T | None:
    return next((v for v in values if v is not None), None)
