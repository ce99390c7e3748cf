"""Remember: something is kept for a person, for its writer alone or for a team; a directory may say for which project."""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import assert_never

from whoknows.domain.credential import Caller
from whoknows.domain.memory import Draft, Isolation
from whoknows.domain.principal import Kind
from whoknows.errors import Invalid
from whoknows.flows.capture import Capture, IdempotencyKey
from whoknows.flows.ledger import Ledger
from whoknows.flows.workplaces import Where, project_of
from whoknows.flows.writing import Outcome
from whoknows.policy.routing import personal_bank, reads_bank
from whoknows.policy.standing import Standing
from whoknows.ports import Store, Tx


class KeepFor(StrEnum):
    PERSON = "person"
    """The account behind the key, with all its agents; who works for nobody keeps it alone."""
    SELF = "self"
    TEAM = "team"
    """The team that is named, else the one that the project is routed to."""


@dataclass(frozen=True, slots=True)
class Remember:
    store: Store
    capture: Capture
    ledger: Ledger

    async def __call__(
        self,
        caller: Caller,
        draft: Draft,
        place: Where | None = None,
        keep_for: KeepFor | None = None,
        once: IdempotencyKey | None = None,
        route: str = "capture",
    ) -> Outcome:
        """``place`` says the project, as it does for the hooks; NotFound where nobody registered it, and nothing is kept then.

        ``keep_for`` None: for whom the draft itself names, and with a ``place`` else for the person.
        """
        if place is not None or keep_for is not None:
            async with self.ledger.kept(caller, route), self.store.read(caller) as tx:
                draft = await _destined(tx, draft, place, keep_for or _meant(draft))
        return await self.capture(caller, draft, once, route)


def _meant(draft: Draft) -> KeepFor:
    if draft.layer == "team":
        return KeepFor.TEAM
    # What is shared by name, or bound to a session or a task, is one author's own.
    own = draft.account is not None or draft.visible_to or draft.isolation is not Isolation.AGENT
    return KeepFor.SELF if own else KeepFor.PERSON


async def _destined(tx: Tx, draft: Draft, place: Where | None, keep_for: KeepFor) -> Draft:
    standing = await tx.directory.standing()
    draft = replace(draft, project_id=await project_of(tx, standing, draft.project_id, place))
    match keep_for:
        case KeepFor.SELF:
            return draft
        case KeepFor.PERSON:
            owner = personal_bank(standing)
            return replace(draft, account=owner.name if owner.kind is Kind.MEMBER else None)
        case KeepFor.TEAM:
            return replace(draft, layer="team", team_id=draft.team_id or await _team_of(tx, standing, draft.project_id))
        case _:
            assert_never(keep_for)


async def _team_of(tx: Tx, standing: Standing, project: str | None) -> str:
    routed = None if project is None else (await tx.banks.routing(project)).team
    if routed is None or not reads_bank(standing, routed):
        raise Invalid("name the team: no project that is routed to one of yours says which", field="team_id")
    return routed.name
