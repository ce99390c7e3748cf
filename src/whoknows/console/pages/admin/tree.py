"""Agents as a tree: each main agent with the sub-agents below it, in the order in which one reads them."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.ids import PrincipalId
from whoknows.domain.principal import Agent

DEEPEST = 6
"""Deeper levels are drawn at this one."""


@dataclass(frozen=True, slots=True)
class Branch:
    """``children``: the names of those right below it."""

    agent: Agent
    depth: int
    children: tuple[str, ...]


def branches(agents: Sequence[Agent]) -> list[Branch]:
    """Every agent once; one whose parent is not among ``agents`` stands at the top."""
    known = {a.principal.id for a in agents}
    below: dict[PrincipalId | None, list[Agent]] = {}
    for agent in sorted(agents, key=lambda a: a.principal.name):
        parent = agent.parent.id if agent.parent is not None and agent.parent.id in known else None
        below.setdefault(parent, []).append(agent)
    found: list[Branch] = []
    waiting = [(a, 0) for a in reversed(below.get(None, []))]
    while waiting:
        agent, depth = waiting.pop()
        children = below.get(agent.principal.id, [])
        found.append(Branch(agent, min(depth, DEEPEST), tuple(c.principal.name for c in children)))
        waiting += [(c, depth + 1) for c in reversed(children)]
    return found
