"""JSON by the part of the standard library that is compiled: the rest of it takes as long to load as all of the hook.

Where an interpreter has no such part, or has another one by now, it is the module that everybody uses.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def loads(text: bytes) -> Any:
    """ValueError for what is not JSON in UTF-8; numbers without an end are none. RecursionError where it is nested too deep."""
    said = text.decode("utf-8").strip(" \t\r\n")
    try:
        value, end = _Reader().scan(said, 0)
    except (StopIteration, SystemError):  # the latter where it looks for the error of a module that nobody has loaded
        raise ValueError("no value") from None
    if end != len(said):
        raise ValueError("more than one value")
    return value


def dumps(value: object, in_ascii: bool = True) -> str:
    """On one line. ValueError for what JSON has no words for."""
    try:
        from _json import encode_basestring, encode_basestring_ascii, make_encoder  # noqa: PLC0415

        quoted = encode_basestring_ascii if in_ascii else encode_basestring
        write = make_encoder({}, _no_value, quoted, None, ": ", ", ", False, False, False)
    except (ImportError, TypeError):
        import json  # noqa: PLC0415

        return json.dumps(value, ensure_ascii=in_ascii, allow_nan=False)
    return "".join(write(value, 0))


class _Reader:
    """What the compiled scanner asks of whoever makes one."""

    strict = True
    object_hook = object_pairs_hook = array_hook = None
    parse_float, parse_int = float, int

    def __init__(self) -> None:
        try:
            from _json import make_scanner  # noqa: PLC0415

            self.scan: Any = make_scanner(self)  # pyright: ignore[reportArgumentType]
        except (ImportError, TypeError, AttributeError):
            import json  # noqa: PLC0415

            self.scan = json.JSONDecoder(parse_constant=_no_number).raw_decode

    @staticmethod
    def parse_constant(name: str) -> object:
        return _no_number(name)


def _no_number(name: str) -> object:
    raise ValueError(name)


def _no_value(value: object) -> object:
    raise ValueError(f"{value.__class__.__name__} is none of JSON")
