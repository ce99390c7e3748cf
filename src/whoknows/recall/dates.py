"""Recognise dates in a text, and name each by canonical terms, so that "3月下旬" meets "2025-03-22" and "22 March
2025".

A day gives its year, its month, its month of the year, its day and its third of the month; a vaguer date gives what
it says. Only what the text itself says counts: neither the clock nor the time of writing has a part in it (rule R7).
"""

from __future__ import annotations

import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\.?"
)
_ORDINAL = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_THIRDS = {"上": "a", "中": "b", "下": "c", "初": "a", "底": "c", "末": "c"}
_DATE = re.compile(
    r"(?<![\d.])(?P<year>(?:19|20)\d\d)(?:[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?(?![\d.])"
    r"|年(?:(?P<zmonth>\d{1,2})月(?:(?P<zday>\d{1,2})[日号]|份?(?P<zthird>[上中下]旬|[初底末]))?)?)"
    r"|(?<![\d.])(?P<bmonth>\d{1,2})月(?:(?P<bday>\d{1,2})[日号]|份?(?P<bthird>[上中下]旬|[初底末]))?"
)
_ENGLISH = (
    re.compile(rf"\b{_ORDINAL}(?: of)? {_NAME}(?:,? (?P<year>(?:19|20)\d\d))?\b", re.IGNORECASE),
    re.compile(rf"\b{_NAME} {_ORDINAL}(?:,? (?P<year>(?:19|20)\d\d))?\b", re.IGNORECASE),
    re.compile(rf"\b{_NAME},? (?P<year>(?:19|20)\d\d)\b", re.IGNORECASE),
)


def lift(text: str) -> tuple[str, list[str]]:
    """The text with each date replaced by a blank, and the dates' terms. `text` is NFKC-normal."""
    terms: list[str] = []

    def chinese(m: re.Match[str]) -> str:
        year, month = m["year"], m["month"] or m["zmonth"] or m["bmonth"]
        day, third = m["day"] or m["zday"] or m["bday"], m["zthird"] or m["bthird"]
        said = _named(year, int(month or 0), int(day or 0), _THIRDS[third[0]] if third else "")
        terms.extend(said)
        return " " if said else m.group()

    def english(m: re.Match[str]) -> str:
        parts = m.groupdict()
        month = _MONTHS.index(parts["name"][:3].lower()) + 1
        said = _named(parts.get("year"), month, int(parts.get("day") or 0), "")
        terms.extend(said)
        return " " if said else m.group()

    text = _DATE.sub(chinese, text)
    for pattern in _ENGLISH:
        text = pattern.sub(english, text)
    return text, terms


def _named(year: str | None, month: int, day: int, third: str) -> list[str]:
    """Terms of one date; empty where the numbers are none (a version such as 2024.31, a 13th month)."""
    if month > 12 or day > 31 or (month == 0 and year is None):
        return []
    if month == 0:
        return [str(year)]
    terms = [f"@{month:02}"]
    if year is not None:
        terms += [year, f"@{year}-{month:02}"]
    if day:
        terms.append(f"@{month:02}-{day:02}")
        third = "a" if day <= 10 else "b" if day <= 20 else "c"
    if third:
        terms.append(f"@{month:02}{third}")
    return terms
