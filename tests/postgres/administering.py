"""What administrators and time do, on both sides: memberships, clearances, accounts, ends."""

from double import Double

from visibility_stage import expire
from whoknows.domain.principal import Clearance
from whoknows.flows.administer import AgentPatch


class Administering(Double):
    async def join(self, who: int, team: str, role: str) -> None:
        person = self.person(who)
        if person.alive:
            await self.world.join(team, person.name, role)
            self.model.teams[team][person.name] = role

    async def expel(self, who: int, team: str) -> None:
        person = self.person(who)
        if person.name in self.model.teams[team]:
            await self.world.expel(team, person.name)
            del self.model.teams[team][person.name]

    async def change_agent(self, who: int, strict: bool, account: str | None) -> None:
        person = self.person(who)
        if person.role == "member" or not person.alive or (account and not self.model.people[f"member:{account}"].alive):
            return
        clearance = Clearance.NEED_TO_KNOW if strict else Clearance.OPEN
        patch = AgentPatch(frozenset({"clearance", "account"}), account=account, clearance=clearance)
        await self.service.administer.change_agent(await self.world.admin(), person.name, patch)
        person.strict, person.account = strict, f"member:{account}" if account else None

    async def end(self, who: int, what: str) -> None:
        person, admin = self.person(who), await self.world.admin()
        if not person.alive or sum(p.alive for p in self.model.people.values()) < 5:
            return
        if what == "key":
            if person.key:
                key = self.callers[person.name, None].credential.id
                await self.service.keys.revoke(admin, key)
                self.revoked.add(key)
            person.key = False
        elif what == "new":
            self.callers[person.name, None] = await self.world.caller(person.name, await self.world.key(person.name))
            person.key = True
        elif (what == "member") == (person.role == "member") and person.name not in ("A", "B", "S"):
            remove = self.service.administer.remove_member if what == "member" else self.service.administer.remove_agent
            await remove(admin, person.name.removeprefix("member:"))
            person.alive = False
            for roles in self.model.teams.values():
                roles.pop(person.name, None)

    async def expire(self, memory: int) -> None:
        name = self.memory_at(memory)
        if name is not None:
            expire(self.world.installation.dsn, self.ids[name])
            self.model.expire(name)

    def swept(self) -> None:
        self.model.erase([n for n, m in self.model.kept.items() if m.expired])
