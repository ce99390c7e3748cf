"""Stages: how far a project is connected, changed step by step, with its history and what the next step asks for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from whoknows.domain.credential import Caller
from whoknows.domain.harness import Stage, StageChange
from whoknows.errors import Concurrent, Finding, StageUnreachable
from whoknows.flows.limits import Limits, content, label
from whoknows.flows.workplaces import must_keep
from whoknows.policy.accounts import account_for
from whoknows.policy.decision import Denied
from whoknows.policy.routing import reads_bank
from whoknows.policy.stages import Footing, Need, following, may_enter, needs
from whoknows.policy.standing import Standing
from whoknows.ports import Store, Tx

MOST_CHANGES = 100
"""Of a history, the newest."""
_MEANWHILE = "somebody else changed the stage of this project at this moment: look again"


@dataclass(frozen=True, slots=True)
class StageNow:
    """``history``: the newest change first. ``following`` is None after the last stage; ``needs`` are those of the next one."""

    project_id: str
    stage: Stage
    history: Sequence[StageChange]
    following: Stage | None
    needs: tuple[Need, ...]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Stages:
    store: Store
    limits: Limits

    async def now(self, caller: Caller, project: str) -> StageNow:
        """An unknown project is off. So is any for who has no workplaces."""
        label(project, self.limits.label, "project_id")
        async with self.store.read(caller) as tx:
            return await _now(tx, await tx.directory.standing(), project)

    async def set(
        self, caller: Caller, project: str, stage: Stage, reason: str | None = None, seen: Stage | None = None
    ) -> StageNow:
        """Forward by one step, backward by any. StageUnreachable with the reason otherwise. The same again changes nothing.

        ``seen``: the stage that whoever decides saw; Concurrent where it is another meanwhile.
        """
        label(project, self.limits.label, "project_id")
        self.limits.redaction.names(project_id=project)
        found: list[Finding] = []
        if reason is not None:
            reason = self.limits.redaction.text(content(reason, self.limits.reason, "reason"), "reason", found)
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            must_keep(standing)
            routed = await _routed(tx, standing, project)
            history = await tx.workplaces.changes(project, 1)
            before = history[0].stage if history else Stage.OFF
            if seen not in (None, before):
                raise Concurrent(_MEANWHILE)
            decided = may_enter(before, stage, routed)
            if isinstance(decided, Denied):
                raise StageUnreachable(decided.reason, field="stage")
            if not await tx.workplaces.set_stage(project, before, stage, reason):
                raise Concurrent(_MEANWHILE)
            return replace(await _now(tx, standing, project), findings=tuple(found))


async def _now(tx: Tx, standing: Standing, project: str) -> StageNow:
    history = await tx.workplaces.changes(project, MOST_CHANGES)
    stage = history[0].stage if history else Stage.OFF
    footing = Footing(
        stage=stage,
        turns=await tx.harness_reports.turns(project, stage, history[0].at if history else None),
        workplaces=await tx.workplaces.connected(project),
        routed=await _routed(tx, standing, project),
        account=account_for(standing) is not None,
    )
    return StageNow(project, stage, history, following(stage), needs(footing))


async def _routed(tx: Tx, standing: Standing, project: str) -> bool:
    return reads_bank(standing, (await tx.banks.routing(project)).team)
