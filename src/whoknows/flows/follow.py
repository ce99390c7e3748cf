"""Follow: the stream of events that a reader may know of, and the traces of its questions."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass, replace
from typing import Any, cast
from uuid import UUID

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId, TraceId
from whoknows.domain.trace import Trace
from whoknows.errors import NotFound, PermissionMissing
from whoknows.policy.standing import scope_for
from whoknows.ports import EventRow, Store

_PAGE = 200


@dataclass(frozen=True, slots=True)
class Follow:
    store: Store

    async def events(self, caller: Caller, last_event: UUID | None) -> AsyncGenerator[EventRow | None]:
        """Events after ``last_event`` (or from now on) as they are committed, on any instance; None as a sign of life.

        Standing and key are checked again for every event; the stream ends when the key is revoked or expires.
        """
        async with self.store.read(caller) as tx:
            await tx.directory.standing()  # a key that acts as nobody has nothing to follow
            position = await tx.records.position(last_event)
        async for _ in self.store.changes(caller.credential.tenant_id):
            sent = 0
            while True:
                try:
                    async with self.store.read(caller) as tx:
                        standing = await tx.directory.standing()
                        # One event a transaction: between two of them a right may end.
                        events = await tx.records.events_after(scope_for(standing), position, 1)
                except PermissionMissing:  # the key, or who it acts as, has ended
                    return
                if not events:
                    break
                position = events[0].position
                sent += 1
                yield events[0]
            if not sent:
                yield None

    async def trace(self, caller: Caller, trace: TraceId) -> Trace:
        """One's own trace, filtered again by today's standing: what became invisible since is not told of."""
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            found = await tx.records.trace(scope, trace)
            if found is None:
                raise NotFound("there is no such trace")
            named = _ids(found.body)
            visible = {str(m) for m in await tx.records.visible(scope, [MemoryId(UUID(i)) for i in named])}
            return replace(found, body=_without(found.body, named - visible))


def memories_of(trace: Trace) -> list[MemoryId]:
    """Those that a trace names, anywhere."""
    return [MemoryId(UUID(i)) for i in sorted(_ids(trace.body))]


def _ids(value: Any) -> set[str]:
    """All memory ids of a trace's body: they stand under the key ``id``."""
    found: set[str] = set()
    for part in _parts(value):
        found |= _ids(part)
    identity = cast(dict[str, Any], value).get("id") if isinstance(value, dict) else None
    return found | {identity} if isinstance(identity, str) else found


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(cast(dict[str, Any], value).values())
    return cast(list[Any], value) if isinstance(value, list) else []


def _without(value: Any, hidden: set[str]) -> Any:
    """``value`` without the entries about ``hidden`` memories."""
    if isinstance(value, dict):
        return {k: None if _about(v) in hidden else _without(v, hidden) for k, v in cast(dict[str, Any], value).items()}
    if isinstance(value, list):
        return [_without(v, hidden) for v in cast(list[Any], value) if _about(v) not in hidden]
    return value


def _about(value: Any) -> str | None:
    return cast(dict[str, Any], value).get("id") if isinstance(value, dict) else None
