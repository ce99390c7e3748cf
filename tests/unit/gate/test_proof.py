"""A quote is evidence where it stands in the source that is named, in the lines that are named, and says something."""

from whoknows.domain.evidence import Evidence, EvidenceLevel, SourceKind
from whoknows.gate.proof import NOT_FOUND, OUT_OF_REACH, Proof, looked_for, stands, unfit
from whoknows.gate.quotes import MOST

TEXT = "# Ports\nstaging: 5433\n\nproduction: 5432\nstaging: 5433\n"


def _claim(quote: str | None) -> Evidence:
    return Evidence(SourceKind.FILE, "ports.md", quote=quote)


def test_a_quote_that_stands_there_is_verified_with_its_place() -> None:
    proof = looked_for(_claim("production: 5432"), TEXT)
    (evidence,) = proof.evidence
    assert (evidence.verified, evidence.start, evidence.end) == (True, 23, 39)
    assert (proof.findings, proof.level) == ((), EvidenceLevel.VERIFIED)


def test_one_that_does_not_is_kept_unverified_and_told() -> None:
    proof = looked_for(_claim("production: 5431"), TEXT)
    assert (proof.findings, proof.level, proof.evidence[0].start) == ((NOT_FOUND,), EvidenceLevel.QUOTED, None)


def test_named_lines_narrow_the_place_and_the_finding_says_where_it_stands() -> None:
    assert looked_for(_claim("staging: 5433"), TEXT, (4, 5)).evidence[0].start == 40
    proof = looked_for(_claim("production: 5432"), TEXT, (1, 3))
    assert (proof.findings[0].check, proof.level) == ("quote_not_found", EvidenceLevel.QUOTED)
    assert "line 4" in proof.findings[0].message
    assert looked_for(_claim("nowhere at all"), TEXT, (1, 3)).findings == (NOT_FOUND,)
    assert looked_for(_claim("staging: 5433"), TEXT, (90, 99)).evidence[0].verified is False


def test_a_source_without_a_quote_is_only_named() -> None:
    proof = looked_for(_claim(None), TEXT)
    assert (proof.level, proof.findings) == (EvidenceLevel.SOURCED, ())


def test_what_the_audience_may_not_read_counts_for_nothing() -> None:
    proof = Proof((_claim("staging: 5433"),), (OUT_OF_REACH,), out_of_reach=True)
    assert proof.level is EvidenceLevel.NONE
    assert Proof().level is EvidenceLevel.NONE


def test_a_quote_too_short_or_too_long_proves_nothing() -> None:
    short, long = looked_for(_claim("Ports"), TEXT), looked_for(_claim("ab " * MOST), "ab " * 2 * MOST)
    assert [p.findings[0].check for p in (short, long)] == ["quote_too_short", "quote_too_long"]
    assert unfit("端口改了") is None
    assert unfit("改了") is not None


def test_looking_again_asks_for_the_same() -> None:
    assert stands("production: 5432", TEXT) == (23, 39)
    assert stands("Ports", TEXT) is None
    assert stands("production: 5432", None) is None
