"""Health: whether the server runs, and whether it can answer."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.rest.answers import answer
from whoknows.rest.auth import service_of
from whoknows.rest.schemas.problem import only
from whoknows.rest.schemas.records import Health
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["health"], route_class=StrictRoute)
_QUERY = only(422)


@router.get("/health", response_model=Health, summary="Does the server run?", responses=_QUERY)
async def health() -> Response:
    """Needs no key."""
    return answer({"status": "ok"})


@router.get(
    "/ready",
    response_model=Health,
    summary="Do database and embedder answer?",
    responses={**_QUERY, 503: {"description": "Not yet, or not now.", "model": Health}},
)
async def ready(request: Request) -> Response:
    """Needs no key. 503 until both answer."""
    if await service_of(request).oversee.ready():
        return answer({"status": "ok"})
    return answer({"status": "unavailable"}, 503, {"Retry-After": "2"})
