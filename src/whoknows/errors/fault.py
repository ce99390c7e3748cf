"""The ancestor of every deliberate error."""

from typing import ClassVar


class WhoKnowsError(Exception):
    """Something went wrong."""

    code: ClassVar[str] = "error"

    def __init__(self, detail: str | None = None, *, field: str | None = None) -> None:
        self.detail = detail or (type(self).__doc__ or "").strip().splitlines()[0]
        self.field = field
        super().__init__(self.detail)
