"""What Claude Code remembers: an index and topic files for each directory, and folders of its sub-agents."""

import posixpath
import re
from collections.abc import Sequence
from urllib.parse import unquote

from whoknows.documents.lines import Kind, Line, lines_of
from whoknows.domain.memory import Category
from whoknows.migration.blocks import Block, blocks_of, items_of, without_mark
from whoknows.migration.front import Front, front_of
from whoknows.migration.lines import without_put_in
from whoknows.migration.statements import GENERAL, Parsed, Place, Pointer, Statement

INDEX = "MEMORY.md"


def parsed_topic(path: str, lines: Sequence[str], place: Place, tags: tuple[str, ...] = ()) -> Parsed:
    """A file that holds one fact, or a longer text. ``path`` begins with the folder of the program."""
    front, body, structure = _body(lines)
    kind = front.fields.get("type", "")
    name = posixpath.basename(path).removesuffix(".md")
    title = front.fields.get("description") or front.fields.get("name") or _first_heading(body) or name
    blocks = blocks_of(body)
    found = [
        Statement(
            path=path,
            lines=block.lines,
            text=block.text,
            title=_title(title, block),
            category=_CATEGORIES.get(kind, Category.FACT),
            place=GENERAL if kind == "user" else place,
            quote=block.quote,
            tags=(*tags, *((kind,) if kind in _CATEGORIES else ())),
            noted=front.fields.get("modified"),
            topic=len(blocks) == 1,
        )
        for block in blocks
    ]
    return Parsed(path, len(lines), found, (), _rest(structure, body, found))


def parsed_index(path: str, lines: Sequence[str], place: Place, tags: tuple[str, ...] = ()) -> Parsed:
    """`MEMORY.md`: a line for each topic. What is no such line is a memory by itself."""
    _, body, structure = _body(lines)
    statements: list[Statement] = []
    pointers: list[Pointer] = []
    heading = ""
    for item in items_of(body):
        if item[0].kind is Kind.HEADING:
            heading = item[0].heading
            continue
        found = _POINTER.match(item[0].text)
        target = None if found is None else _target(path, found["target"] or found["name"])
        for block in map(without_mark, blocks_of(item)):
            title = (found and found["title"]) or heading or None
            text = (target and found and found["hook"].strip()) or block.text
            said = Statement(path, block.lines, text, title, Category.FACT, place, block.quote, tags)
            if target is None:
                statements.append(said)
            else:
                pointers += (Pointer(n, target, said) for n in block.lines)
    return Parsed(path, len(lines), statements, pointers, _rest(structure, body, statements))


def folder_name(directory: str) -> str:
    """How Claude Code names the folder of a directory: every character but letters and digits of ASCII becomes a dash."""
    halves = directory.encode("utf-16-le", "surrogatepass")
    units = (int.from_bytes(halves[n : n + 2], "little") for n in range(0, len(halves), 2))
    return "".join(chr(u) if u < 128 and chr(u).isalnum() else "-" for u in units)


def is_folder_of(name: str, directory: str) -> bool:
    """Whether ``name`` may be the folder of ``directory``. A long name is cut, and a hash is put behind it."""
    whole = folder_name(directory)
    return name == whole or (len(whole) > _LONGEST and name.startswith(whole[:_LONGEST] + "-"))


def _body(lines: Sequence[str]) -> tuple[Front, list[Line], dict[int, str]]:
    """Front matter, the lines below it, and what is structure so far."""
    said, own = without_put_in(lines)
    shown = ["" if n in own else line for n, line in enumerate(said, 1)]
    front = front_of(shown)
    structure = dict.fromkeys(range(1, front.end + 1), "front matter")
    structure |= dict.fromkeys(own, "put there by WhoKnows or the program, and no memory")
    blanked = ["" if n <= front.end else line for n, line in enumerate(shown, 1)]
    return front, lines_of("\n".join(blanked))[: len(lines)], structure


def _rest(structure: dict[int, str], body: Sequence[Line], said: Sequence[Statement]) -> dict[int, str]:
    claimed = {n for s in said for n in s.lines}
    found = dict(structure)
    for line in body:
        if line.number not in claimed and line.number not in found:
            if line.is_blank:
                found[line.number] = "blank"
            elif line.kind is Kind.HEADING or (line.kind is Kind.COMMENT and _UNDERLINE.match(line.text)):
                found[line.number] = "heading"
    return found


def _title(title: str, block: Block) -> str:
    return f"{title} › {block.heading}" if block.heading and block.heading != title else title


def _first_heading(body: Sequence[Line]) -> str:
    return next((line.heading for line in body if line.kind is Kind.HEADING and line.heading), "")


def _target(index: str, named: str) -> str | None:
    """The file that an index line names, None where it is no file beside it."""
    if "://" in named or named.startswith(("/", "#", "mailto:")):
        return None
    name = unquote(named.partition("#")[0])
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(index), name))
    return whole if whole.endswith(".md") else f"{whole}.md"


_LONGEST = 200
_CATEGORIES = {
    "user": Category.USER_PREFERENCE,
    "feedback": Category.USER_PREFERENCE,
    "project": Category.PROJECT_PROGRESS,
    "reference": Category.RESEARCH_NOTE,
}
_POINTER = re.compile(
    r"\s*[-*+]\s+(?:\[(?P<title>[^\[\]]*)\]\((?P<target>[^()\s]+)\)|\[\[(?P<name>[^\[\]]+)\]\])"
    r"[\s—–:-]*(?P<hook>.*)"
)
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*$")
