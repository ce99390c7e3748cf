"""Explanations: the rule that says yes or no, for any reader and memory."""

from collections.abc import Sequence
from datetime import datetime

from whoknows.domain.audience import Grant, GrantKind, Layer
from whoknows.domain.memory import Memory, State
from whoknows.domain.principal import Clearance, Kind
from whoknows.domain.task import task_name
from whoknows.domain.trace import Saying, Verdict
from whoknows.policy.standing import Standing, admits, reason


def explain(standing: Standing, memory: Memory, grants: Sequence[Grant], now: datetime) -> Verdict:
    """Why ``standing`` sees ``memory``, or why not. ``grants`` are all the ways into the memory's audience."""
    owner = memory.audience.owner.space
    facts = [_fact("layer", layer=str(memory.audience.layer), owner=owner), *(_told(g) for g in grants)]
    if (task := task_name(memory.audience.task)) is not None:
        facts.append(_fact("task", task=task))

    def verdict(visible: bool, rule: str, why: str) -> Verdict:
        said = Saying(why, REASONS[why].format(owner=owner), {"owner": owner})
        return Verdict(standing.reader.space, memory.id, visible, rule, said, tuple(facts))

    if memory.expires_at is not None and memory.expires_at <= now:
        return verdict(False, "R1 expired", "expired")
    if memory.audience.task is not None and memory.audience.task != standing.task:
        return verdict(False, "R1 task", "another task")
    admitted = [g for g in grants if admits(standing, g)]
    if memory.state is State.HELD and memory.author != standing.reader and not _reviews(standing, memory):
        return verdict(False, "R1 held", "held")
    if admitted:
        why = reason(standing, admitted[0])
        facts.append(_fact("reader", why=why))
        return verdict(True, f"R1 {admitted[0].kind}", why)
    if standing.clearance is Clearance.NEED_TO_KNOW:
        return verdict(False, "R1 need_to_know", "need to know")
    return verdict(False, "R1 audience", "audience")


REASONS = {
    "own": "it belongs to the reader",
    "injected": "it was injected for the reader",
    "account": "the reader is a main agent that works for {owner}",
    "shared": "its author shared it with the reader",
    "everyone": "everyone in the tenant reads it",
    "member": "the reader is on {owner}",
    "named on the team": "the reader is named in it and is on {owner}",
    "owner of the team": "the reader owns {owner}",
    "expired": "it expired",
    "another task": "it is bound to a task that the reader is not working on",
    "held": "it is held, and the reader is neither its author nor a reviewer",
    "need to know": "a need-to-know agent reads only what it owns: its private and injected memories",
    "audience": "the reader is not in the audience",
}
"""Every verdict's sentence. The first eight are yes, under what ``standing.reason`` calls them; the others are no."""

FACTS = {
    "layer": "layer {layer}, owner {owner}",
    "named": "open to those it names",
    "team": "open to {owner}",
    "named on team": "open to those it names, while they are on {owner}",
    "team owners": "open to the owners of {owner}",
    "task": "bound to the task {task}",
    "reader": "reader is {why}",
}
"""Every fact that a verdict may rest on."""


def _reviews(standing: Standing, memory: Memory) -> bool:
    owner = memory.audience.owner
    if standing.reader.kind is not Kind.MEMBER:
        return False
    return standing.writes_team(owner.id) if memory.audience.layer is Layer.TEAM else owner == standing.reader


def _told(grant: Grant) -> Saying:
    match grant.kind:
        case GrantKind.SELF:
            return _fact("named")
        case GrantKind.TEAM:
            return _fact("team", owner=grant.owner.space)
        case GrantKind.WHILE_ON_TEAM:
            return _fact("named on team", owner=grant.owner.space)
        case GrantKind.TEAM_OWNERS:
            return _fact("team owners", owner=grant.owner.space)


def _fact(key: str, **names: str) -> Saying:
    return Saying(key, FACTS[key].format(**names), names)
