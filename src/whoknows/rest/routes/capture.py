"""Capture: one memory, or many."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from whoknows.domain.credential import Caller
from whoknows.domain.memory import Draft
from whoknows.errors import Invalid, WhoKnowsError
from whoknows.flows.writing import Outcome
from whoknows.rest import answers
from whoknows.rest.answers import answer
from whoknows.rest.auth import service_of, where_of, writer
from whoknows.rest.errors import described
from whoknows.rest.parameters import Repeatable
from whoknows.rest.repeating import repeatable
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.writing import BatchIn, BatchOut, Captured, CaptureIn
from whoknows.rest.strict import StrictRoute

router = APIRouter(tags=["memory"], route_class=StrictRoute)
_HELD = "It waits for somebody who may decide."


@router.post(
    "/capture",
    status_code=201,
    response_model=Captured,
    summary="Remember something",
    responses={**problems(404, 409, body=True), 202: {"model": Captured, "description": _HELD}},
)
async def capture(request: Request, body: CaptureIn, idempotency_key: Repeatable = None) -> Response:
    """Through the gate of its destination. 201: stored, merged or superseding; 202: held; 422: refused, with findings.

    404 for a `directory` that nobody registered: nothing is guessed, and nothing kept.
    """
    caller = writer(request, body.agent_id, body.account, body.task_id)
    place = where_of(request, body.directory)
    once = await repeatable("capture", idempotency_key, request)
    outcome = await service_of(request).remember(caller, body.draft(), place, once=once)
    return answer(answers.outcome(outcome), 202 if outcome.outcome == "held" else 201)


@router.post(
    "/capture/batch",
    response_model=BatchOut,
    summary="Remember many things",
    responses=problems(409, body=True),
)
async def capture_batch(request: Request, body: BatchIn, idempotency_key: Repeatable = None) -> Response:
    """One result for each item, in order: what became of it, or the error. One that fails does not stop the others.

    Items may name different agents, where the key acts as several; not together with an Idempotency-Key.
    """
    results: list[Outcome | WhoKnowsError | None] = [None] * len(body.items)
    by_caller: dict[Caller, list[tuple[int, Draft]]] = {}
    for n, item in enumerate(body.parsed()):
        if isinstance(item, Invalid):
            results[n] = item
            continue
        try:
            caller = writer(request, item.agent_id, item.account, item.task_id)
        except WhoKnowsError as fault:
            results[n] = fault
        else:
            by_caller.setdefault(caller, []).append((n, item.draft()))
    if idempotency_key is not None and len(by_caller) > 1:
        raise Invalid("an Idempotency-Key belongs to one agent, and these items name several", field="Idempotency-Key")
    once = await repeatable("capture/batch", idempotency_key, request)
    for caller, numbered in by_caller.items():
        written = await service_of(request).capture.batch(caller, [draft for _, draft in numbered], once)
        for (n, _), result in zip(numbered, written, strict=True):
            results[n] = result
    return answer({"results": [_told(r) for r in results]})


def _told(result: Outcome | WhoKnowsError | None) -> answers.Json:
    assert result is not None
    return answers.outcome(result) if isinstance(result, Outcome) else {"error": described(result)}
