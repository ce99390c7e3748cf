"""What surrounds a conversation: its project, the other conversations there, and which model answers how."""

from dataclasses import dataclass

from starlette.requests import Request

from whoknows.console.viewer import facts_of, service_of, viewer_of
from whoknows.domain.conversation import Conversation
from whoknows.domain.credential import Caller
from whoknows.domain.prompt import Effort, Prompt
from whoknows.ports import Page

TALKS = 50
EFFORTS = tuple(Effort)


@dataclass(frozen=True, slots=True)
class Controls:
    """``chosen``: what the account set for the project. ``model`` answers where it names none; None: nobody speaks."""

    project: str
    chosen: Prompt
    model: str | None
    may_change: bool

    @property
    def speaks(self) -> bool:
        return self.model is not None


@dataclass(frozen=True, slots=True)
class Room:
    """``projects``: those that one may choose from. Without a project there is nothing else."""

    projects: tuple[str, ...]
    controls: Controls | None
    talks: Page[Conversation] | None

    @property
    def project(self) -> str | None:
        return None if self.controls is None else self.controls.project


async def room_of(request: Request, caller: Caller, project: str | None) -> Room:
    """Raises Forbidden (``no_account``) where there is no account behind the key."""
    service = service_of(request)
    talks = await service.conversations.list(caller, project, TALKS, None)
    projects = await service.projects.known(caller)
    if project is None:
        return Room(projects, None, None)
    return Room(projects, await controls_of(request, caller, project), talks)


async def controls_of(request: Request, caller: Caller, project: str) -> Controls:
    chosen = await service_of(request).prompts.controls(caller, project)
    return Controls(project, chosen, facts_of(request).model, viewer_of(request).eyes is None)
