"""Answers about banks: what they are to the caller, and where projects go."""

from whoknows.domain.bank import Bank, Routing
from whoknows.rest.answers import Json


def bank(b: Bank) -> Json:
    return {"bank": b.owner.space, "context": b.context, "may_write": b.may_write, "gate": b.gate, "projects": b.projects}


def routing(r: Routing) -> Json:
    return {"project_id": r.project_id, "team_id": None if r.team is None else r.team.name, "git_remotes": r.git_remotes}
