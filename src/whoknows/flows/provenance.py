"""Trace a memory: from its words to the lines they were taken from, as far as the caller may read them today."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from whoknows.context.injected import own_words
from whoknows.domain.conversation import MessageId
from whoknows.domain.credential import Caller
from whoknows.domain.evidence import Evidence, SourceKind
from whoknows.domain.ids import MemoryId
from whoknows.domain.locator import id_of, lines_of, place_of
from whoknows.domain.memory import Memory
from whoknows.domain.provenance import Line, Provenance, SourceState, Traced
from whoknows.domain.source import Source, SourceId
from whoknows.flows.limits import Limits
from whoknows.flows.outside import Outside, ReadBefore, path_in
from whoknows.flows.read import seen
from whoknows.gate.proof import stands
from whoknows.policy.standing import ReadScope, scope_for
from whoknows.ports import SourceReader, Store, Tx

_AROUND = 3
_LINES = 40
"""Lines of one excerpt, at most, beside those that are asked for."""
_LINE = 500
"""Characters of one line that are shown."""
_MOST = 100
"""Memories of one trace."""
_DEEPEST = 20
_FILES = (SourceKind.GIT, SourceKind.FILE)


@dataclass(slots=True)
class _Found:
    """All that a trace is made of. ``texts``: by piece of evidence, what its source says today."""

    memories: dict[MemoryId, Memory] = field(default_factory=dict[MemoryId, Memory])
    evidence: dict[MemoryId, list[Evidence]] = field(default_factory=dict[MemoryId, list[Evidence]])
    chain: tuple[Memory, ...] = ()
    sources: dict[Evidence, Source] = field(default_factory=dict[Evidence, Source])
    texts: dict[Evidence, str] = field(default_factory=dict[Evidence, str])
    cut: bool = False
    around: int = _AROUND


@dataclass(frozen=True, slots=True)
class TraceMemory:
    """``reader`` None: nothing outside of the database is a source."""

    store: Store
    limits: Limits
    reader: SourceReader | None = None
    before: ReadBefore = field(default_factory=ReadBefore)

    async def __call__(self, caller: Caller, memory: MemoryId, around: int = _AROUND) -> Provenance:
        """What ``memory`` rests on, down to the leaves; ``around`` each quote so many lines of its source on each side.

        NotFound where the caller does not see it.
        """
        found = _Found(around=around)
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            await seen(tx, scope, memory)
            found.chain = tuple(await tx.memories.chain(scope, memory))
            await _gather(tx, scope, memory, found)
        await self._read_files(found)
        return self._told(found, memory, frozenset())

    async def _read_files(self, found: _Found) -> None:
        if self.reader is None:
            return
        outside = Outside(self.store, self.reader, self.before)
        read: dict[tuple[SourceId, str | None, str], tuple[str, str] | None] = {}
        for piece in [e for pieces in found.evidence.values() for e in pieces if e.source_kind in _FILES]:
            source = found.sources.get(piece)
            if source is None:
                continue
            # A folder has no past: what it says now is all there is to read.
            revision = piece.revision if piece.source_kind is SourceKind.GIT else None
            key = (source.id, revision, path_in(source, place_of(piece.source_kind, piece.locator)))
            if key not in read:
                read[key] = await outside.read(source, *key[1:])
            text = read[key]
            if text is not None:
                found.texts[piece] = text[1]

    def _told(self, found: _Found, memory: MemoryId, above: frozenset[MemoryId]) -> Provenance:
        m = found.memories[memory]
        within = above | {memory}
        original = None if m.origin is None else m.origin.memory_id
        return Provenance(
            memory=m,
            evidence=tuple(self._traced(found, e, within) for e in found.evidence.get(memory, [])),
            copy_of=self._below(found, original, within),
            chain=() if above else found.chain,
            batch=m.batch,
            cut=found.cut and not above,
        )

    def _below(self, found: _Found, memory: MemoryId | None, above: frozenset[MemoryId]) -> Provenance | None:
        there = memory is not None and memory in found.memories and memory not in above and len(above) < _DEEPEST
        return self._told(found, memory, above) if there and memory is not None else None

    def _traced(self, found: _Found, piece: Evidence, above: frozenset[MemoryId]) -> Traced:
        below = None
        if piece.source_kind is SourceKind.MEMORY and piece.source is not None:
            below = self._below(found, MemoryId(piece.source), above)
        if piece.gone_at is not None:
            return Traced(piece, SourceState.GONE, memory=below)
        text = found.texts.get(piece)
        if piece.quote is None or text is None:
            return Traced(piece, SourceState.MOVED if piece.moved_at else SourceState.UNREAD, memory=below)
        place = stands(piece.quote, text)
        if place is None:
            state = SourceState.MOVED if piece.verified or piece.moved_at else SourceState.UNREAD
            return Traced(piece, state, memory=below, is_read=True)
        lines = lines_of(*place, text)
        state = SourceState.MOVED if piece.moved_at else SourceState.STANDS
        return Traced(piece, state, lines, self._around(text, lines, found.around), below, is_read=True)

    def _around(self, text: str, lines: tuple[int, int], around: int) -> tuple[Line, ...]:
        """The lines and their neighbours, without the secrets that may stand there."""
        first = max(1, lines[0] - around)
        shown = text.split("\n")[first - 1 : min(lines[1] + around, first - 1 + _LINES + 2 * around)]
        clean = self.limits.redaction.clean("\n".join(shown)).split("\n")
        if len(clean) != len(shown):  # a secret of several lines: nothing beside the quote is shown
            return ()
        return tuple(Line(first + n, line.rstrip("\r")[:_LINE]) for n, line in enumerate(clean))


async def _gather(tx: Tx, scope: ReadScope, memory: MemoryId, found: _Found) -> None:
    """Level by level, what the memory rests on; each memory once, however many rest on it."""
    level = [memory]
    while level:
        for m in await tx.memories.load(scope, level):
            found.memories[m.id] = m
        for citation in await tx.citations.of(scope, level):
            found.evidence.setdefault(citation.memory, []).append(citation.evidence)
        pieces = [e for m in level for e in found.evidence.get(m, [])]
        await _hear(tx, pieces, found)
        await _find_sources(tx, scope, pieces, found)
        below = [MemoryId(e.source) for e in pieces if e.source_kind is SourceKind.MEMORY and e.source is not None]
        below += [o.memory_id for m in level if m in found.memories and (o := found.memories[m].origin) and o.memory_id]
        level = [m for m in dict.fromkeys(below) if m not in found.memories]
        room = _MOST - len(found.memories)
        found.cut = found.cut or len(level) > room
        level = level[:room]
    for piece in [e for pieces in found.evidence.values() for e in pieces if e.source_kind is SourceKind.MEMORY]:
        source = None if piece.source is None else found.memories.get(MemoryId(piece.source))
        if source is not None:
            found.texts[piece] = source.content


async def _hear(tx: Tx, pieces: Sequence[Evidence], found: _Found) -> None:
    for piece in pieces:
        message = id_of(piece.locator) if piece.source_kind is SourceKind.MESSAGE else None
        heard = None if message is None else await tx.citations.overheard(MessageId(message))
        if heard is not None and heard.said is not None:
            found.texts[piece] = own_words(heard.said)


async def _find_sources(tx: Tx, scope: ReadScope, pieces: Sequence[Evidence], found: _Found) -> None:
    """By id where the quote was found there; by name of what stands in an index, or was written before it was registered."""
    known: dict[tuple[UUID | None, str], Source | None] = {}
    for piece in pieces:
        if piece.source_kind not in _FILES:
            continue
        place = place_of(piece.source_kind, piece.locator)
        key = (piece.source, place.source or place.path)
        if key not in known:
            if piece.source is not None:
                known[key] = await tx.sources.get(SourceId(piece.source))
            elif place.source:
                known[key] = await tx.sources.named(scope, place.source)
            else:
                known[key] = await tx.sources.under(scope, place.path)
        source = known[key]
        if source is not None and source.audience in scope.audiences:
            found.sources[piece] = source
