"""Unrelated: two projects that have nothing to do with each other bear an experience out, and one said twice does not."""

from datetime import UTC, datetime
from uuid import UUID

from unit.gate.test_cluster import at, statement
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.domain.memory import Category
from whoknows.domain.observation import Statement
from whoknows.domain.principal import Kind, Principal
from whoknows.domain.proposal import Experience, proposal_id
from whoknows.gate.unrelated import independent, proposals

AUTHOR = Principal(PrincipalId(1), Kind.AGENT, "A")


def experience(s: Statement, project: str, *said_in: str) -> Experience:
    near = frozenset(MemoryId(UUID(int=n)) for n in range(10))
    return Experience(s, Category.EXPERIENCE, project, AUTHOR, datetime(2026, 1, 1, tzinfo=UTC), frozenset(said_in), near)


def test_two_projects_make_a_proposal_and_one_does_not() -> None:
    shop, wiki, again = experience(statement(1), "shop"), experience(statement(2), "wiki"), experience(statement(3), "shop")
    (found,) = proposals([wiki, again, shop])
    assert found.experiences == (shop, wiki, again)
    assert found.projects == ("shop", "wiki")
    assert found.stated == shop
    assert found.sources == {s.statement.id for s in (shop, wiki, again)}
    assert found.audiences == {shop.statement.audience}
    assert proposals([shop, again]) == []


def test_one_session_or_message_is_one_experience() -> None:
    one, same = experience(statement(1), "shop", "session s"), experience(statement(2), "wiki", "session s", "message m")
    apart = experience(statement(3), "blog", "session t")
    assert independent([one, same]) == [one]
    assert proposals([one, same]) == []
    assert len(proposals([one, same, apart])) == 1


def test_each_experience_is_in_one_proposal_at_most() -> None:
    first = [experience(statement(n), p) for n, p in ((1, "shop"), (2, "wiki"))]
    second = [experience(statement(n, vector=at(90)), p) for n, p in ((3, "shop"), (4, "wiki"))]
    found = proposals([*second, *first])
    assert [p.experiences for p in found] == [tuple(first), tuple(second)]


def test_its_id_is_that_of_the_memories_and_their_words() -> None:
    one, two = statement(1), statement(2)
    assert proposal_id([one, two]) == proposal_id([two, one])
    assert proposal_id([one, two]) != proposal_id([one, statement(2, content_hash="other")])
    assert proposal_id([one, two]) != proposal_id([one, statement(3)])
    assert isinstance(proposal_id([one]), UUID)
