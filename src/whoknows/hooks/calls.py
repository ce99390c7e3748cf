"""Calls of tools on their way: each is handed to the server by itself, and has its answer in time, whatever comes of it."""

from __future__ import annotations

import _thread
import time

from . import exchange, rpc, told
from .described import HANDSHAKES
from .faults import Fault, Ignored
from .parsing import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from .breaker import Breaker
    from .caller import Caller
    from .rpc import Asked, Json

MOST = 32
"""Calls at a time."""
_LARGEST = 8 * 1024 * 1024
"""Bytes of an answer."""


class Patience:
    """Seconds: to reach the server, to have its answer, and to have it while the hooks leave it alone.

    It is asked then all the same: a model that wants to keep something should not be told that nobody tried.
    """

    def __init__(self, connect: float = 1.0, answer: float = 10.0, resting: float = 2.0) -> None:
        self.connect, self.answer, self.resting = connect, answer, resting


class Call:
    """``sent`` says whether the server may have heard of it."""

    def __init__(self, asked: Asked, patience: Patience, rests: bool) -> None:
        self.asked = asked
        self.began = time.monotonic()
        self.rests = rests
        self.connect = patience.connect
        self.answer = patience.resting if rests else patience.answer
        self.connection: socket.socket | None = None

    @property
    def sent(self) -> bool:
        return self.connection is not None

    @property
    def until(self) -> float:
        return self.began + (self.answer if self.sent else self.connect)

    def end(self) -> None:
        """Whoever waits for the server does not any more."""
        if self.connection is not None:
            with Ignored():
                self.connection.shutdown(exchange.BOTH_WAYS)


class Calls:
    """``say`` writes an answer, ``note`` a fault and how long it took; ``answered`` hears that the server is there.

    Of those that could answer a call only the first does.
    """

    def __init__(
        self,
        caller: Caller,
        breaker: Breaker,
        say: Callable[[Json], None],
        note: Callable[[str, float], None],
        answered: Callable[[], None],
        patience: Patience,
    ) -> None:
        self._patience = patience
        self._caller, self._breaker, self._say, self._note, self._answered = caller, breaker, say, note, answered
        self._open: dict[int, Call] = {}
        self._next = 1

    def begin(self, asked: Asked) -> None:
        call = Call(asked, self._patience, rests=self._breaker.rests_until(time.time()) is not None)
        number, self._next = self._next, self._next + 1
        if len(self._open) >= MOST:
            self._say(told.failed(asked, self._caller.url, "busy", sent=False))
            return
        self._open[number] = call
        try:
            _thread.start_new_thread(self._hand_on, (number, call))
        except RuntimeError:  # no more threads
            self._over(number, Fault("busy", counts=False))

    def cancel(self, number: object) -> None:
        """The program does not want the answer any more. What the server does of it by now, it does."""
        for own, call in list(self._open.items()):
            if call.asked.number == number and self._open.pop(own, None) is not None:
                call.end()

    def pause(self, most: float) -> float:
        """Seconds until the first of them is late."""
        now = time.monotonic()
        return max(0.0, min([most, *(call.until - now for call in list(self._open.values()))]))

    def give_up(self) -> None:
        """Those that are late are told so."""
        now = time.monotonic()
        for number, call in list(self._open.items()):
            if call.until <= now:
                self._over(number, Fault("timeout" if call.sent else "unreachable"))
                call.end()

    def leave(self) -> None:
        """Nobody waits for an answer any more."""
        for number, call in list(self._open.items()):
            if self._open.pop(number, None) is not None:
                call.end()

    def _hand_on(self, number: int, call: Call) -> None:
        try:
            status, said = self._exchanged(number, call)
        except Fault as fault:
            self._over(number, fault)
        except Exception:  # whoever waits would not hear of it otherwise
            self._over(number, Fault("broken"))
        else:
            if status >= 500:
                self._over(number, Fault(f"http_{status}"), said)
            elif self._open.pop(number, None) is not None:
                if call.rests:
                    self._breaker.over()
                self._say(told.answer(call.asked, self._caller.url, status, said))
                self._answered()

    def _exchanged(self, number: int, call: Call) -> tuple[int, Json | None]:
        """The status, and the object that the body is, if it is one."""
        body = rpc.request(number, "tools/call", told.forwarded(call.asked))
        headers = [(name, value) for name, value in self._caller.headers() if name != "Accept"]
        headers += [("Accept", b"application/json, text/event-stream"), ("MCP-Protocol-Version", HANDSHAKES[-1].encode())]

        def opened(connection: socket.socket) -> None:
            call.connection = connection
            # In this order: whoever gives it up afterwards sees that it may have been sent. And never later than that: a name
            # may resolve long after the program was told that nothing was sent.
            if number not in self._open:
                raise Fault("ended", counts=False)

        terms = exchange.Terms(call.connect, call.answer, _LARGEST, refusals=True, opened=opened)
        status, content = exchange.post(self._caller.url, "/mcp", headers, body, terms)
        try:
            return status, parsed(content, "not_json", "wrong_form", counts=True)
        except Fault:
            return status, None

    def _over(self, number: int, fault: Fault, said: Json | None = None) -> None:
        call = self._open.pop(number, None)
        if call is None:
            return
        if fault.counts:
            self._breaker.fault(time.time(), late=fault.code == "timeout")
        self._note(fault.code, time.monotonic() - call.began)
        self._say(told.failed(call.asked, self._caller.url, fault.code, call.sent, said))
