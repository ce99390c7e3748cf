"""Outside: quotes that are looked for in files of registered repositories and folders, before any transaction of a write."""

import re
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from whoknows.domain.credential import Caller
from whoknows.domain.evidence import Evidence, SourceKind
from whoknows.domain.locator import Place, place_of
from whoknows.domain.source import LocationKind, Source, SourceId, SourceLocation
from whoknows.errors import SourceUnreadable
from whoknows.gate.proof import UNREADABLE, Proof, looked_for
from whoknows.policy.standing import scope_for
from whoknows.ports import SourceReader, Store

_FULL = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


class ReadBefore:
    """Files of commits that were read lately: a commit says the same for ever. Who may read them is asked each time before.

    ``most`` characters are kept in all; what was not asked for longest goes first.
    """

    def __init__(self, most: int = 16 * 1024 * 1024) -> None:
        self._most = most
        self._size = 0
        self._texts: OrderedDict[tuple[SourceLocation, str, str], str] = OrderedDict()

    def get(self, where: SourceLocation, commit: str, path: str) -> str | None:
        text = self._texts.get((where, commit, path))
        if text is not None:
            self._texts.move_to_end((where, commit, path))
        return text

    def keep(self, where: SourceLocation, commit: str, path: str, text: str) -> None:
        if len(text) > self._most or (where, commit, path) in self._texts:
            return
        self._texts[where, commit, path] = text
        self._size += len(text)
        while self._size > self._most:
            _, gone = self._texts.popitem(last=False)
            self._size -= len(gone)


@dataclass(frozen=True, slots=True)
class Outside:
    """Unregistered, unreadable and absent answer alike: nobody learns what is on the machine."""

    store: Store
    reader: SourceReader
    before: ReadBefore = field(default_factory=ReadBefore)

    async def look(self, caller: Caller, evidence: Sequence[Evidence]) -> list[Proof]:
        """One proof for each, in order. A file is read once, however many quotes are of it."""
        places = [place_of(e.source_kind, e.locator) for e in evidence]
        registered = await self._registered(caller, evidence, places)
        texts: dict[tuple[Source, str | None, str], tuple[str, str] | None] = {}
        proofs: list[Proof] = []
        for piece, place, source in zip(evidence, places, registered, strict=True):
            if source is None:
                proofs.append(unread(piece))
                continue
            path = path_in(source, place)
            key = (source, piece.revision, path)
            if key not in texts:
                texts[key] = await self.read(source, piece.revision, path)
            found = texts[key]
            proofs.append(unread(piece) if found is None else self._looked(piece, place, source, path, found))
        return proofs

    async def read(self, source: Source, revision: str | None, path: str) -> tuple[str, str] | None:
        """(the full hash of ``revision``, the text of a file there); None where there is none to be read.

        The newest state of a remote repository is that of its last synchronisation: nobody waits for a network here.
        """
        where, newest = source.location, source.revision if source.location.is_remote else None
        lasting = where.kind is LocationKind.GIT
        if lasting and revision is not None and _FULL.fullmatch(revision):
            known = self.before.get(where, revision, path)
            if known is not None:
                return revision, known
        try:
            whole = await self.reader.revision(where, revision or newest) if path else None
            text = None if whole is None else self.before.get(where, whole, path) if lasting else None
            if text is None and whole is not None:
                text = await self.reader.read(where, whole, path)
        except SourceUnreadable:
            return None
        if whole is None or text is None:
            return None
        if lasting:
            self.before.keep(where, whole, path, text)
        return whole, text

    async def registered(self, caller: Caller, evidence: Evidence) -> Source | None:
        """The source that a piece of evidence was found in, where it is still registered and the caller may read it."""
        if evidence.source is None:
            return None
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            source = await tx.sources.get(SourceId(evidence.source))
            return source if source is not None and source.audience in scope.audiences else None

    async def _registered(self, caller: Caller, evidence: Sequence[Evidence], places: Sequence[Place]) -> list[Source | None]:
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            found: dict[Place, Source | None] = {}
            for piece, place in zip(evidence, places, strict=True):
                if place not in found:
                    known = tx.sources
                    is_git = piece.source_kind is SourceKind.GIT
                    found[place] = await (known.named(scope, place.source) if is_git else known.under(scope, place.path))
            return [found[place] for place in places]

    def _looked(self, piece: Evidence, place: Place, source: Source, path: str, found: tuple[str, str]) -> Proof:
        revision, text = found
        locator = piece.locator
        if piece.source_kind is SourceKind.FILE:  # where the folder lies on this machine is nobody's business
            locator = f"{source.name}/{path}" + (f"#L{place.lines[0]}-L{place.lines[1]}" if place.lines else "")
        known = replace(piece, locator=locator, revision=revision, audience=source.audience, source=source.id)
        return looked_for(known, text, place.lines)


def path_in(source: Source, place: Place) -> str:
    """The path of a file relative to its source."""
    if place.source:
        return place.path
    path, root = PurePosixPath(place.path), PurePosixPath(source.location.locator)
    if path.is_absolute():
        return str(path.relative_to(root)) if path.is_relative_to(root) else ""
    return place.path.partition("/")[2]


def unread(evidence: Evidence) -> Proof:
    return Proof((evidence,), () if evidence.quote is None else (UNREADABLE,))
