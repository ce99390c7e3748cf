"""The service: one field per flow, all that an edge may call."""

from dataclasses import dataclass

from whoknows.flows.account_memories import AccountMemories
from whoknows.flows.administer import Administer
from whoknows.flows.aim import Aim
from whoknows.flows.assemble_context import AssembleContext
from whoknows.flows.authenticate import Authenticate
from whoknows.flows.banks import Banks
from whoknows.flows.browse import Browse
from whoknows.flows.capture import Capture
from whoknows.flows.cases import CaseFiles
from whoknows.flows.change import Change
from whoknows.flows.connected import Connected
from whoknows.flows.consolidate import Consolidate
from whoknows.flows.conversations import Conversations
from whoknows.flows.converse import Converse
from whoknows.flows.corrections import Corrections
from whoknows.flows.distill import Distill
from whoknows.flows.distill_exchanges import DistillExchanges
from whoknows.flows.distill_turns import DistillTurns
from whoknows.flows.distillations import Distillations
from whoknows.flows.egress import Egress
from whoknows.flows.examine import Examine
from whoknows.flows.explain import Explain
from whoknows.flows.export import Export
from whoknows.flows.follow import Follow
from whoknows.flows.forget import Forget
from whoknows.flows.harness_report import ReportHarness
from whoknows.flows.hook import Hook
from whoknows.flows.index_source import IndexSource
from whoknows.flows.ingest import Ingest
from whoknows.flows.inject import Inject
from whoknows.flows.keep_observations import KeepObservations
from whoknows.flows.keep_sources import KeepSources
from whoknows.flows.keys import Keys
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits
from whoknows.flows.looks import Looks
from whoknows.flows.measure import Measure
from whoknows.flows.observe import Observe
from whoknows.flows.oversee import Oversee
from whoknows.flows.overturn import Overturn
from whoknows.flows.play import Play
from whoknows.flows.projects import Projects
from whoknows.flows.prompts import Prompts
from whoknows.flows.propose import Propose
from whoknows.flows.provenance import TraceMemory
from whoknows.flows.publications import Publications
from whoknows.flows.publish import Publish
from whoknows.flows.read import Read
from whoknows.flows.recall import Recall
from whoknows.flows.recount import Recount
from whoknows.flows.remember import Remember
from whoknows.flows.retrace import Retrace
from whoknows.flows.reverify import Reverify
from whoknows.flows.review import Review
from whoknows.flows.show import Show
from whoknows.flows.sign_in import SignIn
from whoknows.flows.stages import Stages
from whoknows.flows.summarize_corrections import SummarizeCorrections
from whoknows.flows.survey import Survey
from whoknows.flows.tasks import Tasks
from whoknows.flows.try_out import TryOut
from whoknows.flows.work import Work
from whoknows.flows.workplaces import Workplaces
from whoknows.ports import Embedder, Store, Tokenizer


@dataclass(frozen=True, slots=True)
class Service:
    store: Store
    embedder: Embedder
    tokenizer: Tokenizer
    limits: Limits
    aim: Aim
    authenticate: Authenticate
    sign_in: SignIn
    looks: Looks
    capture: Capture
    remember: Remember
    ingest: Ingest
    banks: Banks
    corrections: Corrections
    summarize_corrections: SummarizeCorrections
    recall: Recall
    read: Read
    browse: Browse
    trace_memory: TraceMemory
    reverify: Reverify
    change: Change
    forget: Forget
    overturn: Overturn
    explain: Explain
    survey: Survey
    follow: Follow
    retrace: Retrace
    export: Export
    prompts: Prompts
    account_memories: AccountMemories
    assemble_context: AssembleContext
    publish: Publish
    publications: Publications
    administer: Administer
    keys: Keys
    try_out: TryOut
    tasks: Tasks
    inject: Inject
    keep_sources: KeepSources
    index_source: IndexSource
    cases: CaseFiles
    play: Play
    show: Show
    converse: Converse
    conversations: Conversations
    projects: Projects
    distill: Distill
    distillations: Distillations
    distill_turns: DistillTurns
    oversee: Oversee
    measure: Measure
    egress: Egress
    review: Review
    examine: Examine
    ledger: Ledger
    observe: Observe
    consolidate: Consolidate
    keep_observations: KeepObservations
    propose: Propose
    hook: Hook
    distill_exchanges: DistillExchanges
    workplaces: Workplaces
    stages: Stages
    report_harness: ReportHarness
    connected: Connected
    recount: Recount
    work: Work

    async def close(self) -> None:
        await self.show.close()
        await self.converse.close()
        await self.embedder.close()
        await self.store.close()
