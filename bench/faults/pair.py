"""Two mortal servers on one database, started again whenever one of them has died."""

import os
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

from speed.server import Server, free_port
from whoknows.flows.publish import Step


@dataclass
class Pair:
    """``orders``: for each server the steps at which it is to die, one in each of its lives; ``deaths`` counts them."""

    data_dir: Path
    bootstrap_key: str
    orders: tuple[list[Step], list[Step]]
    servers: list[Server] = field(default_factory=list[Server])
    deaths: dict[str, int] = field(default_factory=dict[str, int])
    _ended: threading.Event = field(default_factory=threading.Event)
    _nurse: threading.Thread | None = None

    def begin(self) -> None:
        for n in (0, 1):
            self.servers.append(self._start(n))
            self.servers[n].wait()
        self._nurse = threading.Thread(target=self._tend, name="nurse", daemon=True)
        self._nurse.start()

    def condemn(self) -> None:
        """From now on they die as ordered."""
        for n in (0, 1):
            self._condemn(n)

    def pardon(self) -> None:
        """Whoever was to die and has not come there takes no harm any more."""
        for n in (0, 1):
            self.orders[n].clear()
            self._file(n).unlink(missing_ok=True)

    def wait(self) -> None:
        for n in (0, 1):
            self.servers[n].wait()

    def end(self) -> None:
        self._ended.set()
        if self._nurse is not None:
            self._nurse.join(60)
        for server in self.servers:
            server.end()

    def _tend(self) -> None:
        while not self._ended.wait(0.05):
            for n, server in enumerate(self.servers):
                if server.process.poll() is None or not self.orders[n]:
                    continue
                step = str(self.orders[n].pop(0))
                self.deaths[step] = self.deaths.get(step, 0) + 1
                self._condemn(n)
                self.servers[n] = self._start(n, server)

    def _condemn(self, n: int) -> None:
        if self.orders[n]:
            written = self._file(n).with_suffix(".new")
            written.write_text(self.orders[n][0], "utf-8")
            written.replace(self._file(n))

    def _start(self, n: int, before: Server | None = None) -> Server:
        """On the port of ``before``, so that clients find it again."""
        port = int(before.url.rpartition(":")[2]) if before else free_port()
        kept = {k: v for k, v in os.environ.items() if not k.startswith("WHOKNOWS_")}
        environment = kept | {
            "WHOKNOWS_DATA_DIR": str(self.data_dir),
            "WHOKNOWS_BOOTSTRAP_KEY": self.bootstrap_key,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]).rstrip(
                os.pathsep
            ),
        }
        command = [sys.executable, "-W", "ignore", "-m", "faults.mortal_server", "--port", str(port)]
        command += ["--orders", str(self._file(n))]
        log = self.data_dir / f"server-{n}.log"
        with log.open("ab") as faults:
            process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=faults)
        return Server(f"http://127.0.0.1:{port}", process, log)

    def _file(self, n: int) -> Path:
        return self.data_dir / f"orders-{n}"
