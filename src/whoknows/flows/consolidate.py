"""Consolidate: state once what says almost the same, in one's own memories or in a team's."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.domain.egress import Purpose
from whoknows.domain.ids import MemoryId, new_memory_id
from whoknows.domain.observation import Gathered, Made, Statement
from whoknows.errors import Conflict, Forbidden
from whoknows.flows.deriving import LEAST, Grows, extractive, grow, look, through_gate
from whoknows.flows.destination import team_of
from whoknows.flows.egress import Egress
from whoknows.flows.limits import Limits, label
from whoknows.flows.must import must
from whoknows.flows.observe import Told
from whoknows.flows.stating import AskForStatement
from whoknows.flows.wording import with_rest, worded
from whoknows.gate.citing import borne_out
from whoknows.gate.near import differs
from whoknows.policy.accounts import account_for
from whoknows.policy.rules import may_write_team
from whoknows.policy.standing import Standing, scope_for
from whoknows.ports import Embedder, Store
from whoknows.ports.observations import Put, Stating

SEEDS = 200
"""Memories that one call looks at; the next goes on from there."""


@dataclass(frozen=True, slots=True)
class Consolidated:
    """``told``: what was made or has grown. ``looked_at``: memories. ``next_cursor``: where the next call goes on."""

    told: Sequence[Told]
    looked_at: int
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class Consolidate:
    """``model`` is None where no language model is set: then the words are always those of a memory."""

    store: Store
    embedder: Embedder
    limits: Limits
    egress: Egress
    model: AskForStatement | None = None
    seeds: int = SEEDS

    async def __call__(
        self, caller: Caller, project_id: str | None = None, team_id: str | None = None, cursor: str | None = None
    ) -> Consolidated:
        """State what says almost the same, in the caller's own space, or in that of a team it may write to.

        A second time it finds nothing new. A language model, where one is set and the bank lets it, may find the words.
        """
        label(project_id, self.limits.label, "project_id")
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope, owners = scope_for(standing), _owners(standing, team_id)
            seeds = await tx.observations.seeds(scope, owners, project_id, self.seeds, cursor)
            deriving = tx.observations.deriving(scope)
            found: list[tuple[Statement, ...] | Grows] = []
            taken: set[MemoryId] = set()
            for seed in seeds.items:
                if seed in taken:
                    continue
                it = await look(deriving, seed, LEAST)
                if isinstance(it, tuple):
                    taken |= {s.id for s in it}
                if it is not None:
                    found.append(it)
        told = [t for f in found if (t := await self._stated(caller, f)) is not None]
        return Consolidated(told, len(seeds.items), seeds.next_cursor)

    async def _stated(self, caller: Caller, found: tuple[Statement, ...] | Grows) -> Told | None:
        model = None if isinstance(found, Grows) else await self._asked(caller, found)
        try:
            async with self.store.write(caller) as tx:
                standing = await tx.directory.standing()
                scope = scope_for(standing)
                deriving = tx.observations.deriving(scope)
                if isinstance(found, Grows):
                    identity, done = found.observation, await grow(deriving, found, standing.reader)
                else:
                    identity = new_memory_id()
                    stating = await through_gate(deriving, model or extractive(found), standing.reader)
                    done = await deriving.put(identity, stating, Gathered.NEAR, own=False)
                    if done is Put.MADE and stating.words is not None and stating.words.vectors:
                        await self.egress.note(tx, Purpose.EMBEDDING, [identity])
                if done in (Put.MADE, Put.UNCHANGED, Put.RECOMPUTED):
                    seen = await tx.observations.get(scope, identity)
                    return None if seen is None else Told(done, seen)  # held, of another's words: its reviewers see it
        except (Conflict, Forbidden):  # somebody was quicker, or a right ended: the next run looks again
            return None
        return None

    async def _asked(self, caller: Caller, cluster: Sequence[Statement]) -> Stating | None:
        """A model's statement, with every quote found; None where there is none, it may not be asked, or it does not hold."""
        if self.model is None:
            return None
        async with self.store.write(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            owner, _ = await tx.observations.deriving(scope).gate(cluster[0].audience)
            grant = await self.egress.grant(tx, Purpose.CONSOLIDATION, [owner])
            if grant is None:
                return None
            await self.egress.note(tx, Purpose.CONSOLIDATION, [s.id for s in cluster])
        said = await self.model(grant, cluster)
        if said is None or any(differs(said.statement, s.content) is not None for s in cluster):
            return None
        evidence, missing = borne_out(said.statement, said.quotes, {s.id: s for s in cluster})
        if missing or len({e.locator for e in evidence}) < LEAST:
            return None
        words = await worded(self.embedder, self.egress, caller, owner, said.statement)
        return Stating(cluster, None, words, with_rest(evidence, cluster, said.statement), Made.MODEL, held=False)


def _owners(standing: Standing, team_id: str | None) -> list[int]:
    if team_id is not None:
        team = team_of(standing, team_id).team
        must(may_write_team(standing, team.id))
        return [team.id]
    account = account_for(standing)
    return sorted({standing.reader.id, *(() if account is None else (account.id,))})
