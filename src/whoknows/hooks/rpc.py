"""Messages of JSON-RPC, one a line: what a program asks, and what it is answered."""

from __future__ import annotations

from . import plain_json
from .faults import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Json = dict[str, Any]

NOT_JSON, NO_REQUEST, NO_METHOD, BAD_PARAMS, NO_VERSION = -32700, -32600, -32601, -32602, -32022
_ENDLESS = (float("inf"), float("-inf"))
"""What 1e999 is read as, and cannot be written as."""
_VERSION = "io.modelcontextprotocol/protocolVersion"


class Asked:
    """``number``: its id, a string or a number; None for what wants no answer. ``era``: the version of a protocol without a
    handshake that it names itself, as the newer ones do; None for the older.
    """

    def __init__(self, message: Json) -> None:
        method, params = message.get("method"), message.get("params")
        self.message = message
        self.number = _number(message)
        if method.__class__ is not str:
            raise Refused(self.number, NO_REQUEST, "a request has a method")
        self.method: str = message["method"]
        if params is not None and params.__class__ is not dict:
            raise Refused(self.number, BAD_PARAMS, "params are an object")
        self.params: Json = params or {}
        meta: Json = self.params["_meta"] if self.params.get("_meta").__class__ is dict else {}
        self.era: str | None = meta[_VERSION] if meta.get(_VERSION).__class__ is str else None


class Refused(Exception):
    """What cannot be answered with a result."""

    def __init__(self, number: str | float | None, code: int, message: str, data: object = None) -> None:
        super().__init__(message)
        self.number = number
        self.error: Json = {"code": code, "message": message, **({} if data is None else {"data": data})}


def heard(line: bytes) -> Asked | None:
    """None for what needs no answer and says nothing to us: an answer, since nothing is ever asked here, or an empty line."""
    if not line.strip():
        return None
    try:
        message = plain_json.loads(line)
    except (ValueError, RecursionError):
        raise Refused(None, NOT_JSON, "this line is not JSON in UTF-8") from None
    if message.__class__ is not dict:
        raise Refused(None, NO_REQUEST, "one message a line, and it is an object")
    if "method" not in message and ("result" in message or "error" in message):
        return None
    return Asked(message)


def result(number: object, told: Json) -> Json:
    return {"jsonrpc": "2.0", "id": number, "result": told}


def error(number: object, told: object) -> Json:
    return {"jsonrpc": "2.0", "id": number, "error": told}


def written(message: Json) -> bytes:
    """In ASCII: no half of a character and no strange line end can hurt a reader then. Fault for what is no JSON."""
    try:
        return plain_json.dumps(message).encode() + b"\n"
    except (ValueError, RecursionError):
        raise Fault("not_json") from None


def request(number: int, method: str, params: Json) -> bytes:
    return written({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


def _number(message: Json) -> str | float | None:
    if "id" not in message:
        return None
    number = message["id"]
    if number.__class__ not in (str, int, float) or number in _ENDLESS:  # neither true nor null
        raise Refused(None, NO_REQUEST, "an id is a string or a number")
    return number
