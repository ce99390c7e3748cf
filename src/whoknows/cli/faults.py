"""What went wrong, for people and programs: one line, what to do about it, and an exit code by kind."""

from enum import IntEnum
from typing import TYPE_CHECKING

from whoknows.errors import (
    ConfigurationFault,
    Conflict,
    EmbedderUnavailable,
    Forbidden,
    Invalid,
    NotFound,
    StoreUnavailable,
    Unauthenticated,
    WhoKnowsError,
)

if TYPE_CHECKING:
    from whoknows.client import ApiError


class ExitCode(IntEnum):
    """Exit codes of every command."""

    OK = 0
    FAILED = 1
    """something else, or only a part was done"""
    USAGE = 2
    NOT_FOUND = 3
    FORBIDDEN = 4
    UNAUTHENTICATED = 5
    CONFLICT = 6
    INVALID = 7
    UNAVAILABLE = 8


class CliFault(Exception):
    """The command cannot be carried out here. ``detail`` says what to do."""

    def __init__(self, code: str, detail: str, exit_code: ExitCode) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.exit_code = exit_code


_BY_STATUS = {
    401: ExitCode.UNAUTHENTICATED,
    403: ExitCode.FORBIDDEN,
    404: ExitCode.NOT_FOUND,
    409: ExitCode.CONFLICT,
    428: ExitCode.CONFLICT,
    400: ExitCode.INVALID,
    413: ExitCode.INVALID,
    415: ExitCode.INVALID,
    421: ExitCode.INVALID,
    422: ExitCode.INVALID,
    0: ExitCode.UNAVAILABLE,
    429: ExitCode.UNAVAILABLE,
    502: ExitCode.UNAVAILABLE,
    503: ExitCode.UNAVAILABLE,
    504: ExitCode.UNAVAILABLE,
}

_BY_ERROR: tuple[tuple[type[WhoKnowsError], ExitCode], ...] = (
    (Unauthenticated, ExitCode.UNAUTHENTICATED),
    (Forbidden, ExitCode.FORBIDDEN),
    (NotFound, ExitCode.NOT_FOUND),
    (Conflict, ExitCode.CONFLICT),
    (Invalid, ExitCode.INVALID),
    (ConfigurationFault, ExitCode.INVALID),
    (StoreUnavailable, ExitCode.UNAVAILABLE),
    (EmbedderUnavailable, ExitCode.UNAVAILABLE),
)

_ADVICE = {
    "unauthenticated": "the server does not accept this key: revoked, expired, its task closed, or of another installation?",
    "agent_required": "this key acts as several: say which one with --agent, or in WHOKNOWS_AGENT",
    "not_your_agent": "this key may not act as that agent; `whoknows whoami` shows whom it may act as",
    "version_conflict": "it was changed meanwhile: look at the present version, then try again",
}


def of_api(error: "ApiError") -> CliFault:
    """What a server refused, with advice in the words of the command line."""
    detail = _ADVICE.get(error.code, error.detail)
    if error.field and error.field not in detail:
        detail = f"{error.field}: {detail}"
    return CliFault(error.code, detail, of_status(error.status))


def of_status(status: int) -> ExitCode:
    return _BY_STATUS.get(status, ExitCode.FAILED)


def of_error(error: WhoKnowsError) -> CliFault:
    """What went wrong in this very process: settings, the database, the embedder."""
    exit_code = next((code for kind, code in _BY_ERROR if isinstance(error, kind)), ExitCode.FAILED)
    return CliFault(error.code, error.detail, exit_code)
