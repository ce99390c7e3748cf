"""A service that reads sources from a folder of the test's own; every other world of the tests reads none."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from whoknows.bootstrap import Installation, assemble
from whoknows.flows.limits import Limits
from whoknows.sources.git import GitReader
from whoknows.sources.git_branch import GitRuleWriter
from whoknows.sources.mirrors import Mirrors
from whoknows.sources.reader import Reader
from whoknows.sources.roots import Roots
from whoknows.sources.tree import TreeReader
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World


@asynccontextmanager
async def reading(installation: Installation, root: Path, mirrors: Path, rules: Sequence[str] = ()) -> AsyncGenerator[World]:
    """``rules``: where in a repository rules may be written."""
    store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
    await store.open()
    roots = Roots([root])
    reader = Reader(GitReader(roots, Mirrors(mirrors, protocol="file")), TreeReader(roots))
    service = assemble(store, HashEmbedder(), Limits(), source_reader=reader, rule_writer=GitRuleWriter(roots, rules))
    yield World(service, installation)
    await service.close()
