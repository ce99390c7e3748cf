"""Names of banks as names of folders: different names are different folders, and none leads anywhere else."""

import hashlib

from whoknows.domain.principal import Principal

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_MOST = 120
"""Characters of a folder's name: file systems take 255 bytes."""


def bank_folder(owner: Principal) -> tuple[str, str]:
    """(kind, name): ``("team", "backend")``. What is no small ASCII letter, digit or dash becomes ``_`` and hexadecimal digits.

    Capital letters too: some file systems do not tell them from small ones. A long name ends in ``=`` and its SHA-256; no
    short one holds that sign.
    """
    name = "".join(chr(b) if chr(b) in _PLAIN else f"_{b:02x}" for b in owner.name.encode())
    if len(name) > _MOST:
        name = f"{name[:_MOST]}={hashlib.sha256(owner.name.encode()).hexdigest()}"
    return str(owner.kind), name
