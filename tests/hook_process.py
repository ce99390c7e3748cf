"""The hook as a program starts it: a process of its own, with its own home folder and hardly any environment."""

import json
import signal
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from hooks.started import connected, installed

EVENT = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "cwd": "/srv/boss", "prompt": "发布口令是什么？"}
PATIENCE = 20
"""Seconds: far more than the deadline, so that only hanging for ever is found out by it."""


@dataclass(frozen=True, slots=True)
class Said:
    code: int
    out: bytes
    err: bytes

    @property
    def json(self) -> object:
        return json.loads(self.out)


class Home:
    """``folder``: the home of somebody for whom the hook was installed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.launcher = installed(folder / ".local" / "share" / "whoknows")
        self.state = folder / ".local" / "state" / "whoknows"

    def start(
        self,
        url: str,
        *,
        program: str = "claude-code",
        event: object = EVENT,
        command: Sequence[str] | None = None,
        close: bool = True,
        known: bool = True,
        **environment: str,
    ) -> subprocess.Popen[bytes]:
        """Started and told its event, not waited for. ``close``: whether standard input ends; ``known``: whether it was
        connected to ``url``."""
        if known:
            connected(self.launcher, url)
        given = {
            "HOME": str(self.folder),
            "WHOKNOWS_URL": url,
            "WHOKNOWS_KEY": "wk_of-a-test",
            "PATH": "/usr/bin:/bin",
        } | environment
        process = subprocess.Popen(
            command or [str(self.launcher), program],
            env={k: v for k, v in given.items() if v},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # it needed no more
            process.stdin.write(event if isinstance(event, bytes) else json.dumps(event).encode())
            process.stdin.flush()
        if close:
            _close(process)
        return process

    def run(self, url: str, **given: object) -> Said:
        return ended(self.start(url, **given))  # type: ignore[arg-type]

    def log(self) -> list[list[str]]:
        """The words of each line: time, program, event, code, milliseconds."""
        path = self.state / "hook.log"
        return [line.split(" ") for line in path.read_text("ascii").splitlines()] if path.exists() else []

    def codes(self) -> list[str]:
        return [line[3] for line in self.log()]

    def forget_faults(self) -> None:
        for path in self.state.glob("breaker-*"):
            path.unlink()


def ended(process: subprocess.Popen[bytes]) -> Said:
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    assert process.stdout is not None
    assert process.stderr is not None
    with process.stdout as out, process.stderr as err:
        said = Said(process.wait(), out.read(), err.read())
    if process.stdin is not None and not process.stdin.closed:
        _close(process)
    return said


def _close(process: subprocess.Popen[bytes]) -> None:
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.close()
