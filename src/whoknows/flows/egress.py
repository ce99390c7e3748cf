"""Egress: what each bank allows to leave, asked before a text goes anywhere, and the list of what may leave (C24)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whoknows.domain.credential import Caller, Credential
from whoknows.domain.egress import Cleared, EgressRule, Endpoint, Purpose, Sent
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.domain.memory import Draft
from whoknows.domain.principal import EVERYONE, Kind, Principal, parse_space
from whoknows.errors import Invalid, NotFound, WhoKnowsError
from whoknows.flows.authenticate import administer_as, must_administer
from whoknows.flows.destination import destination
from whoknows.policy.accounts import account_for
from whoknows.policy.decision import Denied
from whoknows.policy.egress import EgressGrant, cleared, granted, kept_here
from whoknows.policy.standing import Standing, scope_for
from whoknows.ports import Store, Tx

FORBIDDEN = "egress_forbidden"
"""Why something was left out, in a word."""


@dataclass(frozen=True, slots=True)
class BankEgress:
    """The rule of a bank that the reader sees, and what was sent of it so far, as far as the reader may see that."""

    rule: EgressRule
    sent: tuple[Sent, ...]


@dataclass(frozen=True, slots=True)
class Egress:
    """``endpoints``: one for each purpose that this installation is configured for. Without any nothing ever leaves."""

    store: Store
    endpoints: tuple[Endpoint, ...] = ()

    def endpoint(self, purpose: Purpose) -> Endpoint | None:
        return next((e for e in self.endpoints if e.purpose is purpose), None)

    def leaves(self, purpose: Purpose) -> Endpoint | None:
        """The endpoint of ``purpose`` where it is outside; None where texts stay on this machine."""
        found = self.endpoint(purpose)
        return None if found is None or found.inside else found

    async def forbidding(self, tx: Tx, purpose: Purpose) -> frozenset[PrincipalId]:
        """The banks of the tenant whose texts may not go to the service of ``purpose``: none where it is inside."""
        return frozenset() if self.leaves(purpose) is None else await tx.egress.forbidding()

    async def grant(self, tx: Tx, purpose: Purpose, banks: Iterable[Principal]) -> EgressGrant | None:
        """Leave to send texts of ``banks`` to the model of ``purpose``.

        None where a bank forbids it, or where no such model is configured: do without one then.
        """
        endpoint = self.endpoint(purpose)
        if endpoint is None:
            return None
        decision = granted(endpoint, banks, await self.forbidding(tx, purpose))
        return None if isinstance(decision, Denied) else decision

    async def grant_for(self, tx: Tx, purpose: Purpose, standing: Standing) -> EgressGrant | None:
        """The same for words of the reader and its account: what it says, and what they keep."""
        return await self.grant(tx, purpose, own_banks(standing))

    async def question(self, caller: Caller, text: str) -> Cleared | None:
        """A question for the embedder; None where the asker, or the account that it works for, keeps its words back."""
        endpoint = self.leaves(Purpose.EMBEDDING)
        if endpoint is None:
            return kept_here(text)
        async with self.store.read(caller) as tx:
            forbidding = await tx.egress.forbidding()
            standing = await tx.directory.standing()
        leaving = cleared(text, [b.id for b in own_banks(standing)], forbidding)
        if leaving is not None:
            await self.store.note_egress(caller, endpoint, (), own=True)
        return leaving

    async def may_embed(self, caller: Caller, drafts: Sequence[Draft]) -> frozenset[int]:
        """Which of ``drafts``, by their place, an embedder may be given now. What is refused later anyway is none of them."""
        if self.leaves(Purpose.EMBEDDING) is None:
            return frozenset(range(len(drafts)))
        allowed: set[int] = set()
        async with self.store.read(caller) as tx:
            forbidding = await tx.egress.forbidding()
            if not forbidding:
                return frozenset(range(len(drafts)))
            standing = await tx.directory.standing()
            for n, draft in enumerate(drafts):
                try:
                    to = await destination(tx.directory, standing, draft)
                except WhoKnowsError:
                    continue
                if to.owner.id not in forbidding:
                    allowed.add(n)
        return frozenset(allowed)

    async def may_embed_for(self, caller: Caller, bank: Principal) -> bool:
        """The same for a text that stays in ``bank``, such as an edit."""
        if self.leaves(Purpose.EMBEDDING) is None:
            return True
        async with self.store.read(caller) as tx:
            return bank.id not in await tx.egress.forbidding()

    async def note(self, tx: Tx, purpose: Purpose, memories: Sequence[MemoryId], own: bool = False) -> None:
        """Count what goes to the service of ``purpose``, in the transaction that knows of it. Nothing where it is inside."""
        endpoint = self.leaves(purpose)
        if endpoint is not None:
            await tx.egress.note(endpoint, memories, own)

    async def kept_back(self, caller: Caller) -> int:
        """How many of the caller's own texts are without vectors because their bank keeps them from an embedder outside."""
        if self.leaves(Purpose.EMBEDDING) is None:
            return 0
        async with self.store.read(caller) as tx:
            return await tx.egress.kept_back()

    async def list(self, caller: Caller) -> Sequence[BankEgress]:
        """The reader's own bank, its account's and its teams', each with what was sent of it."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            teams = sorted((t.team for t in standing.teams.values()), key=lambda t: (t.name == EVERYONE, t.name))
            rules = await tx.egress.rules([p.id for p in (*own_banks(standing), *teams)])
            sent = await tx.egress.sent(scope_for(standing))
        return [BankEgress(r, tuple(s for s in sent if s.bank == r.owner.id)) for r in rules]

    async def rules(self, credential: Credential) -> Sequence[EgressRule]:
        """The rule of every bank of the tenant, without a count; needs ``admin``."""
        async with self.store.read(must_administer(credential)) as tx:
            people = [p.principal.id for p in (*await tx.directory.members(), *await tx.directory.agents())]
            return await tx.egress.rules([*(t.principal.id for t in await tx.directory.teams()), *people])

    async def forbid(self, credential: Credential, name: str, forbidden: bool) -> EgressRule:
        """Forbid or allow that the texts of the bank ``name`` leave. By itself, an owner of the team, or an administrator.

        Raises NotFound for a bank that there is not, and Forbidden where it is somebody else's to say.
        """
        kind, plain = (Kind.TEAM, EVERYONE) if name == EVERYONE else parse_space(name) or (None, name)
        if kind is None:
            raise Invalid("say whose: agent:x, member:m, team:t or *", field="principal")
        async with self.store.write(administer_as(credential)) as tx:
            bank = await tx.directory.find(kind, plain)
            if bank is None:
                raise NotFound("there is no such agent, member or team", field="principal")
            await tx.egress.forbid(bank.id, forbidden)
            (changed,) = await tx.egress.rules([bank.id])
            return changed


def own_banks(standing: Standing) -> tuple[Principal, ...]:
    """Whose words a reader speaks: its own, and those of the account that it works for."""
    account = account_for(standing)
    return (standing.reader,) if account is None or account == standing.reader else (standing.reader, account)
