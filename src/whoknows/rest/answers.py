"""Answers: values of the domain as JSON. Plain dictionaries, written at once, not validated again."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic_core import to_json
from starlette.background import BackgroundTask
from starlette.responses import Response

from whoknows.domain.audience import Layer
from whoknows.domain.credential import Credential
from whoknows.domain.evidence import Evidence
from whoknows.domain.memory import Memory, Origin, Version
from whoknows.domain.principal import Agent, Kind, Member, Principal, Team
from whoknows.domain.publication import PublicationState
from whoknows.domain.trace import Space, Trace, Verdict
from whoknows.flows.explain import Matrix
from whoknows.flows.publishable import Published
from whoknows.flows.read import History
from whoknows.flows.recall import Answered, Recollection
from whoknows.flows.writing import Outcome
from whoknows.ports import AuditRow, EventRow
from whoknows.rest.errors import finding

Json = dict[str, Any]


def answer(
    content: Any, status: int = 200, headers: Mapping[str, str] | None = None, background: BackgroundTask | None = None
) -> Response:
    """``content`` as JSON; times come out in RFC 3339, identifiers and enumerations as strings.

    ``background`` is done when the answer is out.
    """
    return Response(to_json(content), status, headers, "application/json", background)


def deleted(count: int = 1) -> Response:
    return answer({"deleted": count})


def listed(items: list[Json], next_cursor: str | None = None) -> Response:
    return answer({"items": items, "next_cursor": next_cursor})


def memory(m: Memory) -> Json:
    """A memory as every call of the interface tells it."""
    layer, owner = m.audience.layer, m.audience.owner
    return {
        "id": m.id,
        "content": m.content,
        "memory_type": layer,
        "category": m.category,
        "agent_id": m.author.name if m.author.kind is Kind.AGENT else None,
        "author": m.author.space,
        "account": owner.name if layer is Layer.PRIVATE and owner.kind is Kind.MEMBER else None,
        "team_id": owner.name if layer is Layer.TEAM else None,
        "visible_to": _visible_to(m),
        "injected_by": None if m.injected_by is None else m.injected_by.name,
        "title": m.title,
        "subject": m.subject,
        "tags": m.tags,
        "project_id": m.project_id,
        "session_id": m.session_id,
        "task_id": m.task_id,
        "isolation": m.isolation,
        "scope": "global" if m.project_id is None else "project",
        "state": m.state,
        "version": m.version,
        "content_hash": m.content_hash,
        "part_of": m.part_of,
        "indexed": m.indexed,
        "supersedes": m.supersedes,
        "superseded_by": m.superseded_by,
        "reason": m.reason,
        "origin": None if m.origin is None else origin(m.origin),
        "evidence": [evidence(e) for e in m.evidence],
        "overturned": [
            {"id": o.id, "title": o.title, "content": o.content, "reason": o.reason, "at": o.at} for o in m.overturned
        ],
        "authors": [{"author": a.author.space, "at": a.at} for a in m.authors],
        "expires_at": m.expires_at,
        "created_at": m.created_at,
        "updated_at": m.updated_at,
        "embedding_pending": m.embedding_pending,
        "distilled": None if m.batch is None else {"batch_id": m.batch},
        "stale": m.stale,
    }


def publication(p: Published) -> Json:
    """A publication, as its publisher is told it."""
    return {
        "publication_id": p.publication.id,
        "original_id": p.publication.original,
        "team_id": p.publication.team.name,
        "state": p.state,
        "memory": None if p.memory is None else memory(p.memory),
        "version": p.publication.version,
        "content_hash": p.publication.content_hash,
        "origin_changed": p.origin_changed,
        "created_at": p.publication.created_at,
        "published_at": p.publication.published_at,
        "withdrawn_at": p.publication.withdrawn_at,
    }


def published(p: Published) -> Response:
    """201 the first time, 200 with the same copy afterwards, 202 where the gate of the destination holds it."""
    status = 202 if p.state is PublicationState.HELD else 201 if p.first else 200
    return answer(publication(p), status)


def outcome(o: Outcome) -> Json:
    return {"outcome": o.outcome, "memory": memory(o.memory), "findings": [finding(f) for f in o.findings]}


def recollection(r: Recollection, *, history: bool, trace_wanted: bool) -> Json:
    told: Json = {
        "outcome": r.outcome,
        "trace_id": r.trace.id,
        "took_ms": r.trace.took_ms,
        "searched": _spaces(r.searched),
        "memories": [_answered(a, history) for a in r.memories],
        "degraded": r.degraded,
    }
    if trace_wanted:
        told["trace"] = trace(r.trace)
    return told


def trace(t: Trace) -> Json:
    return {
        "trace_id": t.id,
        "reader": t.reader,
        "question": t.question,
        "asked_at": t.asked_at,
        "searched": _spaces(t.searched),
        "mode": t.mode,
        "took_ms": t.took_ms,
        **t.body,
    }


def history_of(h: History) -> Json:
    return {"versions": [_version(v) for v in h.versions], "chain": [memory(m) for m in h.chain]}


def verdict(v: Verdict) -> Json:
    return {
        "reader": v.reader,
        "memory": v.memory,
        "verdict": _shown(v),
        "rule": v.rule,
        "reason": v.reason,
        "facts": v.facts,
    }


def matrix(m: Matrix) -> Json:
    rows = [
        {
            "memory": memory(row.memory),
            "cells": [{"reader": v.reader, "verdict": _shown(v), "rule": v.rule, "reason": v.reason} for v in row.verdicts],
        }
        for row in m.rows
    ]
    return {"readers": [r.space for r in m.readers], "rows": rows, "next_cursor": m.next_cursor}


def event(e: EventRow) -> Json:
    return {"id": e.id, "kind": e.kind, "memory_id": e.memory_id, "at": e.at}


def agent(a: Agent) -> Json:
    return {
        "agent_id": a.principal.name,
        "role": a.role,
        "parent": _name(a.parent),
        "account": _name(a.account),
        "clearance": a.clearance,
        "created_at": a.created_at,
    }


def member(m: Member) -> Json:
    return {"member_id": m.principal.name, "name": m.display_name, "gate": m.gate, "created_at": m.created_at}


def team(t: Team) -> Json:
    return {
        "team_id": t.principal.name,
        "name": t.display_name,
        "gate": t.gate,
        "share_with_subagents": t.share_with_subagents,
        "members": [{"principal": m.principal.space, "role": m.role} for m in t.members],
        "created_at": t.created_at,
    }


def key(c: Credential) -> Json:
    """A key without its secret, which nobody knows any more."""
    return {
        "id": c.id,
        "acts_as": [p.space for p in c.acts_as],
        "permissions": sorted(c.permissions),
        "task_id": c.task_id,
        "expires_at": c.expires_at,
        "created_at": c.created_at,
        "revoked_at": c.revoked_at,
    }


def audited(row: AuditRow) -> Json:
    return {
        "id": row.id,
        "at": row.at,
        "credential_id": row.credential_id,
        "principal": row.principal,
        "action": row.action,
        "target": row.target,
        "concerns": row.concerns,
        "detail": row.detail,
    }


def _answered(a: Answered, history: bool) -> Json:
    told = memory(a.memory)
    told["score"] = round(a.hit.score, 4)
    told["scores"] = {"dense": _rounded(a.hit.cosine), "lexical": _rounded(a.hit.bm25), "fused": round(a.fused, 4)}
    if history:
        told["history"] = [memory(m) for m in a.chain]
    return told


def _visible_to(m: Memory) -> list[str]:
    named = m.audience.readers
    if not named:
        return [m.audience.owner.space]
    return sorted(r.space for r in named)


def origin(o: Origin) -> Json:
    """Where a copy comes from; of the original only to those who may read it."""
    told: Json = {"agent_id": o.agent_id, "published_at": o.published_at}
    if o.memory_id is not None:
        told |= {"memory_id": o.memory_id, "version": o.version, "content_hash": o.content_hash}
    return told


def evidence(e: Evidence) -> Json:
    """A piece of evidence, as far as its reader may read the source."""
    return {
        "source_kind": e.source_kind,
        "locator": e.locator,
        "revision": e.revision,
        "quote": e.quote,
        "start": e.start,
        "end": e.end,
        "quote_hash": e.quote_hash,
        "verified": e.verified,
        "verified_at": e.verified_at,
        "moved": e.moved_at is not None,
        "moved_at": e.moved_at,
        "moved_to": e.moved_to,
        "gone_at": e.gone_at,
    }


def _version(v: Version) -> Json:
    return {
        "memory_id": v.memory_id,
        "version": v.version,
        "content": v.content,
        "title": v.title,
        "category": v.category,
        "tags": v.tags,
        "state": v.state,
        "changed_by": v.changed_by.space,
        "changed_at": v.changed_at,
        "change": v.change,
        "reason": v.reason,
    }


def _spaces(spaces: Sequence[Space]) -> list[Json]:
    return [{"space": s.space, "why": s.why} for s in spaces]


def _shown(v: Verdict) -> str:
    return "visible" if v.visible else "hidden"


def _name(p: Principal | None) -> str | None:
    return None if p is None else p.name


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
