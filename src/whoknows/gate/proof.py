"""Proof: what was found of the evidence that a draft names, and what was not."""

from dataclasses import dataclass, replace

from whoknows.domain.evidence import Evidence, EvidenceLevel, level_of
from whoknows.domain.locator import span_of
from whoknows.errors import Finding
from whoknows.gate.quotes import LEAST, MOST, find, weight

NOT_VERIFIABLE = "not_verifiable"
"""The check of a source that is kept and never read: worth telling only where a gate asks for more."""
UNREADABLE = Finding(
    "source_unreadable",
    "the source is not there, or it is not yours to read (`whoknows sources list`): the quote was not looked for",
)
OUT_OF_REACH = Finding("not_readable_there", "not everybody there may read the source: a quote from it is no evidence for them")
NO_SOURCE = Finding("not_a_source", "what the assistant answered is no source: name what somebody said")
CIRCULAR = Finding("circular", "what a memory overturns is no proof of it: name another source")
NOT_FOUND = Finding("quote_not_found", "the quote does not stand in the source, word for word")


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found of one draft's evidence. ``findings`` say what was not, and why.

    ``out_of_reach``: readers of the destination may not read the source; a quote from there is no evidence for them.
    """

    evidence: tuple[Evidence, ...] = ()
    findings: tuple[Finding, ...] = ()
    out_of_reach: bool = False

    @property
    def level(self) -> EvidenceLevel:
        return EvidenceLevel.NONE if self.out_of_reach else level_of(self.evidence)


def looked_for(evidence: Evidence, text: str, lines: tuple[int, int] | None = None) -> Proof:
    """``evidence`` with the place of its quote in ``text``, verified, or with the finding that says why not.

    Where ``lines`` are named the quote must stand in them.
    """
    if evidence.quote is None:
        return Proof((evidence,))
    fault = unfit(evidence.quote)
    if fault is not None:
        return Proof((evidence,), (fault,))
    begin, end = (0, len(text)) if lines is None else span_of(lines, text)
    place = find(evidence.quote, text, begin, end)
    if place is None:
        return Proof((evidence,), (_elsewhere(evidence.quote, text) if lines else NOT_FOUND,))
    return Proof((replace(evidence, start=place[0], end=place[1], verified=True),))


def stands(quote: str, text: str | None) -> tuple[int, int] | None:
    """Where a quote stands in a text, as far as it proves anything there."""
    return None if text is None or unfit(quote) is not None else find(quote, text)


def unfit(quote: str) -> Finding | None:
    """Why a quote proves nothing wherever it stands."""
    if len(quote) > MOST:
        return Finding("quote_too_long", f"{len(quote)} characters: quote the {MOST} at most that say it")
    if weight(quote) < LEAST:
        message = f"so few letters stand anywhere: quote at least {LEAST} letters or digits, or {LEAST // 2} Han characters"
        return Finding("quote_too_short", message)
    return None


def _elsewhere(quote: str, text: str) -> Finding:
    place = find(quote, text)
    if place is None:
        return NOT_FOUND
    line = text.count("\n", 0, place[0]) + 1
    return Finding("quote_not_found", f"the quote does not stand in those lines: it stands in line {line}")
