"""What a server refuses, and what keeps a request from reaching one, as exceptions."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import httpx


class ApiError(Exception):
    """The server refused a request. ``code`` is stable, ``detail`` is for people; ``field`` names what was wrong.

    ``status`` is the HTTP status, 0 where no answer came; ``retry_after`` the seconds that the server asks to wait;
    ``problem`` is all that it said.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        field: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        findings: Sequence[Mapping[str, Any]] = (),
        problem: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.field = field
        self.request_id = request_id
        self.retry_after = retry_after
        self.findings = findings
        self.problem = problem or {}

    def __str__(self) -> str:
        return f"{self.detail} ({self.code})"


class ServerUnreachable(ApiError):
    """No answer came: nothing listens there, the connection broke, or it took too long."""

    def __init__(self, url: str, cause: Exception) -> None:
        slow = isinstance(cause, httpx.TimeoutException)
        what = "took too long to answer" if slow else "does not answer"
        ask = "is `whoknows serve` running there? WHOKNOWS_URL names another address"
        super().__init__(0, "server_unreachable", f"the server at {url} {what}: {ask}")


def error_of(response: httpx.Response) -> ApiError:
    """The problem that an answer of 400 and above describes (application/problem+json, RFC 9457)."""
    try:
        parsed: object = response.json()
    except ValueError:
        parsed = None
    problem = cast(dict[str, Any], parsed) if isinstance(parsed, dict) else {}
    return ApiError(
        status=response.status_code,
        code=str(problem.get("code", f"http_{response.status_code}")),
        detail=str(problem.get("detail") or problem.get("title") or f"the server answered {response.status_code}"),
        field=problem.get("field"),
        request_id=problem.get("request_id"),
        retry_after=retry_after(response),
        findings=problem.get("findings", []),
        problem=problem,
    )


def retry_after(response: httpx.Response) -> float | None:
    """``Retry-After`` in seconds; dates and nonsense are None."""
    try:
        return max(0.0, float(response.headers["Retry-After"]))
    except (KeyError, ValueError):
        return None
