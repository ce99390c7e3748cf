"""The servers that a program was connected to: nothing is sent to any other, whatever the environment says.

A clone can carry settings in which WHOKNOWS_URL is somebody else's server, and a program may take them over without asking. So
`whoknows connect` notes each address beside this copy, where no environment leads elsewhere. All of an address counts, its path
too; that a key is none of the person's own is no exception: nobody here could tell, and the prompt would be theirs.
"""

from __future__ import annotations

import os

from . import state
from .exchange import as_authority, parts
from .faults import Fault

FOLDER = "servers"
"""Beside the modules of the copy, one file for each program, one address on a line."""
_MOST = 64 * 1024


def check(program: str, url: str) -> None:
    """Fault where ``program`` was not connected to ``url``. It says nothing about the server, and does not count."""
    known = noted(state.tail(os.path.join(_beside(), FOLDER, program), _MOST))
    if not known:
        raise Fault("no_server", counts=False)
    if address(url) not in known:
        raise Fault("other_server", counts=False)


def address(url: str) -> str:
    """``url`` as it is compared: small letters but for its path, the port where it is not the scheme's own. Fault for none."""
    secure, host, port, prefix = parts(url)
    return ("https" if secure else "http") + "://" + as_authority(host.lower(), port, secure).decode() + prefix


def noted(content: bytes) -> list[str]:
    """The addresses in a file of them; what is none counts for nothing."""
    found: list[str] = []
    for line in content.decode("ascii", "replace").splitlines():
        try:
            found.append(address(line))
        except Fault:
            continue
    return found


def _beside() -> str:
    return os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
