"""Prepare a text for both arms: its terms, and its vectors or the promise of a job."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.errors import DimensionMismatch
from whoknows.ports import Embedder, IndexTerms, Vector
from whoknows.recall.passages import is_inline, passages
from whoknows.recall.tokens import is_wide, text_terms

_MOST = 32_767
"""Largest frequency that the postings hold (smallint)."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What the arms need of one text. ``vectors`` is empty where ``pending``: a job makes them."""

    index: IndexTerms
    vectors: Sequence[Vector]
    pending: bool


def term_hash(term: str) -> int:
    """64 bits of BLAKE2b as a signed number: the only form in which a word is in the index."""
    return int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest(), signed=True)


def index_terms(content: str, title: str | None) -> IndexTerms:
    text = full_text(content, title)
    counts: Counter[int] = Counter()
    for term, n in text_terms(text).items():
        counts[term_hash(term)] += n
    return IndexTerms(list(counts), [min(n, _MOST) for n in counts.values()], sum(counts.values()), is_wide(text))


def full_text(content: str, title: str | None) -> str:
    """What is searched: the title belongs to the text."""
    return content if title is None else f"{title}\n{content}"


def passages_of(content: str, title: str | None) -> list[str]:
    return [p.text for p in passages(full_text(content, title))]


async def prepare(embedder: Embedder, texts: Sequence[tuple[str, str | None]]) -> list[Prepared]:
    """(content, title) of each text. Short ones are embedded now, all together; long ones are left to a job."""
    whole = [full_text(content, title) for content, title in texts]
    short = [n for n, text in enumerate(whole) if is_inline(text)]
    vectors = dict(zip(short, await embedder.embed_passages([whole[n] for n in short]), strict=True)) if short else {}
    for vector in vectors.values():
        if len(vector) != embedder.dimensions:
            raise DimensionMismatch(f"{embedder.name} answered with {len(vector)} dimensions instead of {embedder.dimensions}")
    return [
        Prepared(index_terms(content, title), [vectors[n]] if n in vectors else [], n not in vectors)
        for n, (content, title) in enumerate(texts)
    ]
