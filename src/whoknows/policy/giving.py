"""The rules of giving: who may inject, and what may be given to whom (rules I1, I2, I4)."""

from collections.abc import Collection

from whoknows.domain.audience import GrantKind, Layer
from whoknows.domain.ids import AudienceId, PrincipalId
from whoknows.domain.injection import Basis
from whoknows.domain.memory import Memory, State
from whoknows.domain.principal import AgentRole
from whoknows.policy.decision import Allowed, Decision, Denied
from whoknows.policy.standing import Standing, admits

_NOT_MAIN = Denied("only a main agent injects; a sub-agent passes on what it was allowed to pass on", "not_a_main_agent")


def may_inject(standing: Standing, passes_on: bool, descends: bool) -> Decision:
    """I1: a main agent, into its own descendants; a sub-agent only where all that it gives may be passed on."""
    if standing.role is not AgentRole.MAIN and not (standing.role is AgentRole.SUB and passes_on):
        return _NOT_MAIN
    if not descends:
        return Denied("one injects into one's own descendants only, and never into oneself", "not_a_descendant")
    return Allowed("passes on what may be passed on" if standing.role is AgentRole.SUB else "main agent of a descendant")


def giveable(giver: Standing, target: Standing, sharing: Collection[PrincipalId], task: str | None) -> frozenset[AudienceId]:
    """I2: the audiences from which ``giver`` may give to ``target`` without listing anything by id.

    ``target`` is its standing as far as the giver may know it. ``sharing`` are the teams that share with sub-agents.
    ``task`` is the key of the task that the gift is bound to. Private memory of the giver is never among them, but for
    what names the target in `visible_to`.
    """
    named = [g for g in target.grants if g.to == target.reader.id]
    to_target = {
        g.audience for g in named if g.kind is GrantKind.SELF or (g.kind is GrantKind.WHILE_ON_TEAM and target.on_team(g.team))
    }
    found: set[AudienceId] = set()
    for g in giver.grants:
        if g.session is not None or (g.task is not None and g.task != task) or not admits(giver, g):
            continue
        match g.layer:
            case Layer.TEAM if g.kind is GrantKind.TEAM:
                if target.on_team(g.owner.id) or g.owner.id in sharing:
                    found.add(g.audience)
            case Layer.TEAM:  # narrowed: to the target, or not at all
                if g.audience in to_target:
                    found.add(g.audience)
            case Layer.PRIVATE:
                if g.owner == giver.reader and g.audience in to_target:
                    found.add(g.audience)
            case Layer.INJECTED:
                pass
    return frozenset(found)


def may_give(
    giver: Standing, memory: Memory, free: Collection[AudienceId], passable: bool, task: str | None
) -> tuple[Decision, Basis | None]:
    """Whether a memory that the giver sees and lists by its id may be given, and by what right.

    ``free`` is what ``giveable`` found; ``passable`` whether it is a copy that may be passed on.
    """
    audience = memory.audience
    if memory.state is not State.ACTIVE:
        return Denied(f"this memory is {memory.state}: only current ones are given", "not_yours_to_give"), None
    if audience.layer is Layer.INJECTED:
        if passable:
            return Allowed("a copy that may be passed on"), Basis.PASSED_ON
        return Denied("what was injected is passed on only where that was granted", "not_yours_to_give"), None
    if giver.role is not AgentRole.MAIN:
        return _NOT_MAIN, None
    if audience.id in free:
        if audience.layer is Layer.TEAM:
            return Allowed("the target is on the team, or the team shares with sub-agents"), Basis.TEAM
        return Allowed("shared with the target"), Basis.SHARED
    if audience.layer is Layer.TEAM:
        return Denied("the target is not among those whom the team's memory is for", "not_yours_to_give"), None
    if audience.session is not None:
        return Denied("what is bound to a session stays there", "not_yours_to_give"), None
    if audience.task is not None and audience.task != task:
        return Denied("what is bound to a task is given for that task only", "not_yours_to_give"), None
    if audience.owner == giver.reader and memory.author == giver.reader and memory.origin is None:
        return Allowed("the giver's own, listed by its id"), Basis.LISTED
    return Denied("one gives one's own private memories only", "not_yours_to_give"), None
