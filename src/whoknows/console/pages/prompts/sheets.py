"""The sheets of the page: a prompt each, from the one that stands above all to the one of this conversation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from starlette.requests import Request

from whoknows.console.pages.chat.door import is_without_account
from whoknows.console.viewer import reader_of, service_of, viewer_of
from whoknows.context.bundle import Mark, PartName
from whoknows.context.marking import ABOVE, IGNORE, POSES, REPLACE, UNBOUND
from whoknows.context.marks import marks_in
from whoknows.domain.prompt import Prompt, PromptLayer
from whoknows.errors import Forbidden

_PARTS = {
    PromptLayer.GLOBAL: PartName.GLOBAL_PROMPT,
    PromptLayer.USER: PartName.USER_PROMPT,
    PromptLayer.CONVERSATION: PartName.CONVERSATION_PROMPT,
}

_REASONS = {
    IGNORE: "mark_ignore",
    REPLACE: "mark_replace",
    ABOVE: "mark_above",
    UNBOUND: "mark_unbound",
    POSES: "mark_poses",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """``prompt`` as it is kept. ``typed`` is what somebody wrote who could not save it; ``saved``: just now."""

    prompt: Prompt
    project: str | None = None
    typed: str | None = None
    saved: bool = False

    @property
    def layer(self) -> PromptLayer:
        return self.prompt.layer

    @property
    def text(self) -> str:
        return self.prompt.content if self.typed is None else self.typed

    @property
    def pieces(self) -> list[tuple[str, str]]:
        """The text in pieces, those that ask to undo what stands above with the word for it, the others with none."""
        return in_pieces(self.prompt.content, marks_in(_PARTS[self.layer], self.prompt.content))

    @property
    def is_marked(self) -> bool:
        return any(reason for _, reason in self.pieces)


@dataclass(frozen=True, slots=True)
class Sheets:
    """``own`` is None where there is no account behind the key, ``conversation`` where no project is chosen."""

    highest: Sheet
    own: Sheet | None
    conversation: Sheet | None


async def sheets_of(request: Request) -> Sheets:
    service, viewer = service_of(request), viewer_of(request)
    highest = Sheet(await service.prompts.policy(viewer.session.credential))
    try:
        caller = await reader_of(request)
        own = Sheet(await service.prompts.user(caller))
    except Forbidden as fault:  # an administrator reads the sheet that is everybody's
        if not is_without_account(fault):
            raise
        return Sheets(highest, None, None)
    if viewer.project is None:
        return Sheets(highest, own, None)
    controls = await service.prompts.controls(caller, viewer.project)
    return Sheets(highest, own, Sheet(controls, viewer.project))


async def sheet_of(request: Request, layer: PromptLayer, project: str | None) -> Sheet:
    """The one that may be written, as it is now."""
    service, caller = service_of(request), await reader_of(request)
    if layer is PromptLayer.USER or project is None:
        return Sheet(await service.prompts.user(caller))
    return Sheet(await service.prompts.controls(caller, project), project)


def typed(sheet: Sheet, text: str) -> Sheet:
    return replace(sheet, typed=text)


def in_pieces(text: str, marks: Sequence[Mark]) -> list[tuple[str, str]]:
    pieces: list[tuple[str, str]] = []
    at = 0
    for mark in marks:
        start, end = mark.span
        pieces += [(text[at:start], ""), (text[start:end], _REASONS[mark.reason])]
        at = end
    return [p for p in (*pieces, (text[at:], "")) if p[0]]
