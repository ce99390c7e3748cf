"""The service: one field per flow, all that an edge may call."""

from dataclasses import dataclass

from whoknows.flows.administer import Administer
from whoknows.flows.aim import Aim
from whoknows.flows.authenticate import Authenticate
from whoknows.flows.capture import Capture
from whoknows.flows.change import Change
from whoknows.flows.explain import Explain
from whoknows.flows.export import Export
from whoknows.flows.follow import Follow
from whoknows.flows.forget import Forget
from whoknows.flows.keys import Keys
from whoknows.flows.limits import Limits
from whoknows.flows.oversee import Oversee
from whoknows.flows.read import Read
from whoknows.flows.recall import Recall
from whoknows.flows.work import Work
from whoknows.ports import Embedder, Store


@dataclass(frozen=True, slots=True)
class Service:
    store: Store
    embedder: Embedder
    limits: Limits
    aim: Aim
    authenticate: Authenticate
    capture: Capture
    recall: Recall
    read: Read
    change: Change
    forget: Forget
    explain: Explain
    follow: Follow
    export: Export
    administer: Administer
    keys: Keys
    oversee: Oversee
    work: Work

    async def close(self) -> None:
        await self.embedder.close()
        await self.store.close()
