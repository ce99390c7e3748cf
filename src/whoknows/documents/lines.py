"""The lines of a Markdown text, each with what it is: only plain text says something in the document's own name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Kind(Enum):
    FRONT = "front matter"
    HEADING = "heading"
    TEXT = "text"
    CODE = "code"
    QUOTE = "block quote"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Line:
    """``number`` counts from 1. Of a heading ``level`` is 1 to 6 and ``heading`` its text; else 0 and empty."""

    number: int
    text: str
    kind: Kind
    level: int = 0
    heading: str = ""

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


SENTENCE_END = re.compile(r"[.!?](?=\s)|[。！？]")
_WIDE = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]")


def weight(text: str) -> int:
    """Characters of alphabetic text: a Han character says as much as two."""
    return len(text) + len(_WIDE.findall(text))


def lines_of(text: str) -> list[Line]:
    """All lines of ``text``, whose line ends are ``\\n``."""
    raw = text.split("\n")
    front = _front_matter(raw)
    found = [Line(n, t, Kind.FRONT) for n, t in enumerate(raw[:front], start=1)]
    fence: str | None = None
    in_comment = False
    after_blank = True
    for number, line in enumerate(raw[front:], start=front + 1):
        previous = found[-1] if len(found) > front else None
        mark = _FENCE.match(line)
        if fence is not None:
            found.append(Line(number, line, Kind.CODE))
            fence = None if mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]) else fence
        elif in_comment:
            found.append(Line(number, line, Kind.COMMENT))
            in_comment = "-->" not in line
        elif mark:
            found.append(Line(number, line, Kind.CODE))
            fence = mark[1]
        elif line.lstrip().startswith("<!--"):
            found.append(Line(number, line, Kind.COMMENT))
            in_comment = "-->" not in line
        elif line.startswith(("    ", "\t")) and after_blank and not _in_list(found):
            found.append(Line(number, line, Kind.CODE))
            continue  # an indented block goes on
        elif _QUOTE.match(line) or (previous is not None and previous.kind is Kind.QUOTE and _goes_on(line)):
            found.append(Line(number, line, Kind.QUOTE))
        elif heading := _HEADING.match(line):
            found.append(Line(number, line, Kind.HEADING, len(heading[1]), _bare(heading[2])))
        elif previous is not None and _underlines(line, previous, found):
            level = 1 if line.strip()[0] == "=" else 2
            found[-1] = Line(previous.number, previous.text, Kind.HEADING, level, previous.text.strip())
            found.append(Line(number, line, Kind.COMMENT))
        else:
            found.append(Line(number, line, Kind.TEXT))
        after_blank = not line.strip()
    return found


def joined(lines: Sequence[Line]) -> str:
    """The text of lines that follow one another, without blank ones at its ends."""
    return "\n".join(line.text for line in lines).strip("\n")


_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_QUOTE = re.compile(r" {0,3}>")
_LIST = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")


def _front_matter(raw: list[str]) -> int:
    """How many lines the front matter takes, its marks included."""
    if not raw or raw[0].rstrip() != "---":
        return 0
    for n, line in enumerate(raw[1:200], start=1):
        if line.rstrip() in ("---", "..."):
            return n + 1
    return 0


def _bare(heading: str | None) -> str:
    """Without the marks that may close a heading."""
    text = (heading or "").strip()
    cut = text.rstrip("#")
    return cut.rstrip() if cut != text and (not cut or cut[-1] in " \t") else text


def _goes_on(line: str) -> bool:
    """A lazy continuation of a quoted paragraph."""
    return bool(line.strip()) and not _HEADING.match(line) and not _LIST.match(line)


def _in_list(found: list[Line]) -> bool:
    """Whether an indented line belongs to a list item above it."""
    for line in reversed(found[-50:]):
        if line.is_blank:
            continue
        if _LIST.match(line.text):
            return True
        if not line.text.startswith((" ", "\t")):
            return False
    return False


def _underlines(line: str, previous: Line, found: list[Line]) -> bool:
    if not _UNDERLINE.match(line) or previous.kind is not Kind.TEXT or previous.is_blank:
        return False
    before = found[-2] if len(found) > 1 else None
    alone = before is None or before.is_blank or before.kind in (Kind.FRONT, Kind.HEADING)
    return alone and not _LIST.match(previous.text) and "|" not in previous.text
