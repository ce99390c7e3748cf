"""Near duplicates: how much two texts say the same, and in what they differ that keeps them apart (rules W7)."""

import re
import unicodedata
from collections import Counter
from itertools import pairwise

import rjieba

_HAN = r"\u3400-\u9fff"
_WORD = re.compile(rf"[^\W_{_HAN}]+|[{_HAN}]+")
_DIGITS = re.compile(r"\d+(?:[.:]\d+)*")
_COUNTED = re.compile(
    r"第?[零〇一二两三四五六七八九十百千万亿]+(?=[个条次项台天周月年日号点分秒时度%份人位名家层版期组套级倍行列页章节元块米斤])"
    r"|(?<=周)[一二三四五六日天]|(?<=星期)[一二三四五六日天]|(?<=礼拜)[一二三四五六日天]|(?<=第)[零一二三四五六七八九十百]+"
)
_DAYS = re.compile(
    r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\b(?:january|february|march|april|june|july|august|september|october|november"
    r"|december)\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|fifty|hundred|thousand|first"
    r"|second|third|twice|once|half|double)\b"
)
_CHINESE_DIGITS = str.maketrans("〇零一二两三四五六七八九", "001223456789")
# What sounds like a negation and is none: "not only", "excellent", "other people", "no matter".
_SOUNDS_ALIKE = re.compile(
    r"不错|不但|不仅|不过|不管|不论|不断|不少|不久|差不多|对不起|不同|特别|别人|别的|区别|个别|分别|级别|类别|性别|识别|无论|无线|"
    r"没关系|未来|非常|\bnot only\b|\bno matter\b|\bno longer than\b|\bno doubt\b"
)
_NEGATED = re.compile(
    r"不|没|無|无|别|勿|未|非|禁止|拒绝|停止|取消|\bnot\b|\bno\b|\bnever\b|n['\u2019]t\b|\bcannot\b|\bwithout\b|\bnone\b|\bneither\b|\bnor\b"
    r"|\bstop(?:ped|s)?\b|\bdisabled?\b|\bforbid(?:den|s)?\b|\bban(?:ned|s)?\b|\bcancel(?:led|ed|s)?\b"
)
_IDENTIFIER = re.compile(rf"[^\W{_HAN}][^\s{_HAN},;:!?()\[\]{{}}\"'`。，；：！？（）]*")
_NAMED = re.compile(r"^n(?:r|s|t|z|rt|rfg)$")
"""Parts of speech of the segmenter: names of people, places, organisations and other things."""
_SENTENCE_END = ".!?\n"


def alike(a: str, b: str) -> float:
    """How much of the words of both is common to both, in [0, 1] (Dice, over Latin words and pairs of Han characters)."""
    first, second = _pieces(a), _pieces(b)
    total = first.total() + second.total()
    return 0.0 if total == 0 else 2 * (first & second).total() / total


def differs(a: str, b: str) -> str | None:
    """``numbers``, ``names`` or ``negation``: what tells two texts apart however alike they are. None: nothing of these."""
    a, b = _plain(a), _plain(b)
    if _numbers(a) != _numbers(b):
        return "numbers"
    if _names(a) != _names(b):
        return "names"
    return "negation" if _negations(a) != _negations(b) else None


def digits(text: str) -> set[str]:
    """The numbers that are written in digits, without leading zeros."""
    return {n.lstrip("0") or "0" for n in _DIGITS.findall(_plain(text))}


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text)


def _pieces(text: str) -> Counter[str]:
    pieces: Counter[str] = Counter()
    for run in _WORD.findall(_plain(text).casefold()):
        if len(run) == 1 or not "\u3400" <= run[0] <= "\u9fff":
            pieces[run] += 1
        else:
            pieces.update(x + y for x, y in pairwise(run))
    return pieces


def _numbers(text: str) -> set[str]:
    return digits(text) | {_value(n) for n in _COUNTED.findall(text)} | set(_DAYS.findall(text.casefold()))


def _value(numeral: str) -> str:
    """三 as 3, 十二 as 12, 二十 as 20; what is longer stays as it is written."""
    digits = numeral.removeprefix("第").translate(_CHINESE_DIGITS)
    if match := re.fullmatch(r"(\d?)十(\d?)", digits):
        return str(int(match[1] or 1) * 10 + int(match[2] or 0))
    return digits


def _names(text: str) -> set[str]:
    """Latin words that are written like names or codes, and what the segmenter knows as a name in Chinese."""
    names: set[str] = set()
    for found in _IDENTIFIER.finditer(text):
        word = found[0].rstrip(_SENTENCE_END)
        begins = found.start() == 0 or text[: found.start()].rstrip()[-1:] in _SENTENCE_END
        coded = any(c.isalpha() for c in word) and (not word.strip("-'").isalpha() or word[1:] != word[1:].lower())
        if coded or (word[:1].isupper() and not begins):
            names.add(word.casefold())
    tagged: list[tuple[str, str]] = rjieba.tag(text)
    return names | {word for word, kind in tagged if _NAMED.match(kind) and len(word) > 1}


def _negations(text: str) -> int:
    """Odd or even: a double negation is none."""
    return len(_NEGATED.findall(_SOUNDS_ALIKE.sub(" ", text.casefold()))) % 2
