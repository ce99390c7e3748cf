"""One exchange while it lasts: what is asked, what is told of it as it goes, and the trace that it leaves."""

import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from whoknows.context.bundle import Bundle, PartName
from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.conversation import ConversationId, MessageId, Source
from whoknows.domain.credential import Caller
from whoknows.domain.ids import new_trace_id
from whoknows.domain.principal import Principal
from whoknows.domain.prompt import Effort, PromptLayers
from whoknows.domain.trace import Space, Trace
from whoknows.errors import WhoKnowsError
from whoknows.flows.conversations import Turn
from whoknows.flows.evidence import Cited, Evidence
from whoknows.policy.egress import EgressGrant


@dataclass(frozen=True, slots=True)
class Asked:
    """A message that is kept and waits for its answer. ``bundle`` is None where no model is there to see one, or none may.

    ``grant`` is the leave to send it to the model. ``earlier``: the exchanges that ``history`` was taken from.
    ``history``: the turns (message, answer) that the model gets, oldest first, and what they cost in tokens. ``began`` is
    the process's own clock, in seconds.
    """

    caller: Caller
    reader: Principal
    searched: tuple[Space, ...]
    conversation: ConversationId
    project_id: str
    message_id: MessageId
    answer_id: MessageId
    message: str
    bundle: Bundle | None
    grant: EgressGrant | None
    layers: PromptLayers
    earlier: tuple[MessageId, ...]
    history: tuple[tuple[str, str], ...]
    history_tokens: int
    sources: tuple[Source, ...]
    model: str | None
    effort: Effort | None
    asked_at: datetime
    began: float


@dataclass(frozen=True, slots=True)
class Started:
    """The message is kept; what is known of its answer before the first word."""

    conversation: ConversationId
    project_id: str
    message_id: MessageId
    answer_id: MessageId
    mode: AnswerMode
    model: str | None
    effort: str | None
    sources: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class Delta:
    """The next piece of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The answer is whole, and kept. ``reason``: why no model gave it, where none did."""

    conversation: ConversationId
    project_id: str
    turn: Turn
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Broken:
    """The model failed. The message is kept, and the answer as far as it came; ``evidence`` is what was found instead."""

    conversation: ConversationId
    turn: Turn
    fault: WhoKnowsError
    evidence: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class Lost:
    """The answer could not be kept: the key has ended, the conversation was deleted, or the database is away."""

    conversation: ConversationId
    message_id: MessageId
    fault: WhoKnowsError


Event = Started | Delta | Ended | Broken | Lost


def started(asked: Asked, mode: AnswerMode, sources: tuple[Cited, ...]) -> Started:
    return Started(
        asked.conversation, asked.project_id, asked.message_id, asked.answer_id, mode, asked.model, asked.effort, sources
    )


def trace_of(
    asked: Asked,
    mode: AnswerMode,
    *,
    fault: str | None = None,
    first_ms: float | None = None,
    characters: int = 0,
    evidence: Evidence | None = None,
    reason: str | None = None,
) -> Trace:
    """Which prompts and memories went in, what was left out, and how long it took: ids and figures, never a text.

    Memories stand under ``id``, so that who reads the trace later is told only of those it may see then.
    """
    body: dict[str, Any] = {
        "kind": "chat",
        "conversation": str(asked.conversation),
        "message": str(asked.message_id),
        "project_id": asked.project_id,
        "model": asked.model,
        "effort": asked.effort,
        "fault": fault,
        "first_ms": None if first_ms is None else round(first_ms, 2),
        "answer_characters": characters,
        "history": {"turns": len(asked.history), "tokens": asked.history_tokens},
    }
    if asked.bundle is not None:
        body |= _of_bundle(asked.bundle, asked.layers)
    if reason is not None:
        body |= {"reason": reason}
    if evidence is not None:
        body |= {"evidence": evidence.figures, "degraded": evidence.degraded}
    return Trace(
        id=new_trace_id(),
        reader=asked.reader.space,
        question=asked.message,
        asked_at=asked.asked_at,
        searched=asked.searched,
        mode=str(mode),
        took_ms=round(1000 * (time.perf_counter() - asked.began), 2),
        body=body,
    )


def _of_bundle(bundle: Bundle, layers: PromptLayers) -> dict[str, Any]:
    prompts = (
        (PartName.GLOBAL_PROMPT, layers.highest),
        (PartName.USER_PROMPT, layers.user),
        (PartName.CONVERSATION_PROMPT, layers.conversation),
    )
    return {
        "tokens": bundle.tokens,
        "tokenizer": bundle.tokenizer,
        "prompts": [{"layer": str(p.layer), "version": p.version, "tokens": bundle.part(name).tokens} for name, p in prompts],
        "memories": [{"id": i.id, "part": str(p.name), "tokens": i.tokens} for p in bundle.parts for i in p.items],
        "dropped": [{"id": d.id, "part": str(d.part), "why": d.why} for d in bundle.dropped if _is_id(d.id)],
        "dropped_prompts": [{"part": str(d.part), "why": d.why} for d in bundle.dropped if not _is_id(d.id)],
        "marks": [{"layer": str(m.layer), "span": list(m.span), "reason": m.reason} for m in bundle.marks],
    }


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
