"""The prompts gateway: the newest version of a layer is the layer."""

from collections.abc import Sequence

from whoknows.domain.ids import CredentialId
from whoknows.domain.prompt import Effort, Prompt, PromptLayer, PromptLayers, PromptPatch
from whoknows.stores.postgres import rows
from whoknows.stores.postgres.session import Sql
from whoknows.stores.postgres.sql import blocks

_SQL = blocks("prompts")


class PostgresPrompts:
    def __init__(self, sql: Sql) -> None:
        self._sql = sql

    async def layers(self, project: str | None) -> PromptLayers:
        found = {p.layer: p for p in map(_prompt, await self._sql.all(_SQL["layers"], {"project": project}))}
        highest, user, conversation = (found.get(layer, Prompt(layer)) for layer in PromptLayer)
        return PromptLayers(highest, user, conversation)

    async def history(self, layer: PromptLayer, project: str | None, before: int | None, limit: int) -> Sequence[Prompt]:
        params = {"layer": str(layer), "project": project, "before": before, "limit": limit}
        return [_prompt(r) for r in await self._sql.all(_SQL["history"], params)]

    async def save(self, layer: PromptLayer, project: str | None, patch: PromptPatch, version: int | None) -> bool:
        params = {
            "layer": str(layer),
            "project": project,
            "named": sorted(patch.named),
            "content": patch.content,
            "model": patch.model,
            "effort": None if patch.effort is None else str(patch.effort),
            "version": version,
        }
        row = await self._sql.one(_SQL["save"], params)
        return row is not None and row["version"] is not None


def _prompt(row: rows.Row) -> Prompt:
    return Prompt(
        layer=PromptLayer(row["layer"]),
        account=rows.maybe(row["account"]),
        project_id=row["project_id"],
        version=row["version"],
        content=row["content"],
        model=row["model"],
        effort=None if row["effort"] is None else Effort(row["effort"]),
        saved_by=rows.maybe(row["saved_by"]),
        saved_at=row["saved_at"],
        saved_with=CredentialId(row["saved_with"]),
    )
