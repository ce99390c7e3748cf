"""Publications: one's own, to be looked at, taken back, and brought up to date."""

from dataclasses import dataclass

from whoknows.domain.credential import Caller
from whoknows.domain.ids import PublicationId
from whoknows.domain.publication import PublicationState
from whoknows.errors import AlreadySuperseded, Conflict, PublicationPending
from whoknows.flows.limits import Limits
from whoknows.flows.publish import Publish
from whoknows.flows.publishable import Published, must_publish, own, told, verdict_of
from whoknows.flows.read import seen
from whoknows.policy.standing import scope_for
from whoknows.ports import Page, Renewal, Store


@dataclass(frozen=True, slots=True)
class Publications:
    """A publication stays its publisher's, whatever became of the copy and of its rights in the team."""

    store: Store
    limits: Limits
    publish: Publish

    async def get(self, caller: Caller, publication: PublicationId) -> Published:
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            (found,) = await told(tx, [await own(tx, scope, publication)])
            return found

    async def list(self, caller: Caller, limit: int, cursor: str | None) -> Page[Published]:
        """Newest first."""
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            page = await tx.publications.page(scope, min(limit, self.limits.page), cursor)
            return Page(await told(tx, list(page.items)), page.next_cursor)

    async def withdraw(self, caller: Caller, publication: PublicationId) -> Published:
        """Its readers lose the copy at once, whatever is under way; the publisher keeps it. Repeating it changes nothing."""
        async with self.store.write(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            await own(tx, scope, publication)
            await tx.publications.withdraw(publication)
            (found,) = await told(tx, [await own(tx, scope, publication)])
            return found

    async def republish(self, caller: Caller, publication: PublicationId) -> Published:
        """The copy shows the original as it is now, as a new version in place; withdrawn or removed, it is there again.

        Repeating it changes nothing. Through the gate, and by the rules, as the first time.
        """
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            scope = scope_for(standing)
            found = await own(tx, scope, publication)
            if found.state is PublicationState.DELETED:
                raise Conflict("the original was deleted: there is nothing to publish")
            must_publish(standing, await seen(tx, scope, found.original), found.team)
            gate, held = await verdict_of(tx, found.original, found.team)
            match await tx.publications.renew(publication, gate, held):
                case Renewal.RENEWED | Renewal.SAME:
                    (published,) = await told(tx, [await own(tx, scope, publication)])
                    return published
                case Renewal.PENDING:
                    raise PublicationPending
                case Renewal.SUPERSEDED:
                    raise AlreadySuperseded("the copy was superseded in its team: write what is to replace it there")
                case Renewal.DELETED:
                    raise Conflict("the original was deleted: there is nothing to publish")
                case Renewal.ABSENT:
                    pass
        return await self.publish.saga(caller, found.original, found.team.name, again=True)
