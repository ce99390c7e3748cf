"""Turn a text into the terms of the lexical arm, alike for a memory and for a question.

Steps: NFKC and case folding (full width, ligatures), Traditional to Simplified, dates to canonical terms, then one
pass over runs of one script, so that "GitHub备份脚本" gives github, 备份, 脚本. Latin words are stemmed (Snowball)
and compounds give the whole and the parts. Han runs give the words of a segmenter *and*, weighing less, the pairs of
neighbouring characters that it did not see as words: pairs find what was cut differently elsewhere
(docs/decisions/0005).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

import opencc
import rjieba
import Stemmer

from whoknows.recall import dates
from whoknows.recall.hits import QuestionTerm
from whoknows.recall.stopwords import CHINESE, ENGLISH, PARTICLES

MAX_QUESTION_TERMS = 48
"""A question's terms beyond this are not looked up: each costs the reading of its postings. Pairs go first."""

PAIR_WEIGHT = 0.3
"""A pair of characters that is no word is evidence, but weaker: it may only be where two words meet."""
_MAX_TERM = 64  # characters; a longer run is a key or a blob, and is found by its first 64
_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_KANA_HANGUL = r"\u3041-\u30ff\u31f0-\u31ff\uac00-\ud7a3"
_HAN_CHAR = re.compile(f"[{_HAN}]")
_RUN = re.compile(
    rf"(?P<han>[{_HAN}]+)"
    rf"|(?P<syllables>[{_KANA_HANGUL}]+)"
    rf"|(?P<number>\d+(?:[.,]\d+)+)"
    rf"|(?P<word>[^\W_{_HAN}{_KANA_HANGUL}]+(?:['\u2019][^\W\d_{_HAN}{_KANA_HANGUL}]+)?"
    rf"(?:[-_.+#@][^\W_{_HAN}{_KANA_HANGUL}]+)*[+#]*)"
)
_PART = re.compile(r"[^\W_]+")
_CLITIC = re.compile(r"['\u2019](?:s|t|re|ve|ll|d|m)$", re.IGNORECASE)
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# Neither package has types. Both objects keep no state between calls.
_simplified: Callable[[str], str] = opencc.OpenCC("t2s").convert  # pyright: ignore
_stem: Callable[[str], str] = Stemmer.Stemmer("english").stemWord  # pyright: ignore


def text_terms(text: str) -> Counter[str]:
    """The terms of a text that is stored, with how often each occurs. Their sum is the text's length for BM25."""
    return Counter(term for term, _ in _terms(text))


def question_terms(text: str) -> tuple[QuestionTerm, ...]:
    """The distinct terms of a question, words before pairs, at most `MAX_QUESTION_TERMS`.

    Empty for a question of nothing but function words, in which case the lexical arm has nothing to say.
    """
    weights: dict[str, float] = {}
    for term, weight in _terms(text):
        weights[term] = max(weight, weights.get(term, 0.0))
    terms = [QuestionTerm(term, weight) for term, weight in weights.items()]
    return tuple(sorted(terms, key=lambda term: -term.weight)[:MAX_QUESTION_TERMS])


def is_wide(text: str) -> bool:
    """Whether a text is written mostly in Han characters: a third of its letters, since one of them says as much as
    three."""
    han = len(_HAN_CHAR.findall(text))
    return han > 0 and 3 * han > sum(map(str.isalpha, text)) - han


def normal(text: str) -> str:
    """NFKC and Simplified, case kept. Two spellings of one text that differ only in width or script variant become
    one."""
    return _simplified(unicodedata.normalize("NFKC", text))


def _terms(text: str) -> Iterator[tuple[str, float]]:
    plain, found = dates.lift(normal(text))
    for term in found:
        yield term, 1.0
    letter = ""
    for run in _RUN.finditer(plain):
        chars, kind = run.group(), run.lastgroup
        if kind == "han":
            if letter:  # C盘, A组: a single letter means something only with what follows
                yield letter + chars[0], 1.0
            yield from _han(chars)
        elif kind == "syllables":
            yield from ((pair, 1.0) for pair in _pairs(chars))
        elif kind == "number":
            yield chars.replace(",", ""), 1.0
        else:
            yield from ((term, 1.0) for term in _latin(chars))
        glued = kind == "word" and len(chars) == 1 and not plain[run.end() : run.end() + 1].isspace()
        letter = chars.casefold() if glued else ""


def _han(run: str) -> Iterator[tuple[str, float]]:
    words = [word for word in rjieba.cut_for_search(run) if word not in CHINESE and not PARTICLES.issuperset(word)]
    for word in words:
        yield word, 1.0
    seen = set(words)
    for pair in _pairs(run) if len(run) > 1 else ():
        if PARTICLES.isdisjoint(pair) and pair not in CHINESE and pair not in seen:
            yield pair, PAIR_WEIGHT


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    yield from (a + b for a, b in pairwise(run))


def _latin(run: str) -> Iterator[str]:
    run = _CLITIC.sub("", run)
    parts = [piece for part in _PART.findall(run) for piece in _CAMEL.split(part)]
    kept = [part for part in (piece.casefold() for piece in parts) if part not in ENGLISH]
    if kept and (len(parts) > 1 or run[-1] in "+#"):  # GitHub, snake_case, gpt-4, c++: the whole, beside its parts
        yield run.casefold()[:_MAX_TERM]
    for part in kept:
        yield _stem(part[:_MAX_TERM])
