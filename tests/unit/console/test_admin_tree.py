"""Agents as a tree: each once, its children below it, in the order of names."""

from datetime import UTC, datetime

from whoknows.console.pages.admin.holdings import Holding, holdings_of
from whoknows.console.pages.admin.tree import DEEPEST, branches
from whoknows.domain.credential import Credential
from whoknows.domain.ids import PrincipalId, TenantId, new_credential_id
from whoknows.domain.principal import (
    Agent,
    AgentRole,
    Clearance,
    GateLevel,
    Kind,
    Membership,
    Principal,
    Team,
    TeamRole,
)

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def someone(number: int, name: str, kind: Kind = Kind.AGENT) -> Principal:
    return Principal(PrincipalId(number), kind, name)


def agent(number: int, name: str, parent: Principal | None = None) -> Agent:
    role = AgentRole.MAIN if parent is None else AgentRole.SUB
    return Agent(someone(number, name), role, Clearance.OPEN, parent, None, NOW)


def key(*acts_as: Principal, revoked: bool = False) -> Credential:
    at = NOW if revoked else None
    return Credential(new_credential_id(), TenantId(1), "t", acts_as, frozenset(), None, None, NOW, at)


def test_a_sub_agent_stands_below_its_parent_whatever_its_name() -> None:
    lead = agent(1, "wukong")
    found = branches([agent(2, "aide", lead.principal), agent(3, "maomao"), lead, agent(4, "zoe", lead.principal)])
    assert [(b.agent.principal.name, b.depth) for b in found] == [("maomao", 0), ("wukong", 0), ("aide", 1), ("zoe", 1)]
    assert [b.children for b in found] == [(), ("aide", "zoe"), (), ()]


def test_one_whose_parent_is_not_shown_stands_at_the_top() -> None:
    assert [b.depth for b in branches([agent(2, "aide", someone(1, "hidden"))])] == [0]


def test_a_chain_of_thousands_is_drawn_and_no_deeper_than_there_is_room() -> None:
    chain = [agent(0, "a0")]
    for n in range(1, 3000):
        chain.append(agent(n, f"a{n:04}", chain[-1].principal))
    found = branches(chain)
    assert len(found) == 3000
    assert max(b.depth for b in found) == DEEPEST


def test_what_goes_with_somebody_is_its_teams_and_the_keys_that_act_as_nobody_else() -> None:
    ada, ben = someone(1, "ada"), someone(2, "ben")
    crew = Team(
        someone(3, "crew", Kind.TEAM), "crew", GateLevel.OPEN, False, (Membership(ada, TeamRole.WRITER),), NOW
    )  # fmt: skip
    held = holdings_of([crew], [key(ada), key(ada, ben), key(ada, revoked=True), key()])
    assert held == {
        "agent:ada": Holding(("team:crew",), keys=2, ending=1),
        "agent:ben": Holding((), keys=1, ending=0),
    }
