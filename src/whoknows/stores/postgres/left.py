"""What the filters leave of what a reader may see: all of it, a few by their numbers, or too many to name."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from whoknows.domain.memory import Filters
from whoknows.stores.postgres.packed import INT8_ARRAY, Int8Array
from whoknows.stores.postgres.parameters import filtered
from whoknows.stores.postgres.session import Params, Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("arms")
_LOADERS = {INT8_ARRAY: Int8Array}
ALL = 1_000_000_000
"""More than anybody has."""


@dataclass(frozen=True, slots=True)
class Left:
    """``held`` memories at least. ``numbers`` are None where nothing is taken away, and where they are too many."""

    narrows: bool
    held: int
    numbers: NDArray[np.int64] | None

    @property
    def many(self) -> bool:
        return self.narrows and self.numbers is None


class Leaving:
    """The filters of one search, and what they leave."""

    def __init__(self, sql: Sql, params: Params, filters: Filters) -> None:
        self._sql = sql
        self._filters = filters
        self.params = params | filtered(filters)

    async def of(self, visible: int, most: int = ALL) -> Left:
        """They are named below ``most``. Nothing is asked where there are no filters."""
        of_rows = self._filters.category is not None or bool(self._filters.tags) or self._filters.general is not None
        if not of_rows and self._filters.project_id is None:
            return Left(False, visible, None)
        asked = self.params | {"most": most}
        block = "left_by_filters" if of_rows else "left_of_project"
        row = await (await self._sql.ask(_SQL[block], asked, _LOADERS)).fetchone()
        if row is None or not row["narrows"]:
            return Left(False, visible, None)
        return Left(True, row["held"], row["numbers"])

    async def among(self, numbers: Sequence[int]) -> set[int]:
        """Those of ``numbers`` that they leave."""
        row = await (await self._sql.ask(_SQL["left_of_these"], self.params | {"nos": list(numbers)}, _LOADERS)).fetchone()
        return set() if row is None else set(row["numbers"].tolist())
