"""Rounds of killing: the server in one, the whole database in the next, at a random moment under writing load."""

import os
import random
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from faults.remains import Remains, look
from faults.writers import Acknowledged, Writers
from speed.server import Server, postgres_processes, start

WRITER = "writer"
_ASKED = 12
"""Acknowledged writes of a round that are asked for over HTTP, the last ones first: those are the ones at risk."""


@dataclass
class Ordeal:
    """One installation in ``data_dir``, and what has been acknowledged by it so far."""

    data_dir: Path
    admin_key: str
    seed: int
    writers: int
    acknowledged: list[Acknowledged] = field(default_factory=list[Acknowledged])
    refused: int = 0
    _server: Server | None = None
    _key: str = ""

    def begin(self) -> None:
        self._server = start(self.data_dir, self.admin_key)
        self._server.wait()
        admin = {"Authorization": f"Bearer {self.admin_key}"}
        with httpx.Client(base_url=f"{self._server.url}/api/v1", headers=admin, timeout=30) as client:
            client.post("/agents", json={"agent_id": WRITER, "role": "main"}).raise_for_status()
            self._key = client.post("/keys", json={"acts_as": [WRITER]}).raise_for_status().json()["key"]

    def round(self, number: int) -> Remains:
        """Write, kill, come back, look. Odd rounds kill the server, even ones PostgreSQL and all its children."""
        assert self._server is not None
        moment = random.Random(f"{self.seed}/{number}").uniform(0.2, 1.6)
        writers = Writers(self._server.url, self._key, self.writers)
        writers.start()
        time.sleep(moment)
        if number % 2:
            self._server.process.kill()
            self._server.process.wait()
            writers.end()
            self._server = start(self.data_dir)
        else:
            for process in postgres_processes(self.data_dir):
                _kill(process.pid)
            writers.end()
        self._server.wait()
        self.acknowledged += writers.acknowledged
        self.refused += writers.refused
        return look(self.data_dir, self._server.url, self._key, self.acknowledged, writers.acknowledged[-_ASKED:])

    def end(self) -> None:
        if self._server is not None:
            self._server.end()


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:  # it went with its parent
        return
