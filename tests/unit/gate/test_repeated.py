"""What was corrected again: what is one thing, and what is not."""

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from whoknows.domain.audience import Layer
from whoknows.domain.correction import Correction, CorrectionId
from whoknows.domain.ids import AudienceId, MemoryId, PrincipalId
from whoknows.domain.principal import Kind, Principal
from whoknows.gate.repeated import iso_week, period, things

LIN = Principal(PrincipalId(1), Kind.MEMBER, "lin")
MONDAY = datetime(2026, 1, 26, tzinfo=UTC)


def said(
    text: str | None,
    days: float = 0,
    *,
    subject: str | None = None,
    about: UUID | None = None,
    bank: int = 1,
    seen: bool = True,
) -> Correction:
    return Correction(
        id=CorrectionId(uuid4()),
        audience=AudienceId(bank),
        layer=Layer.PRIVATE,
        owner=LIN,
        author=LIN,
        text=text,
        subject=subject,
        project_id=None,
        harness=None,
        about=MemoryId(about) if about and seen else None,
        about_key=about,
        memory=None,
        at=MONDAY + timedelta(days=days),
        recorded_at=MONDAY,
    )


def same(a: Correction, b: Correction) -> bool:
    return a.text == b.text


def near(a: Correction, b: Correction) -> bool:
    """By the length of the texts: a row of small steps."""
    return abs(len(a.text or "") - len(b.text or "")) <= 1


def sizes(*corrections: Correction) -> list[int]:
    return sorted(len(t) for t in things(corrections, same))


def test_corrections_of_one_subject_are_one_thing_whatever_they_say() -> None:
    assert sizes(said("a", subject="db.port"), said("b", 1, subject="DB.Port "), said("b", 2, subject="db.host")) == [1, 2]


def test_what_says_the_same_about_different_subjects_is_not_one_thing() -> None:
    assert sizes(said("a", subject="x"), said("a", 1, subject="y")) == [1, 1]


def test_corrections_of_one_memory_are_one_thing_also_when_it_is_gone() -> None:
    memory = uuid4()
    assert sizes(said("a", about=memory), said("b", 1, about=memory), said(None, 2, about=memory, seen=False)) == [3]
    assert sizes(said("a", about=memory), said("b", 1, about=uuid4())) == [1, 1]


def test_what_says_nearly_the_same_is_one_thing_where_nothing_else_decides() -> None:
    assert sizes(said("a"), said("a", 1), said("b", 2)) == [1, 2]
    assert sizes(said("a", subject="x"), said("a", 1), said("c", 2, subject="x")) == [3]
    assert sizes(said("a"), said("a", 1, subject="x"), said("a", 2, subject="y")) == [1, 2]


def test_a_row_of_small_steps_does_not_join_what_is_far_apart() -> None:
    found = things([said("x" * n, n) for n in range(1, 5)], near)
    assert [[len(c.text or "") for c in t] for t in found] == [[1, 2], [3, 4]]


def test_corrections_of_two_banks_are_never_one_thing() -> None:
    assert sizes(said("a", subject="x"), said("a", 1, subject="x", bank=2)) == [1, 1]


def test_a_correction_without_text_joins_nothing_by_what_it_says() -> None:
    assert sizes(said(None), said(None, 1), said("a", 2)) == [1, 1, 1]


def test_a_period_counts_what_lies_in_it_and_tells_what_was_repeated_by_weeks() -> None:
    memory = uuid4()
    inside = [
        said("first", 0, subject="x"),
        said("second", 7, subject="x", about=memory),
        said("third", 7.5, subject="x"),
        said("once", 1),
        said("twice", 1),
        said("twice", 2),
    ]
    outside = [said("before", -0.1, subject="x"), said("after", 14, subject="x")]
    found = period(MONDAY, MONDAY + timedelta(days=14), [*outside, *inside], same, complete=True)
    assert (found.corrections, found.things, found.complete) == (6, 3, True)
    most, other = found.repeated
    assert (most.count, most.subject, most.text, most.about) == (3, "x", "third", memory)
    assert most.weeks == (("2026-W05", 1), ("2026-W06", 2))
    assert (most.first, most.last) == (inside[0].at, inside[2].at)
    assert most.corrections == tuple(c.id for c in inside[:3])
    assert (other.count, other.subject, other.text, other.about) == (2, None, "twice", None)


def test_of_a_thing_whose_texts_are_gone_the_count_is_left() -> None:
    memory = uuid4()
    gone = [said(None, n, about=memory, seen=False) for n in range(2)]
    (thing,) = period(MONDAY, MONDAY + timedelta(days=7), gone, same, complete=False).repeated
    assert (thing.count, thing.text, thing.about, thing.subject) == (2, None, None, None)


def test_weeks_begin_on_monday_by_utc() -> None:
    assert iso_week(datetime(2027, 1, 3, 23, 59, tzinfo=UTC)) == "2026-W53"
    assert iso_week(datetime(2027, 1, 4, tzinfo=UTC)) == "2027-W01"
    assert iso_week(datetime.fromisoformat("2027-01-04T07:00:00+08:00")) == "2026-W53"
