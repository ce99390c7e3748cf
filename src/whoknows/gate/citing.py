"""Citing: the quotes that an observation rests on, each found in its source; and a text of one's own borne out by quotes."""

import re
from collections.abc import Mapping, Sequence

from whoknows.domain.evidence import Evidence, SourceKind
from whoknows.domain.ids import MemoryId
from whoknows.domain.observation import Quote, Statement
from whoknows.errors import Finding
from whoknows.gate.near import alike
from whoknows.gate.quotes import LEAST, MOST, find, fold, quote_hash, weight

_END = re.compile(r"(?<=[。！？!?；;])(?![”’」』）)\"'])\s*|(?<=[.])\s+(?=\S)|(?<=[。！？!?.][”’」』）)\"'])\s*|\n+")
_MARKS = ".。!！?？;； "
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
_NOTHING_SAID = re.compile(r"^\W*$")


def sentences(text: str) -> list[str]:
    """The sentences of ``text``, in order, with their closing marks; never an empty one."""
    return [part for piece in _END.split(text) if (part := piece.strip()) and not _NOTHING_SAID.match(part)]


def cited(source: Statement, about: str) -> Evidence:
    """What ``source`` says ``about`` a statement: all of it where that is a quote's length, else its nearest sentence."""
    quote = source.content.strip()
    if len(quote) > MOST:
        quote = max(sentences(quote) or [quote], key=lambda s: (len(s) <= MOST, alike(s, about)))[:MOST]
    return evidence_of(source, quote)


def evidence_of(source: Statement, quote: str) -> Evidence:
    """``quote`` as evidence from ``source``; verified where it stands there and says enough to prove anything."""
    place = find(quote, source.content)
    return Evidence(
        source_kind=SourceKind.MEMORY,
        locator=str(source.id),
        quote=quote,
        start=None if place is None else place[0],
        end=None if place is None else place[1],
        quote_hash=quote_hash(quote),
        verified=place is not None and weight(quote) >= LEAST,
    )


def borne_out(
    text: str, quotes: Sequence[Quote], sources: Mapping[MemoryId, Statement]
) -> tuple[tuple[Evidence, ...], tuple[Finding, ...]]:
    """The evidence of a text of one's own, and what is missing: each sentence needs a quote that stands in a source.

    A sentence that stands in a source word for word is its own quote. A number must be in what bears it out.
    """
    told = sentences(text)
    found: dict[tuple[MemoryId, str], Evidence] = {}
    missing: list[Finding] = []
    backing: dict[int, list[str]] = {n: [] for n in range(1, len(told) + 1)}
    for q in quotes:
        source = sources.get(q.memory)
        if source is None:
            missing.append(Finding("quote_not_found", f"{q.memory} is none of the memories that it rests on"))
            continue
        piece = evidence_of(source, q.quote)
        if not piece.verified:
            missing.append(_not_found(q, piece))
            continue
        sentence = q.sentence if q.sentence is not None else 1 if len(told) == 1 else None
        if sentence not in backing:
            missing.append(
                Finding("quote_not_found", f"say which `sentence` (1 to {len(told)}) a quote of {q.memory} bears out")
            )
            continue
        found[q.memory, q.quote] = piece
        backing[sentence].append(q.quote)
    for n, sentence in enumerate(told, 1):
        span = _span(text, sentence)
        for source in sources.values():
            words = sentence.rstrip(_MARKS)  # how a sentence is closed is no word of it
            own = evidence_of(source, words)
            if own.verified:
                found.setdefault((source.id, words), own)
                backing[n].append(words)
        if not backing[n]:
            missing.append(Finding("quote_not_found", f"no quote of a source bears out sentence {n}", span))
        elif not _digits(sentence) <= set[str]().union(*(_digits(b) for b in backing[n])):
            missing.append(Finding("quote_not_found", f"sentence {n} has a number that is in none of its quotes", span))
    return tuple(found.values()), tuple(missing)


def _not_found(q: Quote, piece: Evidence) -> Finding:
    if piece.start is not None:
        return Finding("quote_too_short", f"a quote of {q.memory} is too short to prove anything")
    return Finding("quote_not_found", f"a quote does not stand in {q.memory}")


def _digits(text: str) -> set[str]:
    return set(_DIGITS.findall(fold(text)))


def _span(text: str, sentence: str) -> tuple[int, int] | None:
    at = text.find(sentence)
    return None if at < 0 else (at, at + len(sentence))
