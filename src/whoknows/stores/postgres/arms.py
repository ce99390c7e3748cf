"""The arms gateway: both searches of one question, filtered before they rank."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from pgvector import HalfVector
from psycopg.rows import DictRow

from whoknows.domain.memory import Filters
from whoknows.flows.prepare import term_hash
from whoknows.policy.standing import ReadScope
from whoknows.ports import Found, Vector
from whoknows.recall.hits import Card, DenseHit, Former, LexicalArm, LexicalHit, QuestionTerm
from whoknows.stores.postgres.bm25 import bm25, bm25_of
from whoknows.stores.postgres.packed import INT4_ARRAY, INT8_ARRAY, Int4Array, Int8Array, packed
from whoknows.stores.postgres.parameters import filtered, scoped
from whoknows.stores.postgres.session import Cursor, Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("arms")
PASSAGES_PER_MEMORY = 4
"""Rows read for each wanted memory, since a long memory has several passages near the question."""
HNSW_LEAST = 50_000
HNSW_SHARE = 0.4
"""HNSW answers where the reader sees so many memories, within the filters, and such a share of all: below, exact search is as
fast, and HNSW loses hits (recall 0.69 at 5 % of 100,000, 0.996 at 50 %; docs/decisions/0003)."""
MANY_SHARE = 0.1
"""Of what is in sight: above, all of its vectors are read in one go; below, those that the filters leave one by one."""
_ALL = 1_000_000_000
_NOTHING: DictRow = {"visible": 0, "mean_length": 0.0}
_LOADERS = {INT8_ARRAY: Int8Array, INT4_ARRAY: Int4Array}


class PostgresArms:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def search(
        self, scope: ReadScope, terms: Sequence[QuestionTerm], vector: Vector | None, filters: Filters, limit: int
    ) -> Found:
        params = scoped(scope)
        allowed = await self._allowed(params, filters)
        words = [term_hash(t.text) for t in terms]
        counting = await self._sql.ask(_SQL["sight"], params)
        matching = await self._sql.ask(_SQL["postings"], params | {"terms": words}, _LOADERS) if words else None
        sight = await counting.fetchone() or _NOTHING
        postings = await matching.fetchall() if matching else []
        held = sight["visible"] if allowed is None else len(allowed)
        exact = not await self._through_hnsw(held)
        many = allowed is not None and len(allowed) > MANY_SHARE * sight["visible"]
        nearing = None if vector is None else await self._nearest(params, vector, limit, allowed, exact, many)
        leading = await self._former(params, words, vector, limit, allowed)
        # The sums of the words are done here while the database measures vectors.
        weights = [t.weight for t in terms]
        scored = bm25(postings, words, weights, sight["visible"], sight["mean_length"], limit, allowed)
        nearest = await nearing.fetchall() if nearing else []
        if vector is not None and exact and len(nearest) < min(limit, held):
            # A few long memories took the places with their many passages: look as far as it takes.
            nearest = await (await self._nearest(params, vector, limit, allowed, exact, many, _ALL)).fetchall()
        leads = await leading.fetchall()
        nos = dict.fromkeys((*scored.memories, *(r["memory_no"] for r in nearest), *(r["leads_no"] for r in leads)))
        cards = {r["memory_no"]: r for r in await self._sql.all(_SQL["cards"], params | {"nos": list(nos)})}
        lexical = LexicalArm(
            tuple(terms),
            scored.frequencies,
            sight["visible"],
            tuple(
                LexicalHit(cards[n]["memory_id"], s) for n, s in zip(scored.memories, scored.scores, strict=True) if n in cards
            ),
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
            exact=exact or vector is None,
            former=tuple(former),
        )

    async def _allowed(self, params: Params, filters: Filters) -> "np.ndarray[Any, np.dtype[np.int64]] | None":
        if filters.project_id is None and filters.category is None and not filters.tags and filters.general is None:
            return None
        asked = await self._sql.ask(_SQL["allowed"], params | filtered(filters), _LOADERS)
        row = await asked.fetchone()
        return np.empty(0, np.int64) if row is None else row["allowed"]

    async def _through_hnsw(self, visible: int) -> bool:
        if visible < HNSW_LEAST:
            return False
        row = await self._sql.one(_SQL["hnsw_rows"])
        return row is not None and visible >= HNSW_SHARE * row["rows"]

    async def _nearest(
        self, params: Params, vector: Vector, limit: int, allowed: Any, exact: bool, many: bool, rows: int = 0
    ) -> Cursor:
        asked = params | {"vector": HalfVector(list(vector)), "limit": limit, "rows": rows or limit * PASSAGES_PER_MEMORY}
        asked["allowed"] = None if allowed is None else packed(allowed)
        if not exact:
            await self._sql.one(_SQL["hnsw_settings"])
            return await self._sql.ask(_SQL["nearest_hnsw"], asked | {"rows": 2 * limit})
        if allowed is None:
            return await self._sql.ask(_SQL["nearest"], asked)
        return await self._sql.ask(_SQL["nearest_of_many" if many else "nearest_allowed"], asked)

    async def _former(self, params: Params, words: Sequence[int], vector: Vector | None, limit: int, allowed: Any) -> Cursor:
        asked: Params = {
            "terms": list(words),
            "vector": None if vector is None else HalfVector(list(vector)),
            "limit": limit,
            "allowed": None if allowed is None else packed(allowed),
        }
        return await self._sql.ask(_SQL["former"], params | asked)


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
