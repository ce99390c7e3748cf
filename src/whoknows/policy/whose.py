"""Whose memories a reader looks at: its own, its account's, its teams', or what others gave it."""

from dataclasses import replace
from enum import StrEnum

from whoknows.domain.audience import Grant, Layer
from whoknows.domain.principal import Kind
from whoknows.domain.trace import Space
from whoknows.policy.standing import ReadScope, Standing


class Whose(StrEnum):
    MINE = "mine"
    ACCOUNT = "account"
    """of the member: read by it and its main agents"""
    TEAM = "team"
    GIVEN = "given"
    """injected for the reader, or shared with it"""


def narrowed_to(standing: Standing, scope: ReadScope, whose: Whose | None) -> ReadScope:
    """``scope``, as far as it is ``whose``; it only ever becomes smaller. None: all of it."""
    if whose is None:
        return scope
    theirs = frozenset(g.audience for g in standing.grants if _is(standing, g, whose))
    return replace(scope, audiences=scope.audiences & theirs, reviews=scope.reviews & theirs)


def spaces_of(standing: Standing, spaces: tuple[Space, ...], whose: Whose | None) -> tuple[Space, ...]:
    """Those of ``spaces`` that are searched where ``whose`` are asked for."""
    if whose is None:
        return spaces
    reasons = _REASONS[whose]
    if whose is Whose.ACCOUNT and standing.reader.kind is Kind.MEMBER:
        reasons = {"own"}
    return tuple(s for s in spaces if s.why in reasons)


_REASONS = {
    Whose.MINE: {"own"},
    Whose.ACCOUNT: {"account"},
    Whose.TEAM: {"member", "everyone"},
    Whose.GIVEN: {"shared", "injected"},
}


def _is(standing: Standing, grant: Grant, whose: Whose) -> bool:
    own = grant.layer is Layer.PRIVATE and grant.owner == standing.reader
    account = (
        grant.layer is Layer.PRIVATE
        and grant.owner.kind is Kind.MEMBER
        and grant.owner in (standing.reader, standing.speaks_for)
    )
    match whose:
        case Whose.MINE:
            return own
        case Whose.ACCOUNT:
            return account
        case Whose.TEAM:
            return grant.layer is Layer.TEAM
        case Whose.GIVEN:
            return grant.layer is not Layer.TEAM and not own and not account
