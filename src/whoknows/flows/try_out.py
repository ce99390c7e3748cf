"""Try out: a small team to try the whole with, made at once, and how far who tries it has come."""

from dataclasses import dataclass

from whoknows.domain.credential import Caller, Credential, Permission
from whoknows.domain.ids import PrincipalId, new_credential_id
from whoknows.domain.memory import Filters, State
from whoknows.domain.principal import AgentRole, Clearance, GateLevel, Kind, Principal, TeamRole, name_fault
from whoknows.errors import Invalid, NameTaken, NotFound
from whoknows.flows.authenticate import must_administer, secret_hash
from whoknows.flows.keys import NewKey, new_secret
from whoknows.flows.redaction import Redaction
from whoknows.policy.standing import scope_for
from whoknows.ports import Directory, Store


@dataclass(frozen=True, slots=True)
class Cast:
    """The names of a team to try with: a member, two main agents, and the team that all three are on."""

    member: str
    first: str
    second: str
    team: str


@dataclass(frozen=True, slots=True)
class Progress:
    """What has happened: the first wrote something private, the second asked, the first published, the second asked again."""

    wrote: bool = False
    asked: bool = False
    published: bool = False
    asked_again: bool = False


@dataclass(frozen=True, slots=True)
class TryOut:
    store: Store

    async def begin(self, credential: Credential, cast: Cast) -> NewKey:
        """All of it or nothing; nothing that exists is touched. Needs ``admin``. NameTaken says in which field.

        The key acts as both agents and the member, with ``inspect`` where its maker has it. The agents work for nobody: what
        one keeps for itself is its own alone, and the other does not know it.
        """
        administrator = must_administer(credential)
        _check(cast)
        made = NewKey(new_credential_id(), new_secret())
        async with self.store.write(administrator) as tx:
            directory = tx.directory
            await _must_be_new(directory, cast)
            await directory.make_member(cast.member, None)
            for name in (cast.first, cast.second):
                await directory.make_agent(name, AgentRole.MAIN, None, None, Clearance.OPEN)
            await directory.make_team(cast.team, None, GateLevel.OPEN, False)
            first, second, member, team = [await _made(directory, kind, name) for kind, name in _ranks(cast).values()]
            for who, role in ((first, TeamRole.WRITER), (second, TeamRole.WRITER), (member, TeamRole.OWNER)):
                await directory.put_membership(team, who, role)
            lent = sorted({Permission.INSPECT} & credential.permissions)
            await tx.credentials.make(made.id, secret_hash(made.secret), [first, second, member], lent, None, None)
        return made

    async def progress(self, credential: Credential, first: Principal, second: Principal) -> Progress:
        """By what is there, as the two see it themselves."""
        async with self.store.read(Caller(credential, first, credential.task_id)) as tx:
            scope = scope_for(await tx.directory.standing())
            kept = await tx.memories.page(scope, Filters(layer="private", state=State.ACTIVE), 1, None)
            given = await tx.publications.page(scope, 1, None)
        async with self.store.read(Caller(credential, second, credential.task_id)) as tx:
            asked = await tx.records.last_asked()
        published = max((p.published_at for p in given.items if p.published_at is not None), default=None)
        return Progress(
            wrote=bool(kept.items) or published is not None,
            asked=asked is not None,
            published=published is not None,
            asked_again=asked is not None and published is not None and asked > published,
        )


def _check(cast: Cast) -> None:
    for field in ("member", "first", "second", "team"):
        name = getattr(cast, field)
        fault = name_fault(name)
        if fault is not None:
            raise Invalid(fault, field=field)
        Redaction().names(**{field: name})
    if cast.first == cast.second:
        raise Invalid("two agents have two names", field="second")


def _ranks(cast: Cast) -> dict[str, tuple[Kind, str]]:
    return {
        "first": (Kind.AGENT, cast.first),
        "second": (Kind.AGENT, cast.second),
        "member": (Kind.MEMBER, cast.member),
        "team": (Kind.TEAM, cast.team),
    }


async def _must_be_new(directory: Directory, cast: Cast) -> None:
    """Says which name is in use. One that somebody had who was deleted is found by the database alone, which does not say."""
    for field, (kind, name) in _ranks(cast).items():
        if await directory.find(kind, name) is not None:
            raise NameTaken(field=field)


async def _made(directory: Directory, kind: Kind, name: str) -> PrincipalId:
    found = await directory.find(kind, name)
    if found is None:
        raise NotFound(f"there is no {kind} of that name")
    return found.id
