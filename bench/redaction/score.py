"""Recall and precision of a detector on samples: a secret is found when no labelled string is left in the text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from redaction.sample import Sample

_BEHIND_A_WORD = re.compile(
    r"(?i)(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)\w{0,20}[\"'\]]*\s{0,4}(?:=>|[:=]{1,3})"
    r"\s{0,4}[\"']?([^\s\"'${}<>()]{8,})"
)


@dataclass(frozen=True, slots=True)
class Score:
    found: int
    secrets: int
    false: int
    clean: int

    @property
    def recall(self) -> float:
        return self.found / max(1, self.secrets)

    @property
    def precision(self) -> float:
        return self.found / max(1, self.found + self.false)

    def __str__(self) -> str:
        return (
            f"recall {self.recall:.3f} ({self.found}/{self.secrets})  precision {self.precision:.3f} "
            f"({self.false} of {self.clean} clean texts hit)"
        )


def score(samples: Sequence[Sample], hits: Sequence[list[str]]) -> tuple[Score, list[Sample], list[tuple[Sample, list[str]]]]:
    """The figures, the samples that were missed, and the clean ones that were hit."""
    missed: list[Sample] = []
    false: list[tuple[Sample, list[str]]] = []
    for sample, found in zip(samples, hits, strict=True):
        if sample.secrets:
            left = sample.text
            for hit in sorted(found, key=len, reverse=True):
                left = left.replace(hit, "\0")
            if any(_still(secret, left) for secret in sample.secrets):
                missed.append(sample)
        elif found:
            false.append((sample, found))
    positives = sum(1 for s in samples if s.secrets)
    return Score(positives - len(missed), positives, len(false), len(samples) - positives), missed, false


def _still(secret: str, text: str) -> bool:
    """As a whole, or a part of it from which the rest could be guessed: more than two thirds in one piece."""
    if secret in text:
        return True
    most = len(secret) * 2 // 3 + 1
    return len(secret) >= 12 and any(secret[n : n + most] in text for n in range(len(secret) - most + 1))


def is_contested(sample: Sample) -> bool:
    """Labelled against the rule: a placeholder as a secret, or as clean what stands behind a credential word (rules W6)."""
    if sample.secrets:
        return not is_credential(sample) or any(re.search(r"(?i)(.)\1{7,}", s) for s in sample.secrets)
    return any(_is_credential(value) for value in _BEHIND_A_WORD.findall(sample.text))


def is_credential(sample: Sample) -> bool:
    """What the rule calls a credential: at least eight ASCII characters of two classes, without white space (rules W6)."""
    return all(_is_credential(s) for s in sample.secrets)


def _is_credential(secret: str) -> bool:
    if not re.fullmatch(r"[!-~]{8,}", secret):
        return False
    return sum(bool(re.search(c, secret)) for c in (r"[a-z]", r"[A-Z]", r"[0-9]", r"[^A-Za-z0-9]")) >= 2
