"""The one table from errors to HTTP statuses, and the problem that each becomes (RFC 9457)."""

import math
from typing import Any

from pydantic_core import to_json
from starlette.responses import Response

from whoknows import errors
from whoknows.errors import Finding, Forbidden, RefusedByGate, WhoKnowsError


class InvalidJson(WhoKnowsError):
    """The body is not JSON in UTF-8."""

    code = "invalid_json"


class UnsupportedMediaType(WhoKnowsError):
    """The body must be JSON: send `Content-Type: application/json`."""

    code = "unsupported_media_type"


class NoSuchPath(WhoKnowsError):
    """There is nothing at this path."""

    code = "not_found"


class MethodNotAllowed(WhoKnowsError):
    """This path does not take that method."""

    code = "method_not_allowed"


class HostNotAllowed(WhoKnowsError):
    """This server does not answer to that host name."""

    code = "host_not_allowed"


class Internal(WhoKnowsError):
    """Something went wrong inside. The log tells more under this request_id."""

    code = "internal"


STATUS: dict[type[WhoKnowsError], int] = {
    InvalidJson: 400,
    errors.Unauthenticated: 401,
    errors.Forbidden: 403,
    errors.NotYourAgent: 403,
    errors.NotYourTask: 403,
    errors.PermissionMissing: 403,
    errors.NotFound: 404,
    NoSuchPath: 404,
    MethodNotAllowed: 405,
    errors.Conflict: 409,
    errors.VersionConflict: 409,
    errors.AlreadySuperseded: 409,
    errors.DuplicateMemory: 409,
    errors.NameTaken: 409,
    errors.RemoteTaken: 409,
    errors.StillNeeded: 409,
    errors.Concurrent: 409,
    errors.PublicationPending: 409,
    errors.PublicationWithdrawn: 409,
    errors.BranchTaken: 409,
    errors.StageUnreachable: 409,
    errors.TaskClosed: 409,
    errors.SyncRunning: 409,
    errors.AnswerPending: 409,
    errors.TooLarge: 413,
    UnsupportedMediaType: 415,
    HostNotAllowed: 421,
    errors.Invalid: 422,
    errors.AgentRequired: 422,
    errors.AudienceDiffers: 422,
    errors.BankAmbiguous: 422,
    errors.RefusedByGate: 422,
    errors.QuoteNotFound: 422,
    errors.IdempotencyMismatch: 422,
    errors.TextTooLong: 422,
    errors.ContextTooLong: 422,
    errors.ScriptInvalid: 422,
    errors.SourceUnreadable: 422,
    errors.VersionRequired: 428,
    errors.ModelQuota: 429,
    errors.WhoKnowsError: 500,
    errors.ConfigurationFault: 500,
    Internal: 500,
    errors.ModelFault: 502,
    errors.ModelUnavailable: 502,
    errors.ModelNonsense: 502,
    errors.ModelRefusedKey: 502,
    errors.SpeakerMissing: 502,
    # The caller did nothing wrong, and the same request will do once the installation is mended.
    errors.DimensionMismatch: 503,
    errors.EmbedderUnavailable: 503,
    errors.Busy: 503,
    errors.StoreUnavailable: 503,
    errors.StoreFull: 503,
    errors.Interrupted: 503,
    errors.ModelTimeout: 504,
}

RETRY_AFTER: dict[type[WhoKnowsError], str] = {errors.StoreFull: "60", errors.DimensionMismatch: "60"}
"""Seconds to wait after a 503; 2 where nothing else is said."""


def status_of(fault: WhoKnowsError) -> int:
    """The status of ``fault``; of the nearest ancestor in the table for a class that is not in it."""
    return next(STATUS[cls] for cls in type(fault).__mro__ if cls in STATUS)


def code_of(fault: WhoKnowsError) -> str:
    return fault.reason_code if isinstance(fault, Forbidden) else fault.code


def described(fault: WhoKnowsError) -> dict[str, Any]:
    """``{code, status, detail, field?, findings?}``, as it stands in a problem and in the results of a batch."""
    told: dict[str, Any] = {"code": code_of(fault), "status": status_of(fault), "detail": fault.detail}
    if fault.field is not None:
        told["field"] = fault.field
    if isinstance(fault, RefusedByGate):
        told["findings"] = [finding(f) for f in fault.findings]
    return told


def finding(found: Finding) -> dict[str, Any]:
    return {"check": found.check, "message": found.message, "span": found.span}


def problem(
    fault: WhoKnowsError, request_id: str, headers: dict[str, str] | None = None, beside: dict[str, Any] | None = None
) -> Response:
    """The answer that tells of ``fault``, and what stands ``beside`` it."""
    told = described(fault)
    title = (type(fault).__doc__ or "").strip().splitlines()[0]
    body = {"type": f"urn:whoknows:{told['code']}", "title": title, **told, "request_id": request_id, **(beside or {})}
    more = dict(headers or {})
    match told["status"]:
        case 401:
            more["WWW-Authenticate"] = 'Bearer realm="whoknows"'
        case 503:
            more["Retry-After"] = RETRY_AFTER.get(type(fault), "2")
        case _:
            pass
    if isinstance(fault, errors.PublicationPending):
        more["Retry-After"] = str(fault.retry_after)
    if isinstance(fault, errors.AnswerPending | errors.SyncRunning):
        more["Retry-After"] = "2"
    if isinstance(fault, errors.ModelFault) and (fault.retry_after is not None or isinstance(fault, errors.ModelQuota)):
        more["Retry-After"] = str(math.ceil(30 if fault.retry_after is None else fault.retry_after))
    return Response(to_json(body), told["status"], more, "application/problem+json")
