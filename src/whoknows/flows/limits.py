"""Limits of what is accepted, and the checks of texts against them."""

import unicodedata
from dataclasses import dataclass, field
from typing import TypeVar

from whoknows.errors import Invalid, TextTooLong
from whoknows.flows.redaction import Redaction

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """``text_bytes`` is the longest text in bytes of UTF-8; names and labels are counted in characters.

    ``context_tokens`` is what prompts, memories and the moment share in a context, ``context_limit`` what the whole may have.
    """

    text_bytes: int = 32 * 1024
    question_bytes: int = 8 * 1024
    title: int = 500
    label: int = 200
    reason: int = 2000
    tags: int = 50
    readers: int = 200
    most_hits: int = 100
    page: int = 200
    prompt_bytes: int = 32 * 1024
    message_bytes: int = 32 * 1024
    context_tokens: int = 6_000
    context_limit: int = 32_000
    redaction: Redaction = field(default_factory=Redaction)


def clean(text: str, field: str) -> str:
    """``text`` itself, or Invalid where no database and no model could carry it."""
    for n, c in enumerate(text):
        if c == "\0":
            raise Invalid(f"a NUL character stands at position {n}: remove it", field=field)
        if 0xD800 <= ord(c) <= 0xDFFF:
            raise Invalid(
                f"half a character (a lone surrogate) stands at position {n}: the text is not valid Unicode", field=field
            )
    return text


def is_blank(text: str) -> bool:
    """Nothing that can be seen: empty, white space, or only zero-width and formatting characters."""
    return all(c.isspace() or unicodedata.category(c) in ("Cf", "Cc") or c == "\u3164" for c in text)


def content(text: str, most_bytes: int, field: str = "content") -> str:
    """A text that holds something and is not too long."""
    if is_blank(clean(text, field)):
        raise Invalid("the text is empty: say something", field=field)
    size = len(text.encode())
    if size > most_bytes:
        raise TextTooLong(f"the text has {size} bytes, {most_bytes} are accepted: shorten or split it", field=field)
    return text


def label(text: str | None, most: int, field: str) -> str | None:
    """A name or short text that may be absent, but not empty."""
    if text is None:
        return None
    if is_blank(clean(text, field)):
        raise Invalid("this may not be empty: leave it out instead", field=field)
    if len(text) > most:
        raise Invalid(f"{len(text)} characters, {most} are accepted", field=field)
    return text
