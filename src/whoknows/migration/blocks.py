"""A body of Markdown into statements: whole where it is short, else by headings and paragraphs, never in mid-word."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from whoknows.documents.lines import SENTENCE_END, Kind, Line, weight


@dataclass(frozen=True, slots=True)
class Block:
    """Text with the numbers of the lines that say it. ``heading`` is the last one above it."""

    text: str
    lines: tuple[int, ...]
    quote: str
    heading: str = ""


WHOLE = 2400
"""Weight of a body that stays one statement, a Han character counting twice: about what is embedded as one passage."""
_PART = 1600
_LONGEST_LINE = 6000
"""Characters; a longer line is cut between sentences. Three bytes each, they stay far below the limit of a memory."""
_QUOTE = 300


def blocks_of(lines: Sequence[Line]) -> list[Block]:
    """``lines`` are a body without what is structure; blank ones only part its paragraphs."""
    said = [line for line in lines if not line.is_blank]
    if all(line.kind is Kind.HEADING for line in said):
        return []
    if weight("\n".join(line.text for line in lines)) <= WHOLE and all(len(line.text) <= _LONGEST_LINE for line in said):
        return [block_of(lines)]
    return list(_parts(lines))


def items_of(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Each entry of a list at the margin with what is indented below it, each paragraph, and each heading by itself."""
    item: list[Line] = []
    for line in lines:
        ends = line.is_blank or _ENTRY.match(line.text)
        goes_on = line.kind is Kind.CODE or (line.text[:1].isspace() and not line.is_blank)
        if item and ((ends and not goes_on) or Kind.HEADING in (line.kind, item[-1].kind)):
            yield item
            item = []
        if not line.is_blank or (item and line.kind is Kind.CODE):
            item.append(line)
    if item:
        yield item


def block_of(lines: Sequence[Line], heading: str = "") -> Block:
    """One block of all ``lines``, blank ones at its ends left out."""
    first = next(n for n, line in enumerate(lines) if not line.is_blank)
    last = max(n for n, line in enumerate(lines) if not line.is_blank)
    kept = lines[first : last + 1]
    text = "\n".join(line.text.rstrip() for line in kept)
    if not any(line.kind is Kind.CODE for line in kept):
        text = _GAP.sub("\n\n", text)
    return Block(text, tuple(line.number for line in kept if not line.is_blank), quote_of(kept), heading)


def without_mark(block: Block) -> Block:
    """An entry of a list without the mark that makes it one; of several entries nothing is taken."""
    found = _ENTRY.match(block.text)
    if found is None or any(_ENTRY.match(line) for line in block.text.split("\n")[1:]):
        return block
    text = block.text[found.end() :].strip()
    quote = block.quote.removeprefix(found[0].strip()).strip()
    return replace(block, text=text, quote=quote) if text else block


def pieces_of(line: Line, heading: str = "") -> Iterator[Block]:
    """A line that is too long for one statement, in several."""
    rest = line.text.strip()
    while len(rest) > _LONGEST_LINE:
        ends = [m.end() for m in SENTENCE_END.finditer(rest, 0, _LONGEST_LINE)]
        cut = ends[-1] if ends else rest.rfind(" ", 1, _LONGEST_LINE)
        cut = cut if cut > _LONGEST_LINE // 4 else _LONGEST_LINE
        yield Block(rest[:cut].strip(), (line.number,), rest[:_QUOTE].strip(), heading)
        rest = rest[cut:].strip()
    if rest:
        yield Block(rest, (line.number,), rest[:_QUOTE].strip(), heading)


def quote_of(lines: Sequence[Line]) -> str:
    """The first line that says something, as it stands, or its beginning."""
    said = [line for line in lines if not line.is_blank]
    prose = next((line for line in said if line.kind is not Kind.HEADING), said[0])
    return prose.text.strip()[:_QUOTE].strip()


def is_too_long(line: Line) -> bool:
    return len(line.text) > _LONGEST_LINE


def _parts(lines: Sequence[Line]) -> Iterator[Block]:
    part: list[Line] = []
    heading = ""
    for paragraph in _paragraphs(lines):
        begins = paragraph[0].kind is Kind.HEADING
        held = weight("\n".join(line.text for line in part))
        more = weight("\n".join(line.text for line in paragraph))
        if part and (held + more > _PART or (begins and held > _PART // 3)):
            yield from _closed(part, heading)
            part = []
        if begins and not part:
            heading = paragraph[0].heading
        for line in paragraph:
            if is_too_long(line):
                yield from _closed(part, heading)
                part = []
                yield from pieces_of(line, heading)
                continue
            if part and weight("\n".join(x.text for x in (*part, line))) > WHOLE:  # one paragraph that is long by itself
                yield from _closed(part, heading)
                part = []
            part.append(line)
        part.append(Line(0, "", Kind.TEXT))
    yield from _closed(part, heading)


def _closed(part: Sequence[Line], heading: str) -> Iterator[Block]:
    """Headings with nothing below them say nothing."""
    if any(not line.is_blank and line.kind is not Kind.HEADING for line in part):
        yield block_of(part, heading)


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """Paragraphs, a heading with the one below it, a block of code in one piece."""
    block: list[Line] = []
    for line in lines:
        says = any(b.kind is not Kind.HEADING for b in block)
        in_code = line.kind is Kind.CODE
        if line.is_blank and not in_code:
            if says:
                yield block
                block = []
            continue
        if block and says and (line.kind is Kind.HEADING or (in_code and block[-1].kind is not Kind.CODE)):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


_GAP = re.compile(r"\n{3,}")
_ENTRY = re.compile(r"(?:[-*+]|\d{1,9}[.)])\s")
