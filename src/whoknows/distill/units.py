"""The units of a message: each may be a fact of its own, and is judged alone."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from whoknows.distill.exclude import Excluded
from whoknows.distill.sentences import Sentence, sentences

_ANNOUNCED = re.compile(
    r"[两二三四五几][件条点个样](?:事|规矩|要求|东西|决定|结论|消息|情况|问题|变化|要点)?(?:[，。：:；,\s]|$|要|得|需)"
    r"|一是.{2,}二是|一来.{2,}二来|其一.{2,}其二|第一[，,、是].{2,}第二|首先.{2,}其次"
    r"|(?<![a-z])(?:two|three|four|a few|a couple of|several|2|3|4) (?:\w+ )?(?:things|points|items|decisions|rules|facts|notes|updates|news|changes)"
    r"|(?<![a-z])first(?:ly)?[,:].{2,}second(?:ly)?[,:]|(?<![a-z])for one[,:]?.{2,}for another"
    r"|(?:^|\n)[ \t]*(?:\d{1,2}[.)、）]|[-*•·]|[①②③④]).*\n[ \t]*(?:\d{1,2}[.)、）]|[-*•·]|[①②③④])"
    r"|[(（]?1[)）、].{2,}[(（]?2[)）、]|①.{2,}②",
    re.DOTALL | re.IGNORECASE,
)
_ONLY_ANNOUNCES = re.compile(
    r"[^，。：:\n]{0,12}[两二三四五几](?:[件点条样](?:事情?|规矩|要求|东西|决定|结论|消息|情况|变化|要点)?|个(?:事情?|规矩|要求|决定|结论|消息|变化|要点))(?:要[说讲记])?[。：:，,；;]?"
    r"|(?:[\w' ]{0,24})(?:two|three|four|a few|a couple of|several|2|3|4) (?:\w+ )?(?:things|points|items|decisions|rules|facts|notes|updates|news|changes)[\w' ]{0,16}[.:,;]?",
    re.IGNORECASE,
)
"""A unit that says only that several follow."""
_APPENDS = (
    r"(?:[二三]是|其[二三]|第[二三][，,、是]|其次|再者|另外|另一[件个]|此外|还有|顺便|顺带|再一个|再就是|对了|哦对"
    r"|and another|another thing|one more|also[, ]|secondly|second[,:]|separately|besides|on top of that|by the way|btw|p\.?s\.?[ :]|oh and|plus[, ])"
)
_APPENDED = re.compile(_APPENDS, re.IGNORECASE)
_NEXT = re.compile(
    rf"(?:[；;。.!！\n]\s*|[，,]\s*(?=(?:二|三)是|其[二三]|第[二三][，,、是]|二来|另外|此外|顺便|顺带|再一个|再就是|还有[，,一]))(?={_APPENDS})",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"(?=[①②③④⑤])|[；;](?=\s*\S)|(?<=\S)\s*(?=[(（]?[2-9][)）、](?!\d))|[，,](?=\s*(?:[二三]是|其[二三]|第[二三][，,、是]))"
)
_LEAD = re.compile(
    r"(?:[^，。：:\n]{0,10}?(?:[两二三四五几][件条点个样]|(?:two|three|four|a few|a couple of|several) (?:\w+ )?\w+)[^，。：:\n]{0,4}[：:]\s*)"
    r"|(?:(?:对了|哦对|哦对了|啊?等等|啊|哦|噢|嗯+|呃|诶|哎|唉|好吧|好的?|行|行吧|那个|顺便(?:说一下|说一句|提一句|一提)?|另外|此外|还有(?:一[点件条]|个)?|再就是|再一个|其实|总之|反正|话说|说正事|言归正传|正经的"
    r"|一是|二是|三是|其[一二三]|第[一二三]|首先|其次|一来|二来|记住|记一下|记一笔|记一条|帮我记一?[下条]?|记下|备忘)(?:[，,、：:。…\s~～]+|(?<=[一二三]是)))+"
    r"|(?:(?:btw|by the way|oh|ok|okay|so|anyway|anyways|also|well|and|right|lol|ugh|hey|hm+|ah|fine|second(?:ly)?|first(?:ly)?|one more thing|another thing|note to self|fyi|ps|plus"
    r"|remember(?: this)?|note)(?:\s*[,:.!…-]+\s*))+|btw\s+",
    re.IGNORECASE,
)
_ALONE = 8
"""Sentences that are read as one unit at most; a longer text is no message but a document, and is read in parts."""
_WIDE = 800
"""Characters likewise."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Some neighbouring sentences of a message. ``listed``: one of several things that the message announces or lists."""

    parts: tuple[Sentence, ...]
    listed: bool = False

    @property
    def start(self) -> int:
        return self.parts[0].start

    @property
    def end(self) -> int:
        return self.parts[-1].end


def units(text: str, without: Sequence[Excluded]) -> list[Unit]:
    """The units of ``text`` outside of ``without``, in order. One, unless several things are announced, listed or appended."""
    found = [unit for start, end in _free(text, without) for unit in _units(text, start, end)]
    return [u for u in found if len(found) == 1 or not _ONLY_ANNOUNCES.fullmatch(text, u.start, u.end)]


def lead(text: str) -> int:
    """Characters at the beginning of ``text`` that only lead to what is said: "对了，", "btw, "."""
    at = 0
    while (hit := _LEAD.match(text, at)) and hit.end() < len(text):
        at = hit.end()
    return at


def _free(text: str, without: Sequence[Excluded]) -> Iterator[tuple[int, int]]:
    at = 0
    for place in without:
        if place.start > at:
            yield at, place.start
        at = max(at, place.end)
    if at < len(text):
        yield at, len(text)


def _units(text: str, start: int, end: int) -> Iterator[Unit]:
    part = text[start:end]
    cut = _ITEM if _ANNOUNCED.search(part) else None
    groups: list[list[Sentence]] = []
    for sentence in sentences(part):
        pieces = list(_pieces(sentence, cut))
        appended = bool(groups) and _APPENDED.match(sentence.text) is not None
        for number, piece in enumerate(pieces):
            if groups and not (cut or appended or number) and _fits(groups[-1], piece):
                groups[-1].append(piece)
            else:
                groups.append([piece])
    for group in groups:
        yield Unit(tuple(Sentence(s.text, s.start + start, s.end + start) for s in group), cut is not None)


def _fits(group: list[Sentence], piece: Sentence) -> bool:
    return len(group) < _ALONE and piece.end - group[0].start <= _WIDE


def _pieces(sentence: Sentence, items: re.Pattern[str] | None) -> Iterator[Sentence]:
    """``sentence``, cut before what is appended to it, and between ``items``."""
    text = sentence.text
    places = sorted({m.end() for p in (_NEXT, items) if p for m in p.finditer(text)} | {0, len(text)})
    for first, last in pairwise(places):
        piece = text[first:last]
        if any(c.isalnum() for c in piece):
            skipped = len(piece) - len(piece.lstrip())
            kept = piece.strip()
            yield Sentence(kept, sentence.start + first + skipped, sentence.start + first + skipped + len(kept))
