"""Conversations as they are read: whose they are, what was said, and what each answer rested on, as of today."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.context.findings import findings
from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.conversation import Conversation, ConversationId, DistillationStage, Exchange, ExchangeState
from whoknows.domain.credential import Caller
from whoknows.domain.distillation import Became
from whoknows.domain.memory import Memory
from whoknows.errors import NotFound
from whoknows.flows.account import account_named
from whoknows.flows.evidence import Cited, cited, current
from whoknows.flows.limits import Limits, label
from whoknows.policy.accounts import account_scope
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
            return Conversed(found, [await turn_of(tx, e) for e in page.items], page.next_cursor)

    async def forget(self, caller: Caller, conversation: ConversationId, account: str | None = None) -> None:
        """Messages, answers and the traces of the answers; nothing of their texts is anywhere else."""
        async with self.store.write(caller) as tx:
            account_named(await tx.directory.standing(), account)
            if not await tx.conversations.forget(conversation):
                raise NotFound("there is no such conversation")


async def conversation_of(tx: Tx, conversation: ConversationId, field: str | None = None) -> Conversation:
    """One of the account's; another's and none are the same NotFound."""
    found = await tx.conversations.get(conversation)
    if found is None:
        raise NotFound("there is no such conversation", field=field)
    return found


async def turn_of(tx: Tx, exchange: Exchange) -> Turn:
    """An answer in evidence mode is made again of what it rested on, so that it says nothing that is gone since."""
    those = await cited(tx, exchange.sources)
    answer = exchange.answer
    if exchange.answer_gone:
        answer = _GONE[is_wide(exchange.message)]
    elif exchange.mode is AnswerMode.EVIDENCE and exchange.state is ExchangeState.DONE:
        answer = findings(current(those), found=len(exchange.sources), chinese=is_wide(exchange.message))
    return Turn(exchange, answer, those, await _remembered(tx, exchange))


async def _remembered(tx: Tx, exchange: Exchange) -> tuple[Memory, ...]:
    if exchange.distillation is not DistillationStage.DONE:
        return ()
    facts = await tx.distillations.of_messages([exchange.message_id, exchange.answer_id])
    kept = list(dict.fromkeys(f.memory for f in facts if f.became is not Became.REPEAT))
    return tuple(await tx.memories.load(account_scope(await tx.directory.standing()), kept)) if kept else ()


_GONE = {
    False: "(This answer was removed: a memory that it rested on was deleted. Ask again.)",
    True: "（这条回答已删除：它依据的一条记忆被删除了。请重新提问。）",
}
"""What is told instead of an answer whose text is gone, by whether the question was in Han characters."""
