"""One tenant twice, in the service and in the model: its people, who acts, on what, and how a refusal is checked."""

import itertools
from collections import Counter
from collections.abc import Coroutine
from typing import Any
from uuid import UUID

import psycopg
from handed import Handed
from model import EVERYONE, Model, Person

from whoknows.domain.credential import Caller
from whoknows.domain.ids import CredentialId, MemoryId, PublicationId
from whoknows.domain.principal import AgentRole, Clearance
from whoknows.errors import WhoKnowsError
from worlds import World


class Double:
    """One tenant twice: the real one, and the model's. ``seen`` counts what came of what was done.

    ``tokens``: the readers that are tokens of open tasks, each with the key that made it.
    """

    def __init__(self, world: World, seen: Counter[str]) -> None:
        self.world, self.service, self.seen = world, world.service, seen
        self.model = Model()
        self.ids: dict[str, MemoryId] = {}
        self.publications: dict[tuple[str, str], PublicationId] = {}
        self.callers: dict[tuple[str, str | None], Caller] = {}
        self.handed = Handed(self.model)
        self.injections: dict[str, UUID] = {}
        self.tokens: dict[tuple[str, str | None], CredentialId] = {}
        self.revoked: set[CredentialId] = set()
        self._raw = psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public")
        self._numbers = itertools.count()

    def close(self) -> None:
        self._raw.close()

    async def populate(self) -> None:
        """Two members, four main agents (B works for m, C for n), a sub-agent with one below, a strict one, two teams."""
        await self.world.members("m", "n")
        await self.world.agents("A", "D")
        await self.world.agents("B", account="m")
        await self.world.agents("C", account="n")
        await self.world.agents("S", role=AgentRole.SUB, parent="A", account="m")
        await self.world.agents("P", role=AgentRole.SUB, parent="S")
        await self.world.agents("N", role=AgentRole.SUB, parent="B", clearance=Clearance.NEED_TO_KNOW)
        people = self.model.people
        for name, account in (
            ("member:m", None),
            ("member:n", None),
            ("A", None),
            ("D", None),
            ("B", "m"),
            ("C", "n"),
            ("S", "m"),
            ("N", None),
            ("P", None),
        ):
            role = "member" if ":" in name else "sub" if name in "SNP" else "main"
            parent = {"S": "A", "N": "B", "P": "S"}.get(name)
            people[name] = Person(name, role, f"member:{account}" if account else None, strict=name == "N", parent=parent)
            self.callers[name, None] = await self.world.caller(name)
        for name in ("A", "B", "N"):
            self.callers[name, "k1"] = await self.world.caller(name, await self.world.key(name, task="k1"))
        for team, roles in (
            ("T", {"A": "writer", "B": "writer", "S": "reader", "member:m": "owner", "N": "writer"}),
            ("U", {"C": "writer", "D": "owner", "member:n": "writer", "A": "reader"}),
            (EVERYONE, {"A": "writer", "D": "writer", "member:n": "writer"}),
        ):
            await self.world.team(team, **roles)
            self.model.teams[team] = dict(roles)

    # Choosing

    def person(self, n: int) -> Person:
        people = list(self.model.people.values())
        return people[n % len(people)]

    def actor(self, n: int, task: bool = False) -> tuple[str, str | None]:
        ready = [r for r in self.callers if self.has_key(r) and (r[1] is not None or not task)]
        return ready[n % len(ready)]

    def near(self, n: int, name: str) -> tuple[str, str | None]:
        """Anybody, but twice in three times one of the authors: most refusals are alike."""
        authors = [r for r in self.callers if self.has_key(r) and r[0] in self.model.kept[name].authors]
        return authors[n % len(authors)] if authors and n % 3 else self.actor(n)

    def memory_at(self, n: int) -> str | None:
        there = [name for name, m in self.model.kept.items() if not m.expired]
        return there[n % len(there)] if there else None

    def words_at(self, n: int) -> str:
        return f"word{n % 2}" if n % 5 else f"fresh{next(self._numbers)}"  # some are said again

    # Asking the model, and the service

    def has_key(self, reader: tuple[str, str | None]) -> bool:
        person = self.model.people[reader[0]]
        if reader in self.tokens:
            return person.alive and self.tokens[reader] not in self.revoked
        return person.alive and (person.key or reader[1] is not None)

    def readable(self, reader: tuple[str, str | None]) -> set[str]:
        return {n for n in self.model.kept if self.has_key(reader) and self.model.reads(*reader, n)}

    async def fails(self, fault: type[WhoKnowsError] | tuple[type[WhoKnowsError], ...], work: Coroutine[Any, Any, Any]) -> None:
        try:
            await work
        except fault as refused:
            self.seen[type(refused).__name__] += 1
            return
        raise AssertionError(f"this should have been {fault}")


def text(words: str) -> str:
    """A memory's text: any recall of the machine finds it."""
    return f"launch code 口令 {words}"
