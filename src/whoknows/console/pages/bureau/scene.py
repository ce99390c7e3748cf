"""What the operator's table is laid with: the case, its script and how far it was played, the names and looks of its roles."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from whoknows.console.case_doors import BUREAU, of_case
from whoknows.console.pages.bureau.play import Progress, StepView, read, steps_of, written
from whoknows.console.paths import CONSOLE
from whoknows.console.render import render
from whoknows.console.viewer import language_of, service_of
from whoknows.domain.case import Answer, Case, CaseView
from whoknows.domain.script import Language, Script
from whoknows.errors import NotFound

PROGRESS_COOKIE = "whoknows_play"
LOOKED = f"GET {CONSOLE}/bureau"
"""What the roles find in their audit trail, whichever page was laid."""


@dataclass(frozen=True, slots=True)
class Scene:
    """``spoken`` is the language of the page; the cards and the questions keep that of the case."""

    case: Case
    script: Script
    spoken: Language
    progress: Progress
    looks: Mapping[str, int]

    @property
    def names(self) -> Mapping[str, str]:
        return {r.id: r.name.speak(self.spoken) for r in self.script.roles}

    @property
    def steps(self) -> list[StepView]:
        return steps_of(self.script, self.case.language, self.progress)


@dataclass(frozen=True, slots=True)
class Event:
    """What the operator just did, told at the top of the panel. ``met``: whether a step turned out as the script expects."""

    kind: str
    role: str
    text: str = ""
    said: Answer | None = None
    step: StepView | None = None
    met: bool | None = None


async def scene_of(request: Request) -> Scene:
    viewer = of_case(request)
    service = service_of(request)
    case = await service.cases.own(viewer.session.credential)
    if case is None:  # it was closed a moment ago
        raise NotFound("there is no such case")
    script = service.cases.script(case.script)
    progress = read(request.cookies.get(PROGRESS_COOKIE), case, script)
    return Scene(case, script, Language(language_of(request)), progress, viewer.looks)


async def looked(request: Request) -> CaseView:
    viewer = of_case(request)
    credential = viewer.session.credential
    return await service_of(request).cases.look(credential, credential.tenant, LOOKED)


async def laid(request: Request, scene: Scene, event: Event | None = None) -> Response:
    """The whole table."""
    return render(
        request, "bureau/table.html", scene=scene, view=await looked(request), event=event, desk=of_case(request)
    )  # fmt: skip


async def told(request: Request, scene: Scene, event: Event, *, moved: bool) -> Response:
    """What ``event`` changed on a table that lies there already. ``moved``: cards were laid or copied."""
    view = await looked(request) if moved else None
    return render(request, "bureau/changed.html", scene=scene, view=view, event=event, desk=of_case(request))


def keep_progress(request: Request, answer: Response, scene: Scene) -> None:
    answer.set_cookie(
        PROGRESS_COOKIE, written(scene.progress, scene.case), path=BUREAU, httponly=True, samesite="strict",
        secure=request.url.scheme == "https",
    )  # fmt: skip
