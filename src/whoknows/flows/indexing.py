"""Indexing: what the index is to hold of one document, redacted, with its evidence and what both arms need."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from hashlib import sha256

from whoknows.documents.chronicle import TAG, Part
from whoknows.documents.document import Document
from whoknows.documents.pieces import Piece, pieces_of
from whoknows.domain.evidence import Evidence, SourceKind
from whoknows.domain.ids import new_memory_id
from whoknows.domain.memory import Category
from whoknows.domain.principal import GateLevel
from whoknows.domain.source import LocationKind, Source
from whoknows.flows.limits import Limits, is_blank
from whoknows.flows.prepare import prepare
from whoknows.flows.redaction import Redaction
from whoknows.gate.quotes import quote_hash
from whoknows.ports import Embedder, IndexedPiece

_SHORTEST = 8
"""Characters of a line that can be quoted where the first sentence cannot."""


@dataclass(frozen=True, slots=True)
class Indexing:
    """For one source at one revision. ``gate`` is that of its readers, ``blobs`` the hashes of all files by path."""

    embedder: Embedder
    limits: Limits
    source: Source
    revision: str
    gate: GateLevel
    blobs: Mapping[str, str]

    async def pieces(self, document: Document, known: Mapping[str, str]) -> list[IndexedPiece]:
        """All pieces of ``document``, the head first. ``known``: digests of what is there by anchor; what says the same is not
        embedded again. Long texts are left to a job."""
        return await self._prepared([d for p in pieces_of(document) if (d := self._drawn(document, p)) is not None], known)

    async def chronicle(self, parts: Sequence[Part], known: Mapping[str, str]) -> list[IndexedPiece]:
        """The list of all records by their dates, which cites the line of each that dates it."""
        clean = self.limits.redaction.clean
        drawn: list[_Drawn] = []
        for n, part in enumerate(parts, start=1):
            cited = [self._cited(e.path, e.line, e.line, e.quote, e.start) for e in part.entries if clean(e.quote) == e.quote]
            anchor = "" if n == 1 else f"~{n}"
            drawn.append(_Drawn(anchor, 1, 1, part.title, clean(part.text), Category.DECISION, (TAG,), cited, None))
        return await self._prepared(drawn, known)

    async def _prepared(self, drawn: Sequence["_Drawn"], known: Mapping[str, str]) -> list[IndexedPiece]:
        fresh = [n for n, d in enumerate(drawn) if known.get(d.anchor) != d.digest]
        prepared = await prepare(self.embedder, [(drawn[n].content, drawn[n].title) for n in fresh])
        ready = dict(zip(fresh, prepared, strict=True))
        return [
            IndexedPiece(
                anchor=d.anchor,
                memory=new_memory_id(),
                title=d.title,
                content=d.content,
                category=str(d.category),
                tags=d.tags,
                content_hash=sha256(d.content.encode()).hexdigest(),
                digest=d.digest,
                line_start=d.first,
                line_end=d.last,
                evidence=d.cited,
                dated=d.dated,
                index=ready[n].index if n in ready else None,
                vectors=ready[n].vectors if n in ready else (),
                pending=n in ready and ready[n].pending,
            )
            for n, d in enumerate(drawn)
        ]

    def _drawn(self, document: Document, piece: Piece) -> "_Drawn | None":
        redaction = self.limits.redaction
        content = redaction.clean(piece.text)
        quote = _quote(piece, document, redaction)
        # W5: every piece has a source; behind a gate that wants a quote, one without does not go in.
        if is_blank(content) or (quote is None and self.gate is GateLevel.VERIFIED):
            return None
        start = None if quote is None else document.text.find(quote)
        return _Drawn(
            anchor=piece.anchor,
            first=piece.first,
            last=piece.last,
            title=redaction.clean(piece.title)[: self.limits.title],
            content=content,
            category=Category.FACT if document.status is None else Category.DECISION,
            tags=tags_of(document, self.limits),
            cited=[self._cited(document.path, piece.first, piece.last, quote, start)],
            dated=None if document.dated is None else datetime.combine(document.dated, time(), UTC),
        )

    def _cited(self, path: str, first: int, last: int, quote: str | None, start: int | None) -> Evidence:
        is_git = self.source.location.kind is LocationKind.GIT
        return Evidence(
            source_kind=SourceKind.GIT if is_git else SourceKind.FILE,
            locator=f"{self.source.name}{':' if is_git else '/'}{path}#L{first}-L{last}",
            revision=self.revision if is_git else self.blobs[path],
            quote=quote,
            start=start,
            end=None if quote is None or start is None else start + len(quote),
            quote_hash=None if quote is None else quote_hash(quote),
            verified=quote is not None,
        )


@dataclass(frozen=True, slots=True)
class _Drawn:
    anchor: str
    first: int
    last: int
    title: str
    content: str
    category: Category
    tags: Sequence[str]
    cited: Sequence[Evidence]
    dated: datetime | None

    @property
    def digest(self) -> str:
        said = [self.title, self.content, str(self.category), list(self.tags), str(self.dated)]
        return sha256(json.dumps(said, ensure_ascii=False).encode()).hexdigest()


def tags_of(document: Document, limits: Limits) -> tuple[str, ...]:
    """Its labels, as far as they may be tags."""
    tags = [limits.redaction.clean(t) for t in document.labels]
    return tuple(dict.fromkeys(t for t in tags if not is_blank(t) and len(t) <= limits.label))[: limits.tags]


def _quote(piece: Piece, document: Document, redaction: Redaction) -> str | None:
    """Where the piece begins, word for word; a quote that would have to be redacted is none, and another line is taken."""
    lines = (line.strip() for line in piece.text.split("\n"))
    for quote in (piece.quote, *(line for line in lines if len(line) >= _SHORTEST)):
        if quote and quote in document.text and redaction.clean(quote) == quote:
            return quote
    return None
