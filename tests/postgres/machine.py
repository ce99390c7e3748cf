"""A random life of two tenants, step by step, in the service and in the model, compared after each step."""

import itertools
from collections import Counter
from collections.abc import Coroutine
from typing import Any

from administering import Administering
from changing import Changing
from comparing import Comparing
from handing import Handing
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from model import EVERYONE
from publishing import Publishing
from writing import SPACES, Writing

from whoknows.bootstrap import Installation
from whoknows.service import Service
from worlds import World

VERBS = (
    *("capture",) * 8, *("supersede",) * 3, *("share", "unshare") * 3, *("edit", "archive", "restore") * 2, *("delete",) * 2,
    *("publish",) * 4, *("withdraw", "republish") * 2,
    *("inject",) * 6, "take back", "open task", "close task", "let share", "let not share",
    *("delete all", "join", "expel", "join", "expel", "strict", "open", "expire", "sweep", "agent", "member", "key", "new"),
)  # fmt: skip
"""What happens, as often as it stands here."""
_TENANTS = itertools.count()
numbers = st.integers(0, 10_000)


class Tenant(Writing, Changing, Publishing, Handing, Administering, Comparing):
    """All that can happen in a tenant."""


class Life(RuleBasedStateMachine):
    """``run`` drives the service's loop; ``seen`` counts over all examples what was done, and what came of it."""

    def __init__(self, service: Service, founder: World, run: Any, seen: Counter[str]) -> None:
        super().__init__()
        self.service, self.founder, self._run, self.seen = service, founder, run, seen
        self.tenants: list[Tenant] = []

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return self._run(work)

    @initialize()
    def found(self) -> None:
        number = next(_TENANTS)
        for name in (f"acme{number}", f"acme{number}-corp"):
            made = self.run(self._founded(name))
            tenant = Tenant(World(self.service, Installation(self.founder.installation.dsn, made.secret)), self.seen)
            self.run(tenant.populate())
            self.tenants.append(tenant)
            for n in range(12):  # something to begin with, or half of the verbs find nothing
                self.run(tenant.capture(n, SPACES[n % len(SPACES)], n * 5, n))
            for n in range(10):
                self.run(tenant.publish(n, n * 4 + 1, ("T", "U", EVERYONE)[n % 3]))
            for n in range(9):  # the same words of several
                self.run(tenant.capture(n, ("team T", "team U", "team *")[n % 3], n, n % 2 + 1))
            self.run(tenant.open_task(0))
            for n in range(8):
                self.run(tenant.inject(n + 1, n + 1, n * 7 + 1))

    async def _founded(self, name: str) -> Any:
        return await self.service.keys.create_tenant(await self.founder.admin(), name)

    def tenant(self, n: int) -> "Tenant":
        return self.tenants[0 if n % 4 else 1]  # most happens in one of them, so that it becomes dense

    @rule(verb=st.sampled_from(VERBS), t=numbers, who=numbers, space=st.sampled_from(SPACES), to=numbers, words=numbers)
    def step(self, verb: str, t: int, who: int, space: str, to: int, words: int) -> None:
        """One rule with all the verbs: of many, hypothesis leaves some out of each example, and here all should meet."""
        tenant, team = self.tenant(t), ("T", "U", EVERYONE)[to % 3]
        self.seen[verb] += 1
        match verb:
            case "capture":
                self.run(tenant.capture(who, space, to, words))
            case "supersede":
                self.run(tenant.supersede(who, to, words))
            case "share" | "unshare":
                self.run(tenant.share(who, to, words, verb == "share"))
            case "edit":
                self.run(tenant.edit(who, to))
            case "archive" | "restore":
                self.run(tenant.put_away(who, to, "archived" if verb == "archive" else "active"))
            case "delete":
                self.run(tenant.delete(who, to))
            case "delete all":
                self.run(tenant.delete_all(who, ("private", "team")[to % 2]))
            case "publish":
                self.run(tenant.publish(who, to, team))
            case "withdraw":
                self.run(tenant.withdraw(who, to))
            case "republish":
                self.run(tenant.republish(who, to))
            case "inject":
                self.run(tenant.inject(who, to, words))
            case "take back":
                self.run(tenant.take_back(who, to))
            case "open task":
                self.run(tenant.open_task(who))
            case "close task":
                self.run(tenant.close_task(to))
            case "let share" | "let not share":
                self.run(tenant.let_share(team, verb == "let share"))
            case "join":
                self.run(tenant.join(who, team, ("reader", "writer", "owner")[words % 3]))
            case "expel":
                self.run(tenant.expel(who, team))
            case "strict" | "open":
                self.run(tenant.change_agent(who, verb == "strict", (None, "m", "n", "m")[to % 4]))
            case "expire":
                self.run(tenant.expire(to))
            case "sweep":
                self.run(self.service.work.sweep())
                for each in self.tenants:
                    each.swept()
            case _:
                self.run(tenant.end(who, verb))
        for each in self.tenants:
            each.handed.settle()

    @invariant()
    def everyone_reads_what_the_rules_say(self) -> None:
        if self.tenants:
            self.seen["step"] += 1
            for tenant in self.tenants:
                self.run(tenant.compare(self.seen["step"]))

    def teardown(self) -> None:
        for tenant in self.tenants:
            tenant.close()
