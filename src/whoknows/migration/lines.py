"""The lines of a file as a program wrote them: bytes into text, and which lines WhoKnows itself or a harness put there."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from whoknows.harness.own_text import TAG


@dataclass(frozen=True, slots=True)
class Unreadable:
    """``lines``: how many there seem to be."""

    why: str
    lines: int


def lines_in(content: bytes) -> list[str] | Unreadable:
    """The lines without their ends; a break at the end of the file begins no further one."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    counted = len(_split(content.decode("latin-1")))
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as e:
        return Unreadable(f"not valid {'UTF-16' if encoding == 'utf-16' else 'UTF-8'} at byte {e.start}", counted)
    if "\0" in text:
        return Unreadable(f"a NUL character stands at position {text.index(chr(0))}", counted)
    lines = _split(text)
    lone = next((n for n, line in enumerate(lines, 1) if _SURROGATE.search(line)), None)
    return lines if lone is None else Unreadable(f"half a character stands in line {lone}", len(lines))


def without_put_in(lines: Sequence[str]) -> tuple[list[str], set[int]]:
    """``lines`` without the elements that WhoKnows or a harness put into a text; the numbers of those that say nothing else.

    Such an element begins a line, or opens and ends within one. A mark that is only spoken of stays in its sentence.
    """
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    marked: set[int] = set()
    cut: list[tuple[int, int]] = []
    opened: dict[str, tuple[int, int, bool]] = {}
    for number, line in enumerate(lines, start=1):
        for mark in _MARK.finditer(line):
            marked.add(number)
            name, begin, end = mark["name"].lower(), starts[number - 1] + mark.start(), starts[number - 1] + mark.end()
            first, at_line, goes_on = opened.get(name, (0, 0, False))
            is_open = goes_on or at_line == number
            if mark["end"] and is_open:
                cut.append((first, end))
                del opened[name]
            elif not mark["end"] and not is_open:
                opened[name] = (begin, number, not line[: mark.start()].strip(" \t>"))
    shown, within = _without(lines, starts, _joined(sorted(cut)))
    return shown, {n for n in marked | within if not _WORD.search(_MARK.sub("", shown[n - 1]))}


def _without(lines: Sequence[str], starts: Sequence[int], cut: Sequence[tuple[int, int]]) -> tuple[list[str], set[int]]:
    shown = list(lines)
    within: set[int] = set()
    for first, end in reversed(cut):  # from behind, so that what stands before it keeps its place
        for n in range(bisect_right(starts, first), bisect_left(starts, end) + 1):
            line, start = shown[n - 1], starts[n - 1]
            shown[n - 1] = line[: max(0, first - start)] + line[max(0, end - start) :]
            within.add(n)
    return shown, within


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for first, end in spans:
        overlaps = bool(found) and first <= found[-1][1]
        before = found.pop() if overlaps else (first, end)
        found.append((before[0], max(end, before[1])))
    return found


def _split(text: str) -> list[str]:
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    return lines


_MARK = re.compile(rf"<(?P<end>/?)(?P<name>{TAG}|system-reminder|task-notification)\b[^<>]{{0,300}}>?", re.IGNORECASE)
_WORD = re.compile(r"\w")
_SURROGATE = re.compile("[\ud800-\udfff]")
