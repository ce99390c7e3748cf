"""Moments as people say them: so long ago, a day, or a time."""

import re
from datetime import UTC, datetime, timedelta

from whoknows.cli.faults import CliFault, ExitCode

_AGO = re.compile(r"(\d{1,5})([hdw])", re.ASCII)
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def moment(said: str) -> str:
    """``7d``, ``12h``, ``2w``: so long before now; a day begins at midnight (UTC); a time as it stands. RFC 3339."""
    ago = _AGO.fullmatch(said.strip())
    try:
        if ago is not None:
            at = datetime.now(UTC) - int(ago[1]) * _UNITS[ago[2]]
        else:
            at = datetime.fromisoformat(said.strip())
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
        return at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    except (ValueError, OverflowError):
        told = f"{said!r} is no moment: say 7d, 12h or 2w, a day such as 2026-01-31, or a time (RFC 3339)"
        raise CliFault("usage", told, ExitCode.USAGE) from None
