"""Answers about workplaces: where programs work, where a directory is routed, how far a project is connected, and what came."""

from whoknows.domain.harness import HookEvent, Outcome, Placed, StageChange, Workplace
from whoknows.domain.harness_report import Amount, HarnessReport, StageReport
from whoknows.flows.stages import StageNow
from whoknows.harness.wording import MISSING, SUGGESTIONS
from whoknows.policy.stages import Need
from whoknows.rest import correction_answers
from whoknows.rest.answers import Json
from whoknows.rest.errors import finding


def workplace(w: Workplace) -> Json:
    return {
        "program": w.program,
        "machine": w.machine,
        "directory": w.directory,
        "project_id": w.project_id,
        "registered_at": w.registered_at,
    }


def routed(p: Placed) -> Json:
    return {
        "project_id": p.project_id,
        "directory": p.directory,
        "stage": p.stage,
        "team_id": None if p.team is None else p.team.name,
        "account": None if p.account is None else p.account.name,
    }


def stage(s: StageNow) -> Json:
    return {
        "project_id": s.project_id,
        "stage": s.stage,
        "since": s.history[0].at if s.history else None,
        "history": [_change(c) for c in s.history],
        "next": None if s.following is None else {"stage": s.following, "needs": [_need(n) for n in s.needs]},
        "findings": [finding(f) for f in s.findings],
    }


def _change(c: StageChange) -> Json:
    return {"stage": c.stage, "before": c.before, "changed_by": c.changed_by.space, "at": c.at, "reason": c.reason}


def _need(n: Need) -> Json:
    return {"need": n.need, "met": n.met, "blocks": n.blocks, "detail": n.detail}


def report(r: HarnessReport) -> Json:
    return {
        "project_id": r.project_id,
        "since": r.begin,
        "until": r.end,
        "stage": r.stage,
        "stage_since": r.since,
        "workplaces": r.workplaces,
        "stages": [_figures(s) for s in r.stages],
        "corrections": None if r.corrections is None else correction_answers.summary(r.weeks, r.corrections),
        "floor": r.floor,
        "suggestion": _suggestion(r),
        "missing": [{"code": m, "detail": MISSING[m].of("en", stage=r.stage)} for m in r.missing],
    }


def _suggestion(r: HarnessReport) -> Json:
    said = r.suggestion
    return {
        "stage": said.to,
        "because": said.because,
        "values": said.values,
        "detail": SUGGESTIONS[said.because].of("en", **said.values),
    }


def _figures(s: StageReport) -> Json:
    m = s.measures
    return {
        "stage": s.stage,
        "first": m.first,
        "last": m.last,
        "sessions": m.sessions,
        "events": s.count(),
        "prompts": s.count(event=HookEvent.PROMPT),
        "injected": s.count(outcome=Outcome.INJECTED),
        "empty": s.count(outcome=Outcome.NOTHING),
        "captured": s.count(outcome=Outcome.CAPTURED),
        "skipped": s.reasons(Outcome.SKIPPED),
        "failed": s.reasons(Outcome.FAILED),
        "degraded": s.degraded,
        "programs": s.programs,
        "memories": _amount(m.memories),
        "characters": _amount(m.characters),
        "tokens": _amount(m.tokens),
        "scores": None
        if m.scores is None
        else {
            "lowest": round(m.scores.lowest, 4),
            "median": round(m.scores.median, 4),
            "highest": round(m.scores.highest, 4),
        },
        "latency": {"p50": round(m.latency.p50, 2), "p95": round(m.latency.p95, 2)},
        "captures": {
            "exchanges": s.captured.exchanges,
            "waiting": s.captured.waiting,
            "nothing": s.captured.nothing,
            "facts": s.captured.facts,
            "skipped": s.captured.skipped,
        },
    }


def _amount(a: Amount) -> Json:
    return {"total": a.total, "prompt_median": a.median, "prompt_p95": a.p95}
