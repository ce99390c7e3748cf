"""What the forms of the memory page mean: moments of the reader's own clock, tags of either language, filters that exist."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from unit.policy.cast import A, memory
from whoknows.console.fields import one_of
from whoknows.console.pages.memory.moment import moment_of, written
from whoknows.console.pages.memory.typed import Typed, over, tags_of
from whoknows.console.pages.memory.wish import Wish
from whoknows.domain.memory import Category, State
from whoknows.errors import Invalid
from whoknows.policy.whose import Whose


def test_a_moment_is_that_of_the_reader_s_own_clock() -> None:
    assert moment_of("2026-03-01T09:30", "-480") == datetime(2026, 3, 1, 1, 30, tzinfo=UTC)
    assert moment_of("2026-03-01T09:30", "") == datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    assert moment_of("  ", "0") is None
    assert written(moment_of("2026-03-01T09:30", "0")) == "2026-03-01T09:30"
    assert written(None) == ""


@pytest.mark.parametrize(
    ("text", "zone"),
    [("soon", "0"), ("2026-13-01T00:00", "0"), ("2026-03-01T09:30Z", "0"), ("2026-03-01T09:30", "99999"),
     ("2026-03-01T09:30", "x"), ("9999-12-31T23:59", "600"), ("0001-01-01T00:00", "-600")],
)  # fmt: skip
def test_what_is_no_moment_is_refused_by_its_field(text: str, zone: str) -> None:
    with pytest.raises(Invalid) as fault:
        moment_of(text, zone)
    assert fault.value.field == "expires_at"


def test_tags_stand_between_commas_of_either_language() -> None:
    assert tags_of("road, 桥，船、 train ,,") == ("road", "桥", "船", "train")
    assert tags_of(" ， ") == ()


def test_a_filter_that_there_is_not_is_refused_and_none_is_none() -> None:
    assert one_of(Whose, "", "whose") is None
    assert one_of(State, "held", "state") is State.HELD
    with pytest.raises(Invalid):
        one_of(Category, "gossip", "kind")


def test_what_is_asked_for_becomes_filters() -> None:
    wish = Wish(kind=Category.RISK, tag="road", state=State.ARCHIVED, distilled=True)
    filters = wish.filters()
    assert (filters.category, filters.tags, filters.state, filters.distilled) == (
        Category.RISK,
        ("road",),
        State.ARCHIVED,
        True,
    )
    assert wish.narrow
    assert not Wish(text="a question").narrow
    assert Wish().filters().distilled is None


NOW = replace(
    memory(A, A),
    content="one\r\ntwo",
    title=" A title ",
    tags=("a, b", "c"),
    subject="s",
    expires_at=datetime(2027, 1, 2, 3, 4, 5, tzinfo=UTC),
)


def test_a_form_that_was_not_touched_changes_nothing_whatever_the_memory_holds() -> None:
    untouched = over(NOW)
    assert untouched.patch(NOW).named == frozenset()
    assert replace(untouched, content="one\r\ntwo", reason="for fun").patch(NOW).named == frozenset()


def test_what_was_typed_over_is_named_and_nothing_else() -> None:
    patch = replace(over(NOW), content="one\r\n2", reason=" shorter ").patch(NOW)
    assert patch.named == {"content", "reason"}
    assert (patch.content, patch.reason) == ("one\n2", "shorter")
    cleared = Typed("one\ntwo", "", "fact", "", "", "").patch(NOW)
    assert cleared.named == {"title", "tags", "subject", "expires_at"}
    assert (cleared.title, cleared.tags, cleared.subject, cleared.expires_at) == ("", (), "", None)
    with pytest.raises(Invalid):
        replace(over(NOW), category="gossip").patch(NOW)
