"""Seek the memories of a context: those of the project and the general ones, best first, within one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from whoknows.context.choose import Candidate, choose, gathered
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.domain.memory import Filters
from whoknows.flows.recall import arms_of
from whoknows.policy.accounts import account_for, general_scope, project_scope
from whoknows.policy.standing import ReadScope, Standing
from whoknows.ports import ContextCard, Pooled, Tx
from whoknows.recall.background import Aimed
from whoknows.recall.pipeline import recall
from whoknows.recall.tokens import question_terms

OFFERED = 64
"""Memories of a part that are offered to the budget: more than have room in one of the default size."""
_FOUND = 150
"""What each arm brings at most. One search is for both parts, and some of what it brings is of other projects."""
_LATELY = 96
"""Memories used last that are looked at: those of one context, which were all used at the same moment, and some more."""
_FEW = 32
"""A part with fewer hits than this is searched by itself, and if that brings no more, its newest memories are offered too:
the embedder may be down, or vectors not made yet."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Which memories belong to a part: ``scope`` and ``filters`` say it to the store, ``holds`` of what was found already."""

    scope: ReadScope
    filters: Filters

    def holds(self, project: str | None, audience: int | None) -> bool:
        return audience in self.scope.audiences and project == self.filters.project_id


class Seeker:
    """For one message of one reader."""

    def __init__(self, tx: Tx, standing: Standing, project: str, about: str, aimed: Aimed | None) -> None:
        self._tx = tx
        self._project = project
        self._about = about
        self._aimed = aimed
        self._terms = question_terms(about)
        account = account_for(standing)
        self._readers: list[PrincipalId] = [standing.reader.id, *([] if account is None else [account.id])]
        self._parts = (
            _Part(project_scope(standing), Filters(project_id=project)),
            _Part(general_scope(standing), Filters(general=True)),
        )

    async def seek(self) -> tuple[Sequence[ContextCard], Sequence[ContextCard]]:
        """The cards of the project's memories, and of the general ones."""
        first, second = self._parts
        scope = replace(first.scope, audiences=first.scope.audiences | second.scope.audiences)
        if not scope.audiences:
            return (), ()
        scores = await self._search(scope, Filters())
        pooled = [
            *await self._tx.context.recent(scope, self._project, self._readers, _LATELY),
            *await self._tx.context.tagged(scope, self._project, self._about.lower(), OFFERED),
        ]
        chosen = [await self._chosen(part, scores, pooled) for part in self._parts]
        ids = [MemoryId(i) for part in chosen for i in part]
        cards = {c.id: c for c in await self._tx.context.cards(scope, ids)} if ids else {}
        of_project, general = ([cards[MemoryId(i)] for i in part if i in cards] for part in chosen)
        return of_project, general

    async def _chosen(
        self, part: _Part, found: Mapping[UUID, tuple[float, str | None, int | None]], pooled: Sequence[Pooled]
    ) -> Sequence[UUID]:
        mine = {i: score for i, (score, project, audience) in found.items() if part.holds(project, audience)}
        more = [p for p in pooled if part.holds(p.project, p.audience)]
        if len(mine) < _FEW and part.scope.audiences and len(found) >= _FOUND:
            mine = {i: score for i, (score, _, _) in (await self._search(part.scope, part.filters)).items()}
        if len(mine) < _FEW and part.scope.audiences:
            general = part.filters.project_id is None
            more += await self._tx.context.newest(part.scope, self._project, general, OFFERED)
        candidates = gathered(mine, [Candidate(p.id, 0.0, p.last_used, p.tags) for p in more])
        return choose(candidates, self._about)[:OFFERED]

    async def _search(self, scope: ReadScope, filters: Filters) -> Mapping[UUID, tuple[float, str | None, int | None]]:
        """Score, project and audience of what a recall without a floor finds."""
        vector = None if self._aimed is None else self._aimed.vector
        found = await self._tx.arms.search(scope, self._terms, vector, filters, _FOUND)
        ranked = recall(arms_of(self._about, found, self._aimed), limit=2 * _FOUND, floor=0.0)
        cards = found.cards
        return {h.memory: (h.score, cards[h.memory].project, cards[h.memory].audience) for h in ranked.hits}
