"""Belonging: a section is written into a document of its own author, for the same readers and project."""

from whoknows.domain.ids import AudienceId
from whoknows.domain.memory import Draft
from whoknows.errors import Invalid, NotFound
from whoknows.policy.standing import ReadScope
from whoknows.ports import Tx


async def must_belong(tx: Tx, scope: ReadScope, draft: Draft, audience: AudienceId) -> None:
    """NotFound for a document that is hidden or absent, Invalid for one that this cannot be a section of."""
    if draft.part_of is None:
        return
    head = await tx.memories.get(scope, draft.part_of)
    if head is None:
        raise NotFound("there is no such document", field="part_of")
    wrote = scope.reader in (head.author.id, *(a.author.id for a in head.authors))
    fits = head.audience.id == audience and head.project_id == draft.project_id and head.origin is None
    if not (wrote and fits) or head.part_of is not None:
        message = "a section is part of a document of yours with the same readers and project, not of a section"
        raise Invalid(message, field="part_of")
