"""A program in a pseudo-terminal, as a person has it before them: what is on its screen, and keys.

The screen is pyte's, which knows what a terminal of the nineties knew. What came later (the keyboard protocol of kitty, the
version of a terminal, pictures) is taken out before it, and answered by nobody, as such a terminal would.
"""

import codecs
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import pyte

from harness.programs import PATIENCE

ROWS, COLUMNS = 60, 150
KEYS = {
    "enter": "\r",
    "escape": "\x1b",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "space": " ",
    "tab": "\t",
    "ctrl-c": "\x03",
    "ctrl-d": "\x04",
}
REST = 0.7
"""Seconds in which nothing is drawn by a program that waits for its person."""
_TAKE = "import os,sys; os.login_tty(0); os.execvp(sys.argv[1], sys.argv[1:])"
"""The terminal of standard input becomes the one that the program controls: Ctrl-C reaches it, and it hears when it goes."""
_NEWER = re.compile(
    r"\x1b\[[<>=][0-9;:]*[ -/]*[@-~]"  # private sequences but those of DEC
    r"|\x1b\[\?[0-9;]*(?:\$p|[^hl0-9;$])"  # of which only modes are known
    r"|\x1b\[[0-9;]*:[0-9;:]*m"  # colours and underlines with parts
    r"|\x1b\[[0-9;]*[ -/][@-~]|\x1b\[[0-9;]*[tSTq]"  # cursors, windows, scrolling
    r"|\x1b[P_X^][^\x1b\x07]*(?:\x1b\\|\x07)"  # strings for others: pictures, capabilities
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-9;:<>=?]*[ -/]*|[P_X^][^\x1b\x07]*\x1b?)?$")


class Terminal:
    """``terminal.until("…")`` waits for what is shown, ``terminal.seen`` is every line that ever stood there."""

    def __init__(self, command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> None:
        self._own, theirs = os.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _TAKE, *command],
            cwd=cwd,
            env={**env, "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        self._screen = _Screen(COLUMNS, ROWS, self._answer)
        self._stream = pyte.Stream(self._screen)
        self._changed = threading.Condition(threading.RLock())
        self._typing = threading.Lock()
        self._seen: dict[str, None] = {}
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def shown(self) -> str:
        """What stands on the screen now."""
        with self._changed:
            return "\n".join(line.rstrip() for line in self._screen.display).strip()

    @property
    def seen(self) -> str:
        """Every line that ever stood there, in any state of it."""
        with self._changed:
            return "\n".join(self._seen)

    def until(self, *wanted: str) -> str:
        """Waits until one of ``wanted`` is shown: the one."""
        self.wait(lambda: any(w in self.shown for w in wanted), f"shows none of {wanted}")
        return next(w for w in wanted if w in self.shown)

    def wait(self, meant: Callable[[], object], missing: str) -> None:
        """Waits until ``meant``, looking again whenever something happened, and now and then."""
        until = time.monotonic() + PATIENCE
        while not meant():
            assert time.monotonic() < until, f"{missing}\n{self.shown}"
            assert self._process.poll() is None, f"{missing}, and ended with {self._process.returncode}\n{self.shown}"
            with self._changed:
                self._changed.wait(0.1)

    def rests(self) -> str:
        """Waits until nothing was drawn for a while, and answers what is shown then."""
        until = time.monotonic() + PATIENCE
        with self._changed:
            while self._changed.wait(REST):
                assert time.monotonic() < until, f"does not rest\n{self.shown}"
        return self.shown

    def press(self, *keys: str) -> None:
        for key in keys:
            self.types(KEYS[key])

    def types(self, text: str) -> None:
        """Once the program takes keys one by one: before that the terminal would show them, and they would be lost."""
        self.wait(self._takes_keys, "does not take keys")
        self._send(text.encode())

    def pastes(self, text: str) -> None:
        """As a terminal pastes where the program asked for brackets around it, with Enter for a line's end."""
        self.wait(lambda: 2004 << 5 in self._screen.mode, "does not ask for brackets around a paste")
        self._send(b"\x1b[200~" + text.replace("\n", "\r").encode() + b"\x1b[201~")

    def ended(self) -> int:
        """Waits for the end of the program: its exit code."""
        code = self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code

    def close(self) -> None:
        """As when the window is closed, with all that was started in it."""
        if self._process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        self._reader.join(PATIENCE)
        os.close(self._own)

    def _read(self) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        kept = ""
        while True:
            try:
                raw = os.read(self._own, 65536)
            except OSError:  # nobody has the other end any more
                raw = b""
            text = kept + decoder.decode(raw, final=not raw)
            unfinished = _UNFINISHED.search(text) if raw else None
            kept = "" if unfinished is None else text[unfinished.start() :]
            with self._changed:
                self._stream.feed(_NEWER.sub("", text.removesuffix(kept) if kept else text))
                self._seen.update(dict.fromkeys(self._screen.touched()))
                self._changed.notify_all()
            if not raw:
                return

    def _takes_keys(self) -> bool:
        return not termios.tcgetattr(self._own)[3] & termios.ICANON

    def _answer(self, data: str) -> None:
        with suppress(OSError):
            self._send(data.encode())

    def _send(self, data: bytes) -> None:
        with self._typing:
            until = time.monotonic() + PATIENCE
            while data:
                assert time.monotonic() < until, f"does not read what is typed\n{len(data)} bytes are left"
                if select.select([], [self._own], [], 0.1)[1]:
                    data = data[os.write(self._own, data[:1024]) :]


class _Screen(pyte.Screen):
    """Answers go to the program; ``touched`` are the lines that have changed since it was asked last."""

    def __init__(self, columns: int, lines: int, answer: Callable[[str], None]) -> None:
        super().__init__(columns, lines)
        self._answer = answer

    def write_process_input(self, data: str) -> None:
        self._answer(data)

    def touched(self) -> Iterator[str]:
        display = self.display
        for row in sorted(self.dirty):
            if row < len(display) and display[row].strip():
                yield display[row].strip()
        self.dirty.clear()


@contextmanager
def terminal(command: Sequence[str], cwd: Path, env: Mapping[str, str]) -> Iterator[Terminal]:
    """The program until the end of the block."""
    opened = Terminal(command, cwd, env)
    try:
        yield opened
    finally:
        opened.close()
