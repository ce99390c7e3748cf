"""The ledger: what a caller wanted written and what did not go in, with the reason and without the text (rules W10)."""

import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.domain.ids import uuid7
from whoknows.errors import Finding, Forbidden, RefusedByGate, Unauthenticated, WhoKnowsError
from whoknows.gate.redact import redact
from whoknows.ports import Failure, Page, Store

_LOG = logging.getLogger("whoknows.ledger")
_DETAIL = 500


@dataclass(frozen=True, slots=True)
class Ledger:
    store: Store

    @asynccontextmanager
    async def kept(self, caller: Caller, route: str) -> AsyncGenerator[None]:
        """What is raised within is noted, and raised."""
        try:
            yield
        except WhoKnowsError as fault:
            await self.add(caller, route, [fault])
            raise

    async def add(self, caller: Caller, route: str, faults: Sequence[WhoKnowsError]) -> None:
        """In a transaction of its own: the failed one is undone. A database that is away leaves a line in the log."""
        noted = [f for f in faults if not isinstance(f, Unauthenticated)]
        if not noted or caller.principal is None or caller.seen_as:
            return
        try:
            async with self.store.write(caller) as tx:
                await tx.gate.fail([_failure(route, f) for f in noted])
        except WhoKnowsError as again:
            _LOG.warning("%s: %d failed writes could not be noted (%s)", route, len(noted), again.code)

    async def page(self, caller: Caller, limit: int, cursor: str | None) -> Page[Failure]:
        """The caller's own, newest first."""
        async with self.store.read(caller) as tx:
            return await tx.gate.ledger(limit, cursor)


def _failure(route: str, fault: WhoKnowsError) -> Failure:
    findings: tuple[Finding, ...] = fault.findings if isinstance(fault, RefusedByGate) else ()
    code = fault.reason_code if isinstance(fault, Forbidden) else fault.code
    # A fault may repeat a name that somebody gave, and a name that is refused may hold a secret.
    return Failure(uuid7(), route, code, redact(fault.detail).text[:_DETAIL], findings)
