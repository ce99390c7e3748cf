"""Errors as pages, or as a notice on the page that asked; in the reader's language, with what to do."""

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from whoknows.console import findings as checks
from whoknows.console.errors import StaleForm, TooManyAttempts
from whoknows.console.guard import recognise
from whoknows.console.headers import HEADERS
from whoknows.console.render import render
from whoknows.console.viewer import is_part, words_of
from whoknows.console.words import Language
from whoknows.errors import Forbidden, Invalid, NotFound, RefusedByGate, WhoKnowsError
from whoknows.rest.errors import Internal, MethodNotAllowed, NoSuchPath, status_of
from whoknows.rest.invalid import invalid_from

_OWN: dict[type[WhoKnowsError], int] = {TooManyAttempts: 429, StaleForm: 403}


def sentence(request: Request, fault: WhoKnowsError) -> str:
    """What went wrong, as the reader's language says it; where it has no words of its own, as the flow said it."""
    words = words_of(request)
    key = f"errors.{code_of(fault)}"
    if words.language is Language.EN or not words.has(key):
        return fault.detail
    return words(key)


def code_of(fault: WhoKnowsError) -> str:
    return fault.reason_code if isinstance(fault, Forbidden) else fault.code


async def told(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, WhoKnowsError)
    await recognise(request)
    own = _OWN.get(type(fault))
    status = status_of(fault) if own is None else own
    page = "fault_notice.html" if is_part(request) else "fault.html"
    findings = checks.told(fault.findings, words_of(request)) if isinstance(fault, RefusedByGate) else []
    answer = render(
        request, page, status=status, code=code_of(fault), told=sentence(request, fault), detail=fault.detail,
        findings=findings, field=fault.field,
    )  # fmt: skip
    if is_part(request):
        # Wherever the answer was meant to go: an error is shown among the notices, and what was typed stays.
        answer.headers.update({"HX-Retarget": "#notices", "HX-Reswap": "beforeend"})
    if isinstance(fault, TooManyAttempts):
        answer.headers["Retry-After"] = str(fault.retry_after)
    return answer


async def invalid(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, RequestValidationError)
    places = {str(e["loc"][0]) for e in fault.errors()}
    # What is no identifier in a path is absent, like one that was never given out.
    return await told(request, NotFound() if "path" in places else invalid_from(fault.errors()))


async def http(request: Request, fault: Exception) -> Response:
    assert isinstance(fault, HTTPException)
    known: dict[int, WhoKnowsError] = {400: Invalid("the form cannot be read"), 404: NoSuchPath(), 405: MethodNotAllowed()}
    if fault.status_code not in known:
        raise fault
    return await told(request, known[fault.status_code])


async def unforeseen(request: Request, fault: Exception) -> Response:  # noqa: ARG001 - what it says may hold a text
    """Something that nobody foresaw. This answer is made outside of what adds the headers to the others."""
    number = getattr(request.state, "request_id", "")
    answer = await told(request, Internal(f"Something went wrong inside. The log tells more under {number}."))
    answer.headers.update({**HEADERS, "Cache-Control": "no-store"})
    return answer
