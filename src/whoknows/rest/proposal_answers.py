"""Answers about proposals."""

from whoknows.domain.proposal import Experience
from whoknows.flows.propose import Listed
from whoknows.rest.answers import Json


def proposal(p: Listed) -> Json:
    d, found = p.decision, p.proposal
    return {
        "proposal_id": p.id,
        "state": p.state,
        "statement": None if found is None else found.stated.statement.content,
        "projects": [] if found is None else found.projects,
        "experiences": [] if found is None else [_experience(e) for e in found.experiences],
        "decided_by": None if d is None else d.decided_by.space,
        "decided_at": None if d is None else d.at,
        "reason": None if d is None else d.reason,
        "repository": None if d is None else d.repository,
        "path": None if d is None else d.path,
        "branch": None if d is None else d.branch,
        "commit": None if d is None else d.commit,
    }


def _experience(e: Experience) -> Json:
    return {
        "memory_id": e.statement.id,
        "content": e.statement.content,
        "category": e.category,
        "project_id": e.project_id,
        "author": e.author.space,
        "created_at": e.created_at,
    }
