"""The directory gateway: principals, memberships, and the standing of a reader."""

from collections.abc import Mapping, Sequence
from typing import Any

from whoknows.domain.audience import Grant
from whoknows.domain.ids import AudienceId, PrincipalId, TenantId
from whoknows.domain.principal import (
    Agent,
    AgentRole,
    Clearance,
    GateLevel,
    Kind,
    Member,
    Membership,
    Principal,
    Team,
    TeamRole,
)
from whoknows.errors import NotFound, PermissionMissing
from whoknows.policy.standing import Standing, TeamStanding
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("directory")


class PostgresDirectory:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def standing(self, session: str | None = None, all_sessions: bool = True) -> Standing:
        """The caller's standing; PermissionMissing for a key that acts as nobody."""
        found = await self._standing(None, session, all_sessions)
        if found is None:
            raise PermissionMissing("this key acts as no agent or member: use a key that does")
        return found

    async def standing_of(self, principal: PrincipalId) -> Standing | None:
        """Somebody else's standing, without any task, as far as the caller may see their ways in."""
        return await self._standing(principal, None, True)

    async def standings_of(self, principals: Sequence[PrincipalId]) -> Sequence[Standing]:
        return [_of(r) for r in await self._sql.all(_SQL["standings"], {"principals": list(principals)})]

    async def _standing(self, who: PrincipalId | None, session: str | None, all_sessions: bool) -> Standing | None:
        row = await self._sql.one(_SQL["standing"], {"principal": who, "session": session, "all_sessions": all_sessions})
        if row is None:
            return None
        return _of(row if who is None else dict(row) | {"task": None})

    async def find(self, kind: Kind, name: str) -> Principal | None:
        return (await self.find_many(kind, [name])).get(name)

    async def find_many(self, kind: Kind, names: Sequence[str]) -> dict[str, Principal]:
        found = await self._sql.all(_SQL["find"], {"kind": str(kind), "names": list(names)})
        return {r["name"]: Principal(PrincipalId(r["principal_id"]), Kind(r["kind"]), r["name"]) for r in found}

    async def grants_of(self, audiences: Sequence[AudienceId]) -> Sequence[Grant]:
        return [rows.grant(g) for g in await self._sql.all(_SQL["grants_of"], {"audiences": list(audiences)})]

    async def agents(self) -> Sequence[Agent]:
        return [
            Agent(
                principal=_principal(r),
                role=AgentRole(r["role"]),
                clearance=Clearance(r["clearance"]),
                parent=rows.maybe(r["parent"]),
                account=rows.maybe(r["account"]),
                created_at=r["created_at"],
            )
            for r in await self._sql.all(_SQL["agents"])
        ]

    async def members(self) -> Sequence[Member]:
        found = await self._sql.all(_SQL["members"])
        return [Member(_principal(r), r["display_name"], r["created_at"], GateLevel(r["gate"])) for r in found]

    async def teams(self) -> Sequence[Team]:
        return [
            Team(
                principal=_principal(r),
                display_name=r["display_name"],
                gate=GateLevel(r["gate"]),
                share_with_subagents=r["share_with_subagents"],
                members=tuple(Membership(rows.principal(m), TeamRole(m[3])) for m in r["members"]),
                created_at=r["created_at"],
            )
            for r in await self._sql.all(_SQL["teams"])
        ]

    async def looks(self) -> Mapping[str, int]:
        return {_principal(r).space: r["look"] for r in await self._sql.all(_SQL["looks"])}

    async def make_agent(
        self, name: str, role: AgentRole, parent: PrincipalId | None, account: PrincipalId | None, clearance: Clearance
    ) -> None:
        await self._make(Kind.AGENT, name, role=str(role), parent=parent, account=account, clearance=str(clearance))

    async def change_agent(
        self, agent: PrincipalId, role: AgentRole, parent: PrincipalId | None, account: PrincipalId | None, clearance: Clearance
    ) -> None:
        params = {"agent": agent, "role": str(role), "clearance": str(clearance), "parent": parent, "account": account}
        await self._sql.one(_SQL["change_agent"], params)

    async def make_member(self, name: str, display_name: str | None) -> None:
        await self._make(Kind.MEMBER, name, display_name=display_name)

    async def change_member_gate(self, member: PrincipalId, gate: GateLevel) -> None:
        await self._sql.one(_SQL["change_member_gate"], {"member": member, "gate": str(gate)})

    async def change_member(self, member: PrincipalId, display_name: str | None) -> None:
        await self._sql.one(_SQL["change_member"], {"member": member, "display_name": display_name})

    async def make_team(self, name: str, display_name: str | None, gate: GateLevel, share_with_subagents: bool) -> None:
        await self._make(Kind.TEAM, name, display_name=display_name, gate=str(gate), shares=share_with_subagents)

    async def change_team(
        self, team: PrincipalId, display_name: str | None, gate: GateLevel, share_with_subagents: bool
    ) -> None:
        params = {"team": team, "display_name": display_name, "gate": str(gate), "shares": share_with_subagents}
        await self._sql.one(_SQL["change_team"], params)

    async def remove(self, principal: PrincipalId) -> None:
        await self._sql.one(_SQL["remove"], {"principal": principal})

    async def put_membership(self, team: PrincipalId, principal: PrincipalId, role: TeamRole) -> None:
        await self._sql.one(_SQL["put_membership"], {"team": team, "principal": principal, "role": str(role)})

    async def drop_membership(self, team: PrincipalId, principal: PrincipalId) -> bool:
        row = await self._sql.one(_SQL["drop_membership"], {"team": team, "principal": principal})
        return row is not None and row["dropped"]

    async def _make(self, kind: Kind, name: str, **fields: Any) -> None:
        params = {
            "kind": str(kind), "name": name, "display_name": None, "role": None, "clearance": "open",
            "parent": None, "account": None, "gate": "open", "shares": False,
        }  # fmt: skip
        if await self._sql.one(_SQL["make"], params | fields) is None:
            raise NotFound


def _of(row: rows.Row) -> Standing:
    return Standing(
        tenant=TenantId(row["tenant_id"]),
        reader=_principal(row),
        role=None if row["role"] is None else AgentRole(row["role"]),
        clearance=Clearance(row["clearance"]),
        account=rows.maybe(row["account"]),
        teams={PrincipalId(t[0]): TeamStanding(rows.principal(t), TeamRole(t[3])) for t in row["teams"]},
        task=row["task"],
        grants=tuple(rows.grant(g) for g in row["grants"]),
    )


def _principal(row: rows.Row) -> Principal:
    return Principal(PrincipalId(row["principal_id"]), Kind(row["kind"]), row["name"])
