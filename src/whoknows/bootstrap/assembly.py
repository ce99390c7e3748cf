"""The assembly of the service: every constructor of a flow, in reading order."""

from datetime import UTC, datetime

from whoknows.distill.distiller import Distiller
from whoknows.domain.egress import Endpoint, Purpose
from whoknows.embedders.byte_tokens import ByteTokenizer
from whoknows.flows import hook
from whoknows.flows.account_memories import AccountMemories
from whoknows.flows.administer import Administer
from whoknows.flows.aim import Aim
from whoknows.flows.answering import Pace
from whoknows.flows.asking_facts import AskFacts
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
from whoknows.flows.evidence import FindEvidence
from whoknows.flows.examine import Examine
from whoknows.flows.explain import Explain
from whoknows.flows.export import Export
from whoknows.flows.finding_facts import FindFacts
from whoknows.flows.follow import Follow
from whoknows.flows.forget import Forget
from whoknows.flows.hall import Halls
from whoknows.flows.harness_report import ReportHarness
from whoknows.flows.hook import Hook
from whoknows.flows.hook_briefs import HookBriefs
from whoknows.flows.hook_exchanges import HookExchanges
from whoknows.flows.hook_prompts import HookPrompts
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
from whoknows.flows.pictures import Pictures
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
from whoknows.flows.room import Room
from whoknows.flows.show import Show
from whoknows.flows.sign_in import SignIn
from whoknows.flows.stages import Stages
from whoknows.flows.stating import AskForStatement
from whoknows.flows.summarize_corrections import SummarizeCorrections
from whoknows.flows.survey import Survey
from whoknows.flows.tasks import Tasks
from whoknows.flows.try_out import TryOut
from whoknows.flows.verify import Verify
from whoknows.flows.work import Work
from whoknows.flows.workplaces import Workplaces
from whoknows.policy.egress import endpoint_at
from whoknows.ports import Clock, Embedder, RoleSpeaker, RuleWriter, Scripts, SourceReader, Speaker, Store, Tokenizer
from whoknows.service import Service
from whoknows.sources.git_branch import GitRuleWriter
from whoknows.sources.roots import Roots
from whoknows.sources.scripts import ScriptFiles


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


def assemble(
    store: Store,
    embedder: Embedder,
    limits: Limits,
    tokenizer: Tokenizer = ByteTokenizer(),
    *,
    scripts: Scripts | None = None,
    role_speaker: RoleSpeaker | None = None,
    time_zone: str = "UTC",
    speaker: Speaker | None = None,
    pace: Pace = Pace(),
    clock: Clock = SystemClock(),
    source_reader: SourceReader | None = None,
    rule_writer: RuleWriter | None = None,
    distiller: Distiller | None = None,
) -> Service:
    egress = Egress(store, endpoints_of(embedder, speaker, role_speaker))
    aim = Aim(store, embedder, egress)
    authenticate = Authenticate(store)
    ledger = Ledger(store)
    capture = Capture(store, embedder, limits, Verify(store, source_reader), ledger, egress)
    publish = Publish(store, limits, ledger)
    recall = Recall(store, aim, limits, clock)
    read = Read(store, limits)
    follow = Follow(store)
    change = Change(store, embedder, limits, clock, ledger, egress)
    forget = Forget(store)
    model = None if speaker is None else speaker.model
    context = AssembleContext(store, aim, tokenizer, limits, clock, egress, model, time_zone, pace.effort)
    distiller = distiller or Distiller(embedder.name)
    find_facts = FindFacts(store, distiller, embedder, egress, None if speaker is None else AskFacts(speaker, pace))
    distill = Distill(store, embedder, limits, find_facts, distiller, capture.verify, ledger)
    summarize_corrections = SummarizeCorrections(store, limits, clock)
    trace = TraceMemory(store, limits, source_reader)
    cases = CaseFiles(store, embedder, scripts or ScriptFiles(), read, clock)
    return Service(
        store=store,
        embedder=embedder,
        tokenizer=tokenizer,
        limits=limits,
        aim=aim,
        authenticate=authenticate,
        sign_in=SignIn(store, authenticate, limits),
        looks=Looks(store),
        capture=capture,
        remember=Remember(store, capture, ledger),
        ingest=Ingest(store, capture, ledger, limits),
        banks=Banks(store, limits),
        corrections=Corrections(store, embedder, capture, ledger, egress, limits, clock),
        summarize_corrections=summarize_corrections,
        recall=recall,
        read=read,
        browse=Browse(store, limits),
        trace_memory=trace,
        reverify=Reverify(store, source_reader),
        change=change,
        forget=forget,
        overturn=Overturn(store, limits, ledger),
        explain=Explain(store, clock),
        survey=Survey(store, clock, limits),
        follow=follow,
        retrace=Retrace(store, follow),
        export=Export(store),
        prompts=Prompts(store, limits),
        account_memories=AccountMemories(store, capture, change, forget, limits),
        assemble_context=context,
        publish=publish,
        publications=Publications(store, limits, publish),
        administer=Administer(store),
        keys=Keys(store, clock),
        try_out=TryOut(store),
        tasks=Tasks(store, limits, clock),
        inject=Inject(store, aim, tokenizer, limits, clock),
        keep_sources=KeepSources(store, limits, source_reader),
        index_source=IndexSource(store, embedder, limits, source_reader),
        cases=cases,
        play=Play(store, cases, capture, recall, read, publish, role_speaker, egress),
        show=Show(store, Pictures(store, cases), Halls(store)),
        converse=Converse(store, context, FindEvidence(store, aim, limits), speaker, tokenizer, limits, clock, pace, egress),
        conversations=Conversations(store, limits),
        projects=Projects(store),
        distill=distill,
        distillations=Distillations(store, limits),
        distill_turns=DistillTurns(store, distill),
        oversee=Oversee(store, embedder),
        measure=Measure(store),
        egress=egress,
        review=Review(store, embedder, limits),
        examine=Examine(store, trace),
        ledger=ledger,
        observe=Observe(store, embedder, limits, egress, ledger),
        consolidate=Consolidate(
            store,
            embedder,
            limits,
            egress,
            None if speaker is None else AskForStatement(speaker, limits.redaction, pace.patience),
        ),
        keep_observations=KeepObservations(store),
        propose=Propose(store, rule_writer or GitRuleWriter(Roots([]), []), limits, ledger),
        hook=Hook(
            store,
            limits,
            tokenizer,
            HookPrompts(store, aim, egress, limits, clock),
            HookBriefs(store, clock),
            HookExchanges(store, limits, clock),
            Room(hook.PLACES, hook.PATIENCE),
        ),
        distill_exchanges=DistillExchanges(store, distill),
        workplaces=Workplaces(store, limits),
        stages=Stages(store, limits),
        report_harness=ReportHarness(store, limits, clock, summarize_corrections),
        connected=Connected(store),
        recount=Recount(store, limits),
        work=Work(store, embedder, egress),
    )


def endpoints_of(embedder: Embedder | None, speaker: Speaker | None, role_speaker: RoleSpeaker | None) -> tuple[Endpoint, ...]:
    """Where texts are sent, purpose by purpose, as the parts themselves say it."""
    found: list[Endpoint] = []
    if embedder is not None and embedder.address is not None:
        found.append(endpoint_at(Purpose.EMBEDDING, embedder.address, embedder.name.partition(":")[2]))
    if speaker is not None:
        purposes = (Purpose.CHAT, Purpose.DISTILLATION, Purpose.CONSOLIDATION)
        found += (endpoint_at(p, speaker.address, speaker.model) for p in purposes)
        if role_speaker is not None:
            found.append(endpoint_at(Purpose.BUREAU, speaker.address, speaker.model))
    return tuple(found)
