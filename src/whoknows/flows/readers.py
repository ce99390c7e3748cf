"""Whom a caller may be told about as readers of what it sees, and the verdicts on them."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from whoknows.domain.audience import Audience, Grant, Layer
from whoknows.domain.ids import AudienceId, PrincipalId
from whoknows.domain.memory import Memory, State
from whoknows.domain.principal import Kind, Principal
from whoknows.domain.trace import Verdict
from whoknows.policy.explain import explain
from whoknows.policy.standing import Standing
from whoknows.ports import Tx


async def readers_of(tx: Tx, standing: Standing, audiences: Sequence[Audience], grants: Sequence[Grant]) -> list[Principal]:
    """The caller first, then the principals of ``audiences``, all of which it may see, and those on its teams."""
    readers: dict[Principal, None] = {standing.reader: None}
    for audience in audiences:
        if audience.layer is not Layer.TEAM:
            readers[audience.owner] = None
        for r in audience.readers:
            readers[r] = None
    for team in await tx.directory.teams():
        if standing.on_team(team.principal.id):
            for membership in team.members:
                readers[membership.principal] = None
    # Main agents share the account memory of their member; who they are is told to the member and to them alone.
    own = standing.reader if standing.reader.kind is Kind.MEMBER else standing.speaks_for
    for agent in await tx.directory.agents() if own is not None and own.id in {g.to for g in grants} else ():
        if agent.account == own:
            readers[agent.principal] = None
    return sorted(readers, key=lambda p: (p != standing.reader, p.kind, p.name))


async def standings_of(tx: Tx, own: Standing, readers: Sequence[Principal]) -> list[Standing]:
    """Of those who are there now, in the order of ``readers``; others than the caller are on no task."""
    others = {s.reader.id: s for s in await tx.directory.standings_of([r.id for r in readers if r != own.reader])}
    known: Mapping[PrincipalId, Standing] = others | {own.reader.id: own}
    return [known[r.id] for r in readers if r.id in known]


def verdicts_on(
    memories: Sequence[Memory], standings: Sequence[Standing], grants: Sequence[Grant], now: datetime
) -> list[list[Verdict]]:
    """For each memory those on all of ``standings``. What does not differ is judged once: many memories have few audiences."""
    ways: dict[AudienceId, list[Grant]] = {}
    for g in grants:
        ways.setdefault(g.audience, []).append(g)
    judged: dict[object, list[Verdict]] = {}
    rows: list[list[Verdict]] = []
    for m in memories:
        held_for = m.author if m.state is State.HELD else None
        alike = (m.audience.id, held_for, m.expires_at is not None and m.expires_at <= now)
        if alike not in judged:
            judged[alike] = [explain(s, m, ways.get(m.audience.id, []), now) for s in standings]
        rows.append([Verdict(v.reader, m.id, v.visible, v.rule, v.why, v.grounds) for v in judged[alike]])
    return rows
