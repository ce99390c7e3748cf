"""Play: the operator whispers to a role, asks it, and makes one of its cards public, each time acting as that role."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.audience import Layer
from whoknows.domain.case import Answer, Case, HitCard
from whoknows.domain.credential import Caller, Credential
from whoknows.domain.egress import Purpose
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Draft, Memory
from whoknows.domain.principal import EVERYONE
from whoknows.domain.script import CardKind, Knowledge, Language, Place, RoleText, Script
from whoknows.errors import Conflict, Invalid, ModelFault, NotFound, NotYourAgent
from whoknows.flows.authenticate import act_as
from whoknows.flows.capture import Capture
from whoknows.flows.cases import CaseFiles, operated_case, role_of
from whoknows.flows.egress import FORBIDDEN, Egress
from whoknows.flows.publish import Publish
from whoknows.flows.publishable import Published
from whoknows.flows.read import Read
from whoknows.flows.recall import Answered, Question, Recall
from whoknows.flows.testify import testimony
from whoknows.flows.writing import Outcome
from whoknows.policy.egress import EgressGrant
from whoknows.ports import RoleSpeaker, Store

_MOST_CARDS = 5


@dataclass(frozen=True, slots=True)
class Play:
    """``speaker`` is None where this installation has no model, or not what it takes to speak through it."""

    store: Store
    files: CaseFiles
    capture: Capture
    recall: Recall
    read: Read
    publishing: Publish
    speaker: RoleSpeaker | None
    egress: Egress

    async def whisper(self, credential: Credential, name: str, role: str, content: str) -> Outcome:
        """A message into the private memory of one role, as that role, audited as the operator's."""
        caller, _, _ = await self._as(credential, name, role)
        return await self.capture(caller, Draft(content, tags=(str(CardKind.WHISPER),)))

    async def ask(self, credential: Credential, name: str, role: str, question: str) -> Answer:
        """Search the role's own space and the board, and let it answer from what was found there.

        The search is over before a model hears of the question (redacted): what it says cannot widen it.
        """
        caller, case, text = await self._as(credential, name, role)
        try:
            found = await self.recall(caller, Question(question, limit=_MOST_CARDS, own_and_everyones=True))
        except Invalid as fault:  # recall knows it by another name
            fault.field = "question" if fault.field == "query" else fault.field
            raise
        hits = tuple(_hit(a) for a in found.memories)
        grant, kept_back = await self._leave(caller, [a.memory for a in found.memories])
        said, mode, reason = await self._say(
            grant, self.files.script(case.script), text, case.language, found.trace.question, hits, kept_back
        )
        knowledge = Knowledge.KNOWN if hits else Knowledge.UNKNOWN
        async with self.store.write(caller) as tx:
            await tx.cases.tell_asked(bool(hits), mode, [s.space for s in found.searched])  # holds the case
            if (await operated_case(tx, credential, name)).reset_at != case.reset_at:
                raise Conflict("the case began again while the role was asked: ask it again")
        return Answer(role, said, knowledge, mode, reason, hits, found.trace, found.degraded)

    async def publish(self, credential: Credential, name: str, memory: MemoryId) -> Published:
        """Copy a role's card to the board, as that role. What no role of this case has is NotFound, like what nobody has."""
        async with self.store.read(Caller(credential, None)) as tx:
            await operated_case(tx, credential, name)
        seen: list[tuple[Caller, Memory]] = []
        for principal in credential.acts_as:
            caller = Caller(credential, principal)
            with suppress(NotFound):
                seen.append((caller, await self.read.get(caller, memory)))
        if not seen:
            raise NotFound("there is no such memory")
        own = [c for c, m in seen if m.audience.layer is Layer.PRIVATE and m.author == c.principal]
        return await self.publishing(own[0] if own else seen[0][0], memory, EVERYONE)

    async def _as(self, credential: Credential, name: str, role: str) -> tuple[Caller, Case, RoleText]:
        async with self.store.read(Caller(credential, None)) as tx:
            case = await operated_case(tx, credential, name)
        try:
            caller = act_as(credential, None, role)
        except NotYourAgent as fault:
            raise NotYourAgent(field="role") from fault
        assert caller.principal is not None
        return caller, case, role_of(self.files.script(case.script), caller.principal)

    async def _leave(self, caller: Caller, memories: Sequence[Memory]) -> tuple[EgressGrant | None, frozenset[MemoryId]]:
        """Leave to ask the model as this role, and which of ``memories`` stay on this machine all the same."""
        if self.speaker is None:
            return None, frozenset()
        async with self.store.write(caller) as tx:
            grant = await self.egress.grant_for(tx, Purpose.BUREAU, await tx.directory.standing())
            forbidding = await self.egress.forbidding(tx, Purpose.BUREAU)
            kept_back = frozenset(m.id for m in memories if m.audience.owner.id in forbidding)
            if grant is not None:
                leaving = [m.id for m in memories if m.id not in kept_back]
                await self.egress.note(tx, Purpose.BUREAU, leaving, own=True)
        return grant, kept_back

    async def _say(
        self,
        grant: EgressGrant | None,
        script: Script,
        role: RoleText,
        language: Language,
        question: str,
        hits: Sequence[HitCard],
        kept_back: frozenset[MemoryId],
    ) -> tuple[str, AnswerMode, str | None]:
        if self.speaker is None or grant is None:
            return testimony(script, language, hits), AnswerMode.EVIDENCE, "no_model" if self.speaker is None else FORBIDDEN
        shown = [h for h in hits if h.id not in kept_back]
        try:
            return await self.speaker.speak(grant, role, language, question, shown), AnswerMode.FULL, None
        except ModelFault as fault:
            return testimony(script, language, hits), AnswerMode.EVIDENCE, fault.code


def _hit(answered: Answered) -> HitCard:
    memory = answered.memory
    board = memory.audience.layer is Layer.TEAM
    place = Place.BOARD if board else Place.OWN
    return HitCard(memory.id, memory.content, place, memory.audience.owner.space, memory.origin, round(answered.hit.score, 4))
