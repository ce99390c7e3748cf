"""The way from a command to the server."""

from typing import TYPE_CHECKING

from whoknows.cli.keychain import required_key, server_url

if TYPE_CHECKING:
    from whoknows.client import WhoKnows


def connect(agent: str | None = None, key: str | None = None, patience: float | None = None) -> "WhoKnows":
    """A client for ``WHOKNOWS_URL`` with the caller's key; ``agent``: whom to act as; ``patience``: seconds to wait."""
    from whoknows.client import WhoKnows

    url = server_url()
    return WhoKnows(url, key=key or required_key(url), agent=agent or None, timeout=patience)
