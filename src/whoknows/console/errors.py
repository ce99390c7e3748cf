"""What only the console can get wrong."""

from whoknows.errors import WhoKnowsError


class TooManyAttempts(WhoKnowsError):
    """Too many keys were refused. Wait a few minutes, then try again."""

    code = "too_many_attempts"

    def __init__(self, detail: str | None = None, *, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class StaleForm(WhoKnowsError):
    """This form does not belong to your session any more. Load the page again; nothing was changed."""

    code = "stale_form"
