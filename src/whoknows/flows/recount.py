"""Recount: what programs were told in a project, turn by turn, as far as the reader may see it today."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from whoknows.domain.credential import Caller
from whoknows.domain.harness import NotedTurn, Outcome
from whoknows.domain.harness_report import Heard
from whoknows.domain.hook_exchange import message_number
from whoknows.domain.memory import Memory
from whoknows.flows.limits import Limits, label
from whoknows.policy.standing import scope_for
from whoknows.ports import Page, Store, Tx


@dataclass(frozen=True, slots=True)
class Recounted:
    """``told``: the memories that were put beside it and that the reader may see; the others are not named. ``heard``: what
    became of an exchange that was captured, nothing while it waits.
    """

    noted: NotedTurn
    told: tuple[Memory, ...]
    heard: tuple[Heard, ...] = ()

    @property
    def unseen(self) -> int:
        """How many were told then that are gone, or that the reader may not see."""
        return len(self.noted.turn.memories) - len(self.told)

    @property
    def kept(self) -> list[str]:
        return [h.kept for h in self.heard if h.kept is not None]

    @property
    def passed_over(self) -> list[str]:
        """Why nothing was kept of what was asked, and of what was answered."""
        return list(dict.fromkeys(h.skipped for h in self.heard if h.skipped is not None))


@dataclass(frozen=True, slots=True)
class Recount:
    store: Store
    limits: Limits

    async def __call__(self, caller: Caller, project: str, limit: int, cursor: str | None = None) -> Page[Recounted]:
        """The newest first, of the caller's account alone. An unknown project has none."""
        label(project, self.limits.label, "project_id")
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            page = await tx.hook_turns.newest(scope, project, min(limit, self.limits.page), cursor)
            named = list(dict.fromkeys(m for n in page.items for m in n.turn.memories))
            seen = {m.id: m for m in await tx.memories.load(scope, named)} if named else {}
            heard = await _heard(tx, page.items)
        recounted = [
            Recounted(n, tuple(seen[m] for m in n.turn.memories if m in seen), tuple(heard.get(n.turn.id, ())))
            for n in page.items
        ]
        return Page(recounted, page.next_cursor)


async def _heard(tx: Tx, turns: Sequence[NotedTurn]) -> dict[UUID, list[Heard]]:
    """Of an exchange both are heard, what was asked and what was answered."""
    of: dict[str, UUID] = {}
    for turn in (n.turn for n in turns if n.turn.outcome is Outcome.CAPTURED):
        number = message_number(turn.program, turn.session_id, turn.turn_id)
        of |= {number: turn.id, f"{number}:answer": turn.id}
    found: dict[UUID, list[Heard]] = {}
    for heard in await tx.harness_reports.heard(list(of)) if of else ():
        found.setdefault(of[heard.message], []).append(heard)
    return found
