"""The room of who knows what: what its pages are narrowed to, as whom one asks, and its marks."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Form, Request

from whoknows.console.fields import one_of
from whoknows.console.viewer import route_of, service_of, viewer_of
from whoknows.domain.audience import Layer
from whoknows.domain.credential import Caller
from whoknows.domain.memory import Category, Filters, State
from whoknows.domain.trace import Verdict
from whoknows.flows.authenticate import act_as
from whoknows.flows.survey import Known

_MOST_READERS = 100_000


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What a person chose to look at, as the form says it; ``first`` is the first reader among the columns."""

    project: str = ""
    kind: str = ""
    layer: str = ""
    team: str = ""
    state: str = ""
    first: int = 0

    @property
    def filters(self) -> Filters:
        layer = one_of(Layer, self.layer, "layer")
        return Filters(
            project_id=self.project or None,
            category=one_of(Category, self.kind, "kind"),
            layer=None if layer is None else str(layer),
            team_id=self.team or None,
            state=one_of(State, self.state, "state"),
        )

    @property
    def is_narrow(self) -> bool:
        return bool(self.project or self.kind or self.layer or self.team or self.state)


def narrowed(
    project: Annotated[str, Form()] = "",
    kind: Annotated[str, Form()] = "",
    layer: Annotated[str, Form()] = "",
    team: Annotated[str, Form()] = "",
    state: Annotated[str, Form()] = "",
    first: Annotated[int, Form(ge=0, le=_MOST_READERS)] = 0,
) -> Narrowed:
    """From a form: names travel in its body, never in an address."""
    return Narrowed(project.strip(), kind, layer, team, state, first)


async def caller_as(request: Request, space: str) -> Caller:
    """Oneself, or another through its eyes, which needs ``inspect`` and is in the audit trail."""
    viewer, service = viewer_of(request), service_of(request)
    if space in viewer.spaces:
        return act_as(viewer.session.credential, space)
    return await service.authenticate.seen_as(viewer.session.credential, space, route_of(request))


def mark(row: Known, verdict: Verdict) -> str:
    """y: may know; i: knows, or holds a copy, because it was handed over; n: may not know."""
    if verdict.visible:
        return "i" if row.memory.audience.layer is Layer.INJECTED else "y"
    return "i" if verdict.reader in row.given_to else "n"
