"""A synchronisation that is killed leaves every document as it was or as it is; the next one takes it up."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from half_synced import AFTER, LEASE, reader_of

from whoknows.bootstrap import Installation, assemble
from whoknows.domain.memory import Filters, Memory
from whoknows.domain.source import LocationKind
from whoknows.errors import SyncRunning
from whoknows.flows.authenticate import administer_as
from whoknows.flows.index_source import Synced
from whoknows.flows.keep_sources import NewSource
from whoknows.flows.limits import Limits
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

DOCUMENTS = 12


@pytest.fixture
async def reading(installation: Installation, tmp_path: Path) -> AsyncIterator[World]:
    store = PostgresStore(Database(installation.dsn, size=6, timeout=10))
    await store.open()
    service = assemble(store, HashEmbedder(), Limits(), source_reader=reader_of(tmp_path))
    world = World(replace(service, index_source=replace(service.index_source, lease=LEASE)), installation)
    await world.agents("A")
    await world.team("T", A="reader")
    yield world
    await service.close()


def document(n: int, word: str) -> str:
    parts = "".join(f"## Part {p}\n\n{f'Part {p} of document {n} is about the {word}. ' * 25}\n\n" for p in range(3))
    return f"# Document {n}\n\nIt begins with the {word}.\n\n{parts}"


async def until_synced(world: World, admin: object, source: object) -> Synced:
    async with asyncio.timeout(30):
        while True:
            try:
                return await world.service.index_source(admin, source)  # type: ignore[arg-type]
            except SyncRunning:
                await asyncio.sleep(0.1)


async def stored(world: World) -> dict[str, set[str]]:
    """The words of each document's memories, by its title."""
    page = await world.service.read.list(await world.caller("A"), Filters(), 200, None)
    found: dict[str, set[str]] = {}
    for m in page.items:
        assert isinstance(m, Memory)
        assert m.title is not None
        found.setdefault(m.title.partition(" › ")[0], set()).add("harbour" if "harbour" in m.content else "lighthouse")
    return found


async def test_after_a_kill_each_document_is_whole_and_the_next_run_completes_it(reading: World, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for n in range(DOCUMENTS):
        (folder / f"{n:02}.md").write_text(document(n, "harbour"))
    admin = administer_as(await reading.admin())
    new = NewSource(LocationKind.FOLDER, str(folder), "docs", "team:T")
    source = (await reading.service.keep_sources.register(admin, new)).id
    await reading.service.index_source(admin, source)
    for n in range(DOCUMENTS):
        (folder / f"{n:02}.md").write_text(document(n, "lighthouse"))

    script = Path(__file__).with_name("half_synced.py")
    arguments = [reading.installation.dsn, reading.installation.new_key or "", str(tmp_path), str(source)]
    env = dict(os.environ, PYTHONPATH=os.pathsep.join((str(script.parents[1]), *sys.path)))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-W", "ignore", str(script), *arguments, env=env, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    async with asyncio.timeout(60):
        assert await process.stdout.readline() == b"half\n"
    with pytest.raises(SyncRunning):
        await reading.service.index_source(admin, source)
    process.send_signal(signal.SIGKILL)
    await process.wait()

    half = await stored(reading)
    assert len(half) == DOCUMENTS
    assert all(len(words) == 1 for words in half.values()), "a document is half old, half new"
    assert sum(words == {"lighthouse"} for words in half.values()) == AFTER
    done = await until_synced(reading, admin, source)
    assert len(done.changed) == DOCUMENTS - AFTER
    assert set(map(tuple, (await stored(reading)).values())) == {("lighthouse",)}
    again = await until_synced(reading, admin, source)
    assert (again.changed, again.added, again.removed) == ([], [], [])
