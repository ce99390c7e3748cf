"""Accounts: whose prompts and memories a reader keeps, and which of its audiences a context may draw from (rules C1, C3)."""

from dataclasses import replace

from whoknows.domain.audience import Grant, GrantKind
from whoknows.domain.principal import EVERYONE, Clearance, Kind, Principal
from whoknows.domain.trace import Space
from whoknows.policy.standing import ReadScope, Sessions, Standing, scope_for


def account_for(standing: Standing) -> Principal | None:
    """The member itself, or the one that a main agent works for. A need-to-know agent reads only what it owns, and has none."""
    if standing.reader.kind is Kind.MEMBER:
        return standing.reader
    return standing.speaks_for if standing.clearance is Clearance.OPEN else None


def account_scope(standing: Standing) -> ReadScope:
    """The account memory of the reader's account, and nothing else. Empty where it has none."""
    account = account_for(standing)
    return _owned(standing, *(() if account is None else (account,)))


def general_scope(standing: Standing) -> ReadScope:
    """What part 5 draws from: account memory; for a reader without an account, what it owns itself."""
    account = account_for(standing)
    return _owned(standing, standing.reader) if account is None else _common(standing, account, account)


def project_scope(standing: Standing) -> ReadScope:
    """What part 4 draws from: account memory, and what everyone reads.

    A conversation is read by the member and all its main agents: what one of them reads by its own teams, by its name or in
    its task, or owns, would come to the others by the answer. Who has no account has no conversation either, and sees what it
    owns and its teams'.
    """
    account = account_for(standing)
    owners = [owner for owner, _ in _owners(standing)]
    return _owned(standing, *owners) if account is None else _common(standing, account, *owners)


def project_spaces(standing: Standing) -> tuple[Space, ...]:
    """The spaces that ``project_scope`` covers, and why."""
    return tuple(Space(owner.space, why) for owner, why in _owners(standing))


def _owners(standing: Standing) -> list[tuple[Principal, str]]:
    account = account_for(standing)
    teams = sorted((t.team for t in standing.teams.values()), key=lambda t: (t.name == EVERYONE, t.name))
    if standing.clearance is not Clearance.OPEN:
        return [(standing.reader, "own")]
    if account is None:
        return [(standing.reader, "own"), *((t, "everyone" if t.name == EVERYONE else "member") for t in teams)]
    own = "own" if account == standing.reader else "account"
    return [(account, own), *((t, "everyone") for t in teams if t.name == EVERYONE)]


def _common(standing: Standing, account: Principal, *owners: Principal) -> ReadScope:
    """Of what belongs to ``owners``, that which ``account`` and each of its main agents may read, in a task or not."""

    def all_read(g: Grant) -> bool:
        return g.task is None and (g.kind is GrantKind.TEAM or (g.kind is GrantKind.SELF and g.to == account.id))

    return _owned(replace(standing, grants=tuple(g for g in standing.grants if all_read(g))), *owners)


def _owned(standing: Standing, *owners: Principal) -> ReadScope:
    # What is bound to a session is its author's in that session alone, and a context has none.
    return scope_for(standing, Sessions.NONE, owners=frozenset(o.id for o in owners))
