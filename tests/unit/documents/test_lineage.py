"""Which record overturned which: chains end in one that holds, whatever the records claim."""

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from whoknows.documents.chronicle import LEAST, MOST, chronicle_of
from whoknows.documents.document import Document, document_of
from whoknows.documents.lineage import Lineage, lineage_of


def record(number: int, *claims: str, status: str = "Accepted", folder: str = "", title: str = "") -> Document:
    said = "\n".join(f"- {c}" for c in (f"Status: {status}", f"Date: 2026-01-{number:02}", *claims))
    return document_of(
        f"# ADR {number:04}: {title or f'Title {number}'}\n\n{said}\n\n## Context\n\nWords.\n", f"{folder}{number:04}-x.md"
    )


def pairs(lineage: Lineage) -> set[tuple[str, str | None]]:
    return {(o.old[-9:-5], o.new and o.new[-9:-5]) for o in lineage.overturned}


def test_one_record_overturns_several_and_is_overturned_in_turn() -> None:
    lineage = lineage_of([record(4), record(6), record(7, "Supersedes: 4, 6"), record(9, "Supersedes: ADR-0007")])
    assert pairs(lineage) == {("0004", "0007"), ("0006", "0007"), ("0007", "0009")}
    assert lineage.doubts == ()


def test_a_claim_may_stand_in_either_record_by_number_file_link_or_title() -> None:
    for claim in (
        "Supersedes: 0004-x.md",
        "Supersedes: [the old one](../r/0004-x.md)",
        "Supersedes: Title 4",
        "Supersedes: “Title 4”",
    ):
        assert pairs(lineage_of([record(4, folder="r/"), record(7, claim, folder="r/")])) == {("0004", "0007")}, claim
    old = record(4, "Superseded by: 7", status="Superseded by 7")
    assert pairs(lineage_of([old, record(7)])) == {("0004", "0007")}


def test_what_is_rejected_or_withdrawn_overturns_nothing_and_a_proposal_does() -> None:
    for status, counts in (("Rejected", False), ("Withdrawn", False), ("Draft", True), ("Proposed", True), ("已拒绝", False)):
        lineage = lineage_of([record(4), record(7, "Supersedes: 4", status=status)])
        assert bool(lineage.overturned) is counts, status
        assert [d.check for d in lineage.doubts] == ([] if counts else ["does_not_count"]), status


def test_unknown_ambiguous_and_circular_claims_are_told_and_count_for_nothing() -> None:
    lineage = lineage_of(
        [
            record(4, folder="a/"),
            record(4, folder="b/"),
            record(7, "Supersedes: 4, 99", folder="c/"),
            record(8, "Supersedes: 8"),
        ]
    )
    assert lineage.overturned == ()
    assert sorted(d.check for d in lineage.doubts) == ["ambiguous_target", "cycle", "unknown_target"]
    assert pairs(lineage_of([record(4, folder="a/"), record(4, folder="b/"), record(7, "Supersedes: 4", folder="b/")])) == {
        ("0004", "0007")
    }
    circle = lineage_of([record(4, "Supersedes: 7"), record(7, "Supersedes: 4")])
    assert pairs(circle) == {("0004", "0007")}  # the newer one's claim counts
    assert [d.check for d in circle.doubts] == ["cycle"]


def test_of_two_that_overturn_the_same_the_newer_counts() -> None:
    lineage = lineage_of([record(4), record(6, "Supersedes: 4"), record(7, "Supersedes: 4")])
    assert pairs(lineage) == {("0004", "0007")}
    assert [(d.path, d.check) for d in lineage.doubts] == [("0006-x.md", "superseded_twice")]


def test_a_record_that_is_superseded_by_it_does_not_say_what_is_over_all_the_same() -> None:
    lineage = lineage_of([record(5, status="Superseded (2026-02-09)")])
    assert pairs(lineage) == {("0005", None)}
    assert [d.check for d in lineage.doubts] == ["successor_unknown"]


def test_the_reason_is_the_paragraph_that_says_why_word_for_word_or_else_the_line_itself() -> None:
    new = document_of(
        "# ADR 7: New\n\n- Supersedes: ADR 0004 (one track)\n\n## Context\n\nOther words.\n\n"
        "ADR 0004 had one track.\nIt coupled all.\n",
        "0007.md",
    )
    (lapse,) = lineage_of([record(4), new]).overturned
    assert lapse.reason == "ADR 0004 had one track.\nIt coupled all."
    (lapse,) = lineage_of([record(4), record(7, "Supersedes: ADR 0004 (one track)")]).overturned
    assert lapse.reason == "- Supersedes: ADR 0004 (one track)"


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9), st.booleans()), max_size=25), st.randoms())
@settings(max_examples=150, deadline=None)
def test_every_chain_ends_in_exactly_one_record_that_holds(claims: list[tuple[int, int, bool]], chance: object) -> None:
    said: dict[int, list[str]] = {n: [] for n in range(1, 10)}
    for a, b, forward in claims:
        said[a].append(f"{'Supersedes' if forward else 'Superseded by'}: {b}")
    records = [record(n, *lines) for n, lines in said.items()]
    lineage = lineage_of(records)
    successor = {o.old: o.new for o in lineage.overturned}
    assert len(successor) == len(lineage.overturned)
    for start in successor:
        seen, at = set[str](), start
        while at in successor:
            assert at not in seen
            seen.add(at)
            following = successor[at]
            assert following is not None
            at = following
    shuffled = list(records)
    chance.shuffle(shuffled)  # type: ignore[attr-defined]
    assert lineage_of(shuffled) == lineage


def test_a_chronicle_lists_records_by_date_with_what_became_of_them_and_cites_each_line() -> None:
    records = [record(7, "Supersedes: 4", status="Proposed"), record(4), record(6)]
    (part,) = chronicle_of(records, lineage_of(records))
    assert part.text.split("\n") == [
        "2026-01-04 · ADR 0004: Title 4 (accepted, superseded by ADR 0007 on 2026-01-07)",
        "2026-01-06 · ADR 0006: Title 6 (accepted)",
        "2026-01-07 · ADR 0007: Title 7 (proposed)",
    ]
    by_path = {d.path: d.text for d in records}
    for entry in part.entries:
        assert by_path[entry.path][entry.start : entry.start + len(entry.quote)] == entry.quote
        assert by_path[entry.path].split("\n")[entry.line - 1].strip() == entry.quote
    assert chronicle_of(records[: LEAST - 1], lineage_of(records)) == []
    many = [
        document_of(f"# ADR {n}: T\n\nStatus: Accepted\n\nDate: 2026-01-02\n", f"{n:04}.md")
        for n in itertools.islice(itertools.count(1), MOST + 1)
    ]
    assert [len(p.entries) for p in chronicle_of(many, lineage_of(many))] == [MOST, 1]
