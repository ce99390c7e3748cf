"""Harness report: what programs got from memory in a project, stage by stage, so that a person decides on the next step."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from whoknows.domain.correction import Comparison
from whoknows.domain.credential import Caller
from whoknows.domain.harness import HookEvent, Outcome, Stage, StageChange
from whoknows.domain.harness_report import Captured, HarnessReport, Missing, StageReport, Suggestion
from whoknows.errors import Invalid
from whoknows.flows.limits import Limits, label
from whoknows.flows.summarize_corrections import MOST_WEEKS, SummarizeCorrections
from whoknows.policy.suggesting import Brought, suggested
from whoknows.ports import Clock, Store, Tx
from whoknows.recall.floor import DEFAULT_FLOOR

SPAN = timedelta(weeks=4)
"""What is looked at where nobody says since when."""
MOST_EXCHANGES = 5_000
"""Captured exchanges of a report, the newest."""
_WEEK = timedelta(weeks=1)


@dataclass(frozen=True, slots=True)
class ReportHarness:
    store: Store
    limits: Limits
    clock: Clock
    corrections: SummarizeCorrections

    async def __call__(
        self, caller: Caller, project: str, begin: datetime | None = None, end: datetime | None = None
    ) -> HarnessReport:
        """Until now and four weeks back where nothing is said. Figures of the caller's account alone, and never a text."""
        label(project, self.limits.label, "project_id")
        # To the microsecond after now, so that what came just now is in it.
        end = self.clock.now() + timedelta(microseconds=1) if end is None else end
        try:
            begin = end - SPAN if begin is None else begin
        except OverflowError:
            raise Invalid("there is no such time", field="until") from None
        if begin >= end:
            raise Invalid("the span ends before it begins", field="since")
        async with self.store.read(caller) as tx:
            history = await tx.workplaces.changes(project, 1)
            workplaces = await tx.workplaces.connected(project)
            stages = await _stages(tx, project, begin, end)
        now = history[0] if history else None
        stage = Stage.OFF if now is None else now.stage
        compared, weeks = await self._corrections(caller, project, now)
        return HarnessReport(
            project_id=project,
            begin=begin,
            end=end,
            stage=stage,
            since=None if now is None else now.at,
            workplaces=workplaces,
            stages=stages,
            corrections=compared,
            weeks=weeks,
            floor=DEFAULT_FLOOR,
            suggestion=_suggestion(stage, workplaces, stages, compared),
            missing=_missing(stage, workplaces, stages),
        )

    async def _corrections(self, caller: Caller, project: str, now: StageChange | None) -> tuple[Comparison | None, int]:
        """Whole weeks, so many that all since the present stage began is in them."""
        if now is None:
            return None, 0
        weeks = min(MOST_WEEKS, max(1, -((now.at - self.clock.now()) // _WEEK)))
        return await self.corrections(caller, weeks, now.at, project), weeks


async def _stages(tx: Tx, project: str, begin: datetime, end: datetime) -> tuple[StageReport, ...]:
    tallies = await tx.harness_reports.tallies(project, begin, end)
    measures = {m.stage: m for m in await tx.harness_reports.measures(project, begin, end)}
    captured = await _captured(tx, project, begin, end)
    return tuple(
        StageReport(s, measures[s], tuple(t for t in tallies if t.stage is s), captured.get(s, Captured()))
        for s in Stage
        if s in measures
    )


async def _captured(tx: Tx, project: str, begin: datetime, end: datetime) -> dict[Stage, Captured]:
    exchanges = await tx.harness_reports.captured(project, begin, end, MOST_EXCHANGES)
    # Of an exchange both are heard, what was asked and what was answered.
    of = {name: number for _, number in exchanges for name in (number, f"{number}:answer")}
    heard = await tx.harness_reports.heard(list(of)) if of else ()
    found: dict[Stage, Captured] = {}
    for stage in Stage:
        mine = {number for s, number in exchanges if s is stage}
        theirs = [h for h in heard if of[h.message] in mine]
        kept = {of[h.message] for h in theirs if h.kept is not None}
        done = {of[h.message] for h in theirs}
        found[stage] = Captured(
            exchanges=len(mine),
            waiting=len(mine - done),
            nothing=len(done - kept),
            facts=Counter(h.kept for h in theirs if h.kept is not None),
            skipped=Counter(h.skipped for h in theirs if h.skipped is not None),
        )
    return found


def _suggestion(stage: Stage, workplaces: int, stages: Sequence[StageReport], compared: Comparison | None) -> Suggestion:
    before, after = (0, 0) if compared is None else (len(compared.before.repeated), len(compared.after.repeated))
    report = _present(stage, stages)
    if report is None:
        return suggested(Brought(stage, workplaces, DEFAULT_FLOOR, before=before, after=after))
    scores = report.measures.scores
    failed = report.count(event=HookEvent.PROMPT, outcome=Outcome.FAILED)
    left_alone = report.count(event=HookEvent.PROMPT, outcome=Outcome.SKIPPED)
    return suggested(
        Brought(
            stage=stage,
            workplaces=workplaces,
            floor=DEFAULT_FLOOR,
            prompts=report.count(event=HookEvent.PROMPT) - left_alone,
            injected=report.count(event=HookEvent.PROMPT, outcome=Outcome.INJECTED),
            failed=failed + sum(report.degraded.values()),
            p95=report.measures.latency.p95,
            median=None if scores is None else scores.median,
            captured=report.captured.exchanges,
            waiting=report.captured.waiting,
            kept=sum(report.captured.facts.values()),
            before=before,
            after=after,
        )
    )


def _missing(stage: Stage, workplaces: int, stages: Sequence[StageReport]) -> tuple[Missing, ...]:
    missing: list[Missing] = []
    if not workplaces:
        missing.append(Missing.NO_WORKPLACE)
    if stage is Stage.OFF:
        missing.append(Missing.STAGE_OFF)
    present = _present(stage, stages)
    if present is None:
        if stage is not Stage.OFF and workplaces:
            missing.append(Missing.NOTHING_CAME)
        return tuple(missing)
    if stage.recalls and not present.count(event=HookEvent.PROMPT):
        missing.append(Missing.NO_PROMPT)
    elif stage.recalls and not present.count(outcome=Outcome.INJECTED):
        missing.append(Missing.BELOW_FLOOR)
    if stage.captures and not present.count(outcome=Outcome.CAPTURED):
        alone = present.reasons(Outcome.SKIPPED).get("no_account", 0)
        missing.append(Missing.NO_ACCOUNT if alone else Missing.NOTHING_CAPTURED)
    return tuple(missing)


def _present(stage: Stage, stages: Sequence[StageReport]) -> StageReport | None:
    return next((s for s in stages if s.stage is stage), None)
