"""Conversations as they are read: whose they are, what was said, and what each answer rested on, as of today."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from whoknows.context.findings import findings
from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.conversation import (
    Conversation,
    ConversationId,
    Counts,
    DistillationStage,
    Exchange,
    ExchangeState,
    MessageId,
    Source,
)
from whoknows.domain.credential import Caller
from whoknows.domain.distillation import Became
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Memory
from whoknows.domain.trace import Trace
from whoknows.errors import NotFound
from whoknows.flows.account import account_named
from whoknows.flows.evidence import Cited, cited, current
from whoknows.flows.limits import Limits, label
from whoknows.policy.accounts import account_scope
from whoknows.policy.standing import scope_for
from whoknows.ports import Page, Store, Tx
from whoknows.recall.tokens import is_wide


@dataclass(frozen=True, slots=True)
class Turn:
    """An exchange with its answer in words, and the memories under it that its reader may see today."""

    exchange: Exchange
    answer: str | None
    sources: tuple[Cited, ...]
    remembered: tuple[Memory, ...] = ()
    """What became memory of what was said in it, as far as it is there today."""


@dataclass(frozen=True, slots=True)
class Conversed:
    """A conversation and a page of it, in the order in which it was said; ``next_cursor`` leads to what was before."""

    conversation: Conversation
    turns: Sequence[Turn]
    next_cursor: str | None


@dataclass(frozen=True, slots=True)
class About:
    """A conversation in figures. ``latest``: its newest message, with what is known of its answer."""

    conversation: Conversation
    counts: Counts
    latest: Exchange | None


@dataclass(frozen=True, slots=True)
class Conversations:
    """Of one account: the member's own, and for a main agent those of the member that it works for."""

    store: Store
    limits: Limits

    async def list(
        self, caller: Caller, project_id: str | None, limit: int, cursor: str | None, account: str | None = None
    ) -> Page[Conversation]:
        """Those with the newest message first."""
        label(project_id, self.limits.label, "projectId")
        async with self.store.read(caller) as tx:
            account_named(await tx.directory.standing(), account)
            return await tx.conversations.page(project_id, min(limit, self.limits.page), cursor)

    async def get(
        self, caller: Caller, conversation: ConversationId, limit: int, cursor: str | None, account: str | None = None
    ) -> Conversed:
        async with self.store.read(caller) as tx:
            account_named(await tx.directory.standing(), account)
            found = await conversation_of(tx, conversation)
            page = await tx.conversations.exchanges(conversation, min(limit, self.limits.page), cursor)
            return Conversed(found, await turns_of(tx, page.items), page.next_cursor)

    async def turn(
        self, caller: Caller, conversation: ConversationId, message: MessageId, account: str | None = None
    ) -> tuple[Conversation, Turn]:
        async with self.store.read(caller) as tx:
            account_named(await tx.directory.standing(), account)
            found = await conversation_of(tx, conversation)
            return found, await turn_of(tx, await _exchange_of(tx, conversation, message))

    async def about(self, caller: Caller, conversation: ConversationId, account: str | None = None) -> About:
        async with self.store.read(caller) as tx:
            account_named(await tx.directory.standing(), account)
            found = await conversation_of(tx, conversation)
            newest = await tx.conversations.exchanges(conversation, 1, None)
            return About(found, await tx.conversations.counts(conversation), newest.items[0] if newest.items else None)

    async def sources(
        self, caller: Caller, conversation: ConversationId, message: MessageId, account: str | None = None
    ) -> tuple[Cited, ...]:
        """What an answer rested on; where a model failed, what was found instead, as its trace has it."""
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            account_named(standing, account)
            exchange = await _exchange_of(tx, conversation, message)
            if exchange.state is not ExchangeState.FAILED or exchange.trace is None:
                return await cited(tx, exchange.sources)
            trace = await tx.records.trace(scope_for(standing), exchange.trace)
            return await cited(tx, () if trace is None else _hits(trace))

    async def forget(self, caller: Caller, conversation: ConversationId, account: str | None = None) -> None:
        """Messages, answers and the traces of the answers; nothing of their texts is anywhere else."""
        async with self.store.write(caller) as tx:
            account_named(await tx.directory.standing(), account)
            if not await tx.conversations.forget(conversation):
                raise NotFound("there is no such conversation")


def _hits(trace: Trace) -> list[Source]:
    figures: Mapping[str, Any] = trace.body.get("evidence") or {}
    hits: list[Mapping[str, Any]] = figures.get("hits", [])
    return [Source(MemoryId(UUID(h["id"])), h["score"]) for h in hits]


async def conversation_of(tx: Tx, conversation: ConversationId, field: str | None = None) -> Conversation:
    """One of the account's; another's and none are the same NotFound."""
    found = await tx.conversations.get(conversation)
    if found is None:
        raise NotFound("there is no such conversation", field=field)
    return found


async def turn_of(tx: Tx, exchange: Exchange) -> Turn:
    """An answer in evidence mode is made again of what it rested on, so that it says nothing that is gone since."""
    return (await turns_of(tx, [exchange]))[0]


async def turns_of(tx: Tx, exchanges: Sequence[Exchange]) -> list[Turn]:
    """As many statements for fifty as for one."""
    rested = {c.memory.id: c.memory for c in await cited(tx, [s for e in exchanges for s in e.sources])}
    remembered = await _remembered(tx, exchanges)
    return [_turn(e, rested, remembered.get(e.message_id, ())) for e in exchanges]


def _turn(exchange: Exchange, rested: Mapping[MemoryId, Memory], remembered: tuple[Memory, ...]) -> Turn:
    those = tuple(Cited(rested[s.memory], s.score) for s in exchange.sources if s.memory in rested)
    answer = exchange.answer
    if exchange.answer_gone:
        answer = _GONE[is_wide(exchange.message)]
    elif exchange.mode is AnswerMode.EVIDENCE and exchange.state is ExchangeState.DONE:
        answer = findings(current(those), found=len(exchange.sources), chinese=is_wide(exchange.message))
    return Turn(exchange, answer, those, remembered)


async def _remembered(tx: Tx, exchanges: Sequence[Exchange]) -> dict[MessageId, tuple[Memory, ...]]:
    """By the message of the exchange in which it was said."""
    done = [e for e in exchanges if e.distillation is DistillationStage.DONE]
    if not done:
        return {}
    facts = await tx.distillations.of_messages([m for e in done for m in (e.message_id, e.answer_id)])
    kept = [f for f in facts if f.became is not Became.REPEAT]
    if not kept:
        return {}
    scope = account_scope(await tx.directory.standing())
    loaded = {m.id: m for m in await tx.memories.load(scope, list(dict.fromkeys(f.memory for f in kept)))}

    def of(e: Exchange) -> tuple[Memory, ...]:
        said = dict.fromkeys(f.memory for f in kept if f.message_id in (str(e.message_id), str(e.answer_id)))
        return tuple(loaded[m] for m in said if m in loaded)

    return {e.message_id: of(e) for e in done}


async def _exchange_of(tx: Tx, conversation: ConversationId, message: MessageId) -> Exchange:
    exchange = await tx.conversations.exchange(conversation, message)
    if exchange is None:
        raise NotFound("there is no such message")
    return exchange


_GONE = {
    False: "(This answer was removed: a memory that it rested on was deleted. Ask again.)",
    True: "（这条回答已删除：它依据的一条记忆被删除了。请重新提问。）",
}
"""What is told instead of an answer whose text is gone, by whether the question was in Han characters."""
