"""Where a draft goes: its audience, by the rules W1 and W2 and what ``visible_to`` may say."""

from dataclasses import dataclass

from whoknows.domain.audience import AudienceKey, Layer
from whoknows.domain.ids import PrincipalId
from whoknows.domain.memory import Draft, Isolation
from whoknows.domain.principal import EVERYONE, Kind, Principal
from whoknows.domain.task import task_name
from whoknows.errors import Forbidden, Invalid, NotFound, NotYourTask
from whoknows.flows.must import must
from whoknows.policy.rules import may_write_private, may_write_team
from whoknows.policy.standing import Standing, TeamStanding
from whoknows.ports import Directory


@dataclass(frozen=True, slots=True)
class Destination:
    key: AudienceKey
    owner: Principal


async def destination(directory: Directory, standing: Standing, draft: Draft) -> Destination:
    """The audience of ``draft``, or the error that says why there is none. Nothing has been written by then."""
    task, session = _binding(standing, draft)
    if draft.layer == Layer.TEAM:
        if draft.account is not None:
            raise Invalid("account memory is private: leave `account` or `memory_type: team` out", field="account")
        if session is not None:
            raise Invalid("isolation: session is for private memories", field="isolation")
        team = team_of(standing, draft.team_id)
        must(may_write_team(standing, team.team.id))
        readers = await _narrowed(directory, standing, draft, team.team)
        return Destination(AudienceKey(Layer.TEAM, team.team.id, readers, task), team.team)
    if draft.team_id is not None:
        raise Invalid("`team_id` goes with `memory_type: team`", field="team_id")
    owner = _private_owner(standing, draft)
    readers = await _shared_with(directory, draft)
    if session is not None and (readers or owner != standing.reader):
        raise Invalid("isolation: session is for private memories of one author, without visible_to", field="isolation")
    return Destination(AudienceKey(Layer.PRIVATE, owner.id, readers | {owner.id}, task, session), owner)


def team_of(standing: Standing, name: str | None) -> TeamStanding:
    """A team the reader is on, everyone where none is named. Unknown and unseen alike are NotFound."""
    for t in standing.teams.values():
        if t.team.name == (EVERYONE if name is None else name):
            return t
    raise NotFound(f"there is no team {name!r} that you are on", field="team_id")


def _binding(standing: Standing, draft: Draft) -> tuple[str | None, str | None]:
    if draft.task_id is not None and standing.task is not None and draft.task_id != task_name(standing.task):
        raise NotYourTask(field="task_id")
    match draft.isolation:
        case Isolation.AGENT:
            return None, None
        case Isolation.SESSION:
            if draft.session_id is None:
                raise Invalid("isolation: session needs a session_id", field="session_id")
            return None, draft.session_id
        case Isolation.TASK:
            if standing.task is None:
                raise NotYourTask("isolation: task needs a key that belongs to the task", field="isolation")
            return standing.task, None


def _private_owner(standing: Standing, draft: Draft) -> Principal:
    if draft.account is None:
        return standing.reader
    if standing.reader.kind is Kind.MEMBER and standing.reader.name == draft.account:
        return standing.reader
    account = standing.speaks_for
    if account is None or account.name != draft.account:
        raise Forbidden("this agent does not work for that member", reason_code="not_your_account", field="account")
    must(may_write_private(standing, account))
    return account


async def _shared_with(directory: Directory, draft: Draft) -> frozenset[PrincipalId]:
    if EVERYONE in draft.visible_to:
        raise Invalid("a private memory cannot be for everyone: use memory_type team, or publish it", field="visible_to")
    return await _agents(directory, draft.visible_to)


async def _narrowed(directory: Directory, standing: Standing, draft: Draft, team: Principal) -> frozenset[PrincipalId]:
    if not draft.visible_to or draft.visible_to == (EVERYONE,):
        return frozenset()
    if EVERYONE in draft.visible_to:
        raise Invalid("either everyone on the team, or names: not both", field="visible_to")
    readers = await _agents(directory, draft.visible_to)
    if team.name != EVERYONE:
        on_it = {m.principal.id for t in await directory.teams() if t.principal == team for m in t.members}
        if not readers <= on_it:
            raise Invalid("visible_to names an agent that is not on the team", field="visible_to")
    return readers | {standing.reader.id}


async def _agents(directory: Directory, names: tuple[str, ...]) -> frozenset[PrincipalId]:
    if not names:
        return frozenset()
    plain = [n.removeprefix("agent:") for n in names]
    found = await directory.find_many(Kind.AGENT, plain)
    for name in plain:
        if name not in found:
            raise NotFound(f"there is no agent {name!r}", field="visible_to")
    return frozenset(p.id for p in found.values())
