"""What goes with somebody who is deleted: its places on teams, and its keys."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from whoknows.domain.credential import Credential
from whoknows.domain.principal import EVERYONE, Team


@dataclass(frozen=True, slots=True)
class Holding:
    """``ending``: how many live keys act as nobody else, and end with it; ``keys``: how many live ones act as it at all."""

    teams: tuple[str, ...] = ()
    keys: int = 0
    ending: int = 0


def holdings_of(teams: Sequence[Team], keys: Sequence[Credential]) -> Mapping[str, Holding]:
    """By space. Who has nothing is not in it."""
    on: dict[str, list[str]] = {}
    for team in teams:
        for m in team.members:
            on.setdefault(m.principal.space, []).append(team.principal.space if team.principal.name != EVERYONE else EVERYONE)
    held: dict[str, list[int]] = {}
    for key in keys:
        for p in key.acts_as if key.revoked_at is None else ():
            held.setdefault(p.space, []).append(len(key.acts_as))
    return {
        space: Holding(tuple(on.get(space, ())), len(held.get(space, ())), held.get(space, []).count(1))
        for space in {*on, *held}
    }  # fmt: skip
