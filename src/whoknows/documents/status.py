"""The status of a record, in the words that people use for it, and the day it is dated."""

import re
from dataclasses import dataclass
from datetime import date

REJECTED, WITHDRAWN, SUPERSEDED, DEPRECATED = "rejected", "withdrawn", "superseded", "deprecated"
ACCEPTED, PROPOSED, DRAFT = "accepted", "proposed", "draft"


@dataclass(frozen=True, slots=True)
class Status:
    """``name`` is one of those above, or the first word of another; ``said`` is what stands there."""

    name: str
    said: str

    @property
    def counts(self) -> bool:
        """Whether what the record claims of others holds: a proposal's claim does, a rejected one's does not."""
        return self.name not in (REJECTED, WITHDRAWN)

    @property
    def is_over(self) -> bool:
        """It says itself that something else holds now."""
        return self.name == SUPERSEDED


_WORDS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        REJECTED,
        (
            r"not (?:accepted|approved|adopted)|reject(?:ed)?\b|declined|denied",
            r"未(?:被)?(?:采纳|采用|接受|通过|批准)|不(?:予)?(?:采纳|通过|接受)|(?:已|被)?(?:拒绝|否决|驳回)",
        ),
    ),
    (WITHDRAWN, (r"withdrawn|withdrew|abandoned|retracted|cancel+ed", r"(?:已|被)?(?:撤回|撤销|取消|放弃|作废)")),
    (
        SUPERSEDED,
        (
            r"supers?[ce]e?ded|superceded|replaced|obsoleted?\b",
            r"(?:已)?被.{0,80}?(?:取代|替代|代替)|已(?:取代|替代|废止)|废止",
        ),
    ),
    (DEPRECATED, (r"deprecated", r"(?:已|被)?(?:弃用|废弃|不推荐)")),
    (
        ACCEPTED,
        (
            r"accepted|approved|adopted|agreed|decided|implemented|in force|active\b|final\b|done\b",
            r"(?:已|被)?(?:采纳|采用|接受|通过|批准|同意|生效|实施|定稿)",
        ),
    ),
    (
        PROPOSED,
        (
            r"propos(?:ed|al)|pending|in review|under (?:review|discussion)|open\b",
            r"提议|提案|建议|待定|待审|评审中|讨论中",
        ),
    ),
    (DRAFT, (r"draft|wip\b|work in progress", r"草案|草稿|起草")),
)
_PATTERNS = tuple((name, re.compile("|".join(patterns), re.IGNORECASE)) for name, patterns in _WORDS)
_STRUCK = re.compile(r"~~[^~]{0,200}~~")
_DATE = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?[-/.年]\s?(\d{1,2})\s?[-/.月]\s?(\d{1,2})(?!\d)")


def status_of(said: str) -> Status | None:
    """The status that a line names; what is struck out is not it any more. None where nothing is said."""
    told = _STRUCK.sub("", said).strip(" \t*_`~.。|")[:400]
    if not told:
        return None
    found = [(m.start(), n, name) for n, (name, pattern) in enumerate(_PATTERNS) if (m := pattern.search(told))]
    if found:
        return Status(min(found)[2], told)
    word = re.match(r"[^\W_]+(?:[ -][^\W_]+)?", told)
    return Status(word[0].lower().replace(" ", "-")[:40], told) if word else None


def date_of(said: str) -> date | None:
    """The first day that is written out with its year; None for a day that there is not."""
    for found in _DATE.finditer(said[:400]):
        try:
            return date(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            continue
    return None
