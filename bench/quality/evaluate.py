"""Measure recall in process, without a database: either arm, and both, on labelled sets.

usage: PYTHONPATH=src:bench python -m quality.evaluate SET.json.gz|FOLDER … [--cache DIR] [--unanswerable]
Prints recall@1/5/10/20 and nDCG@10 in %, and the time of the pure pipeline. With --unanswerable, each question is
also asked of a reader who cannot know (as tools/score_recall.py does): AUROC of the best score, and how many are
answered at the default floor.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean

from quality.arms import Mode, cohort, readers
from quality.embed import Embedder
from quality.sets import LabelledSet, load_all
from whoknows.recall.background import Cohort
from whoknows.recall.floor import DEFAULT_FLOOR
from whoknows.recall.pipeline import recall

MODES: tuple[Mode, ...] = ("lexical", "dense", "both")
DEPTHS = (1, 5, 10, 20)


def figures(found: Sequence[str], relevant: frozenset[str]) -> list[float]:
    """Recall at each of DEPTHS, then nDCG@10, each in [0, 1]."""
    gained = sum(1 / math.log2(i + 2) for i, doc in enumerate(found[:10]) if doc in relevant)
    ideal = sum(1 / math.log2(i + 2) for i in range(min(10, len(relevant))))
    return [len(set(found[:k]) & relevant) / max(1, len(relevant)) for k in DEPTHS] + [gained / (ideal or 1.0)]


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Chance that a random positive is above a random negative; ties count half."""
    ranked = sorted([(x, 1) for x in positive] + [(x, 0) for x in negative])
    total, i = 0.0, 0
    while i < len(ranked):
        j = i
        while j < len(ranked) and ranked[j][0] == ranked[i][0]:
            j += 1
        total += (i + j + 1) / 2 * sum(label for _, label in ranked[i:j])
        i = j
    n, m = len(positive), len(negative)
    return (total - n * (n + 1) / 2) / (n * m)


def ranking(data: LabelledSet, embedder: Embedder, about: Cohort) -> None:
    """Print the figures of each arm and of both."""
    seen = readers(data, embedder)
    vectors = embedder.questions([q.text for q in data.questions]).tolist()
    names = {s: [doc.id for doc in data.docs if doc.scope == s] for s in data.scopes}
    for mode in MODES:
        rows: list[list[float]] = []
        spent = 0.0
        for question, vector in zip(data.questions, vectors, strict=True):
            arms = seen[question.scope].ask(question.text, vector, about, mode)
            began = time.perf_counter()
            result = recall(arms, limit=20, floor=0.0)
            spent += time.perf_counter() - began
            rows.append(figures([names[question.scope][hit.memory.int - 1] for hit in result.hits], question.relevant))
        means = " ".join(f"{100 * fmean(column):5.1f}" for column in zip(*rows, strict=True))
        print(f"{data.name:16} {mode:8} {means}   {1000 * spent / len(rows):.2f} ms", flush=True)


def silence(data: LabelledSet, embedder: Embedder, about: Cohort) -> None:
    """Print how well the best score tells a reader who knows from one who cannot."""
    data = data.split()
    seen = readers(data, embedder)
    vectors = embedder.questions([q.text for q in data.questions]).tolist()
    for mode in MODES:
        best: tuple[list[float], list[float]] = ([], [])
        for question, vector in zip(data.questions, vectors, strict=True):
            for kind, scope in enumerate((question.scope, data.other_scope(question.scope))):
                hits = recall(seen[scope].ask(question.text, vector, about, mode), limit=1, floor=0.0).hits
                best[kind].append(hits[0].score if hits else 0.0)
        kept = [100 * fmean(score >= DEFAULT_FLOOR for score in scores) for scores in best]
        print(
            f"{data.name:16} {mode:8} AUROC {auroc(*best):.3f}  answered {kept[0]:.1f} %  cannot know {kept[1]:.1f} %",
            flush=True,
        )


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("/tmp/whoknows-vectors"))
    parser.add_argument("--unanswerable", action="store_true")
    given = parser.parse_args()
    embedder = Embedder(given.cache)
    about = cohort(embedder)
    for data in load_all(given.sets):
        (silence if given.unanswerable else ranking)(data, embedder, about)


if __name__ == "__main__":
    main()
