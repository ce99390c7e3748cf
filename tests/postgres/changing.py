"""The changing verbs on both sides: shares, edits, archive, deletes."""

from double import Double, text

from whoknows.domain.memory import Filters, Patch
from whoknows.errors import Conflict, DuplicateMemory, Forbidden, Invalid, NotFound


class Changing(Double):
    async def share(self, who: int, memory: int, to: int, given: bool) -> None:
        name = self.memory_at(memory)
        if name is None:
            return None
        author, task = self.near(who, name)
        m = self.model.kept[name]
        agents = [p for p in self.model.people.values() if p.role != "member"]
        reader = agents[to % len(agents)]
        work = self.service.change.share(self.callers[author, task], self.ids[name], reader.name, given)
        if not self.model.reads(author, task, name):
            return await self.fails(NotFound, work)
        if m.layer != "private" or m.author != author or m.origin is not None:
            return await self.fails(Forbidden, work)
        if m.session is not None:
            return await self.fails(Invalid, work)
        if not reader.alive or (not given and reader.name not in {m.owner, *m.readers}):
            return await self.fails(NotFound, work)
        if not given and reader.name == m.owner:
            return await self.fails(Conflict, work)
        before = m.readers
        m.readers = (m.readers | {reader.name} if given else m.readers - {reader.name}) - {m.owner}
        if m.state == "active" and m.readers != before and self.model.equal(m):
            m.readers = before
            return await self.fails(DuplicateMemory, work)
        await work
        self.seen["share"] += 1
        return None

    async def edit(self, who: int, memory: int) -> None:
        name = self.memory_at(memory)
        if name is None:
            return None
        author, task = self.near(who, name)
        m = self.model.kept[name]
        caller = self.callers[author, task]
        sees = self.model.reads(author, task, name)
        version = (await self.service.read.get(caller, self.ids[name])).version if sees else 1
        words = f"fresh{next(self._numbers)}"
        work = self.service.change.edit(
            caller, self.ids[name], version, Patch(content=text(words), named=frozenset({"content"}))
        )
        if not sees:
            return await self.fails(NotFound, work)
        if not self.model.edits(author, m):
            return await self.fails(Forbidden, work)
        if m.state in ("superseded", "withdrawn"):
            return await self.fails(Conflict, work)
        await work
        self.seen["edit"] += 1
        m.words = words
        return None

    async def put_away(self, who: int, memory: int, state: str) -> None:
        name = self.memory_at(memory)
        if name is None:
            return None
        author, task = self.near(who, name)
        m = self.model.kept[name]
        change = self.service.change
        work = (change.archive if state == "archived" else change.restore)(self.callers[author, task], self.ids[name])
        if not self.model.reads(author, task, name):
            return await self.fails(NotFound, work)
        if not self.model.edits(author, m):
            return await self.fails(Forbidden, work)
        if m.state not in ("active", "archived") or (state == "active" and m.state == "archived" and self.model.equal(m)):
            return await self.fails(Conflict, work)
        await work
        self.seen["put_away"] += 1
        m.state = state
        return None

    async def delete(self, who: int, memory: int) -> None:
        name = self.memory_at(memory)
        if name is None:
            return None
        author, task = self.near(who, name)
        work = self.service.forget(self.callers[author, task], self.ids[name])
        if not self.model.reads(author, task, name):
            return await self.fails(NotFound, work)
        if not self.model.changes(author, self.model.kept[name]):
            return await self.fails(Forbidden, work)
        gone = await work
        assert (gone.deleted, gone.released) == self.model.forget(author, [name])
        self.seen["deleted"] += gone.deleted
        self.seen["released"] += gone.released
        return None

    async def delete_all(self, who: int, layer: str) -> None:
        author, task = self.actor(who)
        doomed = [
            n
            for n, m in self.model.kept.items()
            if m.layer == layer and self.model.reads(author, task, n) and self.model.changes(author, m)
        ]
        gone = await self.service.forget.all_of(self.callers[author, task], Filters(layer=layer))
        assert (gone.deleted, gone.released) == self.model.forget(author, doomed)
