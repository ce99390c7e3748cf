"""The memories of an account, as the second source has them: list, write, change, delete. Built on the verbs of memory."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from whoknows.domain.credential import Caller
from whoknows.domain.evidence import SourceKind
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Category, Draft, Filters, Memory, Patch, State
from whoknows.domain.principal import Principal
from whoknows.errors import Invalid, NotFound, VersionConflict
from whoknows.flows.account import account_named
from whoknows.flows.capture import Capture, IdempotencyKey
from whoknows.flows.change import Change
from whoknows.flows.forget import Forget, Forgotten
from whoknows.flows.limits import Limits, label
from whoknows.flows.writing import Outcome
from whoknows.policy.accounts import account_scope
from whoknows.ports import Page, Store, Tx

_ATTEMPTS = 3
"""An edit that names no version is of the present one; somebody else may be editing at the same moment."""


@dataclass(frozen=True, slots=True)
class AccountMemory:
    """A memory of an account, and when a context last held it."""

    memory: Memory
    last_used: datetime | None

    @property
    def message(self) -> str | None:
        """The message that it was taken from."""
        return next((e.locator for e in self.memory.evidence if e.source_kind is SourceKind.MESSAGE), None)


@dataclass(frozen=True, slots=True)
class NewAccountMemory:
    """``project_id`` None: a general memory of the user."""

    content: str
    category: Category
    project_id: str | None = None
    title: str | None = None
    tags: tuple[str, ...] = ()
    message: str | None = None


@dataclass(frozen=True, slots=True)
class AccountChange:
    """An edit of the text fields that ``patch`` names, and where ``archived`` is given, of that.

    ``scope`` and ``project_id`` may be said again, as they are.
    """

    patch: Patch
    archived: bool | None = None
    version: int | None = None
    scope: str | None = None
    project_id: str | None = None


@dataclass(frozen=True, slots=True)
class AccountMemories:
    """Account memory alone: what the same caller may read elsewhere is not here, and another account's is absent."""

    store: Store
    capture: Capture
    change: Change
    forget: Forget
    limits: Limits

    async def list(
        self, caller: Caller, filters: Filters, limit: int, cursor: str | None, account: str | None = None
    ) -> Page[AccountMemory]:
        """Newest first; archived ones only where ``filters.state`` says so."""
        label(filters.project_id, self.limits.label, "projectId")
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            account_named(standing, account)
            narrowed = replace(filters, state=filters.state or State.ACTIVE)
            page = await tx.memories.page(account_scope(standing), narrowed, min(limit, self.limits.page), cursor)
            return Page(await told_memories(tx, page.items), page.next_cursor)

    async def write(
        self, caller: Caller, new: NewAccountMemory, account: str | None = None, idempotency: IdempotencyKey | None = None
    ) -> tuple[Outcome, AccountMemory]:
        """Through the gate, like every write. The same words again are the same memory."""
        async with self.store.read(caller) as tx:
            owner = account_named(await tx.directory.standing(), account)
        label(new.message, self.limits.label, "sourceMessageId")
        label(new.project_id, self.limits.label, "projectId")
        draft = Draft(
            content=new.content,
            account=owner.name,
            category=new.category,
            title=new.title,
            tags=new.tags,
            project_id=new.project_id,
            source=None if new.message is None else f"{SourceKind.MESSAGE}:{new.message}",
        )
        outcome = await self.capture(caller, draft, idempotency, "master-agent/memories")
        async with self.store.read(caller) as tx:
            (told,) = await told_memories(tx, [outcome.memory])
        return outcome, told

    async def edit(self, caller: Caller, memory: MemoryId, change: AccountChange, account: str | None = None) -> AccountMemory:
        """Text and archive together. Scope and project never change: write it anew there, and delete it here."""
        if not change.patch.named and change.archived is None:
            raise Invalid("nothing to change: name at least one field")
        state = None if change.archived is None else (State.ARCHIVED if change.archived else State.ACTIVE)
        for attempt in range(_ATTEMPTS):
            now = await self.get(caller, memory, account)
            _stays(now.memory, change)
            version = now.memory.version if change.version is None else change.version
            try:
                if change.patch.named:
                    await self.change.edit(caller, memory, version, change.patch, state)
                elif state is not None:
                    await self.change.set_state(caller, memory, state, change.version)
                break
            except VersionConflict:
                if change.version is not None or attempt == _ATTEMPTS - 1:
                    raise
        return await self.get(caller, memory, account)

    async def get(self, caller: Caller, memory: MemoryId, account: str | None = None) -> AccountMemory:
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            account_named(standing, account)
            found = await tx.memories.get(account_scope(standing), memory)
            if found is None:
                raise NotFound("there is no such memory")
            (told,) = await told_memories(tx, [found])
            return told

    async def delete(
        self, caller: Caller, memory: MemoryId, version: int | None = None, account: str | None = None
    ) -> Forgotten:
        await self.get(caller, memory, account)
        return await self.forget(caller, memory, version)


def _stays(memory: Memory, change: AccountChange) -> None:
    scope = "global" if memory.project_id is None else "project"
    if change.scope not in (None, scope) or change.project_id not in (None, memory.project_id):
        field = "projectId" if change.project_id not in (None, memory.project_id) else "scope"
        raise Invalid("a memory stays in its project: write it anew there, and delete it here", field=field)


async def told_memories(tx: Tx, memories: Sequence[Memory]) -> Sequence[AccountMemory]:
    """Each with when a context last held it."""
    standing = await tx.directory.standing()
    scope = account_scope(standing)
    owners: list[Principal] = [standing.reader, *(m.audience.owner for m in memories)]
    used = await tx.context.last_used(scope, [m.id for m in memories], list({p.id for p in owners})) if memories else {}
    return [AccountMemory(m, used.get(m.id)) for m in memories]
