"""Cases: open one from a script, look into it, take it back to its beginning, close it, and hand out keys for the stage."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256

from whoknows.domain.case import CardView, Case, CaseView, Opened, RoleView
from whoknows.domain.credential import Caller, Credential, Permission
from whoknows.domain.ids import MemoryId, new_credential_id, new_memory_id
from whoknows.domain.memory import Filters, Memory
from whoknows.domain.principal import EVERYONE, Principal
from whoknows.domain.script import Language, RoleText, Script
from whoknows.errors import Concurrent, Invalid, NotFound, PermissionMissing
from whoknows.flows.authenticate import administer_as, secret_hash
from whoknows.flows.keys import NewKey, new_secret
from whoknows.flows.prepare import prepare
from whoknows.flows.read import Read
from whoknows.gate.duplicates import dedupe_key
from whoknows.ports import Clock, Embedder, NewCard, Scripts, Store, Tx

_PAGE = 200
_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class CaseFiles:
    store: Store
    embedder: Embedder
    scripts: Scripts
    read: Read
    clock: Clock

    async def open(self, credential: Credential, script_id: str, language: Language) -> Opened:
        """Found a case: its tenant, roles, board and cards, and the operator's key, all in one transaction or not at all."""
        if Permission.CREATE_TENANTS not in credential.permissions:
            raise PermissionMissing("opening a case needs the permission `create_tenants`")
        script = self.script(script_id)
        cards = await self._cards(script, language)
        # Long and random: whoever knows a case by its name was told of it.
        opened = Opened(f"case-{secrets.token_hex(12)}", language, new_credential_id(), new_secret())
        roles = [r.id for r in script.roles]
        async with self.store.write(administer_as(credential)) as tx:
            tenant = await tx.cases.open(opened.case, opened.key_id, secret_hash(opened.secret), roles, script.id, language)
            for card in cards:
                await tx.cases.lay(tenant, card)
            await tx.cases.begin(tenant)
        return opened

    async def own(self, credential: Credential) -> Case | None:
        """The case that this key is of; None for a key of any other tenant."""
        async with self.store.read(Caller(credential, None)) as tx:
            return await tx.cases.find(credential.tenant)

    async def look(self, credential: Credential, name: str, route: str) -> CaseView:
        """All of the case, role by role, for its operator; each role finds that in the audit trail."""
        nobody = Caller(credential, None)
        async with self.store.write(nobody) as tx:
            case = await operated_case(tx, credential, name)
            await tx.cases.note_inspection(route)
        script = self.script(case.script)
        roles: list[RoleView] = []
        board: dict[MemoryId, Memory] = {}
        for role in script.roles:
            principal = next((p for p in credential.acts_as if p.name == role.id), None)
            if principal is None:  # a key for some of the roles sees those
                continue
            # A transaction for each: it sees with the eyes of one role, and cannot mix them up.
            # Not narrowed to the board: a copy tells of its original only to a reader whose scope holds that too.
            teams = await self._all(Caller(credential, principal), Filters(layer="team"))
            seen_by_role = [m for m in teams if m.audience.owner.name == EVERYONE]
            own = await self._all(Caller(credential, principal), Filters(layer="private"))
            copies = {m.origin.memory_id: m for m in seen_by_role if m.origin is not None and m.origin.memory_id is not None}
            roles.append(RoleView(role, _views(own, principal, copies, script, case.language)))
            # Of a copy's original the role that it came from is told most.
            board |= {m.id: m for m in seen_by_role if m.id not in board or (m.origin and m.origin.memory_id)}
        return CaseView(case, script, tuple(roles), tuple(sorted(board.values(), key=lambda m: m.id)))

    async def reset(self, credential: Credential, name: str) -> None:
        """Back to the script's beginning: everything else of the case is deleted, in one transaction. Keys stay."""
        async with self.store.read(Caller(credential, None)) as tx:
            case = await operated_case(tx, credential, name)
        cards = await self._cards(self.script(case.script), case.language)
        for attempt in range(_ATTEMPTS):
            try:
                await self._reset(credential, name, cards)
                break
            except Concurrent:  # somebody was publishing at this very moment, and each waited for the other
                if attempt == _ATTEMPTS - 1:
                    raise

    async def close(self, credential: Credential, name: str) -> None:
        """The end of the case: its texts are deleted, and all its keys die."""
        async with self.store.write(Caller(credential, None)) as tx:
            await operated_case(tx, credential, name)
            await tx.cases.close()

    async def show_key(self, credential: Credential, name: str, expires_at: datetime | None) -> NewKey:
        """A key that may read the stage and its events, and nothing else."""
        if expires_at is not None and expires_at <= self.clock.now():
            raise Invalid("the time of expiry has passed already", field="expires_at")
        made = NewKey(new_credential_id(), new_secret())
        async with self.store.write(Caller(credential, None)) as tx:
            await operated_case(tx, credential, name)
            await tx.cases.make_show_key(made.id, secret_hash(made.secret), expires_at)
        return made

    def script(self, script_id: str) -> Script:
        found = self.scripts.get(script_id)
        if found is None:
            known = ", ".join(s.id for s in self.scripts.all())
            raise NotFound(f"there is no script of that name: take one of {known}", field="script")
        return found

    async def _reset(self, credential: Credential, name: str, cards: Sequence[NewCard]) -> None:
        async with self.store.write(Caller(credential, None)) as tx:
            await operated_case(tx, credential, name)
            tenant = await tx.cases.clear()
            for card in cards:
                await tx.cases.lay(tenant, card)
            await tx.cases.begin(tenant)

    async def _cards(self, script: Script, language: Language) -> list[NewCard]:
        laid = [(role.id, card) for role in script.roles for card in role.memories]
        texts = [card.text.speak(language) for _, card in laid]
        # A script is the installation's, and in no bank yet.
        prepared = await prepare(self.embedder, [(text, None) for text in texts], range(len(texts)))
        return [
            NewCard(
                id=new_memory_id(),
                role=role,
                content=text,
                tags=(card.topic, str(card.kind)),
                content_hash=sha256(text.encode()).hexdigest(),
                dedupe_key=dedupe_key(text, None),
                index=ready.index,
                vectors=ready.vectors,
            )
            for (role, card), text, ready in zip(laid, texts, prepared, strict=True)
        ]

    async def _all(self, caller: Caller, filters: Filters) -> list[Memory]:
        found: list[Memory] = []
        cursor: str | None = None
        while True:
            page = await self.read.list(caller, filters, _PAGE, cursor)
            found += page.items
            cursor = page.next_cursor
            if cursor is None:
                return found


async def attended_case(tx: Tx, credential: Credential, name: str) -> Case:
    """The case of this key, for whoever has one of its keys. Another case, none, and one that was closed are NotFound alike."""
    case = await tx.cases.find(credential.tenant)
    if case is None or name != credential.tenant:
        raise NotFound("there is no such case")
    return case


async def operated_case(tx: Tx, credential: Credential, name: str) -> Case:
    """The case of this key, for its operator. A key for the big screen may see that there is one, and no more."""
    case = await attended_case(tx, credential, name)
    if Permission.INSPECT not in credential.permissions:
        raise PermissionMissing("only the operator of the case may do this")
    return case


def role_of(script: Script, principal: Principal) -> RoleText:
    found = script.role(principal.name)
    if found is None:
        raise NotFound(f"there is no role {principal.name!r} in this script", field="role")
    return found


def _views(
    own: Sequence[Memory], principal: Principal, copies: Mapping[MemoryId, Memory], script: Script, language: Language
) -> tuple[CardView, ...]:
    names = {(role, card.text.speak(language)): card.id for role, card in script.cards()}
    return tuple(
        CardView(m, names.get((principal.name, m.content)), copies[m.id].id if m.id in copies else None)
        for m in sorted(own, key=lambda m: m.id)
        if m.audience.owner == principal  # what another role shared is that role's card
    )
