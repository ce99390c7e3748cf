"""Propose: experiences that held in unrelated projects, and the one way in which they become a rule: a person, and Git."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from whoknows.domain.credential import Caller, Permission
from whoknows.domain.proposal import Proposal, ProposalDecision, ProposalId, ProposalState
from whoknows.domain.source import LocationKind, Source
from whoknows.errors import AudienceDiffers, Conflict, Invalid, NotFound, WhoKnowsError
from whoknows.flows.ledger import Ledger
from whoknows.flows.limits import Limits, label
from whoknows.flows.must import must
from whoknows.flows.rule_text import section, subject
from whoknows.gate.unrelated import proposals
from whoknows.policy.decision import Allowed
from whoknows.policy.proposing import may_confirm, may_reject
from whoknows.policy.standing import ReadScope, Sessions, Standing, scope_for
from whoknows.ports import Store, Tx
from whoknows.ports.rules import RuleChange, RuleCommit, RuleWriter

MOST = 400
"""Experiences that are compared, the newest: every pair of them."""
PREFIX = "whoknows/"
"""Branches are made below it, and nowhere else."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A proposal that waits, or what was decided; ``proposal`` is None where the reader no longer sees what it was about."""

    id: ProposalId
    state: ProposalState
    proposal: Proposal | None
    decision: ProposalDecision | None


@dataclass(frozen=True, slots=True)
class To:
    """Where a rule is written: a registered Git repository by its name, a file in it, and the new branch."""

    repository: str
    path: str
    branch: str | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """Where a caller may have a rule written: repositories by their names, and the files, or folders that end with ``/``."""

    repositories: tuple[str, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Propose:
    store: Store
    writer: RuleWriter
    limits: Limits
    ledger: Ledger

    async def list(self, caller: Caller, state: ProposalState | None = None) -> Sequence[Listed]:
        """Those that wait, by the oldest experience; or with ``state`` what was decided, newest first. In all at most 1,000."""
        wanted = (ProposalState.PENDING, ProposalState.WRITING) if state is None else (state,)
        return [p for p in await self.all(caller) if p.state in wanted]

    async def all(self, caller: Caller) -> Sequence[Listed]:
        """Those that wait, then all that were decided."""
        async with self.store.read(caller) as tx:
            scope = _scope(await tx.directory.standing())
            found, decisions = await _look(tx, scope)
        waiting = [Listed(p.id, ProposalState.PENDING, p, None) for p in found if not _is_decided(p, decisions)]
        by_id = {p.id: p for p in found}
        return [*waiting, *(Listed(d.id, d.state, by_id.get(d.id), d) for d in decisions)]

    async def places(self, caller: Caller) -> Places:
        """Empty for an agent: it decides nothing."""
        is_admin = Permission.ADMIN in caller.credential.permissions
        async with self.store.read(caller) as tx:
            standing = await tx.directory.standing()
            scope = _scope(standing)
            found = [s for s in await tx.sources.all() if s.audience in scope.audiences and _takes_rules(s)]
            mine = [s.name for s in found if isinstance(may_confirm(standing, s.owner, is_admin), Allowed)]
        return Places(tuple(dict.fromkeys(mine)), tuple(self.writer.allowed))

    async def preview(self, caller: Caller, proposal: ProposalId, to: To) -> RuleChange:
        """What confirming it would commit; raises what that would raise, and writes nothing."""
        branch = self._checked(proposal, to)
        async with self.store.read(caller) as tx:
            o = await _opened(tx, caller, proposal, to)
            if o.waiting is None:
                raise NotFound("the memories of this proposal say something else by now: list them again")
            if o.is_new:
                decision = _as_if(o.waiting, o.standing, to, branch, await tx.memories.now())
            else:
                decision = await _decision(tx, o.scope, proposal)
        _must_be_open(decision, to)
        if decision.state not in (ProposalState.PENDING, ProposalState.WRITING):
            raise Conflict(f"this proposal is {decision.state} already")
        return await self.writer.preview(o.source.location, _commit(o.waiting, decision))

    async def confirm(self, caller: Caller, proposal: ProposalId, to: To) -> Listed:
        """One commit on a new branch of the repository, and nothing else. Repeating it finds that commit.

        Raises NotFound where the memories say something else by now: what is confirmed is what was seen.
        """
        async with self.ledger.kept(caller, "confirm_proposal"):
            return await self._confirmed(caller, proposal, to)

    async def _confirmed(self, caller: Caller, proposal: ProposalId, to: To) -> Listed:
        branch = self._checked(proposal, to)
        async with self.store.write(caller) as tx:
            o = await _opened(tx, caller, proposal, to)
            if o.waiting is not None and o.is_new:
                await tx.proposals.reserve(proposal, sorted(o.waiting.sources), o.source.id, to.path, branch)
            decision = await _decision(tx, o.scope, proposal)
        _must_be_open(decision, to)
        if decision.state is ProposalState.WRITING:
            return await self._write(caller, o.waiting, decision, o.source)
        return Listed(proposal, decision.state, o.waiting, decision)

    async def _write(self, caller: Caller, waiting: Proposal | None, decision: ProposalDecision, source: Source) -> Listed:
        """What was reserved, written and recorded. Each step may be the last one of its process: the next call goes on."""
        assert decision.path is not None
        assert decision.branch is not None
        try:
            if waiting is None:  # its memories changed since it was reserved: either it was written, or it is not any more
                commit = await self.writer.written(source.location, decision.branch, decision.id)
            else:
                commit = await self.writer.write(source.location, _commit(waiting, decision))
        except WhoKnowsError:
            with suppress(WhoKnowsError):
                await self._settle(caller, decision.id, None)
            raise
        await self._settle(caller, decision.id, commit)
        if commit is None:
            raise NotFound("the memories of this proposal say something else by now: list them again")
        async with self.store.read(caller) as tx:
            scope = _scope(await tx.directory.standing())
            return Listed(decision.id, ProposalState.CONFIRMED, waiting, await _decision(tx, scope, decision.id))

    async def _settle(self, caller: Caller, proposal: ProposalId, commit: str | None) -> None:
        async with self.store.write(caller) as tx:
            await tx.proposals.settle(proposal, commit)

    async def reject(self, caller: Caller, proposal: ProposalId, reason: str | None) -> Listed:
        """It does not come back from the same memories, nor from fewer of them."""
        label(reason, self.limits.reason, "reason")
        clean = None if reason is None else self.limits.redaction.clean(reason)
        async with self.store.write(caller) as tx:
            standing = await tx.directory.standing()
            scope = _scope(standing)
            waiting, is_new = await _open(tx, scope, proposal)
            if waiting is not None and is_new:
                must(may_reject(standing, await tx.proposals.writable(sorted(waiting.audiences))))
                await tx.proposals.reject(proposal, sorted(waiting.sources), clean)
            decision = await _decision(tx, scope, proposal)
        if decision.state is not ProposalState.REJECTED:
            raise Conflict(f"this proposal is {decision.state} already")
        return Listed(proposal, decision.state, waiting, decision)

    def _checked(self, proposal: ProposalId, to: To) -> str:
        fault = self.writer.path_fault(to.path)
        if fault is not None:
            raise Invalid(fault, field="path")
        branch = to.branch or f"{PREFIX}rule-{proposal.hex[:12]}"
        label(branch, self.limits.label, "branch")
        self.limits.redaction.names(repository=to.repository, path=to.path, branch=branch)
        if not branch.startswith(PREFIX) or len(branch) == len(PREFIX):
            raise Invalid(f"branches for rules begin with {PREFIX}", field="branch")
        return branch


def _scope(standing: Standing) -> ReadScope:
    return scope_for(standing, Sessions.NONE)


async def _look(tx: Tx, scope: ReadScope) -> tuple[list[Proposal], Sequence[ProposalDecision]]:
    return proposals(await tx.proposals.experiences(scope, MOST)), await tx.proposals.decisions(scope)


async def _open(tx: Tx, scope: ReadScope, proposal: ProposalId) -> tuple[Proposal | None, bool]:
    """What is proposed, as it is today, and whether nobody has decided about it yet.

    Raises NotFound for what waits for nobody and was never decided about.
    """
    found, decisions = await _look(tx, scope)
    waiting = next((p for p in found if p.id == proposal), None)
    is_new = all(d.id != proposal for d in decisions)
    if is_new and (waiting is None or _is_decided(waiting, decisions)):
        raise NotFound("there is no such proposal, or its memories say something else by now: list them again")
    return waiting, is_new


def _is_decided(proposal: Proposal, decisions: Sequence[ProposalDecision]) -> bool:
    """A rejection is about those memories; a rule that was written has said it, whoever experiences it again."""
    return any(
        proposal.sources <= d.sources if d.state is ProposalState.REJECTED else bool(proposal.sources & d.sources)
        for d in decisions
    )


async def _must_cover(tx: Tx, standing: Standing, proposal: Proposal, source: Source) -> None:
    """A rule has the words of its memories: what others wrote goes to no repository of readers who may not read it."""
    others = {e.statement.audience for e in proposal.experiences if e.author != standing.reader}
    for audience in sorted(others):
        if not await tx.citations.covers(audience, source.audience):
            raise AudienceDiffers(
                "not everybody who reads that repository may read what others wrote of this: name another one",
                field="repository",
            )


@dataclass(frozen=True, slots=True)
class _Opened:
    """A proposal that its caller may confirm into ``source``. ``waiting`` None: its memories say something else by now."""

    standing: Standing
    scope: ReadScope
    source: Source
    waiting: Proposal | None
    is_new: bool


async def _opened(tx: Tx, caller: Caller, proposal: ProposalId, to: To) -> _Opened:
    standing = await tx.directory.standing()
    scope = _scope(standing)
    source = await _repository(tx, scope, to.repository)
    must(may_confirm(standing, source.owner, Permission.ADMIN in caller.credential.permissions))
    waiting, is_new = await _open(tx, scope, proposal)
    if waiting is not None and is_new:
        await _must_cover(tx, standing, waiting, source)
    return _Opened(standing, scope, source, waiting, is_new)


def _must_be_open(decision: ProposalDecision, to: To) -> None:
    """Raises Conflict for one that was turned down, or is being written to somewhere else."""
    if decision.state is ProposalState.REJECTED:
        raise Conflict("this proposal was turned down")
    if decision.state is ProposalState.WRITING and decision.repository != to.repository:
        where = "a repository that you may not read" if decision.repository is None else repr(decision.repository)
        raise Conflict(f"this proposal is being written to {where}: confirm it there")


async def _repository(tx: Tx, scope: ReadScope, name: str) -> Source:
    source = await tx.sources.named(scope, name)
    if source is None:
        raise NotFound(f"there is no source {name!r} that you may read: see `whoknows sources list`", field="repository")
    if not _takes_rules(source):
        raise Invalid("rules are written to local Git repositories: register one", field="repository")
    return source


def _takes_rules(source: Source) -> bool:
    return source.location.kind is LocationKind.GIT and not source.location.is_remote


async def _decision(tx: Tx, scope: ReadScope, proposal: ProposalId) -> ProposalDecision:
    found = await tx.proposals.decisions(scope, proposal)
    if not found:
        raise NotFound("there is no such proposal")
    return found[0]


def _as_if(proposal: Proposal, standing: Standing, to: To, branch: str, at: datetime) -> ProposalDecision:
    """What would be decided if the reader confirmed it now."""
    return ProposalDecision(
        id=proposal.id,
        state=ProposalState.PENDING,
        sources=proposal.sources,
        decided_by=standing.reader,
        at=at,
        reason=None,
        repository=to.repository,
        path=to.path,
        branch=branch,
        commit=None,
    )


def _commit(proposal: Proposal, decision: ProposalDecision) -> RuleCommit:
    assert decision.path is not None
    assert decision.branch is not None
    return RuleCommit(
        proposal=proposal.id,
        branch=decision.branch,
        path=decision.path,
        section=section(proposal, decision),
        subject=subject(proposal),
        author=decision.decided_by.name,
        at=decision.at,
    )
