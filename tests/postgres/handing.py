"""The verbs of handing over on both sides: tasks, gifts, what is passed on, what is taken back."""

from comparing import Comparing
from handed import Given, Opened

from whoknows.domain.injection import Depth
from whoknows.errors import Forbidden, NotFound, PermissionMissing
from whoknows.flows.inject import MOST_TOKENS, Gift, Injected

_MOST_TASKS = 2
"""Open at once: each has readers that are compared at every step."""


class Handing(Comparing):
    async def inject(self, who: int, to: int, memory: int) -> None:
        """Mostly by one who may, to one below it; one memory is listed, and all that may be given comes along."""
        giver, working_on = self._giver(who)
        agents = [p.name for p in self.model.people.values() if p.role != "member" and p.alive]
        below = [a for a in agents if self.handed.descends(a, giver)]
        target = below[to % len(below)] if below and to % 5 else agents[to % len(agents)]
        name = self._gift_for(giver, memory)
        if name is None:
            return None
        open_for = [t for t, o in self.handed.tasks.items() if o.opener == giver and target in o.agents]
        task = working_on or (open_for[0] if open_for and memory % 2 else None)
        passes = memory % 3 > 0
        gift = Gift(target, "口令", Depth.FULL, (self.ids[name],), task_id=task, may_pass_on=passes, max_tokens=MOST_TOKENS)
        work = self.service.inject(self.callers[giver, working_on], gift)
        sees = self.model.reads(giver, working_on, name)
        main = self.model.people[giver].role == "main"
        if not (main or (sees and self.handed.passable(giver, name))) or target not in below:
            return await self.fails(Forbidden, work)
        if working_on is not None and working_on not in self.handed.tasks:  # a key of a task that nobody opened
            return await self.fails(NotFound, work)
        if not main and task is not None and target not in self.handed.tasks[task].agents:
            return await self.fails(Forbidden, work)
        if not sees:
            return await self.fails(NotFound, work)
        if not self.handed.may_give(giver, target, name, True, task):
            return await self.fails(Forbidden, work)
        free = self.handed.free(giver, target, task)
        expected = {name} | free
        given = await work
        assert {g.original.id for g in given.memories} == {self.ids[n] for n in expected}
        assert given.dropped == []
        for n in sorted(expected, key=lambda n: int(n[1:])):
            if self.model.reads(target, None, n):
                assert next(g for g in given.memories if g.original.id == self.ids[n]).injected_by is None
            else:
                self._given(Given(giver, target, n, "", task, n not in free, passes), given)
        known = await self.service.inject.list(self.callers[giver, working_on], True, 200, None)
        by_id = {i: n for n, i in self.ids.items()}
        self.injections |= {by_id[i.memory]: i.id for i in known.items if i.memory in by_id}
        self.seen["injected" if main else "passed on"] += 1
        return None

    def _given(self, gift: Given, given: Injected) -> None:
        copy = next(g for g in given.memories if g.original.id == self.ids[gift.original])
        before = self.handed.held(gift.giver, gift.target, gift.original, gift.task)
        if before is not None and self.ids[before.copy] == copy.id:  # the same again: its terms are those of this time
            kept = self.model.kept[before.copy]
            assert kept.words == self.model.kept[gift.original].words
            kept.expired = False
            before.listed, before.passes = gift.listed, gift.passes
            self.seen["given again"] += 1
            return
        assert copy.id not in self.ids.values()
        if before is not None:
            self.handed.gifts.remove(before)
            self.model.erase([before.copy])
        gift.copy = f"n{next(self._numbers)}"
        self.ids[gift.copy] = copy.id
        self.handed.copy(gift.copy, gift)
        self.handed.gifts.append(gift)

    async def take_back(self, who: int, n: int) -> None:
        gifts = [g for g in self.handed.gifts if g.copy in self.injections]
        if not gifts:
            return None
        gift = gifts[n % len(gifts)]
        own = [r for r in self.callers if r[0] == gift.giver and self.has_key(r)]
        author, task = own[who % len(own)] if own and who % 3 else self.actor(who)
        work = self.service.inject.withdraw(self.callers[author, task], self.injections[gift.copy])
        if author != gift.giver:
            sees = author == gift.target and self.model.reads(author, task, gift.copy)
            return await self.fails(Forbidden if sees else NotFound, work)
        await work
        self.handed.gifts.remove(gift)
        self.model.erase([gift.copy])
        self.seen["taken back"] += 1
        return None

    async def open_task(self, who: int) -> None:
        opener = ("A", "B")[who % 2]
        agents = [a for a in (("S", "P"), ("N",))[who % 2] if self.model.people[a].alive]
        agents = agents[: 1 + who % 3]
        if not self.has_key((opener, None)) or not agents or len(self.handed.tasks) >= _MOST_TASKS:
            return
        name = f"t{next(self._numbers)}"
        maker = self.callers[opener, None]
        opened = await self.service.tasks.open(maker, name, agents, None)
        self.handed.tasks[name] = Opened(opener, agents)
        for agent, secret in opened.tokens.items():
            self.callers[agent, name] = await self.world.caller(agent, secret)
            self.tokens[agent, name] = maker.credential.id
        self.seen["opened"] += 1

    async def close_task(self, n: int) -> None:
        if not self.handed.tasks:
            return
        name = list(self.handed.tasks)[n % len(self.handed.tasks)]
        opener = self.handed.tasks[name].opener
        if not self.has_key((opener, None)):
            return
        await self.service.tasks.close(self.callers[opener, None], name)
        del self.handed.tasks[name]
        for reader in [r for r in self.tokens if r[1] == name]:
            await self.fails(PermissionMissing, self.service.inject.list(self.callers[reader], None, 1, None))
            assert self._unfiltered(self.callers[reader]) == []
            del self.callers[reader], self.tokens[reader]
        self.seen["closed"] += 1

    async def let_share(self, team: str, shares: bool) -> None:
        await self.service.administer.change_team(await self.world.admin(), team, None, None, shares)
        (self.handed.sharing.add if shares else self.handed.sharing.discard)(team)

    def _giver(self, n: int) -> tuple[str, str | None]:
        ready = [r for r in self.callers if self.has_key(r) and r[0] in ("A", "B", "S") and (r[1] is None or r in self.tokens)]
        return ready[n % len(ready)] if ready and n % 7 else self.actor(n) if n % 2 else (ready or [self.actor(n)])[0]

    def _gift_for(self, giver: str, n: int) -> str | None:
        """Of all memories, or mostly of those that the giver has something to do with."""
        passable = [g.copy for g in self.handed.gifts if g.target == giver and g.passes]
        near = passable or [
            k
            for k, m in self.model.kept.items()
            if not m.expired and m.state == "active" and giver in m.authors and m.session is None and m.layer != "injected"
        ]
        return near[n % len(near)] if near and n % 5 else self.memory_at(n)
