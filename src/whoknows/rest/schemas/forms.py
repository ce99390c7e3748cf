"""The forms of single values: texts, names, times, numbers; strict, where JSON has a type of its own."""

import re
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, Strict
from pydantic.alias_generators import to_camel

from whoknows.domain.principal import NAME_LIMIT

LONGEST_LIFE = 100 * 365 * 24 * 3600
"""Largest ``expires_in`` in seconds, a hundred years: what is to stay longer, stays."""
LARGEST = 2**31 - 1
"""Largest version and number of a page: what the database counts with."""

_RFC3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


class Form(BaseModel):
    """What comes in. A field that is not declared is refused, not ignored."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class Told(BaseModel):
    """What goes out."""

    model_config = ConfigDict(extra="forbid", use_attribute_docstrings=True)


class CamelForm(Form):
    """What comes in by the master agent's interface, whose names are those of the second source."""

    model_config = ConfigDict(alias_generator=to_camel)


class CamelTold(Told):
    """What goes out by it."""

    model_config = ConfigDict(alias_generator=to_camel)


def _carried(text: str) -> str:
    if "\0" in text:
        raise ValueError(f"a NUL character stands at position {text.index(chr(0))}: remove it")
    return text


def _moment(value: Any) -> datetime:
    if not isinstance(value, str) or not _RFC3339.fullmatch(value):
        raise ValueError("write a time as RFC 3339 with its offset, such as 2026-01-31T12:00:00Z")
    try:
        return datetime.fromisoformat(value.upper()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise ValueError("there is no such time") from None


Text = Annotated[str, AfterValidator(_carried)]
"""Any text, empty too."""
Words = Annotated[str, AfterValidator(_carried), Field(min_length=1)]
"""A text that says something."""
Label = Annotated[str, AfterValidator(_carried), Field(min_length=1, max_length=NAME_LIMIT)]
"""A name, or a short word."""
Moment = Annotated[datetime, BeforeValidator(_moment, json_schema_input_type=str)]
"""A time in RFC 3339 with its offset; kept in UTC."""
Seconds = Annotated[int, Strict(), Field(gt=0, le=LONGEST_LIFE)]
Count = Annotated[int, Strict(), Field(ge=1, le=LARGEST)]
Flag = Annotated[bool, Strict()]
Score = Annotated[float, Strict(), Field(ge=0, le=1, allow_inf_nan=False)]


def unless_named(value: Any) -> Any:
    """A field of an edit that need not be named: ``value`` only fills its place, and the page of the interface is not told."""

    def hide(schema: dict[str, Any]) -> None:
        schema.pop("default", None)

    return Field(default=value, json_schema_extra=hide)


def end(expires_at: datetime | None, expires_in: int | None) -> datetime | None:
    """The one time of expiry that two ways of saying it mean."""
    return expires_at if expires_in is None else datetime.now(UTC) + timedelta(seconds=expires_in)


def one_end(expires_at: Any, expires_in: Any) -> None:
    """For validators: naming both is a contradiction."""
    if expires_at is not None and expires_in is not None:
        raise ValueError("either expires_at or expires_in: not both")
