"""Answers about distillations, in camelCase."""

from whoknows.domain.distillation import Distillation, Undone
from whoknows.flows.distill_report import Distilled
from whoknows.flows.distillations import DistillingOf
from whoknows.rest.answers import Json
from whoknows.rest.errors import finding
from whoknows.rest.master_answers import memory


def distilled(d: Distilled) -> Json:
    return {"batchId": d.batch, "mode": _mode(d.by_model), "kept": _kept(d), "skipped": _skipped(d)}


def batch(d: Distillation) -> Json:
    return {
        "batchId": d.id,
        "projectId": d.project_id,
        "automatic": d.conversation is not None,
        "conversationId": d.conversation,
        "mode": _mode(d.by_model),
        "madeBy": d.made_by.space,
        "at": d.at,
        "undoneAt": d.undone_at,
        "heard": d.heard,
        "kept": d.kept,
    }


def whole(d: Distillation, told: Distilled) -> Json:
    return {**batch(d), "facts": _kept(told), "skipped": _skipped(told)}


def undone(u: Undone) -> Json:
    return {"deleted": u.deleted, "restored": u.restored, "released": u.released}


def settings(s: DistillingOf) -> Json:
    return {
        "account": s.account,
        "projectId": s.project_id,
        "automatic": s.distilling.automatic,
        "ofAccount": s.distilling.account,
        "ofProject": s.distilling.project,
    }


def _mode(by_model: bool) -> str:
    return "model" if by_model else "rules"


def _kept(d: Distilled) -> list[Json]:
    return [
        {
            "outcome": k.became,
            "memory": memory(k.memory),
            "quote": k.quote,
            "messageId": k.message_id,
            "findings": [finding(f) for f in k.findings],
        }
        for k in d.kept
    ]


def _skipped(d: Distilled) -> list[Json]:
    return [
        {"messageId": s.message_id, "why": s.why, "memoryId": s.memory, "findings": [finding(f) for f in s.findings]}
        for s in d.skipped
    ]
