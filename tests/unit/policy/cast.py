"""People, grants and memories for the tests of the policy, made by hand."""

from collections.abc import Iterable
from datetime import UTC, datetime

from whoknows.domain.audience import Audience, Grant, GrantKind, Layer
from whoknows.domain.ids import AudienceId, PrincipalId, TenantId, new_memory_id
from whoknows.domain.memory import Attribution, Category, Isolation, Memory, State
from whoknows.domain.principal import EVERYONE, AgentRole, Clearance, Kind, Principal, TeamRole
from whoknows.policy.standing import Standing, TeamStanding

NOW = datetime(2026, 1, 1, tzinfo=UTC)
A, B, S = (Principal(PrincipalId(n), Kind.AGENT, name) for n, name in ((1, "A"), (2, "B"), (3, "S")))
M, N = (Principal(PrincipalId(n), Kind.MEMBER, name) for n, name in ((11, "m"), (12, "n")))
T, U, ALL = (Principal(PrincipalId(n), Kind.TEAM, name) for n, name in ((21, "T"), (22, "U"), (23, EVERYONE)))


def standing(
    reader: Principal,
    *,
    role: AgentRole | None = AgentRole.MAIN,
    account: Principal | None = None,
    strict: bool = False,
    task: str | None = None,
    grants: Iterable[Grant] = (),
    **teams: str,
) -> Standing:
    """``T="writer"`` puts the reader on the team T; everybody is on everyone's."""
    on = {ALL.id: TeamStanding(ALL, TeamRole(teams.pop("everyone", "reader")))}
    on |= {t.id: TeamStanding(t, TeamRole(teams[t.name])) for t in (T, U) if t.name in teams}
    clearance = Clearance.NEED_TO_KNOW if strict else Clearance.OPEN
    kept = role if reader.kind is Kind.AGENT else None
    return Standing(TenantId(1), reader, kept, clearance, account, on, task, tuple(grants))


def grant(
    owner: Principal, kind: GrantKind, to: Principal, *, audience: int = 1, task: str | None = None, session: str | None = None
) -> Grant:
    layer = Layer.TEAM if owner.kind is Kind.TEAM else Layer.PRIVATE
    team = owner.id if kind in (GrantKind.WHILE_ON_TEAM, GrantKind.TEAM_OWNERS) else None
    return Grant(AudienceId(audience), layer, owner, kind, to.id, team, task, session)


def injected(to: Principal) -> Grant:
    return Grant(AudienceId(1), Layer.INJECTED, to, GrantKind.SELF, to.id, None, None, None)


def memory(
    owner: Principal,
    author: Principal,
    *others: Principal,
    layer: Layer | None = None,
    readers: tuple[Principal, ...] = (),
    task: str | None = None,
    state: State = State.ACTIVE,
    expires_at: datetime | None = None,
) -> Memory:
    """``others`` wrote the same words."""
    layer = layer or (Layer.TEAM if owner.kind is Kind.TEAM else Layer.PRIVATE)
    return Memory(
        id=new_memory_id(), audience=Audience(AudienceId(1), layer, owner, readers, task, None), content="x", title=None,
        category=Category.FACT, subject=None, tags=(), author=author, state=state, isolation=Isolation.AGENT, project_id=None,
        session_id=None, task_id=None, version=1, content_hash="", created_at=NOW, updated_at=NOW, expires_at=expires_at,
        authors=tuple(Attribution(p, NOW) for p in (author, *others)),
    )  # fmt: skip
