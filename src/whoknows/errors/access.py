"""Who asks may not, or may not know that there is something."""

from whoknows.errors.fault import WhoKnowsError


class Unauthenticated(WhoKnowsError):
    """No valid key came with the request. Send `Authorization: Bearer wk_…`."""

    code = "unauthenticated"


class Forbidden(WhoKnowsError):
    """You can see this, but you may not do that to it."""

    code = "forbidden"

    def __init__(self, detail: str | None = None, *, reason_code: str | None = None, field: str | None = None) -> None:
        super().__init__(detail, field=field)
        self.reason_code = reason_code or self.code


class NotYourAgent(Forbidden):
    """This key may not act as that agent."""

    code = "not_your_agent"


class NotYourTask(Forbidden):
    """This key does not belong to that task."""

    code = "not_your_task"


class PermissionMissing(Forbidden):
    """This key lacks the permission for that."""

    code = "permission_missing"


class NotFound(WhoKnowsError):
    """There is no such thing, or you may not see it."""

    code = "not_found"
