"""Distillations as they are listed, read and undone, and whether turns of chat are distilled by themselves."""

from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.domain.distillation import BatchId, Distillation, Distilling, Undone
from whoknows.errors import NotFound
from whoknows.flows.account import account_named
from whoknows.flows.distill_report import Distilled, told_again
from whoknows.flows.limits import Limits, label
from whoknows.ports import Page, Store


@dataclass(frozen=True, slots=True)
class DistillingOf:
    """Whose word it is, and for which project (None: all of the account's)."""

    account: str
    project_id: str | None
    distilling: Distilling


@dataclass(frozen=True, slots=True)
class Distillations:
    """Of one account: the member's own, and for a main agent those of the member that it works for."""

    store: Store
    limits: Limits

    async def list(self, caller: Caller, limit: int, cursor: str | None, account: str | None = None) -> Page[Distillation]:
        """Those that kept something, or were undone, newest first."""
        async with self.store.read(caller) as tx:
            account_named(await tx.directory.standing(), account)
            return await tx.distillations.page(min(limit, self.limits.page), cursor)

    async def get(self, caller: Caller, batch: BatchId, account: str | None = None) -> tuple[Distillation, Distilled]:
        async with self.store.read(caller) as tx:
            account_named(await tx.directory.standing(), account)
            told = await told_again(tx, batch)
            made = await tx.distillations.get(batch)
            if made is None:
                raise NotFound("there is no such distillation")
            return made, told

    async def undo(self, caller: Caller, batch: BatchId, account: str | None = None) -> Undone:
        """What it wrote goes, and what that had overturned is current again. Nothing more the second time."""
        async with self.store.write(caller) as tx:
            account_named(await tx.directory.standing(), account)
            undone = await tx.distillations.undo(batch)
            if undone is None:
                raise NotFound("there is no such distillation")
            return undone

    async def settings(self, caller: Caller, project_id: str | None, account: str | None = None) -> DistillingOf:
        label(project_id, self.limits.label, "projectId")
        async with self.store.read(caller) as tx:
            owner = account_named(await tx.directory.standing(), account)
            return DistillingOf(owner.name, project_id, await tx.distillations.distilling(project_id))

    async def set(
        self, caller: Caller, project_id: str | None, automatic: bool | None, account: str | None = None
    ) -> DistillingOf:
        """For a project, or for the whole account. None takes the word back: then what stands above it holds."""
        label(project_id, self.limits.label, "projectId")
        self.limits.redaction.names(projectId=project_id)
        async with self.store.write(caller) as tx:
            owner = account_named(await tx.directory.standing(), account)
            await tx.distillations.set_distilling(project_id, automatic)
            return DistillingOf(owner.name, project_id, await tx.distillations.distilling(project_id))
