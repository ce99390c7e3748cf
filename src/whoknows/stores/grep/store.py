"""The memory port over Markdown files: facts are files, and recall looks for the words of the question in them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from whoknows.domain.bank import FactContext
from whoknows.domain.evidence import Evidence, SourceKind, parse_source
from whoknows.domain.fact import Citation, Ingested, Recalled, VerifiedFact
from whoknows.domain.locator import file_place, git_place
from whoknows.domain.memory import Draft
from whoknows.domain.principal import Kind, Principal
from whoknows.domain.source import SourceLocation
from whoknows.errors import Forbidden, Invalid, QuoteNotFound
from whoknows.flows.limits import Limits, content, label
from whoknows.flows.routing import bank_for
from whoknows.gate.proof import UNREADABLE, Proof, looked_for
from whoknows.policy.decision import Denied
from whoknows.policy.routing import personal_bank, team_banks
from whoknows.policy.rules import may_write_team
from whoknows.policy.standing import Standing
from whoknows.ports import Clock, SourceReader
from whoknows.stores.grep.cards import Card, parse, text_of
from whoknows.stores.grep.folder import BankFolder, key_of
from whoknows.stores.grep.names import bank_folder
from whoknows.stores.grep.words import plain, score, words

FLOOR = 0.5
"""At least half of the words of a question stand in what answers it."""


@dataclass(frozen=True, slots=True)
class Boundary:
    """What the boundary knows: who asks, where projects go, and which sources there are, by the names that citations use."""

    standing: Standing
    projects: Mapping[str, Principal] = field(default_factory=dict[str, Principal])
    sources: Mapping[str, SourceLocation] = field(default_factory=dict[str, SourceLocation])


@dataclass(frozen=True, slots=True)
class GrepMemory:
    """One folder for each bank below ``root``: ``team/backend/….md``. A score is the share of the question's words found."""

    root: Path
    boundary: Boundary
    reader: SourceReader
    clock: Clock
    limits: Limits = field(default_factory=Limits)

    async def recall(
        self, query: str, *, min_score: float | None = None, project_id: str | None = None, limit: int = 10
    ) -> Sequence[Recalled]:
        content(query, self.limits.question_bytes, "query")
        label(project_id, self.limits.label, "project_id")
        if not 1 <= limit <= self.limits.most_hits:
            raise Invalid(f"limit is between 1 and {self.limits.most_hits}", field="limit")
        if min_score is not None and not 0 <= min_score <= 1:
            raise Invalid("min_score is between 0 and 1", field="min_score")
        floor = FLOOR if min_score is None else min_score
        return (await asyncio.to_thread(self._search, words(query), floor, project_id))[:limit]

    async def ingest(self, fact: VerifiedFact) -> Ingested:
        draft = self._clean(fact)
        standing = self.boundary.standing
        routed = None if fact.project_id is None else self.boundary.projects.get(fact.project_id)
        bank = bank_for(standing, fact.context, fact.project_id, routed)
        if bank.kind is Kind.TEAM and isinstance(decision := may_write_team(standing, bank.id), Denied):
            raise Forbidden(decision.reason, reason_code=decision.code)
        proof = await self._prove(draft)
        if not any(e.verified for e in proof.evidence):
            raise QuoteNotFound(proof.findings or (UNREADABLE,))
        citation = Citation(draft.source or "", draft.quote)
        return await asyncio.to_thread(self._keep, bank, draft, citation)

    async def forget(self, fact: str) -> bool:
        """Remove the file of a fact from a bank that the caller writes to; its id as recall tells it."""
        return await asyncio.to_thread(self._forget, fact)

    def _search(self, asked: frozenset[str], floor: float, project: str | None) -> list[Recalled]:
        found: list[tuple[float, Card, Recalled]] = []
        for owner in self._readable():
            folder, context = self._folder(owner), FactContext.TEAM if owner.kind is Kind.TEAM else FactContext.PERSONAL
            for key, written in folder.files():
                text = text_of(written)
                worth = 0.0 if text is None else score(asked, plain(text))
                card = parse(written) if worth >= floor and worth > 0 else None
                if card is not None and project in (None, card.project_id):
                    found.append((worth, card, Recalled(_id(owner, key), card.text, context, worth, card.citations)))
        # Newer before older where they fit equally well.
        found.sort(key=lambda f: (-f[0], -f[1].at.timestamp(), f[2].id))
        return [known for _, _, known in found]

    def _keep(self, bank: Principal, draft: Draft, citation: Citation) -> Ingested:
        key = key_of(draft.content, draft.project_id)
        outcomes: list[str] = []

        def with_citation(there: Card | None) -> Card:
            outcomes.append("stored" if there is None else "merged")
            if there is None:
                return Card(draft.content, draft.project_id, self.clock.now(), (citation,))
            return replace(there, citations=tuple(dict.fromkeys((*there.citations, citation))))

        self._folder(bank).put(key, with_citation)
        return Ingested(outcomes[-1], _id(bank, key))

    def _forget(self, fact: str) -> bool:
        standing = self.boundary.standing
        writable = [personal_bank(standing), *(t.team for t in team_banks(standing) if t.role.writes)]
        bank, _, key = fact.rpartition("/")
        return any(self._folder(owner).remove(key) for owner in writable if "/".join(bank_folder(owner)) == bank)

    async def _prove(self, draft: Draft) -> Proof:
        """The quote looked up in its file, of a folder or at a revision. Unknown, unreadable and absent answer alike."""
        kind, locator, revision = parse_source(draft.source or "")
        evidence = Evidence(kind, locator, revision, draft.quote)
        match kind:
            case SourceKind.GIT:
                place = git_place(locator)
                name, path = place.source, place.path
            case SourceKind.FILE:
                place = file_place(locator)
                name, _, path = place.path.partition("/")
            case _:
                return Proof((evidence,))
        where = self.boundary.sources.get(name)
        whole = None if where is None or not path else await self.reader.revision(where, revision)
        text = None if where is None or whole is None else await self.reader.read(where, whole, path)
        return Proof((evidence,)) if text is None else looked_for(evidence, text, place.lines)

    def _clean(self, fact: VerifiedFact) -> Draft:
        content(fact.text, self.limits.text_bytes, "text")
        content(fact.quote, self.limits.text_bytes, "quote")
        label(fact.source, self.limits.reason, "source")
        label(fact.project_id, self.limits.label, "project_id")
        draft = Draft(fact.text, project_id=fact.project_id, source=fact.source, quote=fact.quote)
        return self.limits.redaction.draft(draft)[0]

    def _readable(self) -> list[Principal]:
        standing = self.boundary.standing
        return [personal_bank(standing), *(t.team for t in team_banks(standing))]

    def _folder(self, owner: Principal) -> BankFolder:
        return BankFolder(self.root.resolve(), *bank_folder(owner))


def _id(owner: Principal, key: str) -> str:
    return f"{'/'.join(bank_folder(owner))}/{key}"
