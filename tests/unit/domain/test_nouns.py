"""Names, spaces, sources and ids: what they may be, and how they are read."""

from uuid import RFC_4122, UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whoknows.domain.audience import AudienceKey, Layer
from whoknows.domain.evidence import SourceKind, parse_source
from whoknows.domain.ids import PrincipalId, uuid7
from whoknows.domain.principal import NAME_LIMIT, Kind, Principal, TeamRole, name_fault, parse_space


@pytest.mark.parametrize(
    "name", ["a", "a%", "a_", "a.b", "a/b", "a\\b", "a&b=c", "小明", "a b", "Agent:x", "**", "👩‍🔬", "x" * NAME_LIMIT]
)
def test_a_name_may_hold_anything_that_can_be_read(name: str) -> None:
    assert name_fault(name) is None


@pytest.mark.parametrize(
    "name", ["", "*", "agent:x", "member:x", "team:x", "a\0b", "a\nb", "a\x7fb", "\ud800", "x" * (NAME_LIMIT + 1)]
)
def test_a_name_may_not_be_mistaken_or_unreadable(name: str) -> None:
    assert name_fault(name)


@given(st.sampled_from(Kind), st.text(min_size=1).filter(lambda n: name_fault(n) is None))
def test_a_space_leads_back_to_its_principal(kind: Kind, name: str) -> None:
    assert parse_space(Principal(PrincipalId(1), kind, name).space) == (kind, name)


@given(st.tuples(st.sampled_from(Kind), st.text()), st.tuples(st.sampled_from(Kind), st.text()))
def test_two_principals_never_share_a_space(one: tuple[Kind, str], other: tuple[Kind, str]) -> None:
    spaces = [Principal(PrincipalId(1), kind, name).space for kind, name in (one, other)]
    assert (spaces[0] == spaces[1]) == (one == other)


@pytest.mark.parametrize("text", ["x", "agent:", ":x", "robot:x", ""])
def test_what_names_no_kind_is_no_space(text: str) -> None:
    assert parse_space(text) is None


def test_the_team_of_everyone_is_written_as_a_star() -> None:
    assert Principal(PrincipalId(1), Kind.TEAM, "*").space == "*"


@pytest.mark.parametrize(
    ("text", "kind", "locator", "revision"),
    [
        ("git:docs@abc123:adr/0007.md#L1-L2", SourceKind.GIT, "docs:adr/0007.md#L1-L2", "abc123"),
        ("git:docs", SourceKind.GIT, "docs", None),
        ("git:docs@:x", SourceKind.GIT, "docs@:x", None),
        ("file:notes/a.md", SourceKind.FILE, "notes/a.md", None),
        ("message:42", SourceKind.MESSAGE, "42", None),
        ("url:https://example.org/a:b", SourceKind.URL, "https://example.org/a:b", None),
        ("memory:7", SourceKind.MEMORY, "7", None),
        ("said at lunch", SourceKind.MANUAL, "said at lunch", None),
        ("note: said at lunch", SourceKind.MANUAL, "note: said at lunch", None),
        ("file:", SourceKind.MANUAL, "file:", None),
    ],
)
def test_a_source_is_read_as_written(text: str, kind: SourceKind, locator: str, revision: str | None) -> None:
    assert parse_source(text) == (kind, locator, revision)


def test_ids_are_uuids_of_version_seven_in_the_order_of_time() -> None:
    ids = [uuid7() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert {(i.version, i.variant) for i in ids} == {(7, UUID(int=ids[0].int).variant)}
    assert [i.int >> 80 for i in ids] == sorted(i.int >> 80 for i in ids)


keys = st.builds(
    AudienceKey,
    st.sampled_from(Layer),
    st.integers(1, 3).map(PrincipalId),
    st.frozensets(st.integers(1, 3).map(PrincipalId)),
    st.none() | st.text(max_size=3),
    st.none() | st.text(max_size=3),
)


@given(keys, keys)
def test_an_audience_is_its_value_and_no_two_values_are_joined(one: AudienceKey, other: AudienceKey) -> None:
    parts = [(k.layer, k.owner, k.readers, k.task, k.session) for k in (one, other)]
    assert (one == other) == (parts[0] == parts[1])


def test_writers_and_owners_write() -> None:
    assert [r.writes for r in (TeamRole.READER, TeamRole.WRITER, TeamRole.OWNER)] == [False, True, True]


def test_ids_are_ordered_as_they_were_made() -> None:
    made = [uuid7() for _ in range(2_000)]
    assert made == sorted(set(made))
    assert {(i.version, i.variant) for i in made} == {(7, RFC_4122)}
