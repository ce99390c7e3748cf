"""Whether Codex trusts the hooks: it runs none that its person has not looked at, and says nothing when it skips one."""

import json
import subprocess
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, Queue
from typing import IO, Any

from whoknows.connect.faults import ConnectFault
from whoknows.connect.pieces import MARK
from whoknows.connect.toml_text import Keys

_PATIENCE = 15.0
"""Seconds for each of its answers. It starts in a tenth of that."""
_LEAVING = 5.0


@dataclass(frozen=True, slots=True)
class CodexHook:
    """``key`` and ``hash`` are Codex's own: what its configuration holds once the hook is trusted."""

    key: str
    event: str
    hash: str
    status: str
    """``managed``, ``trusted``, ``untrusted`` or ``modified``."""
    enabled: bool
    path: str

    @property
    def runs(self) -> bool:
        return self.enabled and self.status in ("managed", "trusted")


def ours(executable: str, directory: Path, environment: Mapping[str, str]) -> list[CodexHook]:
    """Our hooks as Codex itself sees them in ``directory``. It is asked through its app server.

    Raises:
        ConnectFault: ``codex_silent``.
    """
    listed = _asked(executable, directory, environment)
    hooks = (hook for group in listed.get("data", []) for hook in group.get("hooks", []))
    return [_hook(h) for h in hooks if MARK in str(h.get("command") or "")]


def trust_tables(hooks: Sequence[CodexHook]) -> dict[Keys, dict[str, Any]]:
    """The tables by which Codex trusts them."""
    return {("hooks", "state", h.key): {"trusted_hash": h.hash} for h in hooks}


def _hook(said: Mapping[str, Any]) -> CodexHook:
    return CodexHook(
        key=str(said.get("key")),
        event=str(said.get("eventName")),
        hash=str(said.get("currentHash")),
        status=str(said.get("trustStatus")),
        enabled=said.get("enabled") is not False,
        path=str(said.get("sourcePath")),
    )


def _asked(executable: str, directory: Path, environment: Mapping[str, str]) -> dict[str, Any]:
    try:
        process = subprocess.Popen(  # noqa: S603 - the program that the person runs every day
            [executable, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(environment),
            cwd=directory,
        )
    except OSError as fault:
        raise ConnectFault("codex_silent", f"{executable} does not start: {fault.strerror}") from fault
    try:
        return _conversation(process, directory)
    except (OSError, ValueError, KeyError, AttributeError, Empty) as fault:
        raise ConnectFault("codex_silent", "`codex app-server` does not say which hooks it trusts") from fault
    finally:
        _end(process)


def _conversation(process: subprocess.Popen[bytes], directory: Path) -> dict[str, Any]:
    lines: Queue[bytes] = Queue()
    assert process.stdout is not None
    threading.Thread(target=_read, args=(process.stdout, lines), daemon=True).start()
    client = {"clientInfo": {"name": "whoknows", "title": "WhoKnows", "version": "1"}}
    _say(process, {"id": 0, "method": "initialize", "params": client})
    _answer(lines, 0)
    _say(process, {"method": "initialized", "params": {}})
    _say(process, {"id": 1, "method": "hooks/list", "params": {"cwds": [str(directory)]}})
    return _answer(lines, 1)


def _read(output: IO[bytes], lines: "Queue[bytes]") -> None:
    for line in output:
        lines.put(line)
    lines.put(b"")  # it ended: nobody need wait for more


def _end(process: subprocess.Popen[bytes]) -> None:
    """It leaves when nobody talks to it any more, and then takes its own temporary files with it."""
    with suppress(OSError):
        assert process.stdin is not None
        process.stdin.close()
    try:
        process.wait(_LEAVING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    assert process.stdout is not None
    process.stdout.close()


def _say(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


def _answer(lines: "Queue[bytes]", number: int) -> dict[str, Any]:
    while True:
        said: dict[str, Any] = json.loads(lines.get(timeout=_PATIENCE))
        if said.get("id") == number:
            return said["result"]
