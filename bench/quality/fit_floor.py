"""Fit the constants of whoknows/recall/floor.py, on the sets given and on the tiny worlds, and print them.

usage: PYTHONPATH=src:bench python -m quality.fit_floor SET.json.gz|FOLDER … [--cache DIR] [--keep 0.925]
[--keep-across 0.955] [--keep-alone 0.91] A set is what quality/sets.py reads: give your own labelled questions, alone
or beside others, to re-fit for your texts.

Each question is asked of the reader who knows (1) and of one who cannot (0); the features are those of the best hit.
Every (set, label) weighs the same, whatever its size. The floor is where `--keep` of the answerable questions of the
worst set are still answered. Across two scripts, and with one arm alone, there is less to see, so the same chance is
reached at a lower score: there the bias is shifted so that the same floor keeps as
many (across `--keep-across`; with one arm alone `--keep-alone`: half an answer had better be silent a little more
often). A question that an arm cannot answer at all (no word in common) is left out of that arm's fit. Also printed:
the same, fitted without the set that it is tried on.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from quality.arms import Mode, Reader, cohort, readers
from quality.embed import Embedder
from quality.evaluate import auroc
from quality.sets import LabelledSet, load_all, merged
from quality.tiny_worlds import WORLDS
from whoknows.recall import floor as floors
from whoknows.recall.background import Cohort
from whoknows.recall.fuse import fuse
from whoknows.recall.hits import Arms
from whoknows.recall.rank import rank

Floats = npt.NDArray[np.float64]
FIELDS = ("bias", "dense", "lexical", "crossed", "lead", "crowd")
# With words to agree, the crowd added nothing (and did worse on a set left out), so it is used for nearness alone.
USED: dict[Mode, tuple[str, ...]] = {
    "both": ("bias", "dense", "lexical", "crossed", "lead"),
    "dense": ("bias", "dense", "crossed", "lead", "crowd"),
    "lexical": ("bias", "lexical"),
}
FEWEST = 30  # answerable questions of a set in one situation, before it has a say about the floor there
RIDGE = 1.0  # on standardised features, against a total weight of len(rows): hardly felt


@dataclass(frozen=True, slots=True)
class Row:
    """Features of the best hit of one question asked of one reader; None if there was no hit."""

    name: str
    label: int
    features: tuple[float, ...] | None


def features(arms: Arms) -> tuple[float, ...] | None:
    """In the order of FIELDS, of the best hit; read off `floors.logit` itself, which is linear in its constants."""
    candidates = fuse(arms)
    if not candidates:
        return None
    words = arms.lexical is not None and bool(arms.lexical.terms)
    about = floors.setting(candidates, searched_words=words, visible=arms.visible)
    best = rank(candidates, arms.cards)[0].candidate
    units = [[float(name == field) for name in FIELDS] for field in FIELDS]
    return tuple(floors.logit(floors.Calibration(*unit), best, about) for unit in units)


def rows_of(data: LabelledSet, embedder: Embedder, about: Cohort, mode: Mode) -> Iterator[Row]:
    """Two rows for each question of a set."""
    data = data.split()
    seen = readers(data, embedder)
    vectors = embedder.questions([q.text for q in data.questions]).tolist()
    for question, vector in zip(data.questions, vectors, strict=True):
        for label, scope in ((1, question.scope), (0, data.other_scope(question.scope))):
            yield Row(data.name, label, features(seen[scope].ask(question.text, vector, about, mode)))


def tiny_rows(embedder: Embedder, about: Cohort, mode: Mode) -> Iterator[Row]:
    """A row for each question of the tiny worlds."""
    for world in WORLDS:
        notes = [(note, None) for note in world.notes]
        reader = Reader(notes, embedder.passages(world.notes), np.arange(len(notes)))
        asked = [(text, 1) for text, _ in world.answerable] + [(text, 0) for text in world.unanswerable]
        vectors = embedder.questions([text for text, _ in asked]).tolist()
        for (text, label), vector in zip(asked, vectors, strict=True):
            yield Row("tiny worlds", label, features(reader.ask(text, vector, about, mode)))


def fit(rows: Sequence[Row], used: Sequence[str]) -> Floats:
    """Weights in the order of FIELDS, 0 where not used: weighted logistic regression by Newton's method."""
    rows = [row for row in rows if row.features is not None]
    columns = [FIELDS.index(name) for name in used]
    x = np.array([row.features for row in rows], float)[:, columns]
    y = np.array([row.label for row in rows], float)
    groups = [(row.name, row.label) for row in rows]
    size = {group: groups.count(group) for group in set(groups)}
    w = np.array([len(rows) / len(size) / size[group] for group in groups])
    scale = np.where(x.std(0) > 1e-6, x.std(0), 1.0)
    scale[0] = 1.0
    x = x / scale
    ridge = np.diag([0.0] + [RIDGE] * (len(columns) - 1))
    beta = np.zeros(len(columns))
    for _ in range(50):
        p = 1 / (1 + np.exp(-np.clip(x @ beta, -30, 30)))
        step = np.linalg.solve((x * (w * p * (1 - p))[:, None]).T @ x + ridge, x.T @ (w * (y - p)) - ridge @ beta)
        beta += step
        if float(np.abs(step).max()) < 1e-8:
            break
    out = np.zeros(len(FIELDS))
    out[columns] = beta / scale
    return out


def logits(rows: Sequence[Row], weights: Floats) -> list[float]:
    """Logit of each row, -60 where nothing was found."""
    return [-60.0 if row.features is None else float(np.dot(row.features, weights)) for row in rows]


def settle(rows: Sequence[Row], weights: Floats, keep: tuple[float, float], floor: float | None) -> float:
    """Shift `weights` so that one floor keeps `keep` of the answerable questions of the worst set, within one script
    and across two (in this order), and return it; at `floor` if that is given."""
    crossed = FIELDS.index("crossed")
    sides: list[float | None] = []
    for across, share in enumerate(keep):
        reached: list[float] = []
        for name in {row.name for row in rows}:
            mine = [r for r in rows if r.name == name and r.label and r.features and r.features[crossed] == across]
            if len(mine) >= FEWEST:
                reached.append(float(np.quantile(logits(mine, weights), 1 - share)))
        sides.append(min(reached, default=None))
    within, beyond = sides
    least = within if within is not None else beyond if beyond is not None else 0.0
    weights[crossed] += least - beyond if beyond is not None and weights[crossed] else 0.0
    if floor is not None:
        weights[0] += floor - least
        least = floor
    return least


def report(title: str, rows: Sequence[Row], weights: Floats, least: float) -> None:
    """AUROC and shares answered, for each set in `rows`."""
    for name in sorted({row.name for row in rows}):
        mine = [row for row in rows if row.name == name]
        values = logits(mine, weights)
        knows = [v for v, row in zip(values, mine, strict=True) if row.label]
        cannot = [v for v, row in zip(values, mine, strict=True) if not row.label]
        shares = [100 * sum(v >= least for v in side) / len(side) for side in (knows, cannot)]
        print(f"  {title:24} {name:28} AUROC {auroc(knows, cannot):.3f}  answered {shares[0]:5.1f} / {shares[1]:5.1f} %")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--cache", type=Path, default=Path("/tmp/whoknows-vectors"))
    parser.add_argument("--keep", type=float, default=0.925)
    parser.add_argument("--keep-across", type=float, default=0.955)
    parser.add_argument("--keep-alone", type=float, default=0.91)
    given = parser.parse_args()
    embedder = Embedder(given.cache)
    about = cohort(embedder)
    sets = list(load_all(given.sets))
    one_scope = [data for data in sets if len(data.scopes) == 1]
    blend = ""
    if len(one_scope) > 1:
        sets.append(merged(one_scope))
        blend = sets[-1].name  # teaches the mix; has no say about the floor, being the same questions again
    floor: float | None = None
    modes: tuple[Mode, ...] = ("both", "dense", "lexical")
    for mode in modes:
        rows = [row for data in sets for row in rows_of(data, embedder, about, mode)]
        rows += list(tiny_rows(embedder, about, mode))
        heard = {row.name for row in rows if row.label}
        if mode == "lexical":  # a set whose questions share no word with its texts says nothing about words
            heard = {
                n
                for n in heard
                if sum(r.features is not None for r in rows if r.label and r.name == n) * 2
                > sum(r.label for r in rows if r.name == n)
            }
        usable = [row for row in rows if row.name in heard]
        weights = fit(usable, USED[mode])
        keep = (given.keep, given.keep_across) if mode == "both" else (given.keep_alone, given.keep_alone)
        floor = least = settle([r for r in usable if r.name != blend], weights, keep, floor)
        print(mode, ", ".join(f"{n}={w:.3f}" for n, w in zip(FIELDS, weights, strict=True)))
        report("fitted on all", rows, weights, least)
        for name in sorted(heard):
            without = [row for row in usable if row.name != name]
            if {row.name for row in without}:
                other = fit(without, USED[mode])
                limit = settle([r for r in without if r.name != blend], other, keep, None)
                report("fitted without it", [row for row in rows if row.name == name], other, limit)
    print(f"DEFAULT_FLOOR = {1 / (1 + math.exp(-(floor or 0.0))):.3f}")


if __name__ == "__main__":
    main()
