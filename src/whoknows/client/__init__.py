"""Client of the REST interface: the same verbs, waiting (`WhoKnows`) or awaited (`AsyncWhoKnows`)."""

from whoknows.client.asynchronous import AsyncWhoKnows
from whoknows.client.errors import ApiError, ServerUnreachable
from whoknows.client.synchronous import WhoKnows

__all__ = ["ApiError", "AsyncWhoKnows", "ServerUnreachable", "WhoKnows"]
