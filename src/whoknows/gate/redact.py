"""Redaction: a text in, the text without secrets and personal data out, and what stood where (rules W6)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from whoknows.gate.redaction.credentials import credentials
from whoknows.gate.redaction.encoded import KINDS as ENCODED
from whoknows.gate.redaction.encoded import encoded
from whoknows.gate.redaction.folding import folded
from whoknows.gate.redaction.formats import KINDS as FORMATS
from whoknows.gate.redaction.formats import formats
from whoknows.gate.redaction.hosts import hosts
from whoknows.gate.redaction.personal import personal
from whoknows.gate.redaction.spans import Hit, merged
from whoknows.gate.redaction.tokens import KINDS as TOKENS
from whoknows.gate.redaction.tokens import tokens

KINDS = frozenset((*TOKENS, *FORMATS, *ENCODED, "secret:credential", "id_card", "bank_card", "phone", "email", "host"))
_PLACEHOLDER = re.compile(rf"\[(?:{'|'.join(sorted(KINDS))})\]")
_NOTHING = "\ue000"
"""A character of no meaning: detectors neither begin nor go on there."""
_ROUNDS = 4
"""What stands beside a placeholder is looked at again; after as many rounds nothing new was ever found."""


@dataclass(frozen=True, slots=True)
class Redacted:
    """``hits`` are places of the original text: what stands there is a placeholder in ``text``."""

    text: str
    hits: tuple[Hit, ...]

    @property
    def holds_secret(self) -> bool:
        return any(h.is_secret for h in self.hits)


def redact(text: str, *, with_hosts: bool = False) -> Redacted:
    """``text`` with typed placeholders, such as ``[secret:github]`` or ``[phone]``. Doing it twice changes nothing."""
    hits = found(text, with_hosts=with_hosts)
    clean = replaced(text, hits)
    for _ in range(_ROUNDS if hits else 0):
        more = found(clean, with_hosts=with_hosts)
        if not more:
            break
        clean = replaced(clean, more)
    return Redacted(clean, tuple(hits))


def found(text: str, *, with_hosts: bool = False) -> list[Hit]:
    """What is secret or personal in ``text``, in order and without overlaps."""
    seen = folded(_PLACEHOLDER.sub(lambda m: _NOTHING * len(m[0]), text))
    hits = [seen.original(h) for h in _all(seen.text, with_hosts)]
    joined = seen.without_wraps()
    if joined is not seen:
        hits += [joined.original(h) for h in tokens(joined.text)]
    return merged(hits)


def replaced(text: str, hits: Iterable[Hit]) -> str:
    """``text`` with a placeholder at each of the ``hits``, which are in order and do not overlap."""
    pieces: list[str] = []
    at = 0
    for hit in hits:
        pieces += (text[at : hit.start], f"[{hit.kind}]")
        at = hit.end
    return "".join([*pieces, text[at:]])


def _all(text: str, with_hosts: bool) -> Iterable[Hit]:
    yield from tokens(text)
    yield from formats(text)
    yield from credentials(text)
    yield from encoded(text)
    yield from personal(text)
    if with_hosts:
        yield from hosts(text)
