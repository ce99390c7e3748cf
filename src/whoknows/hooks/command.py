"""``whoknows-hook PROGRAM``: an event on standard input, what the program is to show or add on standard output.

A second after its start at the latest it is over, with exit code 0 and nothing on standard error, whatever happens.
Environment: WHOKNOWS_URL, WHOKNOWS_KEY, WHOKNOWS_AGENT; WHOKNOWS_HOOKS_DISABLED=1 does nothing at all.
"""

from __future__ import annotations

import _thread
import os
import sys
import time

from . import answers, breaker, exchange, log, notice, state
from .caller import PROGRAMS, Caller
from .events import Event, read
from .faults import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal
else:
    import _signal as signal  # without its enumerations, which take longer to load than all of this

DEADLINE = 1.0
"""Seconds from the start of the process to its end."""
_START, _GRACE = 0.9, 0.15
"""Seconds that the start took at most, and those for what is written at the end."""
_UPTIME = "/proc/uptime"


def run(started: str = "") -> None:
    """``started``: what the system said of its uptime when the launcher began, in seconds; on a busy machine the interpreter
    needs most of the time to get here.
    """
    try:
        _only_standard_output()
        if sys.argv[1:2] == ["mcp"]:
            from . import relay  # noqa: PLC0415 - nothing that an event should wait for

            relay.run(sys.argv[2:])
        elif os.environ.get("WHOKNOWS_HOOKS_DISABLED") != "1":
            _Turn(sys.argv[1] if len(sys.argv) == 2 else "", time.monotonic() - _age(started)).play()
    finally:
        os._exit(0)  # even on the way of an error, which nobody here could mend


class _Turn:
    """One event. Its work and its deadline both come to its end; the first of them has the word."""

    def __init__(self, program: str, began: float) -> None:
        self._program = program if program in PROGRAMS else "-"
        self._began = began
        self._ended = _thread.allocate_lock()
        self._folder = state.folder()
        self._caller = Caller(program=self._program)
        self._breaker = breaker.of_server(self._folder, self._caller.url, self._caller.key)
        self._event: Event | None = None

    def play(self) -> None:
        _thread.start_new_thread(self._watch, ())
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._stopped)
        try:
            printed = self._work()
        except Fault as fault:
            self._end(fault)
        except Exception:
            self._end(Fault("broken"))
        else:
            self._end(None, printed)

    def _work(self) -> bytes:
        if self._program == "-":
            raise Fault("unknown_program", counts=False)
        self._event = Event(read(0))
        headers = self._caller.headers()
        if not self._breaker.lets_ask(time.time()):
            raise Fault("resting", counts=False)
        body = exchange.ask(self._caller.url, "/api/v1/hooks/" + self._program, headers, self._event.body)
        return answers.output(self._event.name, body)

    def _watch(self) -> None:
        """A thread, since a name that does not resolve or a body that drips would not let the work look at a clock."""
        time.sleep(max(self._began + DEADLINE - time.monotonic(), 0))
        _thread.start_new_thread(_give_up, ())
        self._end(Fault("timeout") if self._event else Fault("input_timeout", counts=False))

    def _stopped(self, *_: object) -> None:
        """Nobody listens any more, so that nothing is printed."""
        if self._ended.acquire(False):
            try:
                self._note("ended")
            finally:
                os._exit(0)

    def _end(self, fault: Fault | None, printed: bytes = b"") -> None:
        if not self._ended.acquire(False):
            time.sleep(DEADLINE)  # the other one is at it
        self._over(fault, printed)

    def _over(self, fault: Fault | None, printed: bytes = b"") -> None:
        try:
            if fault is None:
                self._breaker.fine()
            else:
                printed = self._noted(fault)
            _print(printed)
        finally:
            os._exit(0)

    def _noted(self, fault: Fault) -> bytes:
        if fault.counts:
            self._breaker.fault(time.time(), late=fault.code == "timeout")
        self._note(fault.code)
        if self._event is None:
            return b""
        return notice.once(self._folder, self._program, self._event.name, self._event.session, fault.code, log.NAME)

    def _note(self, code: str) -> None:
        if self._folder is not None:
            name = self._event.name if self._event else "-"
            took = int(1000 * (time.monotonic() - self._began))
            log.note(self._folder, self._program, name, code, took, log.advice(code, self._program))


def _only_standard_output() -> None:
    """Three open files, so that a socket never takes the place of one; and nowhere to complain to."""
    for file in (0, 1, 2):
        try:
            os.fstat(file)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _age(started: str) -> float:
    try:
        with open(_UPTIME, "rb") as file:
            age = float(file.read().split()[0]) - float(started)
    except (OSError, ValueError, IndexError):
        return 0.0
    return min(max(age, 0.0), _START)


def _give_up() -> None:
    time.sleep(_GRACE)
    os._exit(0)


def _print(printed: bytes) -> None:
    while printed:
        printed = printed[os.write(1, printed) :]
