"""A project that is said as a path: `.` or `./boss`. The server routes it as it routes programs that work there."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whoknows.cli.faults import CliFault, ExitCode

if TYPE_CHECKING:
    from whoknows.client import WhoKnows


def is_path(project: str) -> bool:
    """A word is the name of a project, also where a directory here is called so; with a slash it may be either."""
    separators = [s for s in (os.sep, os.altsep) if s]
    if project in (".", "..", "~") or Path(project).is_absolute():
        return True
    if any(project.startswith(f"{begin}{s}") for begin in (".", "..", "~") for s in separators):
        return True
    return any(s in project for s in separators) and Path(project).is_dir()


def routed(wk: "WhoKnows", path: str) -> dict[str, Any]:
    """``{project_id, directory, stage, team_id, account}`` as the server routes it, by both names where a link leads there."""
    from whoknows.client import ApiError
    from whoknows.connect.directories import names_of

    place = Path(path).expanduser()
    if not place.is_dir():
        raise CliFault("no_directory", f"{path} is no directory", ExitCode.USAGE)
    *others, last = names_of(place.absolute())
    for name in others:
        try:
            return wk.route_workplace(name)
        except ApiError as e:
            if e.status != 404:
                raise
    return wk.route_workplace(last)


def project_meant(wk: "WhoKnows", project: str) -> str:
    """The project of a path, or the name itself."""
    return routed(wk, project)["project_id"] if is_path(project) else project
