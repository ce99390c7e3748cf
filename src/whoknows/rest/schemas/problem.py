"""Problems: what an error looks like, and the statuses of a route for the page of the interface."""

from typing import Any

from pydantic import ConfigDict, Field

from whoknows.rest.errors import STATUS
from whoknows.rest.schemas.forms import Told


class Finding(Told):
    """What a check of the gate noticed."""

    check: str = Field(examples=["secret"])
    message: str = Field(examples=["this looks like a password"])
    span: tuple[int, int] | None = None
    """Start and end in characters of the text."""


class Fault(Told):
    """What went wrong with one item of a batch."""

    code: str = Field(examples=["not_found"])
    """Stable: decide by this."""
    status: int = Field(examples=[404])
    detail: str = Field(examples=["there is no team 'backend' that you are on"])
    field: str = Field(default="", examples=["team_id"])
    """Which field it is about; absent where it is about none."""
    findings: list[Finding] = Field(default_factory=list[Finding])


class Problem(Told):
    """An error, as RFC 9457 has it (`application/problem+json`)."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "required": ["type", "title", "status", "code", "detail", "request_id"],
            "examples": [
                {
                    "type": "urn:whoknows:not_found",
                    "title": "There is no such thing, or you may not see it.",
                    "status": 404,
                    "code": "not_found",
                    "detail": "there is no such memory",
                    "request_id": "6f9e2a0c5b6d4b43a3d7f5a2c7a1f0de",
                }
            ],
        },
    )

    type: str
    title: str
    status: int
    code: str
    """Stable: decide by this."""
    detail: str
    request_id: str
    """The same as in the header X-Request-Id; the log names it."""
    field: str = ""
    """Which field it is about; absent where it is about none."""
    findings: list[Finding] = Field(default_factory=list[Finding])


_MEANING = {
    400: "The body is not JSON in UTF-8",
    401: "No valid key: none, a wrong, an expired or a revoked one",
    403: "You see it, but may not do that; or the key may not act as that agent",
    404: "There is no such thing, or you may not see it: the two are not told apart",
    409: "The present state does not allow it",
    413: "The body is too large",
    415: "The body is not `application/json`",
    421: "The Host header names another server: a page of a stranger, or a proxy that is not allowed yet",
    422: "The request is not valid; `field` says where",
    428: "Name the version that you edit",
    429: "Too many: come back after `Retry-After` seconds",
    502: "The language model failed; the message is kept and can be asked again",
    503: "The database or the embedding model does not answer; try again after `Retry-After` seconds",
    504: "The language model took too long; the message is kept and can be asked again",
}
ALWAYS = (401, 403, 421, 422, 503)
BODY = (400, 413, 415)


def problems(*statuses: int, body: bool = False) -> dict[int | str, dict[str, Any]]:
    """The problems of a route: those that any may answer, those of a ``body``, and ``statuses``."""
    return only(*ALWAYS, *(BODY if body else ()), *statuses)


def only(*statuses: int) -> dict[int | str, dict[str, Any]]:
    codes: dict[int, set[str]] = {}
    for cls, status in STATUS.items():
        codes.setdefault(status, set()).add(cls.code)
    schema = {"schema": {"$ref": "#/components/schemas/Problem"}}
    return {
        status: {
            "description": f"{_MEANING[status]}. Codes: {', '.join(f'`{c}`' for c in sorted(codes[status]))}.",
            "content": {"application/problem+json": schema},
        }
        for status in sorted(set(statuses))
    }
