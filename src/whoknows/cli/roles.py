"""The roles of a case, by what people call them."""

from collections.abc import Sequence
from typing import Any

from whoknows.cli.faults import CliFault, ExitCode


def role_of(typed: str, roles: Sequence[dict[str, Any]]) -> str:
    """The id of the role that was meant by its id or its name (`informant`, `Informant`, 线人). ``roles``: of the stage."""
    for role in roles:
        if typed.casefold() in (role["id"].casefold(), role["name"].casefold()):
            return role["id"]
    there = ", ".join(f"{r['id']} ({r['name']})" for r in roles)
    raise CliFault("no_such_role", f"there is no role {typed!r} in this case: take one of {there}", ExitCode.NOT_FOUND)
