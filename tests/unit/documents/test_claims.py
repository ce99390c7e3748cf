"""What records claim, in all the ways in which people write it, and what only looks like a claim."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whoknows.documents.chronicle import chronicle_of
from whoknows.documents.claims import Of
from whoknows.documents.document import Document, document_of
from whoknows.documents.lineage import lineage_of
from whoknows.documents.pieces import By, pieces_of


def numbers(document: Document, of: Of = Of.SUPERSEDES) -> list[int]:
    return sorted(r.number or 0 for c in document.made if c.of is of for r in c.references)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("- Status: Proposed", "proposed"),
        ("* **Status**: Accepted", "accepted"),
        ("**Status:** Accepted", "accepted"),
        ("Status: accepted (2026-01-02)", "accepted"),
        ("## Status\n\nAccepted", "accepted"),
        ("Status\n------\n\nRejected", "rejected"),
        ("| Status | Deprecated |", "deprecated"),
        ("状态：已采纳", "accepted"),
        ("- 状态: 草案", "draft"),
        ("**状态**：未采纳", "rejected"),
        ("## 状态\n\n提议", "proposed"),
        ("Status: Superseded by [ADR-0007](0007-x.md)", "superseded"),
        ("状态：已被 0007 取代", "superseded"),
        ("Status: ~~Proposed~~ Accepted", "accepted"),
        ("Status: Not accepted", "rejected"),
        ("Status: Withdrawn", "withdrawn"),
        ("Status: On hold", "on-hold"),
    ],
)
def test_a_status_is_understood_however_it_is_written(written: str, name: str) -> None:
    status = document_of(f"# ADR 12: Title\n\n{written}\n\n## Context\n\nStatus: rejected\n", "0012-title.md").status
    assert status is not None
    assert status.name == name


def test_front_matter_says_title_status_day_tags_and_what_is_superseded() -> None:
    document = document_of(
        "---\ntitle: 'Ports'\nstatus: accepted\ndate: 2026-03-04\ntags: [ops, 发布]\n"
        "supersedes:\n  - 0004\n  - 0006-x.md\n---\n# Other\n\nText.\n",
        "0009.md",
    )
    assert (document.title, document.number, document.tags, str(document.dated)) == ("Ports", 9, ("ops", "发布"), "2026-03-04")
    assert document.status is not None
    assert numbers(document) == [4, 6]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("Supersedes: ADR-0004, 0006", [4, 6]),
        ("- Supersedes: ADR 0004 (one, with 3 parts), ADR 0006 (another)", [4, 6]),
        ("- **Supersedes**: [4. One](0004-one.md) and [six](0006-six.md)", [4, 6]),
        ("Supersedes:\n\n", []),
        ("Supersedes:\n- 0004\n- 0006", [4, 6]),
        ("- Supersedes: ADR 0004,\n  ADR 0006", [4, 6]),
        ("取代：0004", [4]),
        ("- 取代: 决策 0004、0006", [4, 6]),
        ("## Status\n\nAccepted\n\nSupercedes [ADR-4](0004-one.md)", [4]),
        ("Status: Accepted, supersedes ADR-0004", [4]),
        ("| Supersedes | ADR-0004 |", [4]),
        ("- Supersedes `docs/adr/0004-one.md`", [4]),
        ("Replaces: RFC 4", [4]),
        ("Supersedes: none", []),
        ("Supersedes: -", []),
        ("取代：无", []),
        ("Builds on: ADR 0004", []),
        ("Refines: ADR 0004's model", []),
        ("This supersedes every plan of 2004 that ADR 0006 had.", []),
        ("> Supersedes: ADR 0004", []),
        ("> a quotation\nSupersedes: ADR 0004", []),
        ("```\nSupersedes: ADR 0004\n```", []),
        ("~~~~\n~~~\nSupersedes: ADR 0004\n~~~~", []),
        ("    Supersedes: ADR 0004", []),
        ("<!-- Supersedes: ADR 0004 -->", []),
        ("<!--\nSupersedes: ADR 0004\n-->", []),
    ],
)
def test_what_is_superseded_is_understood_and_a_quotation_of_a_claim_is_not_the_claim(written: str, found: list[int]) -> None:
    assert (
        numbers(document_of(f"# ADR 0007: New\n\nDate: 2026-07-01\n\n{written}\n\n## Context\n\nWords.\n", "0007-new.md"))
        == found
    )


@pytest.mark.parametrize(
    "written",
    ["Superseded by: 0007", "- Superseded by ADR-0007", "Status: Superseded by 7",
     "## Status\n\nSuperceded by [7. New](0007-new.md)",
     "状态：已被 0007 取代", "状态：被《0007 新》取代", "Replaced by: 0007-new.md", "取代者：0007"],
)  # fmt: skip
def test_what_superseded_a_record_is_understood(written: str) -> None:
    assert numbers(document_of(f"# Old\n\n{written}\n", "0004-old.md"), Of.SUPERSEDED_BY) == [7]


def test_that_a_part_gives_way_is_no_overturning() -> None:
    for written in ("Partially supersedes: 0004", "Supersedes: 0004 (in part)", "部分取代：0004"):
        old = document_of("# ADR 4: Old\n\nWords.\n", "0004.md")
        lineage = lineage_of([old, document_of(f"# ADR 7: New\n\n{written}\n", "0007.md")])
        assert lineage.overturned == (), written
        assert [d.check for d in lineage.doubts] == ["in_part"], written


@given(st.text(alphabet=st.sampled_from("#->*|`~_:：<!-[]() \n\t0479ADRSupersedsby状态取代：、.md")), st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_no_text_makes_the_parser_fail_and_every_quote_stands_in_it(text: str, path: str) -> None:
    document = document_of(f"# ADR 0007: x\n\n{text}", path or "a.md")
    for by in By:
        for piece in pieces_of(document, by):
            assert piece.text.strip()
            assert piece.quote is None or piece.quote in document.text
            assert 1 <= piece.first <= piece.last <= document.text.count("\n") + 1
    anchors = [p.anchor for p in pieces_of(document)]
    assert len(set(anchors)) == len(anchors)
    lineage = lineage_of([document, document_of("# ADR 0004: y\n\nSuperseded by: 0007\n", "0004.md")])
    assert all(o.old != o.new for o in lineage.overturned)
    chronicle_of([document], lineage)
