"""The dense arm: the nearest memories in scope, exactly, or through HNSW where that is as good and quicker."""

from collections.abc import Sequence

from pgvector import HalfVector
from psycopg.rows import DictRow

from whoknows.ports import Vector
from whoknows.stores.postgres.left import ALL, Leaving, Left
from whoknows.stores.postgres.packed import packed
from whoknows.stores.postgres.session import Cursor, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("arms")
PASSAGES_PER_MEMORY = 4
"""Rows read for each wanted memory, since a long memory has several passages near the question."""
HNSW_LEAST = 10_000
HNSW_SHARE = 0.2
"""HNSW is asked where so many memories are left for the reader, and such a share of all: below, exact search is as quick."""
HNSW_LOOK = 800
"""Passages that it brings, the nearest of all there are (`ef_search`)."""
HNSW_PASSAGES = 2
"""Of these so many for each wanted memory are read,"""
HNSW_ENOUGH = HNSW_PASSAGES
"""and so many have to be left for the reader, or the exact search is asked.
What is in sight may lie apart from what is not, as projects do by their topics, and then the nearest of all say nothing
(docs/decisions/0037)."""


def hnsw_least(row: DictRow | None) -> int:
    """From how many memories on HNSW is asked; more than there are where it has not been built. ``row``: its size."""
    return ALL if row is None else max(HNSW_LEAST, int(HNSW_SHARE * row["rows"]))


class Nearest:
    """One search for the nearest memories. ``exact`` is known when they have been brought."""

    def __init__(self, sql: Sql, leaving: Leaving, left: Left, vector: Vector, limit: int) -> None:
        self._sql = sql
        self._leaving = leaving
        self._left = left
        self._params = leaving.params | {"vector": HalfVector(list(vector)), "limit": limit}
        self._limit = limit
        self.exact = True

    async def begin(self, through_hnsw: bool) -> None:
        """Send the question; what is done before `bring` is done meanwhile."""
        self.exact = not through_hnsw
        self._asked = await (self._through_hnsw() if through_hnsw else self._exactly(self._limit * PASSAGES_PER_MEMORY))

    async def bring(self) -> Sequence[DictRow]:
        found = await self._asked.fetchall()
        if not self.exact:
            if found and found[0]["passages"] >= HNSW_ENOUGH * self._limit:
                return found
            self.exact = True
            if self._left.many:
                self._left = await self._leaving.of(self._left.held)
            found = await (await self._exactly(self._limit * PASSAGES_PER_MEMORY)).fetchall()
        if len(found) < min(self._limit, self._left.held):
            # A few long memories took the places with their many passages: look as far as it takes.
            found = await (await self._exactly(ALL)).fetchall()
        return found

    async def _through_hnsw(self) -> Cursor:
        await self._sql.ask(_SQL["hnsw_settings"], {"look": str(HNSW_LOOK)})
        block = "nearest_hnsw_left" if self._left.narrows else "nearest_hnsw"
        asked = await self._sql.ask(_SQL[block], self._params | {"rows": HNSW_PASSAGES * self._limit})
        await self._sql.ask(_SQL["hnsw_over"])
        return asked

    async def _exactly(self, rows: int) -> Cursor:
        numbers = self._left.numbers
        if numbers is None:
            return await self._sql.ask(_SQL["nearest"], self._params | {"rows": rows})
        return await self._sql.ask(_SQL["nearest_of_these"], self._params | {"rows": rows, "numbers": packed(numbers)})
