"""Authenticate: a secret → a live credential → the one principal it acts as in this request."""

import hashlib
from dataclasses import dataclass

from whoknows.domain.credential import Caller, Credential, Permission
from whoknows.domain.principal import Kind, Principal, parse_space
from whoknows.errors import AgentRequired, NotYourAgent, PermissionMissing, Unauthenticated
from whoknows.ports import Store


def secret_hash(secret: str) -> bytes:
    """What is kept of a secret. 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).digest()


@dataclass(frozen=True, slots=True)
class Authenticate:
    store: Store

    async def __call__(self, secret: str | None) -> Credential:
        """The live credential of ``secret``; Unauthenticated for none, a wrong, an expired or a revoked one, alike."""
        if not secret or not secret.isascii() or len(secret) > 512:
            raise Unauthenticated
        credential = await self.store.authenticate(secret_hash(secret))
        if credential is None:
            raise Unauthenticated
        return credential

    async def seen_as(self, credential: Credential, name: str, route: str, task: str | None = None) -> Caller:
        """Read with the eyes of another principal: needs ``inspect``, and is in the audit trail."""
        target = await self.eyes(credential, name, "X-Seen-As")
        # The note of it is the one thing that is written for somebody who only looks.
        claimed = credential.task_id or task
        async with self.store.write(Caller(credential, target, claimed)) as tx:
            await tx.credentials.note_inspection(route)
        return Caller(credential, target, claimed, seen_as=True)

    async def eyes(self, credential: Credential, name: str, field: str) -> Principal:
        """The principal that ``credential`` may look through by this name."""
        if Permission.INSPECT not in credential.permissions:
            raise PermissionMissing("seeing as somebody else needs the permission `inspect`")
        kind, plain = parse_space(name) or (Kind.AGENT, name)
        async with self.store.read(Caller(credential, None)) as tx:
            target = await tx.directory.find(kind, plain)
        if target is None or kind is Kind.TEAM:
            raise NotYourAgent("there is nobody of that name to see as", field=field)
        return target


def act_as(
    credential: Credential,
    header: str | None,
    agent_id: str | None = None,
    account: str | None = None,
    task: str | None = None,
) -> Caller:
    """The principal that a request acts as.

    ``header`` (X-Agent), ``agent_id`` and ``account`` may only choose among what the key permits. A key for several must
    say which one, where the call has a use for it: AgentRequired; one it may not act as: NotYourAgent, existing or not.
    ``task`` is claimed where the key has none of its own; the store honours it where the principal was put on the task.
    """
    chosen = {p for p in (_pick(credential, header, "X-Agent"), _pick(credential, agent_id, "agent_id")) if p is not None}
    if len(chosen) > 1:
        raise NotYourAgent("X-Agent and agent_id name different principals", field="agent_id")
    if not chosen and len(credential.acts_as) == 1:
        chosen = {credential.acts_as[0]}
    if not chosen and account is not None:
        chosen = {p for p in credential.acts_as if p.kind is Kind.MEMBER and p.name == account}
    if not chosen:
        if not credential.acts_as:
            raise PermissionMissing(
                "this key administers, but acts as no agent or member: use one that does; "
                "`whoknows keys add member:NAME` makes one for a member"
            )
        raise AgentRequired(field="agent_id")
    return Caller(credential, chosen.pop(), credential.task_id or task)


def administer_as(credential: Credential) -> Caller:
    """For what needs a permission and not a principal."""
    principal = credential.acts_as[0] if len(credential.acts_as) == 1 else None
    return Caller(credential, principal, credential.task_id)


def must_administer(credential: Credential) -> Caller:
    """For what only an administrator does; PermissionMissing without ``admin``."""
    if Permission.ADMIN not in credential.permissions:
        raise PermissionMissing("this needs a key with the permission `admin`")
    return administer_as(credential)


def _pick(credential: Credential, name: str | None, field: str) -> Principal | None:
    if name is None:
        return None
    kind_and_name = parse_space(name) or (Kind.AGENT, name)
    for p in credential.acts_as:
        if (p.kind, p.name) == kind_and_name:
            return p
    raise NotYourAgent(field=field)
