"""The Bureau: cases, each a wall of its own; what its roles know, what is public, and what the big screen shows."""

from fastapi import APIRouter, Request
from starlette.responses import Response, StreamingResponse

from whoknows.domain.ids import MemoryId
from whoknows.rest import answers
from whoknows.rest import bureau_answers as bureau
from whoknows.rest.answers import answer
from whoknows.rest.auth import credential_of, service_of
from whoknows.rest.parameters import CaseRef
from whoknows.rest.schemas import bureau as schema
from whoknows.rest.schemas.forms import end
from whoknows.rest.schemas.problem import problems
from whoknows.rest.schemas.publications import Publication
from whoknows.rest.schemas.writing import Captured, Deleted
from whoknows.rest.streams import LastEventId, last_event, stream_described, streamed
from whoknows.rest.strict import StrictRoute

router = APIRouter(prefix="/bureau", tags=["bureau"], route_class=StrictRoute)
_EXAMPLE = (
    "id: 0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e57\nevent: whispered\n"
    'data: {"id": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e57", "kind": "whispered", "role": "informant", "outcome": null, '
    '"mode": null, "searched": [], "at": "2026-01-31T12:00:00Z"}\n\n'
)
_PUBLISHED = {
    200: {"model": Publication, "description": "It was published before: the same copy."},
    202: {"model": Publication, "description": "The gate of the board holds it for a reviewer."},
}


@router.get("/scripts", response_model=schema.ScriptList, summary="List scripts", responses=problems())
async def list_scripts(request: Request) -> Response:
    """What a case can be opened from, in both languages; not what anybody knows in it."""
    credential_of(request)
    return answers.listed([bureau.script(s) for s in service_of(request).cases.scripts.all()])


@router.post(
    "/cases", status_code=201, response_model=schema.NewCase, summary="Open a case", responses=problems(404, 409, body=True)
)
async def open_case(request: Request, body: schema.CaseIn) -> Response:
    """Needs `create_tenants`. The case is a tenant of its own, its roles are agents, the board is everyone's (`*`).

    Answers the operator's key, shown this once: it acts as the roles, looks into each of them (`inspect`), reads the
    audit trail of the case, and reaches nothing beyond it.
    """
    made = await service_of(request).cases.open(credential_of(request), body.script, body.language)
    return answer(bureau.opened(made), 201)


@router.get("/cases/{case}", response_model=schema.Case, summary="Look into a case", responses=problems(404))
async def get_case(request: Request, case: CaseRef) -> Response:
    """For its operator: roles, their private cards (locked), the board with origins, and the steps that the script suggests.

    It is a use of `inspect`, and stands in the audit trail of each role.
    """
    route = "GET /api/v1/bureau/cases/{case}"
    return answer(bureau.case(await service_of(request).cases.look(credential_of(request), case, route)))


@router.delete("/cases/{case}", response_model=Deleted, summary="Close a case", responses=problems(404, 409))
async def close_case(request: Request, case: CaseRef) -> Response:
    """By its operator. Everything that was said in it is deleted, and all its keys die, the operator's too."""
    await service_of(request).cases.close(credential_of(request), case)
    return answers.deleted()


@router.post(
    "/cases/{case}/whisper",
    status_code=201,
    response_model=Captured,
    summary="Whisper to a role",
    responses=problems(404, 409, body=True),
)
async def whisper(request: Request, case: CaseRef, body: schema.WhisperIn) -> Response:
    """Into the private memory of that role alone, as the role; audited as the operator's. The stage shows only to whom."""
    done = await service_of(request).play.whisper(credential_of(request), case, body.role, body.content)
    return answer(answers.outcome(done), 201)


@router.post(
    "/cases/{case}/ask", response_model=schema.RoleAnswer, summary="Ask a role", responses=problems(404, 409, body=True)
)
async def ask(request: Request, case: CaseRef, body: schema.AskIn) -> Response:
    """Searches that role's own space and the board, whatever the question says, and answers from what was found.

    `mode` is `evidence` (the cards, word for word) or `full` (a model says it as the role; it gets those cards, and no tools).
    The stage shows who was asked and whether it knew: neither the question nor the answer.
    """
    said = await service_of(request).play.ask(credential_of(request), case, body.role, body.question)
    return answer(bureau.said(said))


@router.post(
    "/cases/{case}/publish",
    status_code=201,
    response_model=Publication,
    summary="Make a card public",
    responses={**problems(404, 409, body=True), **_PUBLISHED},
)
async def publish_card(request: Request, case: CaseRef, body: schema.PublishCardIn) -> Response:
    """Copies a role's private card to the board, as that role; audited as the operator's. The original stays locked.

    201 the first time, 200 with the same copy afterwards. A card of another case, or of none, is 404.
    """
    done = await service_of(request).play.publish(credential_of(request), case, MemoryId(body.memory_id))
    return answers.published(done)


@router.post("/cases/{case}/reset", response_model=schema.Stage, summary="Begin again", responses=problems(404, 409))
async def reset_case(request: Request, case: CaseRef) -> Response:
    """Back to the script's beginning: whispers, copies, traces and events are deleted. Keys, and the audit trail, stay."""
    service = service_of(request)
    await service.cases.reset(credential_of(request), case)
    return answer(bureau.stage(case, await service.show.stage(credential_of(request), case)))


@router.post(
    "/cases/{case}/show-key",
    status_code=201,
    response_model=schema.NewShowKey,
    summary="Make a key for the stage",
    responses=problems(404, 409, body=True),
)
async def make_show_key(request: Request, case: CaseRef, body: schema.ShowKeyIn | None = None) -> Response:
    """It acts as nobody: it reads the stage and its events, and nothing else. Its maker may revoke it (`DELETE /keys/{id}`)."""
    ends = None if body is None else end(body.expires_at, body.expires_in)
    made = await service_of(request).cases.show_key(credential_of(request), case, ends)
    return answer({"id": made.id, "key": made.secret}, 201)


@router.get("/cases/{case}/stage", response_model=schema.Stage, summary="What everybody may see", responses=problems(404))
async def get_stage(request: Request, case: CaseRef) -> Response:
    """The roles, what happened to each last, and the board. No private text, no private id, no question, and no counts."""
    return answer(bureau.stage(case, await service_of(request).show.stage(credential_of(request), case)))


@router.get(
    "/cases/{case}/events",
    response_class=StreamingResponse,
    summary="Follow the stage",
    responses={200: stream_described(_EXAMPLE), **problems(404)},
)
async def stage_events(request: Request, case: CaseRef, last_event_id: LastEventId = None) -> Response:
    """Server-sent events with the fields of the stage. Last-Event-ID may be its `last_event`; without one, from now on.

    The stream ends with the key.
    """
    found = service_of(request).show.events(credential_of(request), case, last_event(last_event_id))
    return await streamed(found, bureau.event)
