"""The jobs gateway: completing accepted writes, and sweeping, as the jobs role."""

from collections.abc import Sequence
from datetime import timedelta

from whoknows.domain.conversation import ConversationId, MessageId
from whoknows.domain.distillation import ClaimedTurn
from whoknows.domain.egress import Endpoint
from whoknows.domain.ids import CredentialId, MemoryId, PrincipalId, TenantId
from whoknows.domain.principal import Kind, Principal
from whoknows.ports import DueEvidence, IndexTerms, Looked, PendingEmbedding, Vector
from whoknows.stores.postgres import citations
from whoknows.stores.postgres.hook_turns import PostgresHookJobs
from whoknows.stores.postgres.observation_jobs import PostgresObservationJobs
from whoknows.stores.postgres.parameters import halfvecs
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("jobs")


class PostgresJobs:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql
        self.observations = PostgresObservationJobs(sql)
        self.hooks = PostgresHookJobs(sql)

    async def pending(self, memory: MemoryId) -> PendingEmbedding | None:
        row = await self._sql.one(_SQL["pending"], {"id": memory})
        if row is None:
            return None
        bank = PrincipalId(row["owner_id"])
        return PendingEmbedding(memory, row["version"], row["title"], row["content"], bank, row["kept_back"], row["unindexed"])

    async def requeue(self) -> int:
        row = await self._sql.one(_SQL["requeue"])
        return 0 if row is None else row["n"]

    async def release(self) -> None:
        await self._sql.run(_SQL["release"])

    async def note_egress(self, endpoint: Endpoint, memories: Sequence[MemoryId]) -> None:
        params = {"purpose": str(endpoint.purpose), "host": endpoint.host, "model": endpoint.model, "ids": list(memories)}
        await self._sql.run(_SQL["note_egress"], params)

    async def complete(self, memory: MemoryId, version: int, vectors: Sequence[Vector]) -> bool:
        params = {"id": memory, "version": version, "vectors": halfvecs(vectors)}
        row = await self._sql.one(_SQL["complete"], params)
        return row is not None and row["done"]

    async def index_again(self, memory: MemoryId, version: int, index: IndexTerms) -> None:
        params = {"id": memory, "version": version, "terms": list(index.terms), "frequencies": list(index.frequencies)}
        await self._sql.run(_SQL["index_again"], params | {"length": index.length, "wide": index.wide})

    async def failed(self, memory: MemoryId, fault: str) -> None:
        await self._sql.run(_SQL["failed"], {"id": memory, "fault": fault})

    async def sweep(self, most: int) -> int:
        row = await self._sql.one(_SQL["sweep"], {"most": most})
        return 0 if row is None else row["n"]

    async def sweep_tasks(self) -> int:
        row = await self._sql.one(_SQL["sweep_tasks"])
        return 0 if row is None else row["n"]

    async def sweep_old(self, keep_days: int) -> None:
        await self._sql.run(_SQL["sweep_traces"], {"days": keep_days})
        await self._sql.run(_SQL["sweep_events"], {"days": keep_days})
        await self._sql.run(_SQL["sweep_sessions"])
        await self._sql.run(_SQL["sweep_keys"])
        await self._sql.run(_SQL["sweep_ledger"], {"days": 3 * keep_days})
        await self._sql.run(_SQL["sweep_handover"], {"days": keep_days})
        await self._sql.run(_SQL["sweep_hooks"], {"days": 3 * keep_days})

    async def sweep_departed(self, grace_days: int) -> int:
        row = await self._sql.one(_SQL["sweep_departed"], {"days": grace_days})
        return 0 if row is None else row["n"]

    async def cached(self, key: str) -> Sequence[float] | None:
        row = await self._sql.one(_SQL["cached"], {"key": key})
        return None if row is None else row["value"]

    async def cache(self, key: str, value: Sequence[float]) -> None:
        await self._sql.run(_SQL["cache"], {"key": key, "value": list(value)})

    async def settle_publications(self, most: int) -> int:
        row = await self._sql.one(_SQL["settle_publications"], {"most": most})
        return 0 if row is None else row["n"]

    async def due_evidence(self, most: int) -> Sequence[DueEvidence]:
        return await citations.due(self._sql, most)

    async def mark_evidence(self, looked: Sequence[Looked]) -> int:
        return await citations.mark(self._sql, looked)

    async def claim_turns(
        self, lease: timedelta, most: int, tries: int, after: PrincipalId | None = None
    ) -> Sequence[ClaimedTurn]:
        params = {"lease": lease, "most": most, "tries": tries, "after": after or 0}
        found = await self._sql.all(_SQL["claim_turns"], params)
        return [
            ClaimedTurn(
                message=MessageId(r["message_id"]),
                claim=r["claim"],
                tenant=TenantId(r["tenant_id"]),
                account=PrincipalId(r["account_id"]),
                credential=CredentialId(r["credential_id"]),
                conversation=ConversationId(r["conversation_id"]),
                project_id=r["project_id"],
                asked_by=Principal(PrincipalId(r["principal_id"]), Kind(r["kind"]), r["name"]),
            )
            for r in found
        ]

    async def renew_turns(self, turns: Sequence[ClaimedTurn], lease: timedelta) -> None:
        await self._sql.run(_SQL["renew_turns"], {"claims": [t.claim for t in turns], "lease": lease})

    async def put_off_turn(self, turn: ClaimedTurn, for_good: bool) -> None:
        await self._sql.run(_SQL["put_off_turn"], {"message": turn.message, "claim": turn.claim, "for_good": for_good})

    async def settle_events(self) -> None:
        await self._sql.run(_SQL["settle_events"])
        await self._sql.run(_SQL["settle_stage"])
