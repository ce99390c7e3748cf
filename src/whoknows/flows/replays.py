"""Replays: a conversation that comes again under other ids is known by runs of neighbouring messages, by hashes of their words.

One sentence that is said again alone is judged anew: who says "we use A" after "we use B" means it. What proves a replay is
that several messages with words of their own come in the order in which they were heard before. Where the first of a run was
judged anew and changed something, the rest is judged anew too, so that whatever came last in it holds in the end.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from whoknows.domain.distillation import HeardMessage, Place
from whoknows.domain.distilled import Said
from whoknows.flows.hearing import Heard
from whoknows.ports import Tx

PROOF = 2
"""Messages with words of their own that a run needs, the one before it included."""
_WORDS = 4.0
"""Words from which on a message is more than a greeting or an "ok", which anybody says twice."""
_HAN = re.compile(r"[\u3400-\u9fff]")
_WORD = re.compile(r"[^\W_\u3400-\u9fff]+")
_HAN_PER_WORD = 1.6


@dataclass(frozen=True, slots=True)
class Step:
    """A message in the order of its conversation.

    ``pair``: a hash of it and of what stands before it, None where nothing does. ``tail``: what the next message takes for what
    stands before that. ``silent``: it holds nobody's words, and stands in nobody's way.
    """

    pair: bytes | None
    tail: bytes | None
    weighs: bool
    silent: bool = False


@dataclass(frozen=True, slots=True)
class Order:
    """Messages in the order in which they come; ``known``: the pairs among them that were heard before."""

    heard: Sequence[Heard]
    steps: Sequence[Step]
    known: frozenset[bytes | None]
    last: Place | None
    live: bool

    @property
    def again(self) -> frozenset[bytes]:
        """The `Heard.words` of those that come again."""
        places = () if self.live else replayed(self.steps, self.known, self.last)
        return frozenset(self.heard[n].words for n in places)

    def recorded(self, whys: Mapping[str, str], wrote: Collection[str]) -> list[HeardMessage]:
        """``whys``: why nothing was kept of a message, ``wrote``: the messages of which something was; by their ids."""
        told = stirred(self.steps, self.known, self.last, {n for n, h in enumerate(self.heard) if h.id in wrote})
        return [
            HeardMessage(h.id, h.words, whys.get(h.id), step.pair, Place(step.tail, on))
            for h, step, on in zip(self.heard, self.steps, told, strict=True)
        ]


async def order_of(tx: Tx, project: str, heard: Sequence[Heard], *, live: bool) -> Order:
    """``live``: a turn of chat, which happens now and is nobody's replay."""
    last = await tx.distillations.last(project)
    found = steps([h.said for h in heard], None if last is None else last.tail)
    known = await tx.distillations.followed([s.pair for s in found if s.pair is not None])
    return Order(heard, found, frozenset(known), last, live)


def steps(messages: Sequence[Said | None], before: bytes | None) -> list[Step]:
    """One for each of ``messages``, on from the tail ``before``. None: a message that holds nobody's words."""
    found: list[Step] = []
    for said in messages:
        if said is None:
            found.append(Step(None, before, weighs=False, silent=True))
            continue
        words = _hash(said.project_id or "", str(said.role), said.content)
        weighs = _weighs(said.content)
        pair = None if before is None else _hash(before.hex(), words.hex())
        # What says little proves nothing by itself: it counts with what stands before it.
        before = words if weighs else pair
        found.append(Step(pair, before, weighs))
    return found


def replayed(found: Sequence[Step], known: Collection[bytes | None], last: Place | None) -> set[int]:
    """The places of ``found`` that were heard before in this order. ``last``: where the messages go on from."""
    return {place for run, linked in _runs(found, known) if _proves(found, run, linked, last) for place in run}


def stirred(found: Sequence[Step], known: Collection[bytes | None], last: Place | None, wrote: Collection[int]) -> list[bool]:
    """For each message: whether something was written of it, or of those that lead to it in an order heard before."""
    told: list[bool] = []
    for place, step in enumerate(found):
        before = told[-1] if told else last is not None and last.stirred
        told.append(place in wrote or (before and (step.silent or step.pair in known)))
    return told


def _runs(found: Sequence[Step], known: Collection[bytes | None]) -> Iterator[tuple[list[int], bool]]:
    """Runs of places, each linked to the one before it; and whether the first is linked to what stood before all."""
    run: list[int] = []
    linked = False
    for place, step in enumerate(found):
        if step.silent:
            continue
        goes_on = step.pair in known
        if run and not goes_on:
            yield run, linked
            run = []
        if not run:
            linked = goes_on
        run.append(place)
    if run:
        yield run, linked


def _proves(found: Sequence[Step], run: Sequence[int], linked: bool, last: Place | None) -> bool:
    if linked and (last is None or last.stirred):
        return False
    return linked + sum(found[n].weighs for n in run) >= PROOF


def _weighs(text: str) -> bool:
    return len(_HAN.findall(text)) / _HAN_PER_WORD + len(_WORD.findall(text)) >= _WORDS


def _hash(*parts: str) -> bytes:
    whole = "".join(f"{len(p)}:{p}" for p in parts)
    return blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=16).digest()
