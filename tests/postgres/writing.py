"""The writing verbs on both sides: captures into every kind of space, and supersessions."""

from dataclasses import replace
from typing import Any

from double import Double, text
from model import EVERYONE, Kept

from whoknows.domain.memory import Draft, Isolation
from whoknows.errors import AlreadySuperseded, AudienceDiffers, Forbidden, Invalid, NotFound

SPACES = (
    "own", "with", "with two", "account", "session s1", "session s2", "task",
    "team T", "team U", "team *", "narrow T", "narrow *",
)  # fmt: skip


class Writing(Double):
    async def capture(self, who: int, space: str, to: int, words: int) -> None:
        author, task = self.actor(who, task=space == "task")
        draft, m = self._draft(author, task, space, to, words)
        may = (
            self.model.account(author) == m.owner or author == m.owner
            if m.layer == "private"
            else self.model.role(author, m.owner) in ("writer", "owner")
        )
        if m.layer == "team" and not self.model.on(author, m.owner):
            return await self.fails(NotFound, self.service.capture(self.callers[author, task], draft))
        outside = m.layer == "team" and m.owner != EVERYONE and any(not self.model.on(r, m.owner) for r in m.readers)
        # A strict agent could not read what it wrote there: nothing of it is stored.
        blind = self.model.people[author].strict and m.owner != author
        if not may or blind:
            return await self.fails((Forbidden, Invalid), self.service.capture(self.callers[author, task], draft))
        if outside:
            return await self.fails(Invalid, self.service.capture(self.callers[author, task], draft))
        await self._store(author, task, draft, m, None)
        return None

    async def supersede(self, who: int, old: int, words: int) -> None:
        sayable = [n for n, m in self.model.kept.items() if not m.expired and m.task is None and m.session is None]
        if not sayable:
            return None
        of_teams = [n for n in sayable if self.model.kept[n].layer == "team" and self.model.kept[n].state == "active"]
        chosen = of_teams[old % len(of_teams)] if of_teams and old % 3 else sayable[old % len(sayable)]
        o = self.model.kept[chosen]
        author, task = self._writer(who, o) if who % 4 else self.near(who, chosen)
        draft, m = self._like(author, o, words)
        if draft is None or self.model.people[author].strict:
            return None
        draft = replace(draft, supersedes=self.ids[chosen], reason="it changed")
        caller = self.callers[author, task]
        if not self.model.reads(author, task, chosen):
            return await self.fails(NotFound, self.service.capture(caller, draft))
        if m.value() != o.value():
            return await self.fails(AudienceDiffers, self.service.capture(caller, draft))
        await self._store(author, task, draft, m, o)
        return None

    def _writer(self, n: int, o: Kept) -> tuple[str, str | None]:
        """One of those who may write to the team of ``o``, whether or not they may change it: some of it will be held."""
        ready = [r for r in self.callers if self.has_key(r) and self.model.role(r[0], o.owner) in ("writer", "owner")]
        return ready[n % len(ready)] if ready else self.actor(n)

    def _draft(self, author: str, task: str | None, space: str, to: int, words: int) -> tuple[Draft, Kept]:
        said = self.words_at(words)
        agents = [p.name for p in self.model.people.values() if p.role != "member" and p.alive]
        one, two = agents[to % len(agents)], agents[(to * 7 + 3) % len(agents)]
        kind, _, where = space.partition(" ")
        fields: dict[str, Any] = {}
        layer, owner, readers, session, bound = "private", author, frozenset[str](), None, None
        match kind:
            case "with":
                readers = frozenset({one, two} if where else {one}) - {owner}
                fields["visible_to"] = tuple({one, two} if where else {one})
            case "account":
                owner = f"member:{('m', 'n')[to % 2]}"
                fields["account"] = owner.removeprefix("member:")
            case "session":
                session = where
                fields |= {"isolation": Isolation.SESSION, "session_id": where}
            case "task":
                bound = task
                fields["isolation"] = Isolation.TASK
            case "team" | "narrow":
                layer, owner = "team", where
                fields |= {"layer": "team", "team_id": where}
                if kind == "narrow":
                    readers = frozenset({one, author})
                    fields["visible_to"] = (one,)
            case _:
                pass
        return Draft(text(said), **fields), Kept("", layer, owner, readers, author, said, bound, session, authors=[author])

    def _like(self, author: str, o: Kept, words: int) -> tuple[Draft | None, Kept]:
        """A draft by ``author`` for the audience of ``o``, as far as it can be said."""
        said = self.words_at(words)
        if any(r.startswith("member:") or not self.model.people[r].alive for r in o.readers - {author}):
            return None, o
        fields: dict[str, Any] = {"visible_to": tuple(o.readers - {author})}
        if o.layer == "team":
            if self.model.role(author, o.owner) not in ("writer", "owner") or any(
                not self.model.on(r, o.owner) for r in o.readers
            ):
                return None, o
            fields |= {"layer": "team", "team_id": o.owner}
            readers = frozenset(o.readers - {author} | {author}) if o.readers - {author} else frozenset[str]()
            return Draft(text(said), **fields), Kept("", "team", o.owner, readers, author, said, authors=[author])
        owner = author
        if o.owner in (author, self.model.account(author)) and o.owner.startswith("member:"):
            owner = o.owner
            fields["account"] = o.owner.removeprefix("member:")
        return Draft(text(said), **fields), Kept("", "private", owner, o.readers - {author}, author, said, authors=[author])

    async def _store(self, author: str, task: str | None, draft: Draft, m: Kept, old: Kept | None) -> None:
        same = self.model.equal(m)
        work = self.service.capture(self.callers[author, task], draft)
        if old is not None and same is old:
            return await self.fails(Invalid, work)
        if old is not None and old.state != "active":
            return await self.fails(AlreadySuperseded, work)
        held = old is not None and not self.model.edits(author, old)
        written = await work
        if same is not None and not held:
            assert written.memory.id == self.ids[same.name]
            if author not in same.authors:
                same.authors.append(author)
            kept = same
        else:
            m.name = f"n{next(self._numbers)}"
            m.state = "held" if held else "active"
            self.model.kept[m.name] = kept = m
            self.ids[m.name] = written.memory.id
        expected = "held" if held else "merged" if same and old is None else "stored" if old is None else "superseding"
        assert written.outcome == expected
        self.seen[expected] += 1
        if old is not None and not held:
            old.state, old.successor = "superseded", kept.name
        return None
