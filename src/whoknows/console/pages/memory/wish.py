"""What the filter row asks for: parsed once from its form, refused where it names what there is not."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Form

from whoknows.console.fields import one_of
from whoknows.domain.memory import Category, Filters, State
from whoknows.policy.whose import Whose

STATES = (State.ACTIVE, State.HELD, State.ARCHIVED, State.SUPERSEDED, State.WITHDRAWN)


@dataclass(frozen=True, slots=True)
class Wish:
    """``text`` is a question: what answers it is shown, instead of what is newest."""

    text: str = ""
    kind: Category | None = None
    tag: str = ""
    whose: Whose | None = None
    state: State = State.ACTIVE
    distilled: bool = False

    @property
    def narrow(self) -> bool:
        """Whether anything but the question is asked for."""
        return self != Wish(text=self.text)

    def filters(self) -> Filters:
        """Without a project: that is the shelf's."""
        return Filters(
            category=self.kind,
            tags=(self.tag,) if self.tag else (),
            state=self.state,
            distilled=True if self.distilled else None,
        )


def _wish(
    text: Annotated[str, Form()] = "",
    kind: Annotated[str, Form()] = "",
    tag: Annotated[str, Form()] = "",
    whose: Annotated[str, Form()] = "",
    state: Annotated[str, Form()] = "",
    distilled: Annotated[str, Form()] = "",
) -> Wish:
    return Wish(
        text=text.strip(),
        kind=one_of(Category, kind, "kind"),
        tag=tag.strip(),
        whose=one_of(Whose, whose, "whose"),
        state=one_of(State, state, "state") or State.ACTIVE,
        distilled=bool(distilled),
    )


Wished = Annotated[Wish, Depends(_wish)]
