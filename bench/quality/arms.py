"""The two arms in process, as the store computes them in SQL: exact BM25 and exact cosine over one reader's texts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Literal
from uuid import UUID

import numpy as np
import numpy.typing as npt

from quality.embed import Embedder, Vectors
from quality.sets import LabelledSet
from whoknows.recall.background import COHORT_NARROW, COHORT_WIDE, Cohort
from whoknows.recall.fuse import K1, B, idf
from whoknows.recall.hits import Arms, Card, DenseArm, DenseHit, LexicalArm, LexicalHit
from whoknows.recall.passages import passages
from whoknows.recall.tokens import is_wide, question_terms, text_terms

Mode = Literal["both", "lexical", "dense"]
TOP = 100
"""Length of either list."""

_START = datetime(2025, 1, 1)
Floats = npt.NDArray[np.float64]


def cohort(embedder: Embedder) -> Cohort:
    """The cohort as this encoder sees it."""
    wide, narrow = embedder.passages(COHORT_WIDE), embedder.passages(COHORT_NARROW)
    return Cohort.of(wide.tolist(), narrow.tolist())


class Reader:
    """What one reader sees, in order of writing: (text, session or None), with the vectors of their passages."""

    def __init__(self, docs: Sequence[tuple[str, str | None]], vectors: Vectors, owners: npt.ArrayLike) -> None:
        self.ids = [UUID(int=i + 1) for i in range(len(docs))]
        self._vectors, self._owners = vectors, np.asarray(owners)
        ordinals: dict[str | None, int] = defaultdict(int)
        self.cards: dict[UUID, Card] = {}
        for i, (text, session) in enumerate(docs):
            ordinals[session] += 1
            written = _START + timedelta(minutes=i)
            self.cards[self.ids[i]] = Card(session, ordinals[session], written, is_wide(text))
        self._postings = _postings([text for text, _ in docs])

    def ask(self, question: str, vector: Sequence[float], about: Cohort, mode: Mode = "both") -> Arms:
        """Both lists for a question with this unit vector, or one of them alone."""
        lexical = self._lexical(question) if mode != "dense" else None
        dense = self._dense(vector, about) if mode != "lexical" else None
        return Arms(is_wide(question), len(self.ids), lexical, dense, self.cards)

    def _lexical(self, question: str) -> LexicalArm:
        terms = question_terms(question)
        scores: Floats = np.zeros(len(self.ids))
        frequencies: list[int] = []
        for term in terms:
            docs, gains = self._postings.get(term.text, (np.zeros(0, np.int64), np.zeros(0)))
            frequencies.append(len(docs))
            scores[docs] += term.weight * idf(len(self.ids), len(docs)) * gains
        best: list[int] = np.argsort(-scores, kind="stable")[:TOP].tolist()
        hits = tuple(LexicalHit(self.ids[i], float(scores[i])) for i in best if scores[i] > 0)
        return LexicalArm(terms, tuple(frequencies), len(self.ids), hits)

    def _dense(self, vector: Sequence[float], about: Cohort) -> DenseArm:
        aimed = about.aim(vector)
        cosines: Floats = np.full(len(self.ids), -1.0)
        np.maximum.at(cosines, self._owners, self._vectors @ np.asarray(aimed.vector))
        best: list[int] = np.argsort(-cosines, kind="stable")[:TOP].tolist()
        return DenseArm(aimed.background, tuple(DenseHit(self.ids[i], float(cosines[i])) for i in best))


def readers(data: LabelledSet, embedder: Embedder) -> dict[str, Reader]:
    """One reader per scope. Vectors are made for the set as a whole, in its order, so that the cache serves every
    split."""
    split = [passages(doc.text) for doc in data.docs]
    vectors = embedder.passages([piece.text for pieces in split for piece in pieces])
    owner = np.repeat(np.arange(len(split)), [len(pieces) for pieces in split])
    out: dict[str, Reader] = {}
    for scope in data.scopes:
        mine = [i for i, doc in enumerate(data.docs) if doc.scope == scope]
        place = {i: j for j, i in enumerate(mine)}
        rows = [k for k, i in enumerate(owner.tolist()) if i in place]
        owners = np.array([place[int(owner[k])] for k in rows], np.int64)
        out[scope] = Reader([(data.docs[i].text, data.docs[i].session) for i in mine], vectors[rows], owners)
    return out


def _postings(texts: Sequence[str]) -> dict[str, tuple[npt.NDArray[np.int64], Floats]]:
    """For each term the docs that contain it, and their saturated frequencies (BM25 without idf)."""
    counts = [text_terms(text) for text in texts]
    lengths = np.array([sum(count.values()) for count in counts], float)
    norm = K1 * (1 - B + B * lengths / max(float(lengths.mean()) if len(texts) else 1.0, 1e-9))
    where: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for i, count in enumerate(counts):
        for term, n in count.items():
            where[term].append((i, n))
    out: dict[str, tuple[npt.NDArray[np.int64], Floats]] = {}
    for term, pairs in where.items():
        docs = np.array([i for i, _ in pairs], np.int64)
        n = np.array([f for _, f in pairs], float)
        out[term] = (docs, n * (K1 + 1) / (n + norm[docs]))
    return out
