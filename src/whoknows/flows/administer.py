"""Administer: agents, members and teams of a tenant."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.credential import Caller, Credential, Permission
from whoknows.domain.ids import PrincipalId
from whoknows.domain.principal import (
    EVERYONE,
    Agent,
    AgentRole,
    Clearance,
    GateLevel,
    Kind,
    Member,
    Principal,
    Team,
    TeamRole,
    name_fault,
    parse_space,
)
from whoknows.errors import Conflict, Invalid, NotFound, StillNeeded
from whoknows.flows.authenticate import administer_as, must_administer
from whoknows.flows.redaction import Redaction
from whoknows.ports import Store, Tx


@dataclass(frozen=True, slots=True)
class NewAgent:
    agent_id: str
    role: AgentRole
    parent: str | None = None
    account: str | None = None
    clearance: Clearance = Clearance.OPEN


@dataclass(frozen=True, slots=True)
class AgentPatch:
    """Only what is in ``named`` changes."""

    named: frozenset[str]
    role: AgentRole | None = None
    parent: str | None = None
    account: str | None = None
    clearance: Clearance | None = None


@dataclass(frozen=True, slots=True)
class Administer:
    store: Store

    async def agents(self, credential: Credential) -> Sequence[Agent]:
        """All agents for an administrator; otherwise those the key acts as, and their descendants."""
        async with self.store.read(administer_as(credential)) as tx:
            agents = await tx.directory.agents()
        if Permission.ADMIN in credential.permissions:
            return agents
        known = {p.id for p in credential.acts_as}
        for _ in agents:  # a tree is at most as deep as it has nodes
            more = {a.principal.id for a in agents if a.parent is not None and a.parent.id in known} - known
            if not more:
                break
            known |= more
        return [a for a in agents if a.principal.id in known]

    async def make_agent(self, credential: Credential, new: NewAgent) -> Agent:
        caller = must_administer(credential)
        _name(new.agent_id, "agent_id")
        async with self.store.write(caller) as tx:
            parent = await _parent(tx, new.role, new.parent)
            account = await _account(tx, new.account)
            await tx.directory.make_agent(new.agent_id, new.role, parent, account, new.clearance)
            return await _agent(tx, new.agent_id)

    async def change_agent(self, credential: Credential, agent_id: str, patch: AgentPatch) -> Agent:
        async with self.store.write(must_administer(credential)) as tx:
            now = await _agent(tx, agent_id)
            role = patch.role or now.role
            parent = now.parent.id if now.parent and role is AgentRole.SUB else None
            if "parent" in patch.named:
                parent = await _parent(tx, role, patch.parent)
                await _no_circle(tx, now.principal, parent)
            account = now.account.id if now.account else None
            if "account" in patch.named:
                account = await _account(tx, patch.account)
            await tx.directory.change_agent(now.principal.id, role, parent, account, patch.clearance or now.clearance)
            return await _agent(tx, agent_id)

    async def remove_agent(self, credential: Credential, agent_id: str) -> None:
        async with self.store.write(must_administer(credential)) as tx:
            agent = await _agent(tx, agent_id)
            children = [a.principal.name for a in await tx.directory.agents() if a.parent == agent.principal]
            if children:
                raise StillNeeded(f"it is the parent of {', '.join(sorted(children))}: give them another, or delete them first")
            await tx.directory.remove(agent.principal.id)

    async def members(self, credential: Credential) -> Sequence[Member]:
        async with self.store.read(administer_as(credential)) as tx:
            members = await tx.directory.members()
        if Permission.ADMIN in credential.permissions:
            return members
        return [m for m in members if m.principal in credential.acts_as]

    async def make_member(self, credential: Credential, name: str, display_name: str | None) -> Member:
        _name(name, "member_id")
        Redaction().names(name=display_name)
        async with self.store.write(must_administer(credential)) as tx:
            await tx.directory.make_member(name, display_name)
            return await _member(tx, name)

    async def change_member(
        self, credential: Credential, name: str, named: frozenset[str], display_name: str | None, gate: GateLevel | None
    ) -> Member:
        """Only what is in ``named``. The gate of its account memory a member sets itself too; its name an administrator."""
        Redaction().names(name=display_name)
        own = next((p for p in credential.acts_as if p.kind is Kind.MEMBER and p.name == name), None)
        is_admin = Permission.ADMIN in credential.permissions
        caller = (
            Caller(credential, own)
            if own is not None and named == frozenset({"gate"}) and not is_admin
            else must_administer(credential)
        )
        async with self.store.write(caller) as tx:
            member = (await _member(tx, name)).principal.id
            if "name" in named:
                await tx.directory.change_member(member, display_name)
            if gate is not None:
                await tx.directory.change_member_gate(member, gate)
            return await _member(tx, name)

    async def remove_member(self, credential: Credential, name: str) -> None:
        async with self.store.write(must_administer(credential)) as tx:
            await tx.directory.remove((await _member(tx, name)).principal.id)

    async def teams(self, credential: Credential) -> Sequence[Team]:
        """All teams for an administrator; otherwise those that the key's principals are on, and everyone's."""
        async with self.store.read(administer_as(credential)) as tx:
            teams = await tx.directory.teams()
        if Permission.ADMIN in credential.permissions:
            return teams
        mine = set(credential.acts_as)
        return [t for t in teams if t.principal.name == EVERYONE or mine & {m.principal for m in t.members}]

    async def make_team(
        self, credential: Credential, name: str, display_name: str | None, gate: GateLevel, share_with_subagents: bool
    ) -> Team:
        _name(name, "team_id")
        Redaction().names(name=display_name)
        async with self.store.write(must_administer(credential)) as tx:
            await tx.directory.make_team(name, display_name, gate, share_with_subagents)
            return await _team(tx, name)

    async def change_team(
        self, credential: Credential, name: str, display_name: str | None, gate: GateLevel | None, share: bool | None
    ) -> Team:
        Redaction().names(name=display_name)
        async with self.store.write(must_administer(credential)) as tx:
            now = await _team(tx, name)
            await tx.directory.change_team(
                now.principal.id,
                now.display_name if display_name is None else display_name,
                gate or now.gate,
                now.share_with_subagents if share is None else share,
            )
            return await _team(tx, name)

    async def remove_team(self, credential: Credential, name: str) -> None:
        if name == EVERYONE:
            raise Conflict("the team of everyone cannot be deleted")
        async with self.store.write(must_administer(credential)) as tx:
            await tx.directory.remove((await _team(tx, name)).principal.id)

    async def put_membership(self, credential: Credential, team: str, principal: str, role: TeamRole) -> Team:
        async with self.store.write(must_administer(credential)) as tx:
            on = await _team(tx, team)
            await tx.directory.put_membership(on.principal.id, (await _principal(tx, principal)).id, role)
            return await _team(tx, team)

    async def drop_membership(self, credential: Credential, team: str, principal: str) -> None:
        async with self.store.write(must_administer(credential)) as tx:
            on = await _team(tx, team)
            if not await tx.directory.drop_membership(on.principal.id, (await _principal(tx, principal)).id):
                raise NotFound("it is not on that team")


def _name(name: str, field: str) -> None:
    fault = name_fault(name)
    if fault is not None:
        raise Invalid(fault, field=field)
    Redaction().names(**{field: name})


async def _agent(tx: Tx, name: str) -> Agent:
    for agent in await tx.directory.agents():
        if agent.principal.name == name:
            return agent
    raise NotFound("there is no such agent")


async def _member(tx: Tx, name: str) -> Member:
    for member in await tx.directory.members():
        if member.principal.name == name:
            return member
    raise NotFound("there is no such member")


async def _team(tx: Tx, name: str) -> Team:
    for team in await tx.directory.teams():
        if team.principal.name == name:
            return team
    raise NotFound("there is no such team")


async def _principal(tx: Tx, text: str) -> Principal:
    named = parse_space(text)
    if named is None or named[0] is Kind.TEAM:
        raise Invalid("write a principal as agent:x or member:m", field="principal")
    found = await tx.directory.find(*named)
    if found is None:
        raise NotFound(f"there is no {named[0]} of that name")
    return found


async def _parent(tx: Tx, role: AgentRole, name: str | None) -> PrincipalId | None:
    if name is None:
        if role is AgentRole.SUB:
            raise Invalid("a sub-agent needs a parent", field="parent")
        return None
    if role is AgentRole.MAIN:
        raise Invalid("a main agent has no parent", field="parent")
    parent = await tx.directory.find(Kind.AGENT, name)
    if parent is None:
        raise NotFound(f"there is no agent {name!r}", field="parent")
    return parent.id


async def _no_circle(tx: Tx, agent: Principal, parent: PrincipalId | None) -> None:
    parents = {a.principal.id: a.parent.id for a in await tx.directory.agents() if a.parent is not None}
    while parent is not None:
        if parent == agent.id:
            raise Invalid("an agent cannot be its own ancestor", field="parent")
        parent = parents.get(parent)


async def _account(tx: Tx, name: str | None) -> PrincipalId | None:
    if name is None:
        return None
    member = await tx.directory.find(Kind.MEMBER, name)
    if member is None:
        raise NotFound(f"there is no member {name!r}", field="account")
    return member.id
