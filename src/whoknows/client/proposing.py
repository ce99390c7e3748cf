"""The verbs of proposals, each as the call that it is."""

from whoknows.client.answers import Json, Page
from whoknows.client.call import Call, named, path


def proposals(*, state: str | None = None) -> Call[Page]:
    """Experiences that held in unrelated projects; ``state`` (confirmed, rejected, …) for what was decided."""
    return Call("GET", "/proposals", {"state": state})


def confirm_proposal(proposal_id: str, repository: str, file: str, *, branch: str | None = None) -> Call[Json]:
    """Write it as a rule: one commit on a new branch of a registered repository. Safe to repeat: one commit."""
    body = named({"repository": repository, "path": file, "branch": branch})
    return Call("POST", path("proposals", proposal_id, "confirm"), body=body, idempotent=True)


def reject_proposal(proposal_id: str, reason: str | None = None) -> Call[Json]:
    """Turn it down: it does not come back from the same memories."""
    return Call("POST", path("proposals", proposal_id, "reject"), body=named({"reason": reason}), idempotent=True)
