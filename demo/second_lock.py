"""The second lock alone: the statements of the store with their scope clause taken out, for the length of a block."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from unittest.mock import patch

import psycopg

from whoknows.stores.postgres.sql import blocks, raw_blocks, render

_FILES = ("arms", "memories")


@contextmanager
def without_the_filter() -> Generator[None]:
    """All searching and reading statements say ``true`` where they said who is asking. In this process only."""
    with ExitStack() as stack:
        for file in _FILES:
            bare = {name: render(text, scope_clause=False) for name, text in raw_blocks(file).items()}
            # The gateways hold this very dictionary.
            stack.enter_context(patch.dict(blocks(file), bare))
        yield


def filter_stands() -> bool:
    """Whether any statement of these gateways still says who is asking."""
    return any(
        blocks(file)[name] == render(text) != render(text, scope_clause=False)
        for file in _FILES
        for name, text in raw_blocks(file).items()
    )


def statement(scope_clause: bool) -> str:
    """The vector search, as it is sent to the database."""
    return render(raw_blocks("arms")["nearest"], scope_clause)


def count_as_owner(dsn: str) -> int:
    """How many memories there are for one whom row-level security does not bind: the owner of the whole server."""
    with psycopg.connect(dsn) as connection:
        row = connection.execute("SELECT count(*) FROM whoknows.memories").fetchone()
        return 0 if row is None else int(row[0])
