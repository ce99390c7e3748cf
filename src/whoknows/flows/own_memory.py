"""The memory port on this very service: its recall and its ingest, as one caller."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.audience import Layer
from whoknows.domain.bank import FactContext
from whoknows.domain.credential import Caller
from whoknows.domain.evidence import Evidence, SourceKind
from whoknows.domain.fact import Citation, Ingested, Recalled, VerifiedFact
from whoknows.domain.memory import Filters
from whoknows.flows.ingest import Fact, Ingest
from whoknows.flows.recall import Question, Recall


@dataclass(frozen=True, slots=True)
class OwnMemory:
    """The first store behind the port, and the one that all else of WhoKnows is about."""

    caller: Caller
    recalling: Recall
    ingesting: Ingest

    async def recall(
        self, query: str, *, min_score: float | None = None, project_id: str | None = None, limit: int = 10
    ) -> Sequence[Recalled]:
        found = await self.recalling(self.caller, Question(query, limit, min_score, Filters(project_id=project_id)))
        return [
            Recalled(
                id=str(a.memory.id),
                text=a.memory.content,
                context=FactContext.TEAM if a.memory.audience.layer is Layer.TEAM else FactContext.PERSONAL,
                score=a.hit.score,
                citations=tuple(Citation(source_of(e), e.quote) for e in a.memory.evidence),
            )
            for a in found.memories
        ]

    async def ingest(self, fact: VerifiedFact) -> Ingested:
        taken = Fact(fact.text, fact.source, fact.quote, fact.context, fact.project_id)
        outcome = await self.ingesting(self.caller, taken)
        return Ingested(outcome.outcome, str(outcome.memory.id))


def source_of(evidence: Evidence) -> str:
    """How a caller writes the source of ``evidence``: ``git:name@revision:path``, ``file:path``, ``memory:id``."""
    if evidence.source_kind is SourceKind.MANUAL:
        return evidence.locator
    if evidence.source_kind is SourceKind.GIT and evidence.revision is not None:
        name, _, path = evidence.locator.partition(":")
        return f"git:{name}@{evidence.revision}:{path}"
    return f"{evidence.source_kind}:{evidence.locator}"
