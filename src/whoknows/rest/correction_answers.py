"""Answers about corrections."""

from whoknows.domain.correction import Comparison, Correction, Period, Repeated
from whoknows.flows.corrections import Recorded
from whoknows.rest import answers
from whoknows.rest.answers import Json
from whoknows.rest.errors import finding


def correction(c: Correction) -> Json:
    return {
        "id": c.id,
        "bank": c.owner.space,
        "author": c.author.space,
        "text": c.text,
        "subject": c.subject,
        "project_id": c.project_id,
        "harness": c.harness,
        "about": c.about,
        "memory": c.memory,
        "at": c.at,
        "recorded_at": c.recorded_at,
    }


def recorded(r: Recorded) -> Json:
    return {
        "correction": correction(r.correction),
        "outcome": None if r.outcome is None else r.outcome.outcome,
        "memory": None if r.outcome is None else answers.memory(r.outcome.memory),
        "findings": [finding(f) for f in r.findings],
    }


def summary(weeks: int, compared: Comparison) -> Json:
    before, after = compared.before, compared.after
    change = len(after.repeated) - len(before.repeated)
    return {"weeks": weeks, "before": _period(before), "after": _period(after), "change": change}


def _period(p: Period) -> Json:
    return {
        "begin": p.begin,
        "end": p.end,
        "corrections": p.corrections,
        "things": p.things,
        "repeated": [_repeated(r) for r in p.repeated],
        "complete": p.complete,
    }


def _repeated(r: Repeated) -> Json:
    return {
        "subject": r.subject,
        "about": r.about,
        "text": r.text,
        "bank": r.owner.space,
        "count": r.count,
        "weeks": dict(r.weeks),
        "first": r.first,
        "last": r.last,
        "corrections": r.corrections,
    }
