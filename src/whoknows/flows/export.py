"""Export: everything the caller may read, page by page."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.domain.memory import Filters, Memory, State
from whoknows.flows.read import narrowed_scope
from whoknows.ports import Store

_PAGE = 200


@dataclass(frozen=True, slots=True)
class Export:
    store: Store

    async def __call__(self, caller: Caller) -> AsyncIterator[Memory]:
        """Newest first, in every state that the caller may see. Each page under the standing of its moment."""
        for state in State:
            cursor: str | None = None
            while True:
                async with self.store.read(caller) as tx:
                    standing = await tx.directory.standing()
                    scope, filters = narrowed_scope(standing, Filters(state=state))
                    page = await tx.memories.page(scope, filters, _PAGE, cursor)
                for memory in page.items:
                    yield memory
                if page.next_cursor is None:
                    break
                cursor = page.next_cursor
