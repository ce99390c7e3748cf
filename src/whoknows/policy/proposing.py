"""The rules of proposals: who may turn an experience into a rule, and who may turn it down (C13, C14)."""

from whoknows.domain.principal import Kind, Principal
from whoknows.policy.decision import Allowed, Decision, Denied
from whoknows.policy.standing import Standing


def may_decide(standing: Standing) -> Decision:
    """A person: an agent may see what its memories would say as a rule, and say no word about it."""
    if standing.reader.kind is not Kind.MEMBER:
        return Denied("a person decides what becomes a rule: ask a member", "not_a_member")
    return Allowed("a member")


def may_confirm(standing: Standing, source_owner: Principal, is_admin: bool) -> Decision:
    """A member that owns the repository: its own source, one of a team that it owns, or any as an administrator."""
    decision = may_decide(standing)
    if isinstance(decision, Denied):
        return decision
    if is_admin or source_owner == standing.reader or standing.owns_team(source_owner.id):
        return Allowed("owner or administrator of the repository")
    return Denied("rules are written by an owner of the repository's team, its member, or an administrator", "may_not_source")


def may_reject(standing: Standing, writes_all: bool) -> Decision:
    """A member that may write wherever the experiences are."""
    decision = may_decide(standing)
    if isinstance(decision, Denied) or writes_all:
        return decision
    return Denied("turned down by those who may write where all of its memories are", "not_a_writer")
