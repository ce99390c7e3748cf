"""Converse: a message to the master agent is kept, then asked with its prompts, memories and history, then answered."""

import asyncio
import time
from collections.abc import AsyncGenerator, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from uuid import UUID

from whoknows.context.history import recent
from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.conversation import (
    ConversationId,
    Exchange,
    ExchangeState,
    MessageId,
    Source,
    new_conversation_id,
    new_message_id,
)
from whoknows.domain.credential import Caller
from whoknows.domain.egress import Purpose
from whoknows.domain.ids import MemoryId, PrincipalId
from whoknows.domain.prompt import Effort
from whoknows.errors import AnswerPending, Conflict, Invalid, NotFound
from whoknows.flows.account import account_named
from whoknows.flows.answering import LEASE, Answering, Pace
from whoknows.flows.assemble_context import AssembleContext
from whoknows.flows.capture import IdempotencyKey
from whoknows.flows.conversations import Turn, conversation_of, turn_of
from whoknows.flows.egress import FORBIDDEN, Egress
from whoknows.flows.evidence import FindEvidence, cited
from whoknows.flows.exchange import Asked, Delta, Ended, Event, Started, started, trace_of
from whoknows.flows.limits import Limits, content, label
from whoknows.policy.accounts import project_spaces
from whoknows.ports import Clock, Ending, NewExchange, Speaker, Store, Tokenizer, Tx

HISTORY_TURNS = 50
"""Earlier exchanges that are looked at, at most."""
TITLE = 80
"""Characters of the first message that name a conversation."""
_PENDING_SECONDS = 10.0
_LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody says to the master agent. ``again`` is a message of the conversation that has no answer: this takes
    its place. ``account`` may only say whose the caller's conversations are anyway."""

    project_id: str
    message: str
    conversation: ConversationId | None = None
    again: MessageId | None = None
    account: str | None = None
    distill: bool = True
    """False: what is said in this turn becomes no memory by itself, whatever the account says."""


class Converse:
    """Without a speaker every answer is in evidence mode: what was found, and where it comes from."""

    def __init__(
        self,
        store: Store,
        assemble: AssembleContext,
        find: FindEvidence,
        speaker: Speaker | None,
        tokenizer: Tokenizer,
        limits: Limits,
        clock: Clock,
        pace: Pace,
        egress: Egress,
    ) -> None:
        self._egress = egress
        self._store = store
        self._assemble = assemble
        self._find = find
        self._speaker = speaker
        self._tokenizer = tokenizer
        self._limits = limits
        self._clock = clock
        self._pace = pace
        self._answering = Answering(store, find, pace, limits.redaction)

    async def __call__(self, caller: Caller, said: Said, once: IdempotencyKey | None = None) -> AsyncGenerator[Event | None]:
        """``Started``, ``Delta``…, at last ``Ended``, ``Broken`` or ``Lost``; None now and then, as a sign of life.

        What is wrong with ``said`` is raised before all of them, and then nothing is kept.

        Who stops listening ends the model's call, and what it had said by then is kept. The same ``once`` gives one exchange:
        with its answer, where there is one; asked again, where it failed; AnswerPending, while another request waits for it.
        """
        content(said.message, self._limits.message_bytes, "message")
        label(said.project_id, self._limits.label, "projectId")
        self._limits.redaction.names(projectId=said.project_id)
        said = replace(said, message=self._limits.redaction.clean(said.message))
        planned = await self._planned(caller, said, once)
        if isinstance(planned, Asked):
            asks = self._speaker is not None and planned.grant is not None
            events = self._answering.run(planned, self._speaker) if asks and self._speaker else self._found(planned)
            async with aclosing(events):
                async for event in events:
                    yield event
            return
        conversation, turn = planned
        yield _restarted(conversation, said.project_id, turn)
        yield Delta(turn.answer or "")
        yield Ended(conversation, said.project_id, turn)

    async def close(self) -> None:
        """End what is being answered; what was said by then is kept."""
        await self._answering.close()
        if self._speaker is not None:
            await self._speaker.close()

    async def _planned(self, caller: Caller, said: Said, once: IdempotencyKey | None) -> Asked | tuple[ConversationId, Turn]:
        """The message, kept and ready to be asked; or the turn that it had become before."""
        try:
            asked = await self._prepared(caller, said)
        except Conflict as fault:  # it may be this very request that has its answer
            asked = fault
        kept: tuple[ConversationId, MessageId] | None = None
        async with self._store.write(caller) as tx:
            standing = await tx.directory.standing()
            account_named(standing, said.account)
            if once is not None:
                answer = await tx.records.remembered(standing.tenant, standing.reader.id, once.route, once.key, once.body_hash)
                kept = None if answer is None else (ConversationId(UUID(answer["c"])), MessageId(UUID(answer["m"])))
            if kept is None:
                if isinstance(asked, Conflict):
                    raise asked
                await self._begin(tx, asked, said)
                if once is not None:
                    ids = {"c": str(asked.conversation), "m": str(asked.message_id)}
                    await tx.records.remember(standing.reader.id, once.route, once.key, ids)
        if kept is None:
            assert isinstance(asked, Asked)
            return asked
        turn = await self._settled(caller, *kept)
        if turn.exchange.may_be_asked_again:
            return await self._planned(caller, replace(said, conversation=kept[0], again=kept[1]), None)
        return kept[0], turn

    async def _prepared(self, caller: Caller, said: Said) -> Asked:
        began = time.perf_counter()
        async with self._store.read(caller) as tx:
            standing = await tx.directory.standing()
            account_named(standing, said.account)
            repeated = await _repeated(tx, said)
            spoken = () if said.conversation is None else await tx.conversations.spoken(said.conversation, HISTORY_TURNS)
            layers = await tx.prompts.layers(said.project_id)
            spaces = project_spaces(standing)
            grant = None if self._speaker is None else await self._egress.grant_for(tx, Purpose.CHAT, standing)
            spoken = await _shown(tx, spoken, await self._egress.forbidding(tx, Purpose.CHAT))
        conversation = said.conversation or new_conversation_id()
        bundle, history, cost = None, (), 0
        if grant is not None:
            bundle = await self._assemble(caller, said.project_id, said.message, str(conversation))
            turns = [(e.message, e.answer or "") for e in spoken if e.message_id != said.again]
            history, cost = await asyncio.to_thread(recent, turns, self._pace.history_tokens, self._tokenizer.count)
        return Asked(
            caller=caller,
            reader=standing.reader,
            searched=spaces,
            conversation=conversation,
            project_id=said.project_id,
            message_id=new_message_id() if repeated is None else repeated.message_id,
            answer_id=new_message_id(),
            message=said.message,
            bundle=bundle,
            grant=grant,
            layers=layers,
            earlier=tuple(e.message_id for e in spoken if e.message_id != said.again),
            history=tuple(history),
            history_tokens=cost,
            sources=() if bundle is None else tuple(Source(MemoryId(UUID(i)), None) for i in bundle.memories),
            model=None if bundle is None else bundle.model,
            effort=None if bundle is None or bundle.effort is None else Effort(bundle.effort),
            asked_at=self._clock.now(),
            began=began,
        )

    async def _begin(self, tx: Tx, asked: Asked, said: Said) -> None:
        new = NewExchange(
            conversation=asked.conversation,
            project_id=said.project_id,
            title=_title(said.message) if said.conversation is None else None,
            message_id=asked.message_id,
            answer_id=asked.answer_id,
            message=said.message,
            again=said.again is not None,
        )
        memories = [s.memory for s in asked.sources]
        if memories:  # memories are held before the conversation, as who deletes them does
            await tx.context.use(memories)
        if not await tx.conversations.begin(new, LEASE):  # deleted, or asked again by another, since it was looked at
            raise Conflict("the conversation changed at this very moment: read it again", field="conversationId")
        if not said.distill:
            await tx.distillations.mute(asked.message_id)
        if asked.grant is not None:
            await self._egress.note(tx, Purpose.CHAT, memories, own=True)

    async def _settled(self, caller: Caller, conversation: ConversationId, message: MessageId) -> Turn:
        """The turn that the first request has become, waited for a little while that is being answered."""
        until = time.monotonic() + _PENDING_SECONDS
        while True:
            async with self._store.read(caller) as tx:
                exchange = await tx.conversations.exchange(conversation, message)
                if exchange is None:
                    raise NotFound("it was said, and the conversation is deleted since")
                if exchange.state is not ExchangeState.SENDING:
                    return await turn_of(tx, exchange)
            if time.monotonic() >= until:
                raise AnswerPending
            await asyncio.sleep(_LOOK_SECONDS)

    async def _found(self, asked: Asked) -> AsyncGenerator[Event | None]:
        """An answer in evidence mode. It is kept before anything is told: there is no waiting in between."""
        evidence = await self._find(asked.caller, asked.project_id, asked.message)
        sources = tuple(Source(c.memory.id, c.score) for c in evidence.cited)
        reason = "no_model" if self._speaker is None else FORBIDDEN
        asked = replace(asked, searched=evidence.searched)
        trace = trace_of(asked, AnswerMode.EVIDENCE, evidence=evidence, reason=reason)
        ending = Ending(None, None, AnswerMode.EVIDENCE, None, None, sources)
        async with self._store.write(asked.caller) as tx:
            kept = await tx.conversations.finish(asked.caller, asked.answer_id, ending, trace)
            exchange = await tx.conversations.exchange(asked.conversation, asked.message_id) if kept else None
            if exchange is None:
                raise NotFound("the conversation was deleted at this very moment", field="conversationId")
            turn = await turn_of(tx, exchange)
        yield started(asked, AnswerMode.EVIDENCE, turn.sources)
        yield Delta(turn.answer or "")
        yield Ended(asked.conversation, asked.project_id, turn, reason)


async def _shown(tx: Tx, spoken: Sequence[Exchange], forbidding: Collection[PrincipalId]) -> Sequence[Exchange]:
    """Those before the first answer that rests on a bank which forbids egress: what came later may repeat it."""
    if not forbidding:
        return spoken
    for n, exchange in enumerate(spoken):
        rested = await cited(tx, exchange.sources)
        if len(rested) < len(exchange.sources) or any(c.memory.audience.owner.id in forbidding for c in rested):
            return spoken[:n]
    return spoken


async def _repeated(tx: Tx, said: Said) -> Exchange | None:
    """The exchange that is asked again, if one is; NotFound, Invalid or Conflict where what ``said`` names does not fit."""
    if said.conversation is None:
        if said.again is not None:
            raise Invalid("say in which conversation that message is", field="conversationId")
        return None
    conversation = await conversation_of(tx, said.conversation, "conversationId")
    if conversation.project_id != said.project_id:
        raise Invalid(f"this conversation belongs to the project {conversation.project_id!r}", field="projectId")
    if said.again is None:
        return None
    exchange = await tx.conversations.exchange(said.conversation, said.again)
    if exchange is None:
        raise NotFound("there is no such message in this conversation", field="retryOf")
    if not exchange.may_be_asked_again:
        raise Conflict("this message has its answer, or is being answered", field="retryOf")
    return exchange


def _title(message: str) -> str:
    """The first line that says something, as far as it fits."""
    line = next((stripped for part in message.splitlines() if (stripped := part.strip())), message.strip())
    return line if len(line) <= TITLE else f"{line[: TITLE - 1].rstrip()}…"


def _restarted(conversation: ConversationId, project_id: str, turn: Turn) -> Started:
    e = turn.exchange
    mode = e.mode or AnswerMode.FULL
    return Started(conversation, project_id, e.message_id, e.answer_id, mode, e.model, e.effort, turn.sources)
