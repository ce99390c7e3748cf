"""The arms gateway: both searches of one question, filtered before they rank."""

from collections.abc import Sequence
from functools import partial

from pgvector import HalfVector
from psycopg.rows import DictRow

from whoknows.domain.memory import Filters
from whoknows.flows.prepare import term_hash
from whoknows.policy.standing import ReadScope
from whoknows.ports import Found, Vector
from whoknows.recall.hits import Card, DenseHit, Former, LexicalArm, LexicalHit, QuestionTerm
from whoknows.stores.postgres.bm25 import Ranking, Scored, bm25, bm25_of
from whoknows.stores.postgres.dense import Nearest, hnsw_least
from whoknows.stores.postgres.left import Leaving
from whoknows.stores.postgres.packed import INT4_ARRAY, INT8_ARRAY, Int4Array, Int8Array
from whoknows.stores.postgres.parameters import scoped
from whoknows.stores.postgres.session import Cursor, Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("arms")
_ASKED_FIRST = 4
"""Times as many as are wanted of the best by their words are asked whether the filters leave them; then four times as many."""
_NOTHING: DictRow = {"visible": 0, "mean_length": 0.0}
_LOADERS = {INT8_ARRAY: Int8Array, INT4_ARRAY: Int4Array}


class PostgresArms:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def search(
        self, scope: ReadScope, terms: Sequence[QuestionTerm], vector: Vector | None, filters: Filters, limit: int
    ) -> Found:
        params = scoped(scope)
        words = [term_hash(t.text) for t in terms]
        await self._sql.ask(_SQL["plan_once"])
        covering = await self._sql.ask(_SQL["hnsw_rows"])
        counting = await self._sql.ask(_SQL["sight"], params)
        matching = await self._sql.ask(_SQL["postings"], params | {"terms": words}, _LOADERS) if words else None
        least = hnsw_least(await covering.fetchone())
        sight = await counting.fetchone() or _NOTHING
        postings = await matching.fetchall() if matching else []
        leaving = Leaving(self._sql, params, filters)
        left = await leaving.of(sight["visible"], least)
        nearing = None if vector is None else Nearest(self._sql, leaving, left, vector, limit)
        if nearing is not None:
            await nearing.begin(through_hnsw=left.held >= least)
        leading = await self._former(leaving, words, vector, limit)
        # The sums of the words are done here while the database measures vectors.
        weights = [t.weight for t in terms]
        scored = bm25(postings, words, weights, sight["visible"], sight["mean_length"], left.numbers)
        best = await _best(scored, leaving, limit) if left.many else scored.best(limit)
        nearest: Sequence[DictRow] = () if nearing is None else await nearing.bring()
        leads = await leading.fetchall()
        nos = dict.fromkeys((*(n for n, _ in best), *(r["memory_no"] for r in nearest), *(r["leads_no"] for r in leads)))
        cards = {r["memory_no"]: r for r in await self._sql.all(_SQL["cards"], params | {"nos": list(nos)})}
        lexical = LexicalArm(
            tuple(terms),
            scored.frequencies,
            sight["visible"],
            tuple(LexicalHit(cards[n]["memory_id"], s) for n, s in best if n in cards),
        )
        measured = partial(bm25_of, terms=words, weights=weights, scored=scored, visible=sight["visible"])
        former = [
            Former(r["memory_id"], r["leads_to"], measured(r, mean_length=sight["mean_length"]), r["similarity"], r["wide"])
            for r in leads
            if r["leads_no"] in cards and (r["terms"] or r["similarity"] is not None)
        ]
        dense = tuple(DenseHit(cards[r["memory_no"]]["memory_id"], r["similarity"]) for r in nearest if r["memory_no"] in cards)
        return Found(
            visible=sight["visible"],
            lexical=lexical if terms else None,
            dense=None if vector is None else dense,
            cards={r["memory_id"]: _card(r) for r in cards.values()},
            exact=nearing is None or nearing.exact,
            former=tuple(former),
        )

    async def _former(self, leaving: Leaving, words: Sequence[int], vector: Vector | None, limit: int) -> Cursor:
        asked: Params = {"terms": list(words), "vector": None if vector is None else HalfVector(list(vector)), "limit": limit}
        return await self._sql.ask(_SQL["former"], leaving.params | asked)


async def _best(scored: Scored, leaving: Leaving, limit: int) -> Ranking:
    """The best by their words of what the filters leave, of which nobody knows all the numbers."""
    asked = _ASKED_FIRST * limit
    while best := scored.best(asked):
        kept = await leaving.among([n for n, _ in best])
        if len(kept) >= limit or len(best) < asked:
            return [(n, s) for n, s in best if n in kept][:limit]
        asked *= _ASKED_FIRST
    return []


def _card(row: DictRow) -> Card:
    return Card(
        row["session"],
        row["session_ordinal"],
        row["created_at"],
        row["wide"],
        row["embedded"],
        row["project_id"],
        row["audience_id"],
    )
