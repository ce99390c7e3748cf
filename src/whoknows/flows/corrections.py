"""Corrections: what had to be put right is recorded, and what was wrong gives way to it."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from whoknows.domain.audience import Layer
from whoknows.domain.bank import FactContext
from whoknows.domain.correction import Correction, CorrectionId, new_correction_id
from whoknows.domain.credential import Caller
from whoknows.domain.egress import Purpose
from whoknows.domain.ids import AudienceId, MemoryId
from whoknows.domain.memory import Category, Draft, Memory
from whoknows.domain.principal import Kind
from whoknows.errors import EmbedderUnavailable, Finding, Forbidden, Invalid, NotFound
from whoknows.flows.capture import Capture, IdempotencyKey
from whoknows.flows.destination import destination
from whoknows.flows.egress import Egress
from whoknows.flows.ingest import placed
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits, content, label
from whoknows.flows.must import must
from whoknows.flows.prepare import prepare
from whoknows.flows.read import seen
from whoknows.flows.writing import Outcome
from whoknows.policy.correcting import may_forget_correction
from whoknows.policy.standing import Standing, scope_for
from whoknows.ports import Clock, Embedder, NewCorrection, Page, Store, Tx, Vector

_AHEAD = timedelta(minutes=5)
"""Clocks of other machines differ."""


@dataclass(frozen=True, slots=True)
class Said:
    """A correction as it comes in. ``about``: the memory that was wrong; with ``supersedes`` its text gives way to ``text``.

    ``at``: when it happened, if not now. ``source`` and ``quote`` evidence the new text where the gate asks for it.
    """

    text: str
    context: FactContext = FactContext.PERSONAL
    project_id: str | None = None
    team_id: str | None = None
    about: MemoryId | None = None
    supersedes: bool = False
    subject: str | None = None
    harness: str | None = None
    at: datetime | None = None
    source: str | None = None
    quote: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """``outcome`` is what became of the memory that was to give way, where one was to."""

    correction: Correction
    outcome: Outcome | None = None
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Corrections:
    store: Store
    embedder: Embedder
    capture: Capture
    ledger: Ledger
    egress: Egress
    limits: Limits
    clock: Clock

    async def record(self, caller: Caller, said: Said, idempotency: IdempotencyKey | None = None) -> Recorded:
        """Into the caller's own bank, or the team's. Overturning passes the gate of the memory's own bank first.

        What is refused there is not recorded either. Under one Idempotency-Key both are done once, however often it is asked.
        """
        found: list[Finding] = []
        async with self.ledger.kept(caller, "corrections"):
            self._check(said)
            text = self.limits.redaction.text(said.text, "text", found)
            subject = self.limits.redaction.optional(said.subject, "subject", found)
            self.limits.redaction.names(project_id=said.project_id, team_id=said.team_id, harness=said.harness)
            async with self.store.read(caller) as tx:
                to = await placed(tx, said.context, said.project_id, said.team_id)
                draft = Draft(text, to.layer, account=to.account, team_id=to.team_id, project_id=said.project_id)
                # Before anything gives way: what may not be recorded there overturns nothing either.
                await destination(tx.directory, await tx.directory.standing(), draft)
                wrong = None if said.about is None else await _seen(tx, said.about)
        outcome = None
        if wrong is not None and said.supersedes:
            outcome = await self._overturn(caller, said, wrong, idempotency)
            found += (f for f in outcome.findings if f not in found)
        async with self.ledger.kept(caller, "corrections"):
            vector = await self._vector(caller, draft)
            memory = None if outcome is None else outcome.memory.id
            said = replace(said, subject=subject)
            recorded = await self._write(caller, said, draft, vector, wrong, memory, idempotency)
        return Recorded(recorded, outcome, tuple(found))

    async def list(self, caller: Caller, project: str | None, limit: int, cursor: str | None) -> Page[Correction]:
        """Those in the banks that the caller reads; what was recorded last comes first."""
        label(project, self.limits.label, "project_id")
        async with self.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            return await tx.corrections.page(scope, project, min(limit, self.limits.page), cursor)

    async def forget(self, caller: Caller, correction: CorrectionId) -> None:
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            found = await tx.corrections.get(scope_for(standing), correction)
            if found is None:
                raise NotFound("there is no such correction")
            must(may_forget_correction(standing, found))
            await tx.corrections.forget(correction)

    async def _overturn(self, caller: Caller, said: Said, wrong: Memory, once: IdempotencyKey | None) -> Outcome:
        """The new text beside the old one: in the same bank, for the same readers."""
        audience = wrong.audience
        if audience.layer is Layer.INJECTED:
            raise Forbidden("an injected memory is read-only: tell the one who gave it", reason_code="read_only", field="about")
        owner = audience.owner
        draft = Draft(
            content=said.text,
            layer=str(audience.layer),
            account=owner.name if audience.layer is Layer.PRIVATE and owner.kind is Kind.MEMBER else None,
            team_id=owner.name if audience.layer is Layer.TEAM else None,
            visible_to=tuple(r.name for r in audience.readers if r.kind is Kind.AGENT and r != owner),
            category=Category.CORRECTION,
            subject=said.subject or wrong.subject,
            project_id=wrong.project_id,
            source=said.source,
            quote=said.quote,
            supersedes=wrong.id,
            reason=said.reason,
        )
        route = None if once is None else IdempotencyKey(f"{once.route}/memory", once.key, once.body_hash)
        return await self.capture(caller, draft, route, "corrections")

    async def _write(
        self,
        caller: Caller,
        said: Said,
        draft: Draft,
        vector: Vector | None,
        wrong: Memory | None,
        memory: MemoryId | None,
        once: IdempotencyKey | None,
    ) -> Correction:
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            if once is not None and (kept := await self._kept(tx, standing, once)) is not None:
                return kept
            audience = await tx.memories.audience((await destination(tx.directory, standing, draft)).key)
            new = NewCorrection(
                id=new_correction_id(),
                audience=audience,
                text=draft.content,
                vector=vector,
                subject=said.subject or await _subject(tx, wrong, audience),
                project_id=said.project_id,
                harness=said.harness,
                about=said.about,
                memory=memory,
                at=said.at or self.clock.now(),
            )
            await tx.corrections.record(new)
            if vector is not None:
                await self.egress.note(tx, Purpose.EMBEDDING, (), own=True)
            if once is not None:
                await tx.records.remember(standing.reader.id, once.route, once.key, {"correction": str(new.id)})
            # The audience may be new: it belongs to the scope from now on.
            recorded = await tx.corrections.get(scope_for(await tx.directory.standing()), new.id)
        if recorded is None:
            raise NotFound("there is no such correction")
        return recorded

    async def _vector(self, caller: Caller, draft: Draft) -> Vector | None:
        """None where the embedder fails, the text is long, or the bank keeps it here: it is counted all the same."""
        try:
            may_leave = await self.egress.may_embed(caller, [draft])
            (prepared,) = await prepare(self.embedder, [(draft.content, None)], may_leave)
        except EmbedderUnavailable:
            return None
        return prepared.vectors[0] if prepared.vectors else None

    async def _kept(self, tx: Tx, standing: Standing, once: IdempotencyKey) -> Correction | None:
        answer = await tx.records.remembered(standing.tenant, standing.reader.id, once.route, once.key, once.body_hash)
        if answer is None:
            return None
        found = await tx.corrections.get(scope_for(standing), CorrectionId(UUID(answer["correction"])))
        if found is None:
            raise NotFound("it was recorded, and is gone or hidden since")
        return found

    def _check(self, said: Said) -> None:
        content(said.text, self.limits.text_bytes, "text")
        for field in ("project_id", "team_id", "subject", "harness"):
            label(getattr(said, field), self.limits.label, field)
        if said.supersedes and said.about is None:
            raise Invalid("what is to give way? Name the memory (`about`)", field="about")
        for field in ("source", "quote", "reason"):
            if getattr(said, field) is not None and not said.supersedes:
                raise Invalid(f"`{field}` goes with `supersedes`", field=field)
        if said.at is not None and said.at > self.clock.now() + _AHEAD:
            raise Invalid("this time is still to come", field="at")


async def _subject(tx: Tx, wrong: Memory | None, audience: AudienceId) -> str | None:
    """That of the memory which was wrong, where everybody who reads the correction may read that too."""
    if wrong is None or wrong.subject is None or not await tx.citations.covers(wrong.audience.id, audience):
        return None
    return wrong.subject


async def _seen(tx: Tx, memory: MemoryId) -> Memory:
    try:
        return await seen(tx, scope_for(await tx.directory.standing()), memory)
    except NotFound as fault:
        fault.field = "about"
        raise
