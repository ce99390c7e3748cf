"""Run the stages in order: fuse, rank, follow, calibrate, select. Pure: the same arms give the same result, whatever the
hour."""

from __future__ import annotations

from typing import Literal

from whoknows.recall import floor as floors
from whoknows.recall.follow import follow
from whoknows.recall.fuse import fuse, fuse_former
from whoknows.recall.hits import Arms, Recalled
from whoknows.recall.rank import rank
from whoknows.recall.select import select


def recall(arms: Arms, *, limit: int, floor: float | None = None) -> Recalled:
    """The memories that answer, best first, at most `limit`; none if nothing reaches the floor.

    `floor` in [0, 1] replaces `floors.DEFAULT_FLOOR` (0 returns everything found). About 1 ms for two lists of a
    hundred.
    """
    least = floors.DEFAULT_FLOOR if floor is None else floor
    searched_words = arms.lexical is not None and bool(arms.lexical.terms)
    candidates = fuse(arms)
    about = floors.setting(candidates, searched_words=searched_words, visible=arms.visible)
    leads = {former.memory: former.leads_to for former in arms.former}
    ranked = follow(rank(candidates, arms.cards), fuse_former(arms), leads)
    own = [floors.score(item.candidate, about) for item in ranked]
    scores = floors.in_company(own, [item.strength for item in ranked])
    chosen = select(ranked, scores, least, limit)
    return Recalled(chosen.hits, chosen.dropped, _answered(arms, searched_words), least)


def _answered(arms: Arms, searched_words: bool) -> tuple[Literal["lexical", "dense"], ...]:
    said: list[Literal["lexical", "dense"]] = []
    if searched_words:
        said.append("lexical")
    if arms.dense is not None:
        said.append("dense")
    return tuple(said)
