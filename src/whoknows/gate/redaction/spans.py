"""Places in a text, and the merging of those that overlap."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hit:
    """Characters ``start`` to ``end`` of a text are of this kind: ``secret:…``, ``id_card``, ``email``, …"""

    kind: str
    start: int
    end: int

    @property
    def is_secret(self) -> bool:
        return self.kind.startswith("secret:")


def merged(hits: Iterable[Hit]) -> list[Hit]:
    """In order and without overlaps. What overlaps a secret goes with it: an address behind a password is no e-mail."""
    result: list[Hit] = []
    for hit in sorted(hits, key=lambda h: (h.start, -h.end)):
        last = result[-1] if result else None
        if last is None or hit.start >= last.end:
            result.append(hit)
        elif hit.is_secret and not last.is_secret:
            result[-1] = hit
        elif hit.is_secret or not last.is_secret:
            result[-1] = Hit(min(last.kind, hit.kind, key=_vague), last.start, max(last.end, hit.end))
    return result


def _vague(kind: str) -> bool:
    """Whether a kind says less than another: a credential is any."""
    return kind == "secret:credential"
