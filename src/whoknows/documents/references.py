"""References to other documents: by number, file, link or title, as they stand in a line."""

import re
from dataclasses import dataclass
from posixpath import basename


@dataclass(frozen=True, slots=True)
class Reference:
    """One document that is meant. Each that is known must fit; ``said`` is what stands there."""

    said: str
    number: int | None = None
    file: str | None = None
    title: str | None = None


_LINK = re.compile(r"\[([^\[\]]{0,300})\]\(\s*<?([^()\s<>]{0,500})>?[^()]{0,100}\)")
_FILE = re.compile(r"[\w./\-\u4e00-\u9fff]{1,300}\.(?:md|markdown|txt)\b", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?:\b(?:ADR|RFC|MADR|PEP|DR|decision|record)|决策|决定|记录|提案)\s{0,2}(?:record\s{0,2})?[-#_ №第]{0,3}0*(\d{1,6})",
    re.IGNORECASE,
)
_BARE = re.compile(r"#?0*(\d{1,6})(?:号|\.)?")
_PARENTHESES = re.compile(r"[(（][^()（）]{0,400}[)）]")
_NAMED_FILE = re.compile(r"(?:[a-z]{1,12}[-_ ]?)?0*(\d{1,6})(?=[-_. ]|$)", re.IGNORECASE)
_TITLED = re.compile(r"\s*(?:(?:[A-Za-z]{2,12}|决策|决定|记录|提案)[-\s#_]{0,3})?0*(\d{1,6})\s*[.:：—–\-、]\s*(?=\S)")
_PADDED = re.compile(r"0\d{2,5}(?!\d)")
_NOTHING = {"", "-", "—", "none", "nothing", "n/a", "na", "null", "no", "无", "没有", "~"}


def references_in(said: str) -> tuple[Reference, ...]:
    """All documents that the value of a line names. Remarks in parentheses name none; nor do `none` and `-`."""
    rest = said
    found: list[Reference] = []
    for text, target in _LINK.findall(said):
        if "://" not in target or _FILE.search(target):
            found.append(_linked(text, target))
    rest = _PARENTHESES.sub(" ", _LINK.sub(" ", rest))
    found += (Reference(file, number_of_file(file), file) for file in _FILE.findall(rest))
    rest = _FILE.sub(" ", rest)
    found += (Reference(f"{int(number):04}", int(number)) for number in _NUMBERED.findall(rest))
    left = _NUMBERED.sub(" ", rest)
    for part in re.split(r"[,，、;；/&\n]|\band\b|和|与|及|以及", left):
        found += _spoken(part, alone=not found)
    return tuple({(r.number, r.file, r.title): r for r in found}.values())


def is_only_references(said: str) -> bool:
    """Whether nothing but names of documents stands there."""
    rest = _PARENTHESES.sub(" ", _LINK.sub(" ", said))
    rest = _NUMBERED.sub(" ", _FILE.sub(" ", rest))
    words = re.sub(r"\band\b|\bADRs?\b|[和与及`*_,，、;；.。:：#\d\s]", "", rest, flags=re.IGNORECASE)
    return not words and bool(references_in(said))


def number_of_file(path: str) -> int | None:
    found = _NAMED_FILE.match(basename(path))
    return int(found[1]) if found else None


def number_of_title(title: str) -> int | None:
    found = _TITLED.match(title)
    return int(found[1]) if found else None


def bare_title(title: str) -> str:
    """Without its number, folded, for comparing."""
    found = _TITLED.match(title)
    rest = title[found.end() :] if found else title
    return " ".join(rest.casefold().replace("`", "").split())


def _linked(text: str, target: str) -> Reference:
    path = target.partition("#")[0]
    numbered = _NUMBERED.search(text) or _TITLED.match(text) or _BARE.fullmatch(text.strip())
    number = int(numbered[1]) if numbered else number_of_file(path)
    return Reference(text or target, number, path or None, None if path else text)


def _spoken(part: str, alone: bool) -> list[Reference]:
    text = part.strip(" \t`*_\"'“”‘’「」《》.。:：()（）")
    if text.casefold() in _NOTHING:
        return []
    bare = _BARE.fullmatch(text)
    if bare:
        return [Reference(text, int(bare[1]))]
    # Words beside a number are a remark; words alone are a title, which may begin with its number.
    padded = _PADDED.match(text)
    number = int(padded[0]) if padded else number_of_title(text)
    return [Reference(text[:300], number, None, text[:300])] if alone and len(text) > 2 else []
