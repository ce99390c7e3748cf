"""Which document overturned which: claims are matched with documents; every chain ends in exactly one that holds."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from posixpath import basename, dirname, normpath, splitext

from whoknows.documents.claims import Claim, Of
from whoknows.documents.document import Document
from whoknows.documents.lines import SENTENCE_END, Kind, Line, joined
from whoknows.documents.references import Reference, bare_title


@dataclass(frozen=True, slots=True)
class Overturned:
    """The document at ``old`` no longer holds; ``new`` is what holds instead, None where that is not said. ``reason`` is a
    quote from the one that says so."""

    old: str
    new: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Doubt:
    """A claim that does not count, and why. ``check`` is a stable word for it."""

    path: str
    check: str
    message: str


@dataclass(frozen=True, slots=True)
class Lineage:
    overturned: tuple[Overturned, ...]
    doubts: tuple[Doubt, ...]


def lineage_of(documents: Sequence[Document]) -> Lineage:
    """Deterministic, whatever the order of ``documents``."""
    known = sorted(documents, key=lambda d: d.path)
    doubts: list[Doubt] = []
    edges = sorted(_edges(known, doubts), key=_newest_first)
    successor: dict[str, tuple[Document, str | None]] = {}
    for edge in edges:
        if edge.old.path in successor:
            if successor[edge.old.path][0].path != edge.new.path:
                message = f"{edge.old.path} was superseded by {successor[edge.old.path][0].path} as well: that one counts"
                doubts.append(Doubt(edge.new.path, "superseded_twice", message))
        elif _leads_to(successor, edge.new.path, edge.old.path):
            doubts.append(Doubt(edge.claimed_by.path, "cycle", f"{edge.new.path} and {edge.old.path} supersede each other"))
        else:
            successor[edge.old.path] = (edge.new, edge.reason)
    overturned = [Overturned(old, new.path, reason) for old, (new, reason) in successor.items()]
    for document in known:
        if document.status is not None and document.status.is_over and document.path not in successor:
            overturned.append(Overturned(document.path, None, None))
            doubts.append(Doubt(document.path, "successor_unknown", "it says that it is superseded, and not by what"))
    return Lineage(
        tuple(sorted(overturned, key=lambda o: o.old)), tuple(sorted(set(doubts), key=lambda d: (d.path, d.check, d.message)))
    )


@dataclass(frozen=True, slots=True)
class _Edge:
    new: Document
    old: Document
    claimed_by: Document
    reason: str | None


def _edges(documents: Sequence[Document], doubts: list[Doubt]) -> Iterator[_Edge]:
    for document in documents:
        for claim in document.made:
            for reference in claim.references:
                other = _meant(reference, document, documents)
                if isinstance(other, str):
                    doubts.append(Doubt(document.path, other, f"{reference.said!r} is {_TOLD[other]} (line {claim.line})"))
                elif other.path == document.path:
                    doubts.append(Doubt(document.path, "cycle", f"it supersedes itself (line {claim.line})"))
                elif claim.in_part:
                    doubts.append(
                        Doubt(document.path, "in_part", f"{other.path} is superseded in part: it stays (line {claim.line})")
                    )
                else:
                    new, old = (document, other) if claim.of is Of.SUPERSEDES else (other, document)
                    if new.status is not None and not new.status.counts:
                        doubts.append(Doubt(new.path, "does_not_count", f"it is {new.status.name}: {old.path} stays"))
                    else:
                        yield _Edge(new, old, document, why(new, old, claim if document is new else None))


_TOLD = {"unknown_target": "none of the documents", "ambiguous_target": "the name of several documents"}


def _meant(reference: Reference, by: Document, documents: Sequence[Document]) -> Document | str:
    """The document that is meant, or what is the matter. One of the same folder comes before those of others."""
    fitting = [d for d in documents if _fits(reference, by, d)]
    beside = [d for d in fitting if dirname(d.path) == dirname(by.path)]
    found = beside or fitting
    if len(found) == 1:
        return found[0]
    exact = [d for d in found if reference.file and basename(d.path) == basename(reference.file)]
    return exact[0] if len(exact) == 1 else "ambiguous_target" if found else "unknown_target"


def _fits(reference: Reference, by: Document, document: Document) -> bool:
    if reference.file:
        wanted = normpath(f"{dirname(by.path)}/{reference.file}".lstrip("/"))
        if document.path == wanted or basename(document.path) == basename(reference.file):
            return True
        if splitext(basename(reference.file))[1]:
            return False
    if reference.number is not None:
        return document.number == reference.number
    if reference.title is not None:
        title = bare_title(reference.title)
        return bool(title) and title in (bare_title(document.title), splitext(basename(document.path))[0].casefold())
    return False


def _newest_first(edge: _Edge) -> tuple[bool, int, int, str, str]:
    """Claims of newer records on older ones come first: where two contradict each other, the first counts."""
    new, old = _age(edge.new), _age(edge.old)
    return new < old, -new[0], -new[1], edge.new.path, edge.old.path


def _age(document: Document) -> tuple[int, int]:
    dated = document.dated or date.min
    return dated.toordinal(), document.number or 0


def _leads_to(successor: dict[str, tuple[Document, str | None]], start: str, end: str) -> bool:
    at: str | None = start
    while at is not None:
        if at == end:
            return True
        at = successor[at][0].path if at in successor else None
    return False


_WHY = re.compile(r"context|motivation|why|rationale|reason|problem|background|背景|原因|理由|动机|为什么|问题", re.IGNORECASE)
_CAUSE = re.compile(
    r"\b(?:because|since|so that|problem|surfaced|coupl\w+|instead|therefore|too|cannot|never|why)\b"
    r"|因为|由于|原因|为了|因此|问题|不再",
    re.IGNORECASE,
)
_REASON = 600


def why(new: Document, old: Document, claim: Claim | None) -> str | None:
    """In the words of the new record: the paragraph that speaks of the old one and says why, else the line that says that."""
    mention = _mention(old)
    for section in sorted(new.sections, key=lambda s: not _WHY.search(s.heading)):
        for paragraph in _paragraphs(section.lines, new.claims.metadata):
            if mention.search(paragraph) and (_WHY.search(section.heading) or _CAUSE.search(paragraph)):
                return _cut(paragraph)
    return _cut(claim.said) if claim is not None else None


def _mention(document: Document) -> re.Pattern[str]:
    names = [re.escape(basename(document.path)), re.escape(document.title)]
    if document.number is not None:
        names.append(rf"(?:\b(?:ADR|RFC|decision|record)|决策|决定|记录)\s?(?:record\s)?[-#_ ]{{0,2}}0*{document.number}(?!\d)")
        names.append(rf"(?<![\d./-])0+{document.number}(?![\d/-])")
    return re.compile("|".join(names), re.IGNORECASE)


def _paragraphs(lines: Sequence[Line], metadata: frozenset[int]) -> Iterator[str]:
    block: list[Line] = []
    for line in (*lines, Line(0, "", Kind.TEXT)):
        if line.kind is Kind.TEXT and not line.is_blank and line.number not in metadata:
            block.append(line)
        elif block:
            yield joined(block).strip()
            block = []


def _cut(text: str) -> str:
    if len(text) <= _REASON:
        return text
    ends = [m.end() for m in SENTENCE_END.finditer(text[:_REASON])]
    return text[: ends[-1] if ends else _REASON].strip()
