"""The steps that a script suggests: done one by one, each compared with what the script expects."""

from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from whoknows.console.case_doors import BUREAU, CaseDoor, of_case
from whoknows.console.pages.bureau.play import Mark, answered_as_expected, card_named, copied_once
from whoknows.console.pages.bureau.scene import Event, Scene, keep_progress, laid, looked, scene_of, told
from whoknows.console.viewer import is_part, service_of
from whoknows.domain.script import AskStep, PublishStep, WhisperStep

router = APIRouter(route_class=CaseDoor)


@router.post("/bureau/step")
async def step(request: Request, number: Annotated[int, Form()], act: Annotated[str, Form()] = "do") -> Response:
    """``number`` is the step that the page showed as the next one: what was done meanwhile is not done twice."""
    scene = await scene_of(request)
    if number != len(scene.progress.marks) or number >= len(scene.script.steps):
        event = Event("moved_on", "")
    elif act == "skip":
        event = Event("skipped", scene.steps[number].role, step=scene.steps[number])
        scene = replace(scene, progress=scene.progress.then(Mark.SKIPPED))
    else:
        event = await _done(request, scene, number)
        scene = replace(scene, progress=scene.progress.then(Mark.HELD if event.met else Mark.OTHERWISE))
    if is_part(request):
        answer = await told(request, scene, event, moved=event.said is None)
    elif event.said is not None:  # a question and its answer cannot wait in an address
        answer = await laid(request, scene, event)
    else:
        answer = RedirectResponse(BUREAU, 303)
    keep_progress(request, answer, scene)
    return answer


async def _done(request: Request, scene: Scene, number: int) -> Event:
    """Carry the step out; ``met`` says whether it turned out as expected."""
    credential = of_case(request).session.credential
    play, name = service_of(request).play, credential.tenant
    language, shown = scene.case.language, scene.steps[number]
    match scene.script.steps[number]:
        case WhisperStep(role, card):
            done = await play.whisper(credential, name, role, card.text.speak(language))
            return Event("whisper", role, done.memory.content, step=shown, met=True)
        case AskStep(role, question) as asked:
            said = await play.ask(credential, name, role, question.speak(language))
            met = answered_as_expected(asked, said, scene.script, language)
            return Event("ask", role, said=said, step=shown, met=met)
        case PublishStep(card):
            original = card_named(await looked(request), card)
            if original is None:
                return Event("missing", shown.role, shown.text, step=shown, met=False)
            published = await play.publish(credential, name, original.id)
            met = copied_once((await looked(request)).board, original)
            kind = "publish" if published.first else "publish_again"
            return Event(kind, original.author.name, original.content, step=shown, met=met)
