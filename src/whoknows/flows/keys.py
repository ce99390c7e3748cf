"""Keys: make, list and revoke credentials, and found tenants."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from whoknows.domain.credential import KEY_MINIMUM, KEY_PREFIX, Credential, Permission
from whoknows.domain.ids import CredentialId, PrincipalId, new_credential_id
from whoknows.domain.principal import Kind, name_fault, parse_space
from whoknows.errors import Invalid, NotFound, PermissionMissing
from whoknows.flows.authenticate import administer_as, secret_hash
from whoknows.flows.limits import label
from whoknows.flows.redaction import Redaction
from whoknows.ports import Clock, Store


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key as it is shown once: the secret is nowhere else."""

    id: CredentialId
    secret: str


@dataclass(frozen=True, slots=True)
class Keys:
    store: Store
    clock: Clock

    async def make(
        self,
        credential: Credential,
        acts_as: Sequence[str],
        permissions: Sequence[Permission],
        task_id: str | None,
        expires_at: datetime | None,
    ) -> NewKey:
        """A key for agents and members of the tenant; never with more than its maker has."""
        label(task_id, 200, "task_id")
        Redaction().names(task_id=task_id)
        if expires_at is not None and expires_at <= self.clock.now():
            raise Invalid("the time of expiry has passed already", field="expires_at")
        if not acts_as and not permissions:
            raise Invalid("a key that acts as nobody and may do nothing: name `acts_as`, or `permissions`", field="acts_as")
        if task_id is not None and len(acts_as) != 1:
            raise Invalid("a key for a task acts as exactly one agent", field="acts_as")
        made = NewKey(new_credential_id(), new_secret())
        caller = administer_as(credential)
        async with self.store.write(caller) as tx:
            principals = [parse_space(name) or (Kind.AGENT, name) for name in dict.fromkeys(acts_as)]
            ids: list[PrincipalId] = []
            for kind in Kind:
                names = [n for k, n in principals if k is kind]
                if not names:
                    continue
                if kind is Kind.TEAM:
                    raise Invalid("a key acts as agents or members, not as a team", field="acts_as")
                found = await tx.directory.find_many(kind, names)
                for name in names:
                    if name not in found:
                        raise NotFound(f"there is no {kind} {name!r}", field="acts_as")
                    ids.append(found[name].id)
            await tx.credentials.make(made.id, secret_hash(made.secret), ids, permissions, task_id, expires_at)
        return made

    async def list(self, credential: Credential) -> Sequence[Credential]:
        """The keys an administrator may revoke; otherwise one's own and those it made."""
        async with self.store.read(administer_as(credential)) as tx:
            return await tx.credentials.all()

    async def revoke(self, credential: Credential, key: CredentialId) -> None:
        async with self.store.write(administer_as(credential)) as tx:
            if not await tx.credentials.revoke(key):
                raise NotFound("there is no such key")

    async def create_tenant(self, credential: Credential, name: str) -> NewKey:
        """A tenant of its own, and the key of its administrator."""
        if Permission.CREATE_TENANTS not in credential.permissions:
            raise PermissionMissing("founding a tenant needs the permission `create_tenants`")
        fault = name_fault(name)
        if fault is not None:
            raise Invalid(fault, field="tenant_id")
        Redaction().names(tenant_id=name)
        made = NewKey(new_credential_id(), new_secret())
        async with self.store.write(administer_as(credential)) as tx:
            await tx.credentials.create_tenant(name, made.id, secret_hash(made.secret))
        return made


def new_secret() -> str:
    """``wk_`` and 43 characters of 256 random bits, from ``[A-Za-z0-9_]``."""
    return KEY_PREFIX + secrets.token_urlsafe(32).replace("-", "_")


def secret_fault(secret: str) -> str | None:
    """Why ``secret`` cannot be a key, or None."""
    body = secret.removeprefix(KEY_PREFIX)
    if body == secret or len(body) < KEY_MINIMUM or not all(c.isascii() and (c.isalnum() or c == "_") for c in body):
        return f"a key is {KEY_PREFIX} and at least {KEY_MINIMUM} of A-Z a-z 0-9 _"
    return None
