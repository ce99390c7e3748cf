"""Stores with 100,000 memories; they may be kept, since filling them takes longer than asking."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from speed.figures import say
from speed.fill import centres, fill
from speed.texts import Writer
from speed.world import READER, World, world
from whoknows.bootstrap import build, install
from whoknows.settings import Settings
from whoknows.stores.postgres.hnsw import build_if_worth

PROJECT = "desk"
"""A third of the memories is of this project, a third of another, and a third of none."""
_KEYS = "keys-of-the-benchmark.json"


def prepared(directory: Path, memories: int, audiences: int) -> str:
    """The key of the reader. What stands in ``directory`` from before is taken as it is."""
    kept = directory / _KEYS
    if not kept.exists():
        directory.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(asyncio.run(_fill(directory, memories, audiences))))
        kept.chmod(0o600)
    return str(json.loads(kept.read_text())[READER])


@asynccontextmanager
async def reopened(directory: Path) -> AsyncGenerator[World]:
    """The world of a store that was prepared."""
    settings = Settings(data_dir=directory)
    installation = install(settings)
    service = build(settings, installation)
    await service.store.open()
    try:
        yield World(service, installation, settings, json.loads((directory / _KEYS).read_text()), [])
    finally:
        await service.close()


async def _fill(directory: Path, memories: int, audiences: int) -> dict[str, str]:
    async with world(directory, audiences) as here:
        writer = Writer(1)
        around = await centres(here.service.embedder, writer, 300)
        fill(here, writer.texts(memories, 15, 40), 1, around, projects=(PROJECT, "elsewhere", None))
        say("the index over all vectors")
        build_if_worth(here.installation.dsn, workers=1)  # or the server would, and be measured while it does
        return here.keys
