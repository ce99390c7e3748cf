"""Personal data: identity numbers, bank cards, telephone numbers and e-mail addresses. Check digits decide, not looks."""

import re
from collections.abc import Iterator
from datetime import date

import phonenumbers
from stdnum import luhn
from stdnum.cn import ric

from whoknows.gate.redaction.spans import Hit

_EMAIL = re.compile(
    r"(?<![A-Za-z0-9._%+-])(?!git@)[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}"
    r"(?:[A-Za-z]{2,24}|xn--[A-Za-z0-9-]{2,59})(?![A-Za-z0-9])"
)
_MOBILE = re.compile(r"(?<![A-Za-z0-9_.+-])(?:(?:\+|00)?86[ -]?)?1[3-9]\d(?:[ -]?\d{4}){2}(?![A-Za-z0-9_]|[.-]\d)")
_ABROAD = re.compile(r"(?<![\w+])\+[1-9](?:[ ().-]{0,2}\d){6,14}(?!\d)", re.ASCII)
_GROUPS = re.compile(r"(?<![A-Za-z0-9.])\d+(?:(?:[ -]|\r?\n)\d+)*[Xx]?(?![A-Za-z0-9]|\.\d)")
_GROUP = re.compile(r"\d+[Xx]?")
_CARD = re.compile(
    r"4\d{12}(?:\d{3}){0,2}\Z|5[0-8]\d{14,17}\Z|2[2-7]\d{14}\Z|3[47]\d{13}\Z|3(?:0[0-5]|[68]\d)\d{11}\Z|35\d{14}\Z"
    r"|6[0-9]\d{14,17}\Z"
)
"""Lengths and first digits of Visa, Mastercard, Maestro, American Express, Diners, JCB, Discover and UnionPay."""
_OLD_ID = re.compile(r"身份证[^\d\n]{0,12}(\d{6}(\d{2})(\d{2})(\d{2})\d{3})(?!\d)")
_MOST_GROUPS = 5


def personal(text: str) -> Iterator[Hit]:
    """The personal data in ``text`` (folded)."""
    yield from (Hit("email", m.start(), m.end()) for m in _EMAIL.finditer(text))
    yield from (Hit("phone", m.start(), m.end()) for m in _MOBILE.finditer(text))
    yield from (Hit("phone", m.start(), m.end()) for m in _ABROAD.finditer(text) if _is_phone(m[0]))
    for run in _GROUPS.finditer(text):
        if run.end() - run.start() >= 13:
            yield from _numbers([(g[0], run.start() + g.start(), run.start() + g.end()) for g in _GROUP.finditer(run[0])])
    for old in _OLD_ID.finditer(text):
        if _is_day(f"19{old[2]}", old[3], old[4]):
            yield Hit("id_card", old.start(1), old.end(1))


def _numbers(groups: list[tuple[str, int, int]]) -> Iterator[Hit]:
    """Numbers that are written in one group or in several of at least three digits: 4-4-4-4, 6-8-4."""
    for first in range(len(groups)):
        digits = ""
        for last in range(first, min(first + _MOST_GROUPS, len(groups))):
            digits += groups[last][0]
            if len(digits) > 19 or (last > first and len(groups[last][0]) < 3):
                break
            kind = _kind(digits)
            if kind:
                yield Hit(kind, groups[first][1], groups[last][2])


def _kind(digits: str) -> str | None:
    if len(digits) == 18 and _is_identity(digits):
        return "id_card"
    if _CARD.match(digits) and len(set(digits)) > 1 and luhn.is_valid(digits):
        return "bank_card"
    return None


def _is_identity(digits: str) -> bool:
    try:
        return ric.is_valid(digits)
    except KeyError:
        # Check digit, day and province hold; the library falls over a place of which its table has no county.
        return True


def _is_phone(text: str) -> bool:
    try:
        return phonenumbers.is_valid_number(phonenumbers.parse(text))
    except phonenumbers.NumberParseException:
        return False


def _is_day(year: str, month: str, day: str) -> bool:
    try:
        return bool(date(int(year), int(month), int(day)))
    except ValueError:
        return False
