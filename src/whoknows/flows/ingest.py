"""Ingest: a fact with its source and the words of it goes to the bank that the boundary routes it to, or nowhere."""

from dataclasses import dataclass

from whoknows.domain.bank import FactContext
from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Draft
from whoknows.domain.principal import Kind
from whoknows.flows.capture import Capture, IdempotencyKey
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits, label
from whoknows.flows.routing import bank_for
from whoknows.flows.workplaces import Where, project_of
from whoknows.flows.writing import Outcome
from whoknows.ports import Store, Tx


@dataclass(frozen=True, slots=True)
class Fact:
    """What is to be known, in ``text``; ``source`` names where it stands, ``quote`` is what stands there, to the letter.

    ``team_id`` is needed only for a team's fact that belongs to no project. ``place`` may say the project instead.
    """

    text: str
    source: str
    quote: str
    context: FactContext
    project_id: str | None = None
    team_id: str | None = None
    subject: str | None = None
    supersedes: MemoryId | None = None
    reason: str | None = None
    place: Where | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """Where a write goes, as a draft says it."""

    layer: str
    account: str | None
    team_id: str | None


@dataclass(frozen=True, slots=True)
class Ingest:
    store: Store
    capture: Capture
    ledger: Ledger
    limits: Limits

    async def __call__(self, caller: Caller, fact: Fact, idempotency: IdempotencyKey | None = None) -> Outcome:
        """Through the gate of the bank, and never without its quote: what is not found in the source is refused there."""
        async with self.ledger.kept(caller, "ingest"):
            for field in ("project_id", "team_id"):
                label(getattr(fact, field), self.limits.label, field)
            async with self.store.read(caller) as tx:
                project = await project_of(tx, await tx.directory.standing(), fact.project_id, fact.place)
                to = await placed(tx, fact.context, project, fact.team_id)
        draft = Draft(
            content=fact.text,
            layer=to.layer,
            account=to.account,
            team_id=to.team_id,
            project_id=project,
            source=fact.source,
            quote=fact.quote,
            subject=fact.subject,
            supersedes=fact.supersedes,
            reason=fact.reason,
            must_verify=True,
        )
        return await self.capture(caller, draft, idempotency, "ingest")


async def placed(tx: Tx, context: FactContext, project: str | None, team_id: str | None) -> Placed:
    """The bank that a write goes to, for the caller of ``tx``. NotFound where there is none, BankAmbiguous for several."""
    standing = await tx.directory.standing()
    routed = None if project is None else (await tx.banks.routing(project)).team
    bank = bank_for(standing, context, project, routed, team_id)
    match bank.kind:
        case Kind.TEAM:
            return Placed("team", None, bank.name)
        case Kind.MEMBER:
            return Placed("private", bank.name, None)
        case Kind.AGENT:
            return Placed("private", None, None)
