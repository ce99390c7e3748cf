"""Prompts: read and save each layer, and what it was before."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from whoknows.domain.credential import Caller, Credential, Permission
from whoknows.domain.prompt import Prompt, PromptLayer, PromptPatch
from whoknows.errors import Invalid, PermissionMissing, VersionConflict
from whoknows.flows.account import account_named
from whoknows.flows.authenticate import administer_as
from whoknows.flows.limits import Limits, clean, is_blank, label
from whoknows.ports import Page, Store, Tx

CONTENT = frozenset({"content"})


@dataclass(frozen=True, slots=True)
class Prompts:
    """A layer that was never saved is empty, and so is one that the caller does not see. None changes what is above it."""

    store: Store
    limits: Limits

    async def policy(self, credential: Credential) -> Prompt:
        """The global layer, for everybody of the tenant."""
        async with self.store.read(administer_as(credential)) as tx:
            return (await tx.prompts.layers(None)).highest

    async def set_policy(self, credential: Credential, content: str, version: int | None = None) -> Prompt:
        """Needs ``admin``."""
        if Permission.ADMIN not in credential.permissions:
            raise PermissionMissing("only an administrator changes the global prompt")
        patch = self._checked(PromptPatch(CONTENT, content), "globalPrompt")
        async with self.store.write(administer_as(credential)) as tx:
            await _save(tx, PromptLayer.GLOBAL, None, patch, version)
            return (await tx.prompts.layers(None)).highest

    async def user(self, caller: Caller, account: str | None = None) -> Prompt:
        async with self.store.read(caller) as tx:
            owner = account_named(await tx.directory.standing(), account)
            return replace((await tx.prompts.layers(None)).user, account=owner)

    async def set_user(self, caller: Caller, content: str, account: str | None = None, version: int | None = None) -> Prompt:
        """By the member, or a main agent that works for it."""
        patch = self._checked(PromptPatch(CONTENT, content), "content")
        async with self.store.write(caller) as tx:
            owner = account_named(await tx.directory.standing(), account)
            await _save(tx, PromptLayer.USER, None, patch, version)
            return replace((await tx.prompts.layers(None)).user, account=owner)

    async def controls(self, caller: Caller, project: str, account: str | None = None) -> Prompt:
        """Prompt, model and effort of the account's conversations in a project."""
        label(project, self.limits.label, "projectId")
        async with self.store.read(caller) as tx:
            owner = account_named(await tx.directory.standing(), account)
            return replace((await tx.prompts.layers(project)).conversation, account=owner, project_id=project)

    async def set_controls(
        self, caller: Caller, project: str, patch: PromptPatch, account: str | None = None, version: int | None = None
    ) -> Prompt:
        """Save what is named; the rest stays."""
        label(project, self.limits.label, "projectId")
        self.limits.redaction.names(projectId=project)
        if not patch.named:
            raise Invalid("nothing to change: name at least one field")
        checked = self._checked(patch, "promptOverride")
        async with self.store.write(caller) as tx:
            owner = account_named(await tx.directory.standing(), account)
            await _save(tx, PromptLayer.CONVERSATION, project, checked, version)
            return replace((await tx.prompts.layers(project)).conversation, account=owner, project_id=project)

    async def policy_history(self, credential: Credential, limit: int, cursor: str | None) -> Page[Prompt]:
        async with self.store.read(administer_as(credential)) as tx:
            return await self._history(tx, PromptLayer.GLOBAL, None, limit, cursor)

    async def history(
        self, caller: Caller, project: str | None, limit: int, cursor: str | None, account: str | None = None
    ) -> Page[Prompt]:
        """Of the user layer; with a project, of its conversation layer."""
        label(project, self.limits.label, "projectId")
        async with self.store.read(caller) as tx:
            account_named(await tx.directory.standing(), account)
            layer = PromptLayer.USER if project is None else PromptLayer.CONVERSATION
            return await self._history(tx, layer, project, limit, cursor)

    async def _history(self, tx: Tx, layer: PromptLayer, project: str | None, limit: int, cursor: str | None) -> Page[Prompt]:
        if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 10):
            raise Invalid("this is no cursor: take `next_cursor` of an answer", field="cursor")
        most = min(limit, self.limits.page)
        found: Sequence[Prompt] = await tx.prompts.history(layer, project, None if cursor is None else int(cursor), most + 1)
        return Page(found[:most], str(found[most - 1].version) if len(found) > most else None)

    def _checked(self, patch: PromptPatch, field: str) -> PromptPatch:
        """``field``: what the text is called where it comes from."""
        size = len(clean(patch.content, field).encode())
        if size > self.limits.prompt_bytes:
            raise Invalid(f"the prompt has {size} bytes, {self.limits.prompt_bytes} are accepted: shorten it", field=field)
        label(patch.model, self.limits.label, "modelOverride")
        self.limits.redaction.names(modelOverride=patch.model)
        return replace(patch, content="" if is_blank(patch.content) else self.limits.redaction.clean(patch.content))


async def _save(tx: Tx, layer: PromptLayer, project: str | None, patch: PromptPatch, version: int | None) -> None:
    if not await tx.prompts.save(layer, project, patch, version):
        raise VersionConflict(f"the prompt was changed meanwhile: version {version} is not the present one, read it again")
