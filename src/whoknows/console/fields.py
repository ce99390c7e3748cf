"""Fields of forms: the choices and lines that a browser sends, as what they mean, or refused with the field's name."""

from enum import StrEnum
from typing import TypeVar

from whoknows.errors import Invalid

E = TypeVar("E", bound=StrEnum)


def one_of(kinds: type[E], value: str, field: str) -> E | None:
    """The member of ``kinds`` with that value, None for an empty one; Invalid for any other."""
    if not value:
        return None
    if value not in set(map(str, kinds)):
        raise Invalid(f"this is none of {', '.join(kinds)}", field=field)
    return kinds(value)


def lines(text: str) -> str:
    """A form sends every end of a line as two characters."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
