"""The gateway of reports about harnesses."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from whoknows.domain.harness import HookEvent, Outcome, Program, Stage
from whoknows.domain.harness_report import Amount, Heard, Latency, Measures, Scores, Tally
from whoknows.domain.hook_exchange import message_number
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("harness_reports")


class PostgresHarnessReports:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def turns(self, project: str, stage: Stage, since: datetime | None) -> int:
        row = await self._sql.one(_SQL["turns"], {"project": project, "stage": str(stage), "since": since})
        return 0 if row is None else row["n"]

    async def tallies(self, project: str, begin: datetime, end: datetime) -> Sequence[Tally]:
        return [
            Tally(
                Stage(r["stage"]), Program(r["program"]), HookEvent(r["event"]), Outcome(r["outcome"]), r["reason"], r["events"]
            )
            for r in await self._sql.all(_SQL["tallies"], _span(project, begin, end))
        ]

    async def measures(self, project: str, begin: datetime, end: datetime) -> Sequence[Measures]:
        return [_measures(r) for r in await self._sql.all(_SQL["measures"], _span(project, begin, end))]

    async def captured(self, project: str, begin: datetime, end: datetime, limit: int) -> Sequence[tuple[Stage, str]]:
        found = await self._sql.all(_SQL["captured"], {**_span(project, begin, end), "limit": limit})
        return [(Stage(r["stage"]), message_number(Program(r["program"]), r["session_id"], r["turn_id"])) for r in found]

    async def heard(self, messages: Sequence[str]) -> Sequence[Heard]:
        found = await self._sql.all(_SQL["heard"], {"messages": list(messages)})
        return [Heard(r["message_id"], r["kept"], r["skipped"]) for r in found]


def _span(project: str, begin: datetime, end: datetime) -> dict[str, Any]:
    return {"project": project, "begin": begin, "end": end}


def _measures(row: rows.Row) -> Measures:
    scored = row["top_score"] is not None
    return Measures(
        stage=Stage(row["stage"]),
        first=row["first"],
        last=row["last"],
        sessions=row["sessions"],
        memories=Amount(row["memories"], *row["memories_of"]),
        characters=Amount(row["characters"], *row["characters_of"]),
        tokens=Amount(row["tokens"], *row["tokens_of"]),
        scores=Scores(row["lowest_score"], row["median_score"], row["top_score"]) if scored else None,
        latency=Latency(*row["took_ms"]),
    )
