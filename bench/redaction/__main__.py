"""Compare detectors of secrets on the corpora in a folder: `python -m redaction FOLDER [SETS] [--with NAME…]`.

FOLDER holds checkouts named gitleaks, detect-secrets, CredSweeper and presidio; SETS is a folder of labelled questions
(`bench/quality/sets.py`), whose texts hold nothing to be taken. Our rules were written by one half of the files of each corpus
(``seen``); the other half was looked at when they were finished.
"""

import argparse
import time
import zlib
from collections import Counter
from pathlib import Path

from quality.sets import load_all
from redaction import credsweeper, detect_secrets, gitleaks, presidio
from redaction.detectors import Detector, detectors
from redaction.sample import Sample
from redaction.score import is_contested, score
from whoknows.gate.redact import found

_CORPORA = {"gitleaks": gitleaks.samples, "detect-secrets": detect_secrets.samples, "CredSweeper": credsweeper.samples}
_KNOWN = ("ours", "detect-secrets", "kingfisher", "credsweeper", "credsweeper-no-model")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("sets", type=Path, nargs="?")
    parser.add_argument("--with", dest="names", nargs="+", default=list(_KNOWN))
    asked = parser.parse_args()
    corpora = {name: list(read(asked.folder / name)) for name, read in _CORPORA.items() if (asked.folder / name).is_dir()}
    for name, detector in detectors(asked.names).items():
        for corpus, samples in corpora.items():
            own = " (its own corpus, or one that it descends from)" if _related(name, corpus) else ""
            print(f"{name} on {corpus}{own}")
            _compare(detector, samples)
        if len(corpora) > 1:
            print(f"{name} on all of them together")
            _compare(detector, [s for samples in corpora.values() for s in samples])
    if (asked.folder / "presidio").is_dir():
        _personal(asked.folder / "presidio")
    if asked.sets:
        _ordinary(asked.sets)


def _compare(detector: Detector, samples: list[Sample]) -> None:
    began = time.perf_counter()
    hits = [detector(s.text) for s in samples]
    took = 1000 * (time.perf_counter() - began) / len(samples)
    for half in ("seen", "held out", "all"):
        chosen = [n for n, s in enumerate(samples) if half == "all" or (half == "seen") == _seen(s)]
        agreed = [n for n in chosen if not is_contested(samples[n])]
        result, _, _ = score([samples[n] for n in chosen], [hits[n] for n in chosen])
        by_rule, _, _ = score([samples[n] for n in agreed], [hits[n] for n in agreed])
        print(f"  {half:9} {result}")
        print(f"  {'':9} without labels that the rule contradicts: {by_rule}")
    print(f"  {took:.2f} ms a text")


def _seen(sample: Sample) -> bool:
    # generic.go was read before the halves were made.
    return sample.source.startswith("generic.go") or zlib.crc32(sample.source.split(":")[0].encode()) % 2 == 0


def _related(detector: str, corpus: str) -> bool:
    return detector.split("-", maxsplit=1)[0] == corpus.lower().split("-")[0] or (detector, corpus) == (
        "kingfisher",
        "gitleaks",
    )


def _personal(folder: Path) -> None:
    for kind, samples in presidio.samples(folder).items():
        hits = [[s.text[h.start : h.end] for h in found(s.text) if h.kind == kind] for s in samples]
        print(f"ours, {kind}, on presidio: {score(samples, hits)[0]}")


def _ordinary(sets: Path) -> None:
    for labelled in load_all([sets]):
        texts = [d.text for d in labelled.docs] + [q.text for q in labelled.questions]
        began = time.perf_counter()
        hits = [found(text) for text in texts]
        took = 1000 * (time.perf_counter() - began) / len(texts)
        kinds = Counter(h.kind for of_text in hits for h in of_text)
        hit = sum(1 for of_text in hits if of_text)
        share = 100 * hit / len(texts)
        print(f"{labelled.name}: {hit} of {len(texts)} texts hit ({share:.3f} %), {dict(kinds)}, {took:.2f} ms a text")


if __name__ == "__main__":
    main()
