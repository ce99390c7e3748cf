"""Prepare a text for both arms: its terms, and its vectors or the promise of a job."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass

from whoknows.errors import DimensionMismatch
from whoknows.policy.egress import kept_here, stays_here
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


async def prepare(
    embedder: Embedder, texts: Sequence[tuple[str, str | None]], may_leave: Container[int] = ()
) -> list[Prepared]:
    """(content, title) of each text. Short ones are embedded now, all together; long ones are left to a job.

    ``may_leave``: the places of those that an embedder outside may be given (``Egress.may_embed``). The others are left to the
    job too, which asks for leave itself.
    """
    here = stays_here(embedder.address)
    now = [n for n, text in enumerate(texts) if (here or n in may_leave) and is_inline(full_text(*text))]
    inline = {n: passages_of(*texts[n]) for n in now}
    leaving = [kept_here(p) for passages in inline.values() for p in passages]
    found = iter(await embedder.embed_passages(leaving) if leaving else ())
    vectors = {n: [checked(next(found), embedder) for _ in passages] for n, passages in inline.items()}
    prepared: list[Prepared] = []
    for n, (content, title) in enumerate(texts):
        prepared.append(Prepared(index_terms(content, title), vectors.get(n, ()), n not in vectors))
        await asyncio.sleep(0)  # the words of many long texts take seconds: others are answered between two of them
    return prepared


def checked(vector: Vector, embedder: Embedder) -> Vector:
    """``vector`` itself, or DimensionMismatch where it is not of the embedder's dimensions."""
    if len(vector) != embedder.dimensions:
        raise DimensionMismatch(f"{embedder.name} answered with {len(vector)} dimensions instead of {embedder.dimensions}")
    return vector
