"""The gateway of measures: what the database says of itself, and nothing of what it holds for whom."""

from typing import Protocol

from whoknows.domain.measured import Built, Measured


class Measures(Protocol):
    async def built(self) -> Built:
        """For administrators; Forbidden for anyone else."""
        ...

    async def measured(self, most: int) -> Measured:
        """The ``most`` largest tables. For a key that founds tenants and acts as nobody; Forbidden for anyone else."""
        ...
