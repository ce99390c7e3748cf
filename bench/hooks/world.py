"""A store with 100,000 memories for the prompts; it may be kept, since filling it takes longer than asking."""

import asyncio
import json
from pathlib import Path

import psycopg

from speed.fill import centres, fill
from speed.texts import Writer
from speed.world import READER, world
from whoknows.bootstrap import install
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


async def _fill(directory: Path, memories: int, audiences: int) -> dict[str, str]:
    async with world(directory, audiences) as here:
        writer = Writer(1)
        around = await centres(here.service.embedder, writer, 300)
        fill(here, writer.texts(memories, 15, 40), 1, around)
        _share_out(here.installation.dsn)
        build_if_worth(install(Settings(data_dir=directory)).dsn)  # or the server would, and be measured while it does
        return here.keys


def _share_out(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True, options="-c search_path=whoknows,public") as connection:
        connection.execute("SET session_replication_role = replica")
        named = "(ARRAY[%s, 'elsewhere', NULL])[1 + (memory_no / 100) %% 3]"
        connection.execute(f"UPDATE memories SET project_id = {named}".encode(), (PROJECT,))
        connection.execute("VACUUM (ANALYZE) memories")
