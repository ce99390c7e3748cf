"""The hook as a process, timed from its start to its end."""

import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from whoknows.hooks import pins
from whoknows.hooks.install import PROGRAMS, files, launcher


@dataclass(frozen=True, slots=True)
class Ran:
    seconds: float
    processor: float
    """Seconds of processor time of the process."""
    code: int
    out: bytes
    err: bytes


@dataclass(frozen=True, slots=True)
class Hook:
    """The hook of somebody with a home of their own."""

    launcher: Path
    home: Path

    @property
    def log(self) -> Path:
        return self.home / ".local" / "state" / "whoknows" / "hook.log"

    def forget(self) -> None:
        for path in [*self.log.parent.glob("breaker-*"), *self.log.parent.glob("told/*"), self.log]:
            path.unlink(missing_ok=True)

    def run(self, url: str, key: str, event: dict[str, object], command: Sequence[str] = ()) -> Ran:
        connected(self.launcher, url)
        environment = {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "WHOKNOWS_URL": url, "WHOKNOWS_KEY": key}
        return timed(command or [str(self.launcher), "claude-code"], environment, json.dumps(event).encode())

    def at_once(self, count: int, url: str, key: str, event: dict[str, object]) -> list[Ran]:
        with ThreadPoolExecutor(count) as pool:
            return list(pool.map(self.run, [url] * count, [key] * count, [event] * count))


def hook(home: Path) -> Hook:
    return Hook(installed(home / ".local" / "share" / "whoknows"), home)


def installed(data: Path) -> Path:
    """The launcher of a copy below ``data``, as `whoknows connect` puts it there."""
    for path, content in files(data).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    launcher(data).chmod(0o755)
    return launcher(data)


def connected(launcher: Path, url: str) -> None:
    """Every program was connected to ``url`` too."""
    for program in PROGRAMS:
        path = launcher.parent / pins.FOLDER / program
        path.parent.mkdir(exist_ok=True)
        known = path.read_text().splitlines() if path.exists() else []
        if url not in known:
            path.write_text("".join(f"{u}\n" for u in [*known, url]))


def timed(command: Sequence[str], environment: dict[str, str], told: bytes) -> Ran:
    """``told`` must fit into a pipe, as what is answered must."""
    (stdin, told_to), (out, stdout), (err, stderr) = os.pipe(), os.pipe(), os.pipe()
    os.write(told_to, told)
    os.close(told_to)
    files = [(os.POSIX_SPAWN_DUP2, file, n) for n, file in enumerate((stdin, stdout, stderr))]
    began = time.perf_counter()
    pid = os.posix_spawn(command[0], list(command), environment, file_actions=files)
    _, status, used = os.wait4(pid, 0)
    took = time.perf_counter() - began
    for file in (stdin, stdout, stderr):
        os.close(file)
    said: list[bytes] = []
    for file in (out, err):
        with open(file, "rb") as stream:
            said.append(stream.read())
    return Ran(took, used.ru_utime + used.ru_stime, os.waitstatus_to_exitcode(status), said[0], said[1])
