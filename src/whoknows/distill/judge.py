"""The judge of messages: which facts a message leaves behind, or why it leaves none."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from whoknows.distill.cues_change import CHANGING
from whoknows.distill.cues_lasting import LASTING
from whoknows.distill.cues_naming import NAMING
from whoknows.distill.cues_passing import PASSING
from whoknows.distill.exclude import Excluded, excluded
from whoknows.distill.features import bare
from whoknows.distill.model import Model, Reading
from whoknows.distill.sentences import Sentence
from whoknows.distill.units import Unit, lead, units
from whoknows.domain.distilled import FactFound, Judgement, Said, Skip, Speaking
from whoknows.domain.memory import Category

Vectors = Mapping[str, Sequence[float]]
"""Unit vectors of texts, as passages, by the text. A text that is missing is judged by its signals alone."""

KEEP = 0.3
"""Logit of a unit above which it is kept. A little above even: a memory that should not be there costs more than one that is
missing (by cross-validation F1 is level from -0.5 to 0.3)."""
KEEP_LISTED = -1.0
"""The same for one of several things that a message announces: who says "two things" means both."""
WRAPPING = -2.0
"""Logit of a sentence at an end of a unit below which it only wraps the rest, if it is not said to be more."""
MOST = 12
"""Facts of one message. A text of more is a document, and belongs among the sources."""


def texts_of(said: Said) -> Iterator[str]:
    """The texts of a message that `judge` looks up vectors for."""
    for unit in units(said.content, excluded(said.content)):
        yield said.content[unit.start : unit.end]
        if len(unit.parts) > 1:
            yield from (s.text for s in unit.parts)


def judge(model: Model, said: Said, vectors: Vectors) -> Judgement:
    """The judgement on one message. ``vectors`` are empty where they are not of the embedder of ``model``."""
    without = excluded(said.content)
    found = [_read(model, said, unit, vectors) for unit in units(said.content, without)]
    worth = (
        r
        for r in found
        if r.reading.keep > (KEEP_LISTED if r.unit.listed else KEEP) and not _of_now(said, r) and not _asks(said, r)
    )
    kept = sorted(worth, key=lambda r: -r.reading.keep)[:MOST]
    facts = [_fact(model, said, r, vectors) for r in sorted(kept, key=lambda r: r.unit.start)]
    return Judgement(said.id, tuple(facts), None if facts else _why(said, without, found))


@dataclass(frozen=True, slots=True)
class _Read:
    unit: Unit
    reading: Reading


def _read(model: Model, said: Said, unit: Unit, vectors: Vectors) -> _Read:
    return _Read(unit, _reading(model, said, said.content[unit.start : unit.end], vectors))


def _reading(model: Model, said: Said, text: str, vectors: Vectors) -> Reading:
    return model.read(bare(text, assistant=said.role is Speaking.ASSISTANT), vectors.get(text))


def _of_now(said: Said, read: _Read) -> bool:
    """An order in one breath that names no standing wish ("open the log and show me") is no preference, whatever it is like."""
    text = said.content[read.unit.start : read.unit.end]
    orders = read.reading.meaning[0] is Category.USER_PREFERENCE and _DO_NOW.found(text)
    return orders and _PAUSE.search(text) is None and not any(c.found(text) for c in _STANDING)


def _asks(said: Said, read: _Read) -> bool:
    """One question and nothing else states nothing, however much it sounds like a rule."""
    return _BARE_QUESTION.fullmatch(said.content[read.unit.start : read.unit.end].strip()) is not None


_BARE_QUESTION = re.compile(
    r"(?:(?:and|so|but|ok|on|in|at|for|from|to|by|with)\s+)*+(?:what|which|where|when|who|whom|whose|how|why)\b[^,;:.!?，；：。！？\n]*+[?？]+"
    r"|(?=[^?？]*?(?:哪|什么|多少|几点|谁|怎么|为什么|如何))[^,;:!，；：。！!？?\n]++[?？]+",
    re.IGNORECASE,
)

_DO_NOW = next(c for c in PASSING if c.name == "do now")
_LASTS = ("always", "everywhere", "settled", "keep this", "far date", "names a rule", "says it is settled", "corrects")
_STANDING = [c for c in (*LASTING, *NAMING, *CHANGING) if c.name in _LASTS]
_PAUSE = re.compile(r"[，,；;：:。.!！?？、]\s*\S")


def _fact(model: Model, said: Said, read: _Read, vectors: Vectors) -> FactFound:
    parts = _unwrapped(model, said, list(read.unit.parts), vectors)
    start, end = parts[0].start, parts[-1].end
    start += lead(said.content[start:end])
    text = said.content[start:end].rstrip("；;，,、 \t\n")
    reading = read.reading
    kind, reach = reading.meaning
    return FactFound(text, text, start, start + len(text), kind, reach, _chance(reading.keep))


def _unwrapped(model: Model, said: Said, parts: list[Sentence], vectors: Vectors) -> list[Sentence]:
    """Without sentences at either end that are a greeting, a joke, a question and the like around the fact."""
    worth = [_reading(model, said, s.text, vectors) for s in parts] if len(parts) > 1 else []
    first, last = 0, len(parts)
    while last - first > 1 and _wraps(worth[first]) and not _leads(parts[first], parts[first + 1]):
        first += 1
    while last - first > 1 and _wraps(worth[last - 1]):
        last -= 1
    return parts[first:last]


def _leads(first: Sentence, then: Sentence) -> bool:
    """Whether ``then`` says nothing without ``first``, which names what is meant: "scratch the lamps. they stay"."""
    return _POINTS.match(then.text) is not None or any(c.found(first.text) for c in _CHANGES)


_POINTS = re.compile(r"(?:and |so |but )?(?:it|its|this|that|these|those|they|them)(?![a-z])|[它这那其此]", re.IGNORECASE)
_CHANGES = [c for c in CHANGING if c.name in ("corrects", "excepts")]


def _wraps(reading: Reading) -> bool:
    return reading.keep < WRAPPING and reading.reason in _WRAPS


_WRAPS = frozenset({Skip.GREETING, Skip.ACK, Skip.JOKE, Skip.QUESTION, Skip.NAGGING, Skip.OPERATIONAL, Skip.EPHEMERAL})


def _why(said: Said, without: Sequence[Excluded], found: Sequence[_Read]) -> Skip:
    if without and (not found or without[0].why is not Skip.SECRET):
        return without[0].why
    if not found:
        return Skip.NOTHING_LASTING if said.content.strip() else Skip.GREETING
    longest = max(found, key=lambda r: r.unit.end - r.unit.start)
    if _asks(said, longest):
        return Skip.QUESTION
    return Skip.OPERATIONAL if _of_now(said, longest) else longest.reading.reason


def _chance(logit: float) -> float:
    return round(1 / (1 + math.exp(-logit)), 3)
