"""Index a source: bring what is known of its documents to what they say now, one document after the other."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from whoknows.documents.chronicle import Part, chronicle_of
from whoknows.documents.document import Document, document_of
from whoknows.documents.lineage import Doubt, Lineage, lineage_of
from whoknows.documents.pieces import FORM
from whoknows.domain.credential import Caller
from whoknows.domain.principal import GateLevel
from whoknows.domain.source import Source, SourceId
from whoknows.errors import Concurrent, SourceUnreadable, SyncRunning, WhoKnowsError
from whoknows.flows.indexing import Indexing
from whoknows.flows.keep_sources import changeable
from whoknows.flows.limits import Limits
from whoknows.ports import Embedder, IndexedFile, Lapse, SourceFile, SourceReader, Store

LEASE = 10.0
"""Seconds after which a synchronisation whose process died is no longer in the way of the next."""
_CHRONICLE = ""
"""The path at which the list of all records stands."""
_READ = 64
_DROP = 50
"""Documents that are read, and taken out, at once."""


@dataclass(frozen=True, slots=True)
class Synced:
    """What has changed in the index, by path. ``doubts`` are claims of the documents that do not count, and why."""

    source: Source
    revision: str
    documents: int = 0
    unchanged: int = 0
    added: Sequence[str] = ()
    changed: Sequence[str] = ()
    renamed: Sequence[tuple[str, str]] = ()
    removed: Sequence[str] = ()
    unreadable: Sequence[SourceFile] = ()
    doubts: Sequence[Doubt] = ()


@dataclass(frozen=True, slots=True)
class IndexSource:
    store: Store
    embedder: Embedder
    limits: Limits
    reader: SourceReader | None = None
    lease: float = LEASE

    async def __call__(self, caller: Caller, source: SourceId) -> Synced:
        """Each document is a transaction of its own: it is as it was, or as it is. One synchronisation of a source at a time.

        Raises SyncRunning, and SourceUnreadable where there is nothing to read any more: then the index stays as it is.
        """
        lease = uuid4()
        async with self.store.write(caller) as tx:
            found = await changeable(tx, source)
            if not await tx.sources.begin(source, lease, self.lease):
                raise SyncRunning
            gate = await tx.gate.level(found.owner.id)
        finished: str | None = None
        async with self._kept(caller, source, lease):
            try:
                synced = await self._sync(caller, found, lease, gate)
                finished = synced.revision
                return synced
            finally:
                async with self.store.write(caller) as tx:
                    await tx.sources.finish(source, lease, finished)

    async def _sync(self, caller: Caller, source: Source, lease: UUID, gate: GateLevel) -> Synced:
        if self.reader is None:
            raise SourceUnreadable
        revision = await self.reader.revision(source.location, None)
        if revision is None:
            raise SourceUnreadable
        listed = await self.reader.files(source.location, revision)
        documents, unreadable = await self._documents(self.reader, source, revision, listed)
        async with self.store.read(caller) as tx:
            known = {f.path: f for f in await tx.sources.indexed(source.id)}
        plan = _Plan.of({d.path: b for d, b in documents}, known)
        if source.revision is not None and plan.gone and plan.added:
            plan = plan.with_renames(await self.reader.renames(source.location, source.revision, revision))
        lineage = await asyncio.to_thread(lineage_of, [d for d, _ in documents])
        for start in range(0, len(plan.gone), _DROP):
            async with self.store.write(caller) as tx:  # the list of all names them: it is made anew at the end
                await tx.sources.drop(source.id, lease, [_CHRONICLE, *plan.gone[start : start + _DROP]])
        indexing = Indexing(self.embedder, self.limits, source, revision, gate, {d.path: b for d, b in documents})
        for document, _ in documents:
            if document.path in plan.touched:
                await self._write(caller, source, lease, indexing, document, plan.renamed.get(document.path))
        await self._settle(caller, source, lease, lineage)
        if plan.touched or plan.gone:
            await self._chronicle(caller, source, lease, indexing, chronicle_of([d for d, _ in documents], lineage))
        return Synced(
            source=source,
            revision=revision,
            documents=len(documents),
            unchanged=len(documents) - len(plan.touched),
            added=plan.added,
            changed=plan.changed,
            renamed=sorted((old, new) for new, old in plan.renamed.items()),
            removed=plan.gone,
            unreadable=unreadable,
            doubts=lineage.doubts,
        )

    async def _documents(
        self, reader: SourceReader, source: Source, revision: str, listed: Sequence[SourceFile]
    ) -> tuple[list[tuple[Document, str]], list[SourceFile]]:
        """All documents with the hashes of their bytes, in the order of their paths, and what could not be read."""
        unreadable = [f for f in listed if f.fault is not None]
        good = [f for f in listed if f.fault is None]
        documents: list[tuple[Document, str]] = []
        for start in range(0, len(good), _READ):
            part = good[start : start + _READ]
            texts = await reader.texts(source.location, revision, part)
            for file in part:
                text = texts.get(file.path)
                if text is None:
                    unreadable.append(SourceFile(file.path, file.blob, "no text in UTF-8, or changed while it was read"))
                else:
                    documents.append((await asyncio.to_thread(document_of, text, file.path), file.blob))
        return documents, sorted(unreadable, key=lambda f: f.path)

    async def _write(
        self,
        caller: Caller,
        source: Source,
        lease: UUID,
        indexing: Indexing,
        document: Document,
        was: str | None,
    ) -> None:
        async with self.store.read(caller) as tx:
            known = await tx.sources.known_pieces(source.id, was or document.path)
        pieces = await indexing.pieces(document, known)
        blob = indexing.blobs[document.path]
        async with self.store.write(caller) as tx:
            if was is not None:
                await tx.sources.move(source.id, lease, was, document.path)
            if pieces:
                await tx.sources.write(source.id, lease, IndexedFile(document.path, blob, FORM), pieces)
            else:  # it says nothing
                await tx.sources.drop(source.id, lease, [document.path])

    async def _chronicle(self, caller: Caller, source: Source, lease: UUID, indexing: Indexing, parts: Sequence[Part]) -> None:
        async with self.store.read(caller) as tx:
            known = await tx.sources.known_pieces(source.id, _CHRONICLE)
        pieces = await indexing.chronicle(parts, known)
        async with self.store.write(caller) as tx:
            if pieces:
                await tx.sources.write(source.id, lease, IndexedFile(_CHRONICLE, "", FORM), pieces)
            elif known:
                await tx.sources.drop(source.id, lease, [_CHRONICLE])

    async def _settle(self, caller: Caller, source: Source, lease: UUID, lineage: Lineage) -> None:
        clean = self.limits.redaction.clean
        lapses = [Lapse(o.old, o.new, None if o.reason is None else clean(o.reason)) for o in lineage.overturned]
        async with self.store.write(caller) as tx:
            await tx.sources.settle(source.id, lease, lapses)

    @asynccontextmanager
    async def _kept(self, caller: Caller, source: SourceId, lease: UUID) -> AsyncGenerator[None]:
        """The lease, renewed as long as the work goes on."""

        async def renew() -> None:
            while True:
                await asyncio.sleep(self.lease / 3)
                with suppress(WhoKnowsError):  # the next attempt may succeed; where none does, the work is told
                    async with self.store.write(caller) as tx:
                        if not await tx.sources.renew(source, lease, self.lease):
                            raise Concurrent

        renewing = asyncio.create_task(renew())
        try:
            yield
        finally:
            renewing.cancel()


@dataclass(frozen=True, slots=True)
class _Plan:
    """``renamed``: new path → old path. ``gone`` does not hold what was renamed, nor ``added`` what it became."""

    added: list[str]
    changed: list[str]
    gone: list[str]
    renamed: dict[str, str] = field(default_factory=dict[str, str])

    @classmethod
    def of(cls, now: Mapping[str, str], known: Mapping[str, IndexedFile]) -> "_Plan":
        """A file that has every byte of one that is gone is that one, if there is one of each alone."""
        gone = sorted(known.keys() - now.keys())
        added = sorted(now.keys() - known.keys())
        renamed: dict[str, str] = {}
        for old in gone:
            same = [new for new in added if now[new] == known[old].blob]
            alike = [o for o in gone if known[o].blob == known[old].blob]
            if len(same) == len(alike) == 1:
                renamed[same[0]] = old
        changed = sorted(p for p in now.keys() & known.keys() if (now[p], FORM) != (known[p].blob, known[p].form))
        return cls([a for a in added if a not in renamed], changed, [g for g in gone if g not in renamed.values()], renamed)

    def with_renames(self, moved: Mapping[str, str]) -> "_Plan":
        more = {new: old for new, old in moved.items() if new in self.added and old in self.gone}
        once = {new: old for new, old in more.items() if list(more.values()).count(old) == 1}
        return _Plan(
            [a for a in self.added if a not in once],
            self.changed,
            [g for g in self.gone if g not in once.values()],
            self.renamed | once,
        )

    @property
    def touched(self) -> frozenset[str]:
        return frozenset((*self.added, *self.changed, *self.renamed))
