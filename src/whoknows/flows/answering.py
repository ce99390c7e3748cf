"""Answering: a model speaks, watched for as long as it does, and what it said is kept however it ends."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from datetime import timedelta

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.prompt import Effort
from whoknows.domain.trace import Trace
from whoknows.errors import Forbidden, Interrupted, ModelFault, NotFound, StoreUnavailable, Unauthenticated, WhoKnowsError
from whoknows.flows.conversations import Turn, turn_of
from whoknows.flows.evidence import Evidence, FindEvidence, cited
from whoknows.flows.exchange import Asked, Broken, Delta, Ended, Event, Lost, started, trace_of
from whoknows.flows.redaction import Redaction
from whoknows.ports import Ending, Speaker, SpeechRequest, SpokenTurn, Store

LEASE = timedelta(seconds=15)
"""So long after the last sign of life a message counts as left unanswered: its server was killed."""
QUIET_SECONDS = 10.0
"""After so long without a word there is a sign of life."""
_WATCH_SECONDS = 0.25
"""At least so long between two looks at whether the key still holds."""
_KEEP_TRIES = 3


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a model may take, in seconds: until its first word and between two (``patience``), and in all (``deadline``).

    ``effort`` where a conversation sets none; ``most_tokens`` of an answer, ``history_tokens`` of what was said before.
    """

    patience: float = 60.0
    deadline: float = 600.0
    effort: Effort | None = None
    most_tokens: int = 4096
    history_tokens: int = 4000


class Answering:
    def __init__(self, store: Store, find: FindEvidence, pace: Pace, redaction: Redaction) -> None:
        self._redaction = redaction
        self._store = store
        self._find = find
        self._pace = pace
        self._running: set[_Run] = set()
        self._watches: set[asyncio.Task[None]] = set()

    async def run(self, asked: Asked, speaker: Speaker) -> AsyncGenerator[Event | None]:
        """The events of one exchange; None now and then, as a sign of life.

        It runs in a task of its own: who stops listening ends the call, and does not undo it.
        """
        async with self._store.read(asked.caller) as tx:
            sources = await cited(tx, asked.sources)
        run = _Run(asked)
        run.task = asyncio.create_task(self._answer(run, speaker), name="answer")
        self._running.add(run)
        run.task.add_done_callback(lambda _: self._over(run))
        try:
            yield started(asked, AnswerMode.FULL, sources)
            while True:
                try:
                    async with asyncio.timeout(QUIET_SECONDS):
                        event = await run.events.get()
                except TimeoutError:
                    yield None
                    continue
                if event is None:
                    break
                yield event
            await run.task  # what nobody foresaw is raised here
        finally:
            run.stop()

    async def close(self) -> None:
        running = list(self._running)
        for run in running:
            run.stop()
        tasks = [run.task for run in running if run.task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(*self._watches, return_exceptions=True)

    def _over(self, run: "_Run") -> None:
        self._running.discard(run)
        run.events.put_nowait(None)

    async def _answer(self, run: "_Run", speaker: Speaker) -> None:
        run.events.put_nowait(await self._kept(run, await self._listen(run, speaker)))

    async def _listen(self, run: "_Run", speaker: Speaker) -> WhoKnowsError | None:
        """Every piece, as it comes; why there are no more, where the model did not simply end."""
        if run.stopped:
            return Interrupted()
        run.speaking = True
        watch = asyncio.create_task(self._watch(run), name="watch over an answer")
        self._watches.add(watch)
        watch.add_done_callback(self._watches.discard)
        try:
            async with aclosing(speaker.stream(self._request(run.asked))) as pieces:
                async for piece in pieces:
                    if not run.said:
                        run.first_ms = 1000 * (time.perf_counter() - run.asked.began)
                    run.said.append(piece)
                    run.events.put_nowait(Delta(piece))
        except ModelFault as fault:
            return fault
        except asyncio.CancelledError:
            return run.ended or Interrupted()
        finally:
            run.speaking = False
            if not run.looking:
                watch.cancel()
        return None

    def _request(self, asked: Asked) -> SpeechRequest:
        assert asked.bundle is not None
        assert asked.grant is not None
        turns = [SpokenTurn("system", asked.bundle.system)] if asked.bundle.system else []
        for message, answer in asked.history:
            turns += [SpokenTurn("user", message), SpokenTurn("assistant", answer)]
        turns.append(SpokenTurn("user", asked.bundle.message))
        pace = self._pace
        return SpeechRequest(
            asked.grant, turns, asked.model or "", asked.effort, pace.most_tokens, pace.patience, pace.deadline
        )

    async def _watch(self, run: "_Run") -> None:
        """Says that somebody waits, and ends the call with the right to it: key, account, or the conversation itself."""
        async for _ in self._store.changes(run.asked.caller.credential.tenant_id):
            run.looking = True  # not to be cancelled within a transaction
            ended = await self._ended(run.asked)
            run.looking = False
            if ended is not None:
                run.stop(ended)
            if not run.speaking:
                return
            await asyncio.sleep(_WATCH_SECONDS)

    async def _ended(self, asked: Asked) -> WhoKnowsError | None:
        try:
            async with self._store.write(asked.caller) as tx:
                return None if await tx.conversations.renew(asked.answer_id, LEASE) else _conversation_gone()
        except Forbidden:
            return _key_ended()
        except WhoKnowsError:  # the database is away: the model goes on
            return None

    async def _kept(self, run: "_Run", fault: WhoKnowsError | None) -> Event:
        asked = run.asked
        if fault is not None and fault is run.ended:
            return Lost(asked.conversation, asked.message_id, fault)
        evidence: Evidence | None = None
        if isinstance(fault, ModelFault):
            with suppress(WhoKnowsError):
                evidence = await self._find(asked.caller, asked.project_id, asked.message)
        try:
            return await self._keep(run, fault, evidence)
        except Forbidden:
            return Lost(asked.conversation, asked.message_id, _key_ended())
        except WhoKnowsError as lost:
            return Lost(asked.conversation, asked.message_id, lost)

    async def _keep(self, run: "_Run", fault: WhoKnowsError | None, evidence: Evidence | None) -> Event:
        asked = run.asked
        answer = self._redaction.clean("".join(run.said))  # a model may make up, or repeat, what looks like a secret
        code = None if fault is None else fault.code
        ending = Ending(code, answer or None, AnswerMode.FULL, asked.model, asked.effort, asked.sources, asked.earlier)
        trace = trace_of(asked, AnswerMode.FULL, fault=code, first_ms=run.first_ms, characters=len(answer), evidence=evidence)
        turn = await self._written(asked, ending, trace)
        if fault is None:
            return Ended(asked.conversation, asked.project_id, turn)
        return Broken(asked.conversation, turn, fault, () if evidence is None else evidence.cited)

    async def _written(self, asked: Asked, ending: Ending, trace: Trace) -> Turn:
        """The turn as it is kept; tried again where the database is away for a moment, since it is all there is of it."""
        for tries_left in range(_KEEP_TRIES - 1, -1, -1):
            try:
                async with self._store.write(asked.caller) as tx:
                    kept = await tx.conversations.finish(asked.caller, asked.answer_id, ending, trace)
                    exchange = await tx.conversations.exchange(asked.conversation, asked.message_id) if kept else None
                    if exchange is None:
                        raise _conversation_gone()
                    return await turn_of(tx, exchange)
            except StoreUnavailable:
                if not tries_left:
                    raise
                await asyncio.sleep(1)
        raise AssertionError("unreachable")


@dataclass(eq=False, slots=True)
class _Run:
    """One answer on its way. ``ended`` says why it may not go on, where the right to it ended."""

    asked: Asked
    events: asyncio.Queue[Event | None] = field(default_factory=asyncio.Queue[Event | None])
    said: list[str] = field(default_factory=list[str])
    first_ms: float | None = None
    task: asyncio.Task[None] | None = None
    speaking: bool = False
    stopped: bool = False
    looking: bool = False
    ended: WhoKnowsError | None = None

    def stop(self, because: WhoKnowsError | None = None) -> None:
        """End the model's call, once; what comes after it, the keeping, goes on undisturbed."""
        self.stopped = True
        if self.speaking and self.task is not None:
            self.speaking = False
            self.ended = because
            self.task.cancel()


def _key_ended() -> WhoKnowsError:
    return Unauthenticated("the key, or its right to this conversation, has ended")


def _conversation_gone() -> WhoKnowsError:
    return NotFound("the conversation was deleted, or the message asked anew, meanwhile")
