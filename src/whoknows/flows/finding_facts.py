"""Finding facts: what of some messages is worth remembering, by a model where one may be asked, else by the classifier."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.distill.distiller import Distiller, Vectors
from whoknows.domain.credential import Caller
from whoknows.domain.distilled import Judgement, Said
from whoknows.domain.egress import Cleared, Purpose
from whoknows.flows.asking_facts import AskFacts
from whoknows.flows.egress import Egress, own_banks
from whoknows.flows.prepare import checked
from whoknows.policy.egress import cleared
from whoknows.ports import Embedder, Store, Vector

_AT_ONCE = 32
"""Texts of one call of the embedder: others must not wait long for theirs."""


@dataclass(frozen=True, slots=True)
class FoundFacts:
    """A judgement for each message, in order. ``vectors`` of texts, as far as they are needed. ``may_embed``: whether texts of
    the account may be given to the embedder."""

    judgements: tuple[Judgement, ...]
    vectors: Vectors
    by_model: bool
    may_embed: bool = True


@dataclass(frozen=True, slots=True)
class FindFacts:
    """``ask`` is None where no language model is set."""

    store: Store
    distiller: Distiller
    embedder: Embedder
    egress: Egress
    ask: AskFacts | None

    async def __call__(self, caller: Caller, messages: Sequence[Said], before: Sequence[Said] = ()) -> FoundFacts:
        """``before`` was said earlier: a model reads it, and judges none of it. Where that fails, the classifier answers alone.

        Raises EmbedderUnavailable or DimensionMismatch.
        """
        if not messages:
            return FoundFacts((), {}, False)
        async with self.store.read(caller) as tx:
            banks = own_banks(await tx.directory.standing())
            forbidding = await self.egress.forbidding(tx, Purpose.EMBEDDING)
            grant = None if self.ask is None else await self.egress.grant(tx, Purpose.DISTILLATION, banks)
        may_embed = not any(b.id in forbidding for b in banks)
        if may_embed:
            await self._note(caller, Purpose.EMBEDDING)
        wanted = self.distiller.texts(messages) if may_embed else []
        clear = [c for t in wanted if (c := cleared(t, [b.id for b in banks], forbidding)) is not None]
        vectors = await self._vectors(clear)
        judged = await asyncio.to_thread(self.distiller.judge_messages, messages, vectors)
        if self.ask is None or grant is None:
            return FoundFacts(tuple(judged), vectors, False, may_embed)
        await self._note(caller, Purpose.DISTILLATION)
        asked = await self.ask(grant, messages, before)
        by_id = {j.message_id: j for j in asked}
        return FoundFacts(tuple(by_id.get(j.message_id, j) for j in judged), vectors, bool(asked), may_embed)

    async def _note(self, caller: Caller, purpose: Purpose) -> None:
        """What goes to a service outside is counted."""
        endpoint = self.egress.leaves(purpose)
        if endpoint is not None:
            await self.store.note_egress(caller, endpoint, (), own=True)

    async def _vectors(self, texts: Sequence[Cleared]) -> dict[str, Vector]:
        found: dict[str, Vector] = {}
        for start in range(0, len(texts), _AT_ONCE):
            some = texts[start : start + _AT_ONCE]
            made = await self.embedder.embed_passages(some)
            found |= {t: checked(v, self.embedder) for t, v in zip(some, made, strict=True)}
        return found
