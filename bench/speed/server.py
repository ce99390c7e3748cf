"""The real server as a process of its own, on loopback, as `whoknows serve` starts it."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import psutil

_PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class Server:
    """A running server: its address, its process, and where it writes its faults."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    def wait(self) -> None:
        """Until it is ready; RuntimeError if it ends before."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}: {self._last_words()}")
            try:
                if httpx.get(f"{self.url}/ready", timeout=2).status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.02)
        raise RuntimeError(f"the server does not become ready: {self._last_words()}")

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _last_words(self) -> str:
        return self.log.read_text("utf-8", "replace")[-2000:].strip() or "it said nothing"


def start(data_dir: Path, bootstrap_key: str = "", **settings: str) -> Server:
    """Start a server on a free port, with more ``settings`` by their names, and do not wait for it."""
    port = free_port()
    kept = {k: v for k, v in os.environ.items() if not k.startswith("WHOKNOWS_")}
    environment = kept | {"WHOKNOWS_DATA_DIR": str(data_dir), "WHOKNOWS_LOG_LEVEL": "error"}
    environment |= {f"WHOKNOWS_{name.upper()}": value for name, value in settings.items()}
    if bootstrap_key:
        environment["WHOKNOWS_BOOTSTRAP_KEY"] = bootstrap_key
    command = [str(Path(sys.executable).with_name("whoknows")), "serve", "--port", str(port)]
    log = data_dir / "server.log"
    data_dir.mkdir(parents=True, exist_ok=True)
    with log.open("ab") as faults:
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=faults)
    return Server(f"http://127.0.0.1:{port}", process, log)


@contextmanager
def serving(data_dir: Path, **settings: str) -> Generator[Server]:
    server = start(data_dir, **settings)
    try:
        server.wait()
        yield server
    finally:
        server.end()


def postgres_processes(data_dir: Path) -> list[psutil.Process]:
    """The server of the data directory and its children."""
    first = int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0])
    postmaster = psutil.Process(first)
    return [postmaster, *postmaster.children(recursive=True)]


def megabytes(processes: list[psutil.Process]) -> float:
    """Proportional set size of all together: shared pages counted once."""
    return sum(p.memory_full_info().pss for p in processes if p.is_running()) / 2**20


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
