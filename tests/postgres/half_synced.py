"""A process that synchronises a source and stops for ever half way: for a test that kills it."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from whoknows.bootstrap import Installation, assemble
from whoknows.domain.source import SourceId
from whoknows.flows.authenticate import administer_as
from whoknows.flows.limits import Limits
from whoknows.ports import Vector
from whoknows.sources.git import GitReader
from whoknows.sources.mirrors import Mirrors
from whoknows.sources.reader import Reader
from whoknows.sources.roots import Roots
from whoknows.sources.tree import TreeReader
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder

AFTER = 5
"""Documents that it gets through."""
LEASE = 1.0


class StoppingEmbedder(HashEmbedder):
    """Says so on standard output when it stops."""

    def __init__(self) -> None:
        self.left = AFTER

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        if self.left == 0:
            print("half", flush=True)
            await asyncio.Event().wait()
        self.left -= 1
        return await super().embed_passages(texts)


def reader_of(root: Path) -> Reader:
    roots = Roots([root])
    return Reader(GitReader(roots, Mirrors(root / "mirrors")), TreeReader(roots))


async def main(dsn: str, key: str, root: str, source: str) -> None:
    store = PostgresStore(Database(dsn, size=4, timeout=10))
    await store.open()
    service = assemble(store, StoppingEmbedder(), Limits(), source_reader=reader_of(Path(root)))
    admin = administer_as(await service.authenticate(Installation(dsn, key).new_key))
    from uuid import UUID

    await replace(service.index_source, lease=LEASE)(admin, SourceId(UUID(source)))


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
