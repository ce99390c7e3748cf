"""The service: one field per flow, all that an edge may call."""

from dataclasses import dataclass

from whoknows.flows.account_memories import AccountMemories
from whoknows.flows.administer import Administer
from whoknows.flows.aim import Aim
from whoknows.flows.assemble_context import AssembleContext
from whoknows.flows.authenticate import Authenticate
from whoknows.flows.banks import Banks
from whoknows.flows.capture import Capture
from whoknows.flows.cases import CaseFiles
from whoknows.flows.change import Change
from whoknows.flows.consolidate import Consolidate
from whoknows.flows.conversations import Conversations
from whoknows.flows.converse import Converse
from whoknows.flows.corrections import Corrections
from whoknows.flows.distill import Distill
from whoknows.flows.distill_turns import DistillTurns
from whoknows.flows.distillations import Distillations
from whoknows.flows.egress import Egress
from whoknows.flows.explain import Explain
from whoknows.flows.export import Export
from whoknows.flows.follow import Follow
from whoknows.flows.forget import Forget
from whoknows.flows.index_source import IndexSource
from whoknows.flows.ingest import Ingest
from whoknows.flows.inject import Inject
from whoknows.flows.keep_observations import KeepObservations
from whoknows.flows.keep_sources import KeepSources
from whoknows.flows.keys import Keys
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits
from whoknows.flows.observe import Observe
from whoknows.flows.oversee import Oversee
from whoknows.flows.overturn import Overturn
from whoknows.flows.play import Play
from whoknows.flows.prompts import Prompts
from whoknows.flows.propose import Propose
from whoknows.flows.provenance import TraceMemory
from whoknows.flows.publications import Publications
from whoknows.flows.publish import Publish
from whoknows.flows.read import Read
from whoknows.flows.recall import Recall
from whoknows.flows.reverify import Reverify
from whoknows.flows.review import Review
from whoknows.flows.show import Show
from whoknows.flows.summarize_corrections import SummarizeCorrections
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
    ingest: Ingest
    banks: Banks
    corrections: Corrections
    summarize_corrections: SummarizeCorrections
    recall: Recall
    read: Read
    trace_memory: TraceMemory
    reverify: Reverify
    change: Change
    forget: Forget
    overturn: Overturn
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
    keep_sources: KeepSources
    index_source: IndexSource
    cases: CaseFiles
    play: Play
    show: Show
    converse: Converse
    conversations: Conversations
    distill: Distill
    distillations: Distillations
    distill_turns: DistillTurns
    oversee: Oversee
    egress: Egress
    review: Review
    ledger: Ledger
    observe: Observe
    consolidate: Consolidate
    keep_observations: KeepObservations
    propose: Propose
    work: Work

    async def close(self) -> None:
        await self.converse.close()
        await self.embedder.close()
        await self.store.close()
