"""Measure: how the installation is built, how large its database is, and what waits in the background."""

from dataclasses import dataclass

from whoknows.domain.credential import Credential, Permission
from whoknows.domain.measured import Built, Measured
from whoknows.errors import PermissionMissing
from whoknows.flows.authenticate import administer_as, must_administer
from whoknows.ports import Store

TABLES = 8


def runs_it(credential: Credential) -> bool:
    """Whether ``credential`` is that of who runs the installation, and of nobody besides.

    Sizes and work that waits depend on what others write. A key that acts as somebody reads, and what a reader gets is a
    function of what it may see (rules R4): it is told neither.
    """
    return Permission.CREATE_TENANTS in credential.permissions and not credential.acts_as


@dataclass(frozen=True, slots=True)
class Measure:
    store: Store

    async def built(self, credential: Credential) -> Built:
        """Needs ``admin``."""
        async with self.store.read(must_administer(credential)) as tx:
            return await tx.measures.built()

    async def measured(self, credential: Credential) -> Measured:
        """For the installation key, which acts as nobody."""
        if not runs_it(credential):
            raise PermissionMissing("sizes and waiting work are told to the installation key alone, which acts as nobody")
        async with self.store.read(administer_as(credential)) as tx:
            return await tx.measures.measured(TABLES)
