"""The gateway of reports about harnesses: figures of the caller's account, and no texts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from whoknows.domain.harness import Stage
from whoknows.domain.harness_report import Heard, Measures, Tally


class HarnessReports(Protocol):
    """``begin`` belongs to a span, ``end`` does not."""

    async def turns(self, project: str, stage: Stage, since: datetime | None) -> int:
        """How many events there were in ``stage`` since then."""
        ...

    async def tallies(self, project: str, begin: datetime, end: datetime) -> Sequence[Tally]: ...
    async def measures(self, project: str, begin: datetime, end: datetime) -> Sequence[Measures]: ...

    async def captured(self, project: str, begin: datetime, end: datetime, limit: int) -> Sequence[tuple[Stage, str]]:
        """The number of the message of each exchange that was captured, the newest first."""
        ...

    async def heard(self, messages: Sequence[str]) -> Sequence[Heard]:
        """What distillation made of messages with these numbers, for the caller's account."""
        ...
