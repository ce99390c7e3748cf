"""What Git tracks of the memory folders of projects: it came with a clone, and may be what others wrote."""

import os
import subprocess
from collections.abc import Mapping

from whoknows.migration.homes import Root
from whoknows.migration.snapshot import Snapshot

Committed = Mapping[tuple[int, str], str]
"""Why a file is none of the person's own, by its root and path."""


def committed_in(snapshot: Snapshot) -> Committed:
    """Outside of a repository nothing is. Where Git does not say it, everything in that folder may be."""
    found: dict[tuple[int, str], str] = {}
    for n, root in enumerate(snapshot.roots):
        for folder in root.folders if root.project is not None else ():
            inside = [e.path for e in snapshot.entries if e.root == n and e.path.startswith(f"{folder}/")]
            for place in (folder, *(p.removesuffix("/.git") for p in inside if p.endswith("/.git"))):
                tracked = _tracked(root, place)
                for path in (p for p in inside if p.startswith(f"{place}/")):
                    if tracked is None:
                        found.setdefault((n, path), _UNSAID)
                    elif path in tracked:
                        found[n, path] = _TRACKED
    return found


def _tracked(root: Root, folder: str) -> frozenset[str] | None:
    place = (root.path / folder).resolve()
    top = next((p for p in (place, *place.parents) if (p / ".git").exists()), None)
    if top is None:
        return frozenset()
    # Told where the repository is, Git does not look for it: a clone can carry folders that it would take for one.
    repository = (f"--git-dir={top / '.git'}", f"--work-tree={top}", "--literal-pathspecs")
    try:
        done = subprocess.run(  # noqa: S603 - Git as it is installed, and nothing of the repository is run
            ["git", "--no-pager", *_QUIET, *repository, "ls-files", "-z", "--cached", "--", str(place)],  # noqa: S607
            cwd=top,
            env=_ENVIRONMENT | {"PATH": os.environ.get("PATH", os.defpath)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    before = "" if place == top else f"{place.relative_to(top)}/"
    names = os.fsdecode(done.stdout).split("\0")
    return frozenset(f"{folder}/{name.removeprefix(before)}" for name in names if name and name.startswith(before))


_TRACKED = "it is committed to the repository, so others may have written it: `--committed` takes it"
_UNSAID = "Git does not say whether it is committed to the repository: `--committed` takes it"
_PATIENCE = 20.0
_QUIET = ("-c", "safe.directory=*", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null")
"""Whose files they are does not matter, since nothing that a clone could bring along is run."""
_ENVIRONMENT = {
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
}
