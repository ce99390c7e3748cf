"""Unrelated: which experiences say the same in projects that have nothing to do with each other (C14)."""

from collections.abc import Iterable, Sequence

from whoknows.domain.proposal import Experience, Proposal, proposal_id
from whoknows.gate.cluster import medoid, say_the_same

LEAST_PROJECTS = 2
COMMON = 0.3
"""Least share of common words: looser than where nobody looks (cluster.ALIKE), since a person decides here."""


def proposals(experiences: Sequence[Experience]) -> list[Proposal]:
    """Each experience belongs to one proposal at most; the one of the oldest comes first."""
    left = sorted(experiences, key=lambda e: e.statement.id)
    found: list[Proposal] = []
    while left:
        first, *left = left
        members = [first]
        for other in left:
            if all(other.statement.id in m.near and say_the_same(other.statement, m.statement, COMMON) for m in members):
                members.append(other)
        if len(independent(members)) >= LEAST_PROJECTS:
            left = [e for e in left if e not in members]
            words = medoid([m.statement for m in members])
            stated = next(m for m in members if m.statement.id == words.id)
            found.append(Proposal(proposal_id([m.statement for m in members]), stated, tuple(members)))
    return found


def independent(experiences: Iterable[Experience]) -> list[Experience]:
    """One of each project, none of which was said in the same session, or taken from the same message, as another."""
    chosen: list[Experience] = []
    for e in experiences:
        if all(e.project_id != c.project_id and not e.said_in & c.said_in for c in chosen):
            chosen.append(e)
    return chosen
