"""The verbs of publishing, each as the call that it is."""

from whoknows.client.answers import Page, Publication
from whoknows.client.call import Call, path


def publish(memory_id: str, team_id: str) -> Call[Publication]:
    """Copy a private memory of one's own to a team; ``*`` is the board, which everyone reads. Safe to repeat: one copy."""
    return Call("POST", path("memories", memory_id, "publish"), body={"team_id": team_id}, idempotent=True)


def publications(*, limit: int | None = None, cursor: str | None = None) -> Call[Page]:
    """What one published, newest first."""
    return Call("GET", "/publications", {"limit": limit, "cursor": cursor})


def publication(publication_id: str) -> Call[Publication]:
    return Call("GET", path("publications", publication_id))


def withdraw(publication_id: str) -> Call[Publication]:
    """Take the copy back: its readers lose it at once."""
    return Call("POST", path("publications", publication_id, "withdraw"), idempotent=True)


def republish(publication_id: str) -> Call[Publication]:
    """Show the original as it is now; bring a withdrawn copy back."""
    return Call("POST", path("publications", publication_id, "republish"), idempotent=True)
