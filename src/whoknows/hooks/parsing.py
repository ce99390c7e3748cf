"""JSON from outside, which is an object or a fault."""

from __future__ import annotations

from . import plain_json
from .faults import Fault

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any  # at run time it would take as long to load as the rest of the hook


def parsed(body: bytes, no_json: str, no_object: str, *, counts: bool) -> dict[str, object]:
    try:
        value = plain_json.loads(body)
    except (ValueError, RecursionError):
        raise Fault(no_json, counts=counts) from None
    return checked(value, no_object, counts=counts)


def checked(value: Any, no_object: str, *, counts: bool = True) -> dict[str, object]:
    if value.__class__ is not dict:
        raise Fault(no_object, counts=counts)
    return value
