"""What the server says of itself and its tools, kept here so that a program is told at once and waits for nobody."""

from __future__ import annotations

import os

from . import exchange, rpc, state
from .faults import Fault, Ignored
from .parsing import checked, parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .caller import Caller
    from .rpc import Json

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Versions of the protocol that begin with `initialize`, the oldest first."""
NEWEST = "2026-07-28"
"""The one that begins with `server/discover`, in which the server is asked here."""
SHIPPED = "described.json"
"""Beside this file: what the server of this release says. Written by `make docs`."""
PLACE = os.path.join(os.path.dirname(os.path.abspath(__file__)), SHIPPED)
_ABOUT = "io.modelcontextprotocol/serverInfo"
_FRESH = 300.0
"""Seconds in which nobody asks again."""
_MOST = 1024 * 1024
_TERMS = exchange.Terms(connect=1.0, silence=5.0, most=_MOST)


class Described:
    """``path``: where this machine keeps what the server at ``url`` said; None where it keeps nothing."""

    def __init__(self, path: str | None, url: str) -> None:
        self._path, self._url = path, url
        self._discovered: Json
        self._listed: Json
        self._discovered, self._listed = _shipped()
        self._asked = 0.0
        kept = None if path is None else _kept(path, url)
        if kept is not None:
            self._discovered, self._listed, self._asked = kept

    def initialize(self, wanted: object) -> Json:
        """The first answer of the older protocols. ``wanted``: the version that the program would like."""
        told: Json = {
            "protocolVersion": wanted if wanted in HANDSHAKES else HANDSHAKES[-1],
            "capabilities": self._discovered["capabilities"],
            "serverInfo": self._discovered["_meta"][_ABOUT],
        }
        instructions = self._discovered.get("instructions")
        return told if instructions is None else {**told, "instructions": instructions}

    def discover(self) -> Json:
        """The first answer of the newer one."""
        return self._discovered

    def tools(self, era: str | None) -> Json:
        return self._listed if era else {"tools": self._listed["tools"]}

    def versions(self) -> list[str]:
        """The newer ones, as the server names them."""
        return self._discovered["supportedVersions"]

    def is_old(self, now: float) -> bool:
        """Whether to ask the server what it says today."""
        return not 0 <= now - self._asked < _FRESH

    def ask(self, caller: Caller, now: float) -> None:
        """From the next word on it is what the server says now, here and for whoever starts after this. Fault where it says
        nothing of that kind; then all stays as it was.
        """
        discovered, listed = _about(_said(caller, "server/discover")), _tools(_said(caller, "tools/list"))
        content = rpc.written({"at": now, "url": self._url, "discovered": discovered, "listed": listed})
        self._discovered, self._listed, self._asked = discovered, listed, now
        if self._path is not None:
            with Ignored():
                os.makedirs(os.path.dirname(self._path), 0o700, exist_ok=True)
            state.replace(self._path, content)

    def mute(self) -> None:
        """For a program without a key, which would otherwise pay for words about tools that it cannot use."""
        self._discovered = {name: told for name, told in self._discovered.items() if name != "instructions"}
        self._listed = {**self._listed, "tools": []}


def of_server(folder: str | None, url: str) -> Described:
    known = url.rstrip("/")
    return Described(None if folder is None else os.path.join(folder, "tools-" + state.server_name(known)), known)


def _shipped() -> tuple[Json, Json]:
    said = parsed(state.tail(PLACE, _MOST), "not_json", "wrong_form", counts=False)
    return _about(said.get("discovered")), _tools(said.get("listed"))


def _kept(path: str, url: str) -> tuple[Json, Json, float] | None:
    """None for a file that is not there, is none of ours any more, or is that of another server with such a name."""
    try:
        said = parsed(state.tail(path, _MOST), "not_json", "wrong_form", counts=False)
        at = said.get("at")
        if said.get("url") != url:
            return None
        return _about(said.get("discovered")), _tools(said.get("listed")), at if isinstance(at, float) else 0.0
    except Fault:
        return None


def question(method: str) -> bytes:
    """A request of the newest protocol, with nothing in it but what that wants."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": NEWEST,
        "io.modelcontextprotocol/clientInfo": {"name": "whoknows-hook", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return rpc.request(1, method, {"_meta": meta})


def protocol(method: str) -> list[tuple[str, bytes]]:
    """The headers of such a request that say the same."""
    return [("MCP-Protocol-Version", NEWEST.encode()), ("Mcp-Method", method.encode())]


def _said(caller: Caller, method: str) -> Json:
    headers = [*caller.headers(), *protocol(method)]
    status, body = exchange.post(caller.url, "/mcp", headers, question(method), _TERMS)
    if status != 200:
        raise Fault(f"http_{status}")
    return checked(parsed(body, "not_json", "wrong_form", counts=True).get("result"), "wrong_form")


def _about(said: object) -> Json:
    told = checked(said, "wrong_form")
    meta = checked(told.get("_meta"), "wrong_form")
    name = checked(meta.get(_ABOUT), "wrong_form").get("name")
    checked(told.get("capabilities"), "wrong_form")
    versions = told.get("supportedVersions")
    if versions.__class__ is not list or name.__class__ is not str:
        raise Fault("wrong_form")
    return told


def _tools(said: object) -> Json:
    told: Json = checked(said, "wrong_form")
    if told.get("tools").__class__ is not list:
        raise Fault("wrong_form")
    for tool in told["tools"]:
        if checked(tool, "wrong_form").get("name").__class__ is not str:
            raise Fault("wrong_form")
        checked(tool.get("inputSchema"), "wrong_form")
    return told
