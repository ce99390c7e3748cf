"""Summarize corrections: what was put right at least twice, in the weeks before a moment and after it."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta

from whoknows.domain.correction import Comparison
from whoknows.domain.credential import Caller
from whoknows.errors import Invalid
from whoknows.flows.limits import Limits, label
from whoknows.flows.nearness import CANDIDATE, Nearness
from whoknows.gate.repeated import period
from whoknows.policy.standing import scope_for
from whoknows.ports import Clock, Store

MOST_CONSIDERED = 1_000
"""Corrections of a summary: a handful a day for half a year."""
MOST_WEEKS = 52


@dataclass(frozen=True, slots=True)
class SummarizeCorrections:
    store: Store
    limits: Limits
    clock: Clock

    async def __call__(self, caller: Caller, weeks: int, at: datetime | None = None, project: str | None = None) -> Comparison:
        """What was corrected at least twice in so many ``weeks`` before ``at``, and in as many after it.

        Without ``at`` those after it are the last ones until now.
        """
        label(project, self.limits.label, "project_id")
        if not 1 <= weeks <= MOST_WEEKS:
            raise Invalid(f"weeks is between 1 and {MOST_WEEKS}", field="weeks")
        span = timedelta(weeks=weeks)
        now = self.clock.now()
        # To the microsecond after now, so that what was recorded just now is in it.
        middle = now + timedelta(microseconds=1) - span if at is None else at
        try:
            begin, end = middle - span, middle + span
        except OverflowError:
            raise Invalid("there is no such time", field="at") from None
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            found = await tx.corrections.between(scope, begin, end, project, MOST_CONSIDERED + 1)
            considered = found[:MOST_CONSIDERED]
            # Subjects decide where both name one: what they say is compared only for the sake of those that do not.
            compared_by_words = considered if any(c.subject is None for c in considered) else ()
            near = await tx.corrections.near(scope, [c.id for c in compared_by_words], CANDIDATE)
        oldest = found[-1].at if len(found) > MOST_CONSIDERED else None

        def compared() -> Comparison:
            nearness = Nearness(considered, near)
            return Comparison(
                period(begin, middle, considered, nearness, oldest is None),
                period(middle, end, considered, nearness, oldest is None or oldest < middle),
            )

        return await asyncio.to_thread(compared)  # the words of a thousand texts: others are answered meanwhile
