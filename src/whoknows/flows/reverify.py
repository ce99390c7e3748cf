"""Reverify: quotes are looked for again when their source has moved on, or when somebody asks."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.context.injected import own_words
from whoknows.domain.conversation import MessageId
from whoknows.domain.credential import Caller
from whoknows.domain.evidence import SourceKind
from whoknows.domain.ids import MemoryId
from whoknows.domain.locator import id_of, place_of
from whoknows.domain.memory import Memory
from whoknows.domain.source import LocationKind
from whoknows.flows.must import must
from whoknows.flows.outside import Outside, path_in
from whoknows.flows.read import seen
from whoknows.gate.proof import stands
from whoknows.policy.rules import may_change
from whoknows.policy.standing import ReadScope, scope_for
from whoknows.ports import Citation, DueEvidence, Looked, SourceReader, Store, Tx

_AT_ONCE = 200
"""Pieces of evidence of one round: the rest waits for the next."""


@dataclass(frozen=True, slots=True)
class Reverify:
    """``reader`` None: nothing outside of the database is a source."""

    store: Store
    reader: SourceReader | None = None

    async def due(self) -> int:
        """Look at all that is quoted from sources which have moved on since; how many pieces were looked at. For the upkeep,
        and for whoever has just synchronised a source."""
        done = 0
        while self.reader is not None:
            async with self.store.jobs() as jobs:
                due = await jobs.due_evidence(_AT_ONCE)
            if not due:
                break
            looked = await self._again(self.reader, due)
            async with self.store.jobs() as jobs:
                done += await jobs.mark_evidence(looked)
            if len(due) < _AT_ONCE:
                break
        return done

    async def memory(self, caller: Caller, memory: MemoryId) -> Memory:
        """All evidence of one memory, as far as the caller may read its sources: by who may change the memory."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope = scope_for(standing)
            must(may_change(standing, await seen(tx, scope, memory)))
            pieces = [c for c in await tx.citations.of(scope, [memory]) if c.evidence.quote is not None]
            looked = [found for c in pieces if (found := await _within(tx, scope, c)) is not None]
        looked += await self._files(caller, pieces)
        async with self.store.write(caller) as tx:
            if looked:
                await tx.citations.looked(looked)
            return await seen(tx, scope_for(await tx.directory.standing()), memory)

    async def _again(self, reader: SourceReader, due: Sequence[DueEvidence]) -> list[Looked]:
        texts: dict[tuple[object, str], str | None] = {}
        looked: list[Looked] = []
        for piece in due:
            if piece.root is None:
                looked.append(Looked(piece.number, piece.quote_hash, None, None, gone=True))
                continue
            place = place_of(SourceKind(piece.source_kind), piece.locator)
            path = place.path if place.source else place.path.partition("/")[2]
            key = (piece.root, path)
            if key not in texts:
                # A folder has no past: what it says now is what counts, whether or not it changed since it was synchronised.
                newest = piece.revision if piece.root.kind is LocationKind.GIT else await reader.revision(piece.root, None)
                texts[key] = None if newest is None else await reader.read(piece.root, newest, path)
            text = texts[key]
            # In the whole file: lines move.
            looked.append(Looked(piece.number, piece.quote_hash, piece.revision, stands(piece.quote, text)))
        return looked

    async def _files(self, caller: Caller, pieces: Sequence[Citation]) -> list[Looked]:
        """In the newest state of each source that the caller reads."""
        looked: list[Looked] = []
        if self.reader is None:
            return looked
        outside = Outside(self.store, self.reader)
        for piece in pieces:
            e = piece.evidence
            if e.source_kind not in (SourceKind.GIT, SourceKind.FILE):
                continue
            source = await outside.registered(caller, e)
            if source is None:
                continue
            place = place_of(e.source_kind, e.locator)
            found = await outside.read(source, None, path_in(source, place))
            revision = found[0] if found else source.revision
            looked.append(Looked(piece.number, e.quote_hash, revision, stands(e.quote or "", found[1]) if found else None))
        return looked


async def _within(tx: Tx, scope: ReadScope, piece: Citation) -> Looked | None:
    """In a message or a memory, as it is now; None for what is neither, or is not the caller's to read."""
    e = piece.evidence
    identity = id_of(e.locator)
    if identity is None or e.quote is None:
        return None
    if e.source_kind is SourceKind.MESSAGE:
        heard = await tx.citations.overheard(MessageId(identity))
        if heard is None or heard.said is None:
            return None
        return Looked(piece.number, e.quote_hash, e.revision, stands(e.quote, own_words(heard.said)))
    if e.source_kind is SourceKind.MEMORY:
        source = await tx.memories.get(scope, MemoryId(identity))
        if source is not None:
            return Looked(piece.number, e.quote_hash, str(source.version), stands(e.quote, source.content))
    return None
