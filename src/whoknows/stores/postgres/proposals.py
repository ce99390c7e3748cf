"""The proposals gateway: experiences within the scope, and what members decided about them."""

from collections.abc import Sequence

from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.memory import Category
from whoknows.domain.proposal import CATEGORIES, Experience, ProposalDecision, ProposalId, ProposalState
from whoknows.domain.source import SourceId
from whoknows.gate.cluster import NEAR
from whoknows.policy.standing import ReadScope
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.observations import statement
from whoknows.stores.postgres.parameters import scoped
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("proposals")


class PostgresProposals:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def experiences(self, scope: ReadScope, most: int) -> Sequence[Experience]:
        params = scoped(scope) | {"categories": [str(c) for c in CATEGORIES], "most": most, "least": NEAR}
        found = [_experience(r) for r in await self._sql.all(_SQL["experiences"], params)]
        return sorted(found, key=lambda e: e.statement.id)

    async def decisions(self, scope: ReadScope, proposal: ProposalId | None = None) -> Sequence[ProposalDecision]:
        return [_decision(r) for r in await self._sql.all(_SQL["decisions"], scoped(scope) | {"id": proposal})]

    async def writable(self, audiences: Sequence[AudienceId]) -> bool:
        row = await self._sql.one(_SQL["writable"], {"ids": list(audiences)})
        return row is not None and bool(row["all_of_them"])

    async def reserve(
        self, proposal: ProposalId, sources: Sequence[MemoryId], source: SourceId, path: str, branch: str
    ) -> None:
        params = {"id": proposal, "sources": sorted(sources), "source": source, "path": path, "branch": branch}
        await self._sql.run(_SQL["reserve"], params)

    async def reject(self, proposal: ProposalId, sources: Sequence[MemoryId], reason: str | None) -> None:
        await self._sql.run(_SQL["reject"], {"id": proposal, "sources": sorted(sources), "reason": reason})

    async def settle(self, proposal: ProposalId, commit: str | None) -> None:
        await self._sql.run(_SQL["settle"], {"id": proposal, "commit": commit})


def _experience(r: rows.Row) -> Experience:
    said_in = {f"message {m}" for m in r["messages"]}
    said_in |= {f"session {r['session_id']}"} if r["session_id"] is not None else set()
    said_in |= {f"batch {r['batch_id']}"} if r["batch_id"] is not None else set()
    return Experience(
        statement=statement(r),
        category=Category(r["category"]),
        project_id=r["project_id"],
        author=rows.principal(r["author"]),
        created_at=r["created_at"],
        said_in=frozenset(said_in),
        near=frozenset(MemoryId(n) for n in r["near"]),
    )


def _decision(r: rows.Row) -> ProposalDecision:
    return ProposalDecision(
        id=ProposalId(r["proposal_id"]),
        state=ProposalState(r["state"]),
        sources=frozenset(MemoryId(s) for s in r["sources"]),
        decided_by=rows.principal(r["decided_by"]),
        at=r["decided_at"],
        reason=r["reason"],
        repository=r["repository"],
        path=r["path"],
        branch=r["branch"],
        commit=r["commit_hash"],
    )
