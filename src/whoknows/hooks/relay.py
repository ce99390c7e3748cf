"""``whoknows-hook mcp PROGRAM``: the tools of the server over standard input and output, described at once from what is kept.

Programs wait for their tools when they start. This one never lets them wait for a server: it knows what the server said of its
tools the last time, and asks it only when a tool is called. It ends when nobody talks to it any more.
"""

from __future__ import annotations

import _thread
import os
import select
import time

from . import breaker, described, log, rpc, state
from .caller import PROGRAMS, Caller
from .calls import Calls, Patience
from .faults import Fault
from .lines import MOST, Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    import signal

    from .described import Described
    from .rpc import Asked, Json
else:
    import _signal as signal  # as in `command`

_ORPHANED = 10.0
"""Seconds between two looks whether the parent is still there; usually its end of standard input says so at once."""
_PATIENCE = Patience()


def run(arguments: list[str]) -> None:
    """``arguments``: the program, then ``--url`` and ``--agent`` for what the environment does not say. Returns at the end."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Claude Code ends its servers by it, and waits until they are gone
    program = arguments[0] if arguments[:1] and arguments[0] in PROGRAMS else "-"
    given = dict(zip(arguments[1::2], arguments[2::2]))  # noqa: B905 - not in older interpreters
    serve(Caller(given.get("--url", ""), given.get("--agent", ""), program=program), 0, 1, program)


def serve(caller: Caller, incoming: int, outgoing: int, program: str, patience: Patience = _PATIENCE) -> None:
    """Until ``incoming`` ends, or nobody reads ``outgoing`` any more."""
    folder = state.folder()
    relay = Relay(caller, described.of_server(folder, caller.url), outgoing, folder, program, patience)
    lines, parent = Lines(incoming), os.getppid()
    try:
        while not lines.over and not relay.unheard and os.getppid() == parent:
            for line in lines.wait(relay.pause(_ORPHANED)):
                relay.hear(line)
            relay.give_up()
    finally:
        relay.leave()


class Relay:
    """One conversation with a program."""

    def __init__(
        self, caller: Caller, known: Described, outgoing: int, folder: str | None, program: str, patience: Patience
    ) -> None:
        self._caller, self._known, self._outgoing, self._folder, self._program = caller, known, outgoing, folder, program
        if not caller.key:
            known.mute()
        self._breaker = breaker.of_server(folder, caller.url, caller.key)
        self._calls = Calls(caller, self._breaker, self._say, self._note, self._look_again, patience)
        self.unheard = False
        """Whether nobody reads what is said here."""
        self._mouth = _thread.allocate_lock()
        self._asking = _thread.allocate_lock()
        self.pause, self.give_up, self.leave = self._calls.pause, self._calls.give_up, self._calls.leave

    def hear(self, line: bytes | None) -> None:
        """Answers what can be answered at once. ``line``: None for one that was too long."""
        try:
            if line is None:
                raise rpc.Refused(None, rpc.NO_REQUEST, f"a line has {MOST} bytes at most")
            asked = rpc.heard(line)
            if asked is not None and asked.number is not None:
                self._answer(asked)
            elif asked is not None and asked.method == "notifications/cancelled":
                self._calls.cancel(asked.params.get("requestId"))
        except rpc.Refused as refused:
            self._say(rpc.error(refused.number, refused.error))

    def _answer(self, asked: Asked) -> None:
        if asked.era is not None and asked.era not in self._known.versions():
            data = {"supported": self._known.versions(), "requested": asked.era}
            raise rpc.Refused(asked.number, rpc.NO_VERSION, "this version of the protocol is not spoken here", data)
        if asked.method == "tools/call":
            self._calls.begin(asked)
            return
        if asked.method == "initialize":
            told = self._known.initialize(asked.params.get("protocolVersion"))
        elif asked.method == "server/discover" and asked.era is not None:
            told = self._known.discover()
        elif asked.method == "tools/list":
            told = self._known.tools(asked.era)
        elif asked.method == "ping":
            told = {"resultType": "complete"} if asked.era else {}
        else:
            raise rpc.Refused(asked.number, rpc.NO_METHOD, "there is no such method here")
        self._say(rpc.result(asked.number, told))
        if asked.method == "tools/list":
            self._look_again()

    def _look_again(self) -> None:
        """Behind the answer: what the server says by now is for the next start, and for whoever asks again."""
        if self._caller.key and self._known.is_old(time.time()):
            _thread.start_new_thread(self._ask, ())

    def _ask(self) -> None:
        if not self._asking.acquire(False):
            return
        try:
            if self._breaker.rests_until(time.time()) is None:
                self._known.ask(self._caller, time.time())
        except (Fault, OSError):
            return  # it is told when a tool is called
        finally:
            self._asking.release()

    def _say(self, message: Json) -> None:
        try:
            rest = rpc.written(message)
        except Fault:
            rest = rpc.written(rpc.error(message["id"], {"code": -32603, "message": "the answer is not JSON"}))
        with self._mouth:
            while rest:
                try:
                    rest = rest[os.write(self._outgoing, rest) :]
                except BlockingIOError:
                    select.select([], [self._outgoing], [])
                except OSError:
                    self.unheard = True
                    return

    def _note(self, code: str, seconds: float) -> None:
        if self._folder is not None:
            log.note(self._folder, self._program, "tools", code, int(1000 * seconds))
