"""Hooks: the raw event of a program in, the answer that this program understands out."""

import re
from typing import Annotated

from fastapi import APIRouter, Header, Path, Request
from starlette.background import BackgroundTask
from starlette.responses import Response

from whoknows.domain.harness import Program
from whoknows.errors import Invalid, TooLarge
from whoknows.rest.answers import answer
from whoknows.rest.auth import named, service_of, writer
from whoknows.rest.schemas.hooks import HookEvent, HookOutput
from whoknows.rest.schemas.problem import problems
from whoknows.rest.strict import StrictRequest, StrictRoute

_HALVES = re.compile(rb"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(rb"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[dD][89a-fA-F][\da-fA-F]{2}|\\.", re.DOTALL)
_HALF = len(rb"\ud83d")


class _Event(StrictRequest):
    """An event in which half a character is a mark: programs cut texts where they like, also within an emoji."""

    async def body(self) -> bytes:
        if self._bytes is None:
            body = await super().body()
            if _HALVES.search(body):
                body = _ESCAPE.sub(lambda m: rb"\ufffd" if len(m[0]) == _HALF else m[0], body)
            self._bytes = body
        return self._bytes


class _EventRoute(StrictRoute):
    def strict(self, request: Request) -> StrictRequest:
        return _Event(request.scope, request.receive)


router = APIRouter(tags=["harnesses"], route_class=_EventRoute)
MOST_BYTES = 1024 * 1024
"""Of an event: a prompt may hold a file, and no program sends more."""
OfProgram = Annotated[Program, Path(description="The program whose event it is.")]
OnMachine = Annotated[str | None, Header(alias="X-Machine", description="Required: the host name of the machine, in UTF-8.")]


@router.post(
    "/hooks/{program}",
    response_model=HookOutput,
    response_model_exclude_unset=True,
    summary="An event of a program",
    responses=problems(body=True),
)
async def hook(request: Request, program: OfProgram, body: HookEvent, x_machine: OnMachine = None) -> Response:  # noqa: ARG001
    """Answers what the program shall put beside the prompt: what the project's memory holds on it, once a session.

    Nothing (`{}`) where the directory is registered nowhere, the project is off, or nothing reaches the floor. On `Stop`, from
    the stage `governed` on, the exchange is kept until it is distilled, behind the answer.
    """
    caller = writer(request)
    size = len(await request.body())
    if size > MOST_BYTES:
        raise TooLarge(f"the event has {size} bytes, {MOST_BYTES} are accepted")
    machine = named(request, "X-Machine")
    if machine is None:
        raise Invalid("say on which machine this is: its host name", field="X-Machine")
    service = service_of(request)
    hooked = await service.hook(caller, program, machine, await request.json())
    return answer(hooked.output, background=BackgroundTask(service.hook.note, caller, hooked))
