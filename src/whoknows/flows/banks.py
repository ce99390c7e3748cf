"""Banks: which ones the caller reads and writes, and where an administrator sends the facts of a project."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.bank import Bank, FactContext, Routing
from whoknows.domain.credential import Caller, Credential, Permission
from whoknows.domain.principal import EVERYONE, GateLevel, Kind, Principal
from whoknows.domain.remote import normal_remote
from whoknows.errors import Invalid, NotFound, RemoteTaken
from whoknows.flows.authenticate import must_administer
from whoknows.flows.limits import Limits, label
from whoknows.policy.routing import personal_bank, reads_bank, team_banks
from whoknows.ports import Store, Tx

MOST_REMOTES = 50


@dataclass(frozen=True, slots=True)
class Banks:
    store: Store
    limits: Limits

    async def all(self, caller: Caller) -> Sequence[Bank]:
        """The personal bank of the caller first, then those of its teams, with the projects that are routed to each."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            routings = [r for r in await tx.banks.routings() if reads_bank(standing, r.team)]
            gates = {t.principal.id: t.gate for t in await tx.directory.teams()}
            own = personal_bank(standing)
            banks = [Bank(FactContext.PERSONAL, own, True, await _gate_of(tx, own))]
            for on in team_banks(standing):
                projects = tuple(r.project_id for r in routings if r.team == on.team)
                gate = GateLevel.OPEN if on.team.name == EVERYONE else gates.get(on.team.id, GateLevel.REVIEWED)
                banks.append(Bank(FactContext.TEAM, on.team, on.role.writes, gate, projects))
            return banks

    async def routing(self, caller: Caller, project: str) -> Routing:
        """Where a project goes. What goes to a bank that the caller may not read looks like what goes nowhere."""
        label(project, self.limits.label, "projectId")
        async with self.store.read(caller) as tx:
            found = await tx.banks.routing(project)
            if Permission.ADMIN in caller.credential.permissions and not caller.seen_as:
                return found
            standing = await tx.directory.standing()
            return found if reads_bank(standing, found.team) else Routing(project)

    async def routings(self, caller: Caller) -> Sequence[Routing]:
        """Every project that goes to a team: all for an administrator, otherwise those to a team that the caller reads."""
        async with self.store.read(caller) as tx:
            found = await tx.banks.routings()
            if Permission.ADMIN in caller.credential.permissions and not caller.seen_as:
                return found
            standing = await tx.directory.standing()
            return [r for r in found if reads_bank(standing, r.team)]

    async def route(self, credential: Credential, project: str, team_id: str | None, git_remotes: Sequence[str]) -> Routing:
        """Send the facts of ``project`` to a team, or nowhere, and say which Git remotes are its own; needs ``admin``."""
        administrator = must_administer(credential)
        label(project, self.limits.label, "projectId")
        label(team_id, self.limits.label, "team_id")
        remotes = self._remotes(git_remotes)
        self.limits.redaction.names(projectId=project)
        async with self.store.write(administrator) as tx:
            team = None if team_id is None else await tx.directory.find(Kind.TEAM, team_id)
            if team_id is not None and team is None:
                raise NotFound(f"there is no team {team_id!r}", field="team_id")
            held = await tx.banks.holder(remotes, project)
            if held is not None:
                told = f"{held[0]} belongs to the project {held[1]!r}: take it away there first"
                raise RemoteTaken(told, field="git_remotes")
            await tx.banks.route(project, None if team is None else team.id, remotes)
            return await tx.banks.routing(project)

    def _remotes(self, given: Sequence[str]) -> list[str]:
        if len(given) > MOST_REMOTES:
            raise Invalid(f"at most {MOST_REMOTES} remotes are accepted", field="git_remotes")
        remotes = sorted({normal_remote(r) for r in given})
        for remote in remotes:
            self.limits.redaction.names(git_remotes=remote)
        return remotes


async def _gate_of(tx: Tx, owner: Principal) -> GateLevel:
    """Of account memory that of its member; what an agent keeps for itself has none."""
    if owner.kind is not Kind.MEMBER:
        return GateLevel.OPEN
    return next((m.gate for m in await tx.directory.members() if m.principal == owner), GateLevel.REVIEWED)
