"""What the gate of a destination refused, and what it noticed."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.errors.requests import Invalid


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check of the gate noticed. ``span`` is (start, end) in characters of the text."""

    check: str
    message: str
    span: tuple[int, int] | None = None


class RefusedByGate(Invalid):
    """The gate of the destination refused this memory."""

    code = "refused_by_gate"

    def __init__(self, findings: Sequence[Finding] = ()) -> None:
        super().__init__("; ".join(f.message for f in findings) or None)
        self.findings = tuple(findings)


class QuoteNotFound(RefusedByGate):
    """The quote was not found in its source: copy it from there, word for word."""

    code = "quote_not_found"
