"""Train on our chats, and measure: on others in full, and on ours leaving a tenth of the conversations out at a time.

python -m distill train                 writes the weights that are shipped
python -m distill score SET [--faults]  a labelled set: the shipped weights, and leaving one of its conversations out
python -m distill flow SET [--faults]   the same set through a real server, and again with the same ids and with others
python -m distill ours [--faults]       our own chats, a tenth of the conversations left out at a time
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from distill import couples, train
from distill.flow import through_server
from distill.rows import OURS, Row, by_conversation, load
from distill.score import Score, score
from distill.vectors import EMBEDDER, Vectors
from whoknows import distill as package
from whoknows.distill.distiller import Distiller
from whoknows.distill.model import Model, dumps, shipped

WEIGHTS = Path(package.__file__).parent / "weights.npz"
_PARTS = 10


def learned(rows: Sequence[Row], vectors: Vectors) -> Model:
    """What is shipped, if ``rows`` are ours."""
    found = train.examples(rows, vectors)
    mean = train.mean_of(found, vectors)
    return train.train(found, vectors, mean, couples.fit(couples.couples(rows, vectors, mean)))


def relearned(rows: Sequence[Row], vectors: Vectors, before: Model) -> Model:
    """Only what is kept, of which type and scope; the rest as it was ``before``. For leaving one conversation out at a time."""
    found = train.examples(rows, vectors)
    return train.train(found, vectors, train.mean_of(found, vectors), before.relating, lean=True)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("train", "score", "flow", "ours"))
    parser.add_argument("sets", nargs="*", type=Path)
    parser.add_argument("--faults", action="store_true", help="print each message that went wrong")
    parser.add_argument("--cache", type=Path, default=Path("out"))
    given = parser.parse_args()
    if given.what == "flow":
        _flow(load(given.sets), faults=given.faults)
        return
    vectors = Vectors(given.cache)
    ours = load([OURS])
    vectors.prepare([*train.texts(ours), *couples.texts(ours)])
    match given.what:
        case "train":
            WEIGHTS.write_bytes(dumps(learned(ours, vectors)))
            print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size / 1000:.0f} kB from {len(ours)} messages")
        case "score":
            _score(ours, load(given.sets), vectors, faults=given.faults)
        case _:
            _ours(ours, vectors, faults=given.faults)


def _score(ours: Sequence[Row], held_out: Sequence[Row], vectors: Vectors, *, faults: bool) -> None:
    model = shipped()
    show("trained on ours alone", score(held_out, lambda _: Distiller(EMBEDDER, model), vectors), faults=faults)
    show("the same without vectors", score(held_out, lambda _: Distiller("another", model), vectors), faults=False)
    convs = by_conversation(held_out)
    others = {n: relearned([*ours, *(r for r in held_out if r.conv != n)], vectors, model) for n in convs}
    show("ours and the other conversations", score(held_out, lambda n: Distiller(EMBEDDER, others[n]), vectors), faults=False)


def _flow(held_out: Sequence[Row], *, faults: bool) -> None:
    for way, flow in through_server(held_out).items():
        show(f"through a server, {way}", flow.first, faults=faults)
        print(f"  again with the same ids: {len(flow.same_ids)} written; with other ids: {len(flow.other_ids)} written")
        if faults:
            print("\n".join(f"  AGAIN {line}" for line in (*flow.same_ids, *flow.other_ids)))


def _ours(ours: Sequence[Row], vectors: Vectors, *, faults: bool) -> None:
    names = list(by_conversation(ours))
    models: dict[str, Model] = {}
    for part in range(_PARTS):
        out = set(names[part::_PARTS])
        models |= dict.fromkeys(out, learned([r for r in ours if r.conv not in out], vectors))
    show("ours, a tenth left out", score(ours, lambda n: Distiller(EMBEDDER, models[n]), vectors), faults=faults)
    show("the same without vectors", score(ours, lambda n: Distiller("another", models[n]), vectors), faults=False)


def show(title: str, found: Score, *, faults: bool) -> None:
    print(
        f"{title:34} keep F1 {found.f1:.3f} (P {found.precision:.3f} R {found.recall:.3f})  type {found.type_accuracy:.3f}"
        f"  scope {found.scope_accuracy:.3f}  updates {found.updates_found:.3f} ({sum(found.updates)}/{len(found.updates)})"
        f"  duplicates {found.duplicates}  wrongly changed {found.wrongly_changed}  leaked {found.leaked}"
        f"  judged again +{found.again}"
    )
    if faults:
        print("\n".join(f"  {line}" for line in sorted(found.faults)))
        wrong = sorted({(a, b) for a, b, ok in found.types if not ok})
        print("  types taken for others:", ", ".join(f"{a}→{b}" for a, b in wrong))
        print("  reasons:", ", ".join(f"{a}→{b} {n}" for (a, b), n in sorted(found.reasons.items()) if a != b))


if __name__ == "__main__":
    main()
