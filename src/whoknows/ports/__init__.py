"""What the core needs from outside, as protocols: the store and its gateways, the embedder, the clock."""

from whoknows.ports.arms import Arms, Found
from whoknows.ports.directory import Credentials, Directory
from whoknows.ports.embedder import Clock, Embedder, Vector
from whoknows.ports.jobs import Jobs, PendingEmbedding
from whoknows.ports.memories import DuplicateKey, Edit, IndexTerms, Memories, NewMemory
from whoknows.ports.paging import Page
from whoknows.ports.records import AuditRow, EventRow, Position, Records
from whoknows.ports.store import Store, Tx

__all__ = [
    "Arms",
    "AuditRow",
    "Clock",
    "Credentials",
    "Directory",
    "DuplicateKey",
    "Edit",
    "Embedder",
    "EventRow",
    "Found",
    "IndexTerms",
    "Jobs",
    "Memories",
    "NewMemory",
    "Page",
    "PendingEmbedding",
    "Position",
    "Records",
    "Store",
    "Tx",
    "Vector",
]
