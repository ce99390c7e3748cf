"""Assemble context: the prompts, memories and the moment of one message, in one bundle."""

import asyncio
from dataclasses import dataclass, replace
from datetime import UTC
from zoneinfo import ZoneInfo

from whoknows.context.assemble import assemble
from whoknows.context.budget import Budget
from whoknows.context.bundle import Bundle, Dropped, PartName
from whoknows.context.layers import Layers, MemoryText, Runtime
from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.credential import Caller
from whoknows.domain.egress import Purpose
from whoknows.domain.principal import EVERYONE
from whoknows.domain.prompt import PromptLayers
from whoknows.flows.aim import Aim
from whoknows.flows.egress import FORBIDDEN, Egress
from whoknows.flows.limits import Limits, content, label
from whoknows.flows.seek import Seeker
from whoknows.policy.accounts import account_for
from whoknows.policy.standing import Standing
from whoknows.ports import Clock, ContextCard, Store, Tokenizer

_HEAD, _TAIL = 400, 200
"""Characters at the beginning and end of a message by which memories are chosen: embedding 2,000 takes a second."""


@dataclass(frozen=True, slots=True)
class AssembleContext:
    """``model`` and ``effort`` are those of this installation, None where nobody speaks; ``time_zone`` is told to it.

    What a bank keeps on this machine is not in a context where the model is outside, and is listed as dropped.
    """

    store: Store
    aim: Aim
    tokenizer: Tokenizer
    limits: Limits
    clock: Clock
    egress: Egress
    model: str | None = None
    time_zone: str = "UTC"
    effort: str | None = None

    async def __call__(self, caller: Caller, project_id: str, message: str, conversation_id: str | None = None) -> Bundle:
        """What a model would see for ``message``: the seven parts of rules C2, within the budget.

        Nothing counts as used by it: that is for whoever hands it to a model. Raises Invalid for a bad project or message, and
        ContextTooLong where the global prompt and the message alone exceed the limit.
        """
        label(project_id, self.limits.label, "projectId")
        label(conversation_id, self.limits.label, "conversationId")
        self.limits.redaction.names(projectId=project_id, conversationId=conversation_id)
        content(message, self.limits.message_bytes, "message")
        message = self.limits.redaction.clean(message)
        about = message if len(message) <= _HEAD + _TAIL else f"{message[:_HEAD]} {message[-_TAIL:]}"
        aimed, _ = await self.aim.attempt(caller, about)
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing(None, all_sessions=False)
            prompts = await tx.prompts.layers(project_id)
            of_project, general = await Seeker(tx, standing, project_id, about, aimed).seek()
            forbidding = await self.egress.forbidding(tx, Purpose.CHAT)
        kept_back = [
            Dropped(str(c.id), part, f"{FORBIDDEN}: {c.owner.space} keeps its texts on this machine")
            for part, cards in ((PartName.PROJECT_MEMORIES, of_project), (PartName.USER_MEMORIES, general))
            for c in cards
            if c.owner.id in forbidding
        ]
        layers = Layers(
            global_prompt=prompts.highest.content,
            user_prompt=prompts.user.content,
            conversation_prompt=prompts.conversation.content,
            project_memories=[_text(c) for c in of_project if c.owner.id not in forbidding],
            user_memories=[_text(c) for c in general if c.owner.id not in forbidding],
            runtime=self._runtime(standing, prompts, project_id, conversation_id),
            message=message,
        )
        budget = Budget(self.limits.context_tokens, self.limits.context_limit)
        # Counting takes milliseconds, and lets go of the interpreter.
        bundle = await asyncio.to_thread(assemble, layers, budget, self.tokenizer.count)
        bundle = replace(bundle, dropped=(*bundle.dropped, *kept_back))
        return replace(bundle, tokenizer=self.tokenizer.name, model=layers.runtime.model, effort=layers.runtime.effort)

    def _runtime(self, standing: Standing, prompts: PromptLayers, project: str, conversation: str | None) -> Runtime:
        account = account_for(standing)
        teams = sorted(t.team.name for t in standing.teams.values() if t.team.name != EVERYONE)
        return Runtime(
            now=self.clock.now().astimezone(UTC if self.time_zone == "UTC" else ZoneInfo(self.time_zone)),
            time_zone=self.time_zone,
            project=project,
            conversation=conversation,
            agent=standing.reader.space,
            account=None if account is None else account.space,
            teams=teams,
            model=prompts.conversation.model or self.model,
            effort=prompts.conversation.effort or self.effort,
            mode=AnswerMode.EVIDENCE if self.model is None else AnswerMode.FULL,
        )


def _text(card: ContextCard) -> MemoryText:
    where = card.author.space if card.owner == card.author else f"{card.author.space} in {card.owner.space}"
    origin = where if card.locator is None else f"{where}, {card.locator}"
    return MemoryText(str(card.id), card.content, card.title, str(card.category), origin, card.updated_at)
