"""What the validation of a request found, as one error that says where; never with the value, which may be a text."""

from collections.abc import Sequence
from typing import Any

from whoknows.errors import Invalid

_PLACES = ("body", "query", "path", "header")


def invalid_from(errors: Sequence[Any]) -> Invalid:
    """The first of pydantic's ``errors``, and how many more there are."""
    first = errors[0]
    place = [str(p) for p in first["loc"]]
    if place and place[0] in _PLACES:
        place = place[1:]
    more = "" if len(errors) == 1 else f" (and {len(errors) - 1} more)"
    message = "there is no such field" if first["type"] == "extra_forbidden" else _plain(first["msg"])
    return Invalid(f"{message}{more}", field=".".join(place)[:200] or None)


def _plain(message: str) -> str:
    message = message.removeprefix("Value error, ")
    return message[:1].lower() + message[1:]
