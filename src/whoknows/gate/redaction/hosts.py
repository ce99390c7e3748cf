"""Names of hosts and their addresses, where an installation counts them among what may not be kept."""

import re
from collections.abc import Iterator
from ipaddress import ip_address

from whoknows.gate.redaction.spans import Hit

_NAME = re.compile(
    r"(?<![A-Za-z0-9@._/-])(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}"
    r"(?:local|lan|internal|intranet|corp|home|private|localdomain|svc|cluster)(?:\.[A-Za-z]{2,24}){0,3}(?![A-Za-z0-9-])"
)
_URL = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://(?:[^\s/@]{1,256}@)?([A-Za-z0-9.-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])", re.IGNORECASE
)
_ADDRESS = re.compile(r"(?<![\w.:])(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7})(?![\w:]|\.\d)")


def hosts(text: str) -> Iterator[Hit]:
    """Internal names, the hosts of addresses with a scheme, and IP addresses in ``text`` (folded)."""
    yield from (Hit("host", m.start(), m.end()) for m in _NAME.finditer(text))
    yield from (Hit("host", m.start(1), m.end(1)) for m in _URL.finditer(text))
    yield from (Hit("host", m.start(), m.end()) for m in _ADDRESS.finditer(text) if _is_address(m[0]))


def _is_address(text: str) -> bool:
    try:
        return bool(ip_address(text))
    except ValueError:
        return False
