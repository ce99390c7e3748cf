"""The publishing verbs on both sides: publish, withdraw, publish again."""

from double import Double
from model import Kept, Publication

from whoknows.errors import AlreadySuperseded, Conflict, Forbidden, NotFound, PublicationWithdrawn
from whoknows.flows.publishable import Published


class Publishing(Double):
    async def publish(self, who: int, memory: int, team: str) -> None:
        chosen = self._publishable(who, memory, team)
        if chosen is None:
            return None
        name, team, author, task = chosen
        m = self.model.kept[name]
        work = self.service.publish(self.callers[author, task], self.ids[name], team)
        if not self.model.reads(author, task, name) or not self.model.on(author, team):
            return await self.fails(NotFound, work)
        if not self.model.publishes(author, m, team):
            return await self.fails(Forbidden, work)
        if m.state != "active":
            return await self.fails(Conflict, work)
        there = self.model.published.get((name, team))
        if there is not None and there.state != "ready":
            return await self.fails(PublicationWithdrawn, work)
        done = await work
        if there is None:
            assert done.first
            self.model.published[name, team] = there = Publication(name, team, author)
            self._copied(there, done)
            self.seen["published"] += 1
        else:
            assert not done.first
            assert done.memory is None or done.memory.id == self.ids[there.copy]
            self.seen["published already"] += 1
        self.publications[name, team] = done.publication.id
        return None

    async def withdraw(self, who: int, n: int) -> None:
        chosen = self._chosen(who, n)
        if chosen is None:
            return None
        there, author, task = chosen
        work = self.service.publications.withdraw(self.callers[author, task], self.publications[there.original, there.team])
        if author != there.publisher:
            return await self.fails(NotFound, work)
        done = await work
        if there.state == "ready":
            c = self.model.kept[there.copy]
            c.layer, c.owner, c.state, c.successor = "private", author, "withdrawn", None
            there.state = "withdrawn"
            self.seen["withdrawn"] += 1
        assert done.state == there.state
        return None

    async def republish(self, who: int, n: int) -> None:
        chosen = self._chosen(who, n)
        if chosen is None:
            return None
        there, author, task = chosen
        work = self.service.publications.republish(self.callers[author, task], self.publications[there.original, there.team])
        if author != there.publisher:
            return await self.fails(NotFound, work)
        if there.state == "deleted":
            return await self.fails(Conflict, work)
        if not self.model.reads(author, task, there.original):
            return await self.fails(NotFound, work)
        m = self.model.kept[there.original]
        if not self.model.publishes(author, m, there.team):
            return await self.fails(Forbidden, work)
        if m.state != "active":
            return await self.fails(Conflict, work)
        if there.state == "removed":
            self._copied(there, await work)
        else:
            c = self.model.kept[there.copy]
            if c.state == "superseded":
                return await self.fails(AlreadySuperseded, work)
            await work
            c.layer, c.owner, c.words, c.expired = "team", there.team, m.words, False
            c.state = "archived" if c.state == "archived" else "active"
        there.state = "ready"
        self.seen["republished"] += 1
        return None

    def _publishable(self, who: int, memory: int, team: str) -> tuple[str, str, str, str | None] | None:
        """What, where, and by whom: mostly something that may be published, or nearly all would be refused."""
        may = [
            (name, t, *reader)
            for name, m in self.model.kept.items()
            for t in self.model.teams
            for reader in self.callers
            if reader[0] == m.author and self.has_key(reader) and not m.expired and self.model.publishes(m.author, m, t)
        ]
        if may and memory % 4:
            return may[(who + memory) % len(may)]
        name = self.memory_at(memory)
        return None if name is None else (name, team, *self.near(who, name))

    def _chosen(self, who: int, n: int) -> tuple[Publication, str, str | None] | None:
        """A publication, and twice in three times its publisher."""
        every = list(self.model.published.values())
        if not every:
            return None
        standing = [p for p in every if p.state in ("ready", "withdrawn")]
        there = standing[n % len(standing)] if standing and n % 4 else every[n % len(every)]
        own = [r for r in self.callers if r[0] == there.publisher and self.has_key(r)]
        return there, *(own[who % len(own)] if own and who % 3 else self.actor(who))

    def _copied(self, there: Publication, done: Published) -> None:
        m = self.model.kept[there.original]
        assert done.memory is not None
        there.copy = f"n{next(self._numbers)}"
        self.ids[there.copy] = done.memory.id
        self.model.kept[there.copy] = Kept(
            there.copy, "team", there.team, frozenset(), m.author, m.words, authors=[m.author], origin=there.original
        )
