"""Hooks: what of all that a reader may see is put beside a prompt, by the stage of the project."""

from whoknows.domain.harness import Placed, Stage
from whoknows.domain.principal import EVERYONE, Principal
from whoknows.domain.trace import Space
from whoknows.policy.accounts import account_for
from whoknows.policy.routing import reads_bank
from whoknows.policy.standing import ReadScope, Sessions, Standing, scope_for


def hook_scope(standing: Standing, placed: Placed) -> ReadScope:
    """The personal bank; at ``team`` that of the team too that the project is routed to. Empty where the project is off.

    What is bound to a session is its author's in that session alone, and a program's session is none of ours.
    """
    owners = frozenset(owner.id for owner, _ in _owners(standing, placed))
    return scope_for(standing, Sessions.NONE, owners=owners)


def hook_spaces(standing: Standing, placed: Placed) -> tuple[Space, ...]:
    """The spaces of that scope, and why."""
    return tuple(Space(owner.space, why) for owner, why in _owners(standing, placed))


def _owners(standing: Standing, placed: Placed) -> list[tuple[Principal, str]]:
    if not placed.stage.recalls:
        return []
    owners = [(standing.reader, "own")]
    account = account_for(standing)
    if account is not None and account != standing.reader:
        owners.append((account, "account"))
    team = placed.team
    if placed.stage is Stage.TEAM and team is not None and reads_bank(standing, team):
        owners.append((team, "everyone" if team.name == EVERYONE else "member"))
    return owners
