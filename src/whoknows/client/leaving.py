"""Egress: what may leave the server's machine, bank by bank."""

from whoknows.client.answers import Json, Page
from whoknows.client.call import Call, path


def egress(agent_id: str | None = None) -> Call[Page]:
    """The services that texts of the caller's banks are sent to, whether each bank allows it, and what was sent."""
    return Call("GET", "/egress", {"agent_id": agent_id})


def set_egress(bank: str, choice: str) -> Call[Json]:
    """``allowed`` or ``forbidden`` for ``agent:x``, ``member:m``, ``team:t`` or ``*``."""
    return Call("PUT", path("egress", bank), body={"egress": choice})
