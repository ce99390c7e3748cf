"""Keep sources: register repositories and folders for those who are to read them, list them, take them away."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.credential import Caller, Permission
from whoknows.domain.principal import EVERYONE, Clearance, Kind, Principal, parse_space
from whoknows.domain.source import LocationKind, Source, SourceId, SourceLocation, new_source_id
from whoknows.errors import Forbidden, Invalid, NotFound, PermissionMissing, SourceUnreadable
from whoknows.flows.limits import Limits, label
from whoknows.policy.standing import scope_for
from whoknows.ports import Indexed, Page, SourceReader, Store, Tx

_NAME = re.compile(r"[^\s:@#/\\]{1,100}")
_AT_ONCE = 200
"""Memories that are taken out of the index in one transaction."""
_LOCATOR = 1000
_UNREADABLE = (
    "there is no such source, or it may not be read: "
    "sources lie under WHOKNOWS_SOURCE_ROOTS, or are Git repositories at https://…"
)


@dataclass(frozen=True, slots=True)
class NewSource:
    """``audience`` is ``team:t`` or ``member:m``: who reads the documents, and owns the source."""

    kind: LocationKind
    locator: str
    name: str
    audience: str


@dataclass(frozen=True, slots=True)
class Kept:
    """The sources that a caller sees, those of them that it may synchronise and remove, and for whom it may register others."""

    sources: Sequence[Source]
    changeable: frozenset[SourceId]
    owners: tuple[Principal, ...]


@dataclass(frozen=True, slots=True)
class KeepSources:
    """``reader`` None: this installation reads none."""

    store: Store
    limits: Limits
    reader: SourceReader | None = None

    async def register(self, caller: Caller, new: NewSource) -> Source:
        """By an administrator, or an owner of the team (rules §8). What cannot be read is not registered."""
        self._check(new)
        async with self.store.read(caller) as tx:
            owner = await _owner(tx, caller, new.audience)
        asked = SourceLocation(new.kind, new.locator)
        where = None if self.reader is None else await self.reader.locate(asked)
        if where is None:
            raise SourceUnreadable(_UNREADABLE, field="locator")
        identity = new_source_id()
        async with self.store.write(caller) as tx:
            await tx.sources.register(identity, new.name, where, owner.id)
            return await seen_source(tx, identity)

    async def list(self, caller: Caller) -> Sequence[Source]:
        async with self.store.read(caller) as tx:
            found = await tx.sources.all()
            if not caller.seen_as:
                return found
            # What the administrator may list besides, the one whose eyes are used may not.
            scope = scope_for(await tx.directory.standing())
            return [s for s in found if s.audience in scope.audiences]

    async def kept(self, caller: Caller) -> Kept:
        """The same list with what may be done there; with the eyes of another, nothing."""
        found = await self.list(caller)
        if caller.seen_as:
            return Kept(found, frozenset(), ())
        async with self.store.read(caller) as tx:
            mine = {o: await tx.sources.may_change(o) for o in {s.owner.id for s in found}}
            owners = await _owners(tx, caller)
        return Kept(found, frozenset(s.id for s in found if mine[s.owner.id]), owners)

    async def documents(self, caller: Caller, source: SourceId, limit: int, cursor: str | None) -> tuple[Source, Page[Indexed]]:
        """A source and its documents that the caller reads, by their paths. A key that acts as nobody reads none."""
        async with self.store.read(caller) as tx:
            found = await seen_source(tx, source)
            if caller.principal is None:
                return found, Page((), None)
            scope = scope_for(await tx.directory.standing())
            if found.audience not in scope.audiences:
                return found, Page((), None)
            return found, await tx.sources.documents(scope, source, min(limit, self.limits.page), cursor)

    async def remove(self, caller: Caller, source: SourceId) -> int:
        """Take the source away, and its documents out of the index; how many memories went. What is left of a removal that was
        interrupted goes with the next one."""
        gone = 0
        while True:
            async with self.store.write(caller) as tx:
                await changeable(tx, source)
                some = await tx.sources.clear(source, _AT_ONCE)
                if some == 0:
                    await tx.sources.remove(source)
            gone += some
            if some == 0:
                return gone

    def _check(self, new: NewSource) -> None:
        if not _NAME.fullmatch(new.name):
            raise Invalid("a name is one word of 100 characters at most, without : @ # / and \\", field="name")
        self.limits.redaction.names(name=new.name, locator=new.locator)
        label(new.locator, _LOCATOR, "locator")
        if new.locator.startswith("-"):
            raise Invalid("a locator does not begin with -", field="locator")
        if "://" in new.locator:
            if new.kind is not LocationKind.GIT:
                raise Invalid("a folder is a path of the machine that the server runs on", field="locator")
            if "@" in new.locator:
                raise Invalid("leave user names and passwords out: they would be kept, and shown", field="locator")
            if not new.locator.startswith(("https://", "file://")):
                raise Invalid("remote repositories are read over https only", field="locator")


async def seen_source(tx: Tx, source: SourceId) -> Source:
    """A source that the caller may see; hidden and absent are the same NotFound."""
    found = await tx.sources.get(source)
    if found is None:
        raise NotFound("there is no such source")
    return found


async def changeable(tx: Tx, source: SourceId) -> Source:
    """A source that the caller may see, and synchronise or remove."""
    found = await seen_source(tx, source)
    if not await tx.sources.may_change(found.owner.id):
        raise Forbidden(
            "a source is kept by an administrator, an owner of its team, or its member", reason_code="may_not_source"
        )
    return found


async def _owners(tx: Tx, caller: Caller) -> tuple[Principal, ...]:
    """For whom the caller may register sources: any team or member as an administrator, else the teams that it owns."""
    if Permission.ADMIN in caller.credential.permissions:
        teams, members = await tx.directory.teams(), await tx.directory.members()
        return tuple(p.principal for p in (*teams, *members))
    standing = await tx.directory.standing()
    if standing.clearance is not Clearance.OPEN:
        return ()
    return tuple(t.team for t in standing.teams.values() if standing.owns_team(t.team.id))


async def _owner(tx: Tx, caller: Caller, audience: str) -> Principal:
    named = (Kind.TEAM, EVERYONE) if audience == EVERYONE else parse_space(audience)
    if named is None or named[0] is Kind.AGENT:
        raise Invalid("say who reads it: team:t, or member:m for the memory of an account", field="audience")
    kind, name = named
    owner = await tx.directory.find(kind, name)
    if owner is not None and await tx.sources.may_register(owner.id):
        return owner
    if owner is None or not await _knows(tx, caller, owner):
        raise NotFound(f"there is no {kind} {name!r} that you may register sources for", field="audience")
    raise Forbidden("sources are registered by an administrator, or an owner of the team", reason_code="may_not_source")


async def _knows(tx: Tx, caller: Caller, owner: Principal) -> bool:
    if caller.principal is None:
        return False
    try:
        standing = await tx.directory.standing()
    except PermissionMissing:
        return False
    return standing.on_team(owner.id) or owner in (standing.reader, standing.speaks_for)
