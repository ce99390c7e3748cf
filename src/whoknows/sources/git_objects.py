"""Objects of a repository by their hashes."""

import re
from pathlib import Path

from whoknows.sources.git_program import git

HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


async def commit_of(place: Path, revision: str) -> str | None:
    """The full hash of the commit that ``revision`` names; None where there is none."""
    ended = await git(place, ["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"])
    said = ended.out.decode("ascii", "replace").strip()
    return said if ended.code == 0 and HASH.fullmatch(said) else None
