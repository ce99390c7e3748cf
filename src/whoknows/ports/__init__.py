"""What the core needs from outside, as protocols: the store and its gateways, the embedder, the clock."""

from whoknows.ports.arms import Arms, Found
from whoknows.ports.banks import Banks
from whoknows.ports.cases import Cases, NewCard, RoleSpeaker, Scripts
from whoknows.ports.citations import Citation, Citations, DueEvidence, Looked, Overheard, Quotable
from whoknows.ports.console_sessions import KEEP, ConsoleSessions, Keep
from whoknows.ports.context import Context, ContextCard, Pooled
from whoknows.ports.conversations import Conversations, Ending, NewExchange
from whoknows.ports.corrections import Corrections, NewCorrection
from whoknows.ports.directory import Credentials, Directory
from whoknows.ports.distillations import Distillations
from whoknows.ports.egress import Egress
from whoknows.ports.embedder import Clock, Embedder, Vector
from whoknows.ports.gate import Admission, Failure, Gate
from whoknows.ports.handover import Handover
from whoknows.ports.harness_reports import HarnessReports
from whoknows.ports.hook_turns import HookJobs, HookTurns, TurnName
from whoknows.ports.jobs import Jobs, PendingEmbedding
from whoknows.ports.measures import Measures
from whoknows.ports.memories import DuplicateKey, Edit, IndexTerms, Memories, NewMemory, SubjectKey
from whoknows.ports.observations import Deriving, ObservationJobs, Observations
from whoknows.ports.paging import Page
from whoknows.ports.prompts import Prompts
from whoknows.ports.proposals import Proposals
from whoknows.ports.publications import Completion, Publications, Renewal
from whoknows.ports.records import AuditRow, EventRow, Position, Records
from whoknows.ports.rules import RuleChange, RuleCommit, RuleWriter
from whoknows.ports.source_reader import SourceFile, SourceReader
from whoknows.ports.sources import Indexed, IndexedFile, IndexedPiece, Lapse, Sources
from whoknows.ports.speaker import Speaker, SpeechRequest, SpokenTurn
from whoknows.ports.store import Store, Tx
from whoknows.ports.tokens import Tokenizer
from whoknows.ports.workplaces import Workplaces

__all__ = [
    "KEEP",
    "Admission",
    "Arms",
    "AuditRow",
    "Banks",
    "Cases",
    "Citation",
    "Citations",
    "Clock",
    "Completion",
    "ConsoleSessions",
    "Context",
    "ContextCard",
    "Conversations",
    "Corrections",
    "Credentials",
    "Deriving",
    "Directory",
    "Distillations",
    "DueEvidence",
    "DuplicateKey",
    "Edit",
    "Egress",
    "Embedder",
    "Ending",
    "EventRow",
    "Failure",
    "Found",
    "Gate",
    "Handover",
    "HarnessReports",
    "HookJobs",
    "HookTurns",
    "IndexTerms",
    "Indexed",
    "IndexedFile",
    "IndexedPiece",
    "Jobs",
    "Keep",
    "Lapse",
    "Looked",
    "Measures",
    "Memories",
    "NewCard",
    "NewCorrection",
    "NewExchange",
    "NewMemory",
    "ObservationJobs",
    "Observations",
    "Overheard",
    "Page",
    "PendingEmbedding",
    "Pooled",
    "Position",
    "Prompts",
    "Proposals",
    "Publications",
    "Quotable",
    "Records",
    "Renewal",
    "RoleSpeaker",
    "RuleChange",
    "RuleCommit",
    "RuleWriter",
    "Scripts",
    "SourceFile",
    "SourceReader",
    "Sources",
    "Speaker",
    "SpeechRequest",
    "SpokenTurn",
    "Store",
    "SubjectKey",
    "Tokenizer",
    "TurnName",
    "Tx",
    "Vector",
    "Workplaces",
]
