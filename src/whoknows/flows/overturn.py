"""Overturn: a memory gives way to another that is there already."""

from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Memory, State
from whoknows.errors import AlreadySuperseded, AudienceDiffers, Invalid
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits, label
from whoknows.flows.must import must
from whoknows.flows.read import seen
from whoknows.policy.rules import may_change, may_overturn
from whoknows.policy.standing import scope_for
from whoknows.ports import Store


@dataclass(frozen=True, slots=True)
class Overturn:
    store: Store
    limits: Limits
    ledger: Ledger

    async def __call__(self, caller: Caller, old: MemoryId, by: MemoryId, reason: str | None) -> Memory:
        """``old`` is superseded by ``by`` (W8), with its sections where it is a document. Repeating it changes nothing.

        Answers ``by``, with what it overturned. Both must be the caller's to change, and have the same audience.
        """
        async with self.ledger.kept(caller, "overturn"):
            return await self._overturned(caller, old, by, reason)

    async def _overturned(self, caller: Caller, old: MemoryId, by: MemoryId, reason: str | None) -> Memory:
        label(reason, self.limits.reason, "reason")
        reason = None if reason is None else self.limits.redaction.clean(reason)
        if old == by:
            raise Invalid("a memory cannot supersede itself", field="by")
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            scope = scope_for(standing)
            before, after = await seen(tx, scope, old), await seen(tx, scope, by)
            must(may_change(standing, after))
            must(may_overturn(standing, before))
            if before.audience.id != after.audience.id:
                raise AudienceDiffers(field="by")
            if before.state is State.SUPERSEDED and old in {m.id for m in await tx.memories.chain(scope, by)}:
                return after
            for memory in (before, after):
                if memory.state is not State.ACTIVE:
                    raise AlreadySuperseded(f"{memory.id} is {memory.state}: only what is current overturns, and is overturned")
            if before.part_of == by or after.part_of == old:
                raise Invalid("a document and its own sections do not overturn each other", field="by")
            if not await tx.memories.overturn(old, by, reason):
                raise AlreadySuperseded("one of the two was superseded at this very moment")
            return await seen(tx, scope, by)
