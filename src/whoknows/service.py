"""The service: one field per flow, all that an edge may call."""

from dataclasses import dataclass

from whoknows.flows.account_memories import AccountMemories
from whoknows.flows.administer import Administer
from whoknows.flows.aim import Aim
from whoknows.flows.assemble_context import AssembleContext
from whoknows.flows.authenticate import Authenticate
from whoknows.flows.capture import Capture
from whoknows.flows.cases import CaseFiles
from whoknows.flows.change import Change
from whoknows.flows.conversations import Conversations
from whoknows.flows.converse import Converse
from whoknows.flows.explain import Explain
from whoknows.flows.export import Export
from whoknows.flows.follow import Follow
from whoknows.flows.forget import Forget
from whoknows.flows.inject import Inject
from whoknows.flows.keys import Keys
from whoknows.flows.limits import Limits
from whoknows.flows.oversee import Oversee
from whoknows.flows.play import Play
from whoknows.flows.prompts import Prompts
from whoknows.flows.publications import Publications
from whoknows.flows.publish import Publish
from whoknows.flows.read import Read
from whoknows.flows.recall import Recall
from whoknows.flows.show import Show
from whoknows.flows.tasks import Tasks
from whoknows.flows.work import Work
from whoknows.ports import Embedder, Store, Tokenizer


@dataclass(frozen=True, slots=True)
class Service:
    store: Store
    embedder: Embedder
    tokenizer: Tokenizer
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
    prompts: Prompts
    account_memories: AccountMemories
    assemble_context: AssembleContext
    publish: Publish
    publications: Publications
    administer: Administer
    keys: Keys
    tasks: Tasks
    inject: Inject
    cases: CaseFiles
    play: Play
    show: Show
    converse: Converse
    conversations: Conversations
    oversee: Oversee
    work: Work

    async def close(self) -> None:
        await self.converse.close()
        await self.embedder.close()
        await self.store.close()
