"""Moments as a form writes them: by the reader's own clock, without a zone, and beside it how far that is from UTC."""

from datetime import UTC, datetime, timedelta

from whoknows.errors import Invalid

_FARTHEST = 24 * 60


def moment_of(text: str, minutes_behind: str) -> datetime | None:
    """``2026-03-01T09:30`` and what JavaScript calls the offset of the zone (minutes that local time is behind UTC)."""
    if not text.strip():
        return None
    try:
        at = datetime.fromisoformat(text.strip())
        behind = int(minutes_behind or 0)
        if at.tzinfo is not None or abs(behind) > _FARTHEST:
            raise ValueError
        return at.replace(tzinfo=UTC) + timedelta(minutes=behind)
    except (ValueError, OverflowError):
        raise Invalid("this is no moment: give a day and a time", field="expires_at") from None


def written(at: datetime | None) -> str:
    """For the field of a form, in UTC; the page moves it into the reader's zone."""
    return "" if at is None else f"{at.astimezone(UTC):%Y-%m-%dT%H:%M}"
