"""A program that talks in lines of JSON, driven from a test: Pi's RPC mode and Codex's app server."""

import json
import os
import queue
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from harness.programs import PATIENCE


@dataclass
class Talk:
    """``talk.say({…})`` and ``talk.hear(lambda m: …)``: the next message that is meant; what comes before it is passed over."""

    process: subprocess.Popen[str]
    _said: "queue.Queue[dict[str, Any]]" = field(default_factory=queue.Queue)

    def say(self, message: Mapping[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def hear(self, meant: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        while True:
            message = self._said.get(timeout=PATIENCE)  # queue.Empty where it says nothing more
            if meant(message):
                return message

    def ask(self, number: int, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """A call of JSON-RPC; its result."""
        self.say({"id": number, "method": method, "params": params})
        told = self.hear(lambda m: m.get("id") == number)
        assert "result" in told, told
        return told["result"]

    def listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("{"):
                self._said.put(json.loads(line))


@contextmanager
def talking(command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Iterator[Talk]:
    """The program until the end of the block, which ends it and all that it has started."""
    process = subprocess.Popen(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    talk = Talk(process)
    threading.Thread(target=talk.listen, daemon=True).start()
    try:
        yield talk
        assert process.stdin is not None
        process.stdin.close()  # the way in which both are told to end
        process.wait(PATIENCE)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
