"""What the core needs from outside, as protocols: the store and its gateways, the embedder, the clock."""

from whoknows.ports.arms import Arms, Found
from whoknows.ports.cases import Cases, NewCard, RoleSpeaker, Scripts
from whoknows.ports.context import Context, ContextCard, Pooled
from whoknows.ports.conversations import Conversations, Ending, NewExchange
from whoknows.ports.directory import Credentials, Directory
from whoknows.ports.embedder import Clock, Embedder, Vector
from whoknows.ports.handover import Handover
from whoknows.ports.jobs import Jobs, PendingEmbedding
from whoknows.ports.memories import DuplicateKey, Edit, IndexTerms, Memories, NewMemory
from whoknows.ports.paging import Page
from whoknows.ports.prompts import Prompts
from whoknows.ports.publications import Completion, Publications, Renewal
from whoknows.ports.records import AuditRow, EventRow, Position, Records
from whoknows.ports.speaker import Speaker, SpeechRequest, SpokenTurn
from whoknows.ports.store import Store, Tx
from whoknows.ports.tokens import Tokenizer

__all__ = [
    "Arms",
    "AuditRow",
    "Cases",
    "Clock",
    "Completion",
    "Context",
    "ContextCard",
    "Conversations",
    "Credentials",
    "Directory",
    "DuplicateKey",
    "Edit",
    "Embedder",
    "Ending",
    "EventRow",
    "Found",
    "Handover",
    "IndexTerms",
    "Jobs",
    "Memories",
    "NewCard",
    "NewExchange",
    "NewMemory",
    "Page",
    "PendingEmbedding",
    "Pooled",
    "Position",
    "Prompts",
    "Publications",
    "Records",
    "Renewal",
    "RoleSpeaker",
    "Scripts",
    "Speaker",
    "SpeechRequest",
    "SpokenTurn",
    "Store",
    "Tokenizer",
    "Tx",
    "Vector",
]
