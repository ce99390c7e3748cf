"""Oversee: the audit trail, the caller's pending work, and whether the installation answers."""

from dataclasses import dataclass

from whoknows.domain.credential import Caller, Credential
from whoknows.errors import WhoKnowsError
from whoknows.flows.authenticate import administer_as
from whoknows.policy.egress import nobodys
from whoknows.ports import AuditRow, Embedder, Page, Store


@dataclass(frozen=True, slots=True)
class Oversee:
    store: Store
    embedder: Embedder

    async def audit(self, credential: Credential, limit: int, cursor: str | None) -> Page[AuditRow]:
        """Newest first: all of the tenant with ``audit``, otherwise only what concerns the caller."""
        async with self.store.read(administer_as(credential)) as tx:
            return await tx.records.audit(limit, cursor)

    async def pending(self, caller: Caller) -> int:
        """How many of the caller's own writes still wait for their vectors."""
        async with self.store.read(caller) as tx:
            return await tx.records.pending_embeddings()

    async def ready(self) -> bool:
        """Whether the database and the embedder answer."""
        if not await self.store.answers():
            return False
        try:
            return len(await self.embedder.embed_question(nobodys("ready"))) == self.embedder.dimensions
        except WhoKnowsError:
            return False
