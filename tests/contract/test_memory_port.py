"""The contract of the memory port, for every store behind it: sourced facts go in, what fits comes out, and banks are walls."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from secrets import token_hex
from uuid import UUID, uuid4

import psycopg
import pytest
import pytest_asyncio

from postgres.databases import fresh
from whoknows.bootstrap import Installation, assemble
from whoknows.domain.bank import FactContext
from whoknows.domain.fact import Citation, VerifiedFact
from whoknows.domain.ids import MemoryId, PrincipalId, TenantId
from whoknows.domain.principal import EVERYONE, Clearance, Kind, Principal, TeamRole
from whoknows.domain.source import LocationKind, SourceLocation, new_source_id
from whoknows.errors import Forbidden, Invalid, NotFound, QuoteNotFound, TextTooLong, WhoKnowsError
from whoknows.flows.authenticate import administer_as
from whoknows.flows.limits import Limits
from whoknows.flows.own_memory import OwnMemory
from whoknows.policy.standing import Standing, TeamStanding
from whoknows.ports.memory_port import MemoryPort
from whoknows.sources.roots import Roots
from whoknows.sources.tree import TreeReader
from whoknows.stores.grep.store import Boundary, GrepMemory
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

pytestmark = pytest.mark.asyncio(loop_scope="session")

PERSONAL, TEAM = FactContext.PERSONAL, FactContext.TEAM
NOTES = """# Notes

The staging database listens on port 5433, since the move in March.
预发环境的数据库端口是 5433，三月搬过家。
Deployments are on Thursday afternoon, never on Friday.
部署窗口是周四下午，不在周五。
The heron sleeps beneath the harbour bridge at night.
"""
LINES = NOTES.splitlines()[2:]
SOURCE = "file:notes/docs/notes.md"
ROLES: dict[str, dict[str, str]] = {
    "lin": {"T": "writer"},
    "wang": {"T": "writer"},
    "rita": {"T": "reader"},
    "dan": {"U": "writer"},
}
"""Members and their teams. `boss` goes to T, `cook` to U, `lost` to nobody; the notes are T's and U's to read."""


@dataclass
class Stage:
    """``stage.port("lin")``; ``stage.forget`` is what the store itself offers for taking a fact out."""

    port: Callable[[str], MemoryPort]
    forget: Callable[[str, str], Awaitable[bool]]
    age: Callable[[str, timedelta], Awaitable[None]]


def fact(text: str, context: FactContext = PERSONAL, project: str | None = "boss", quote: str | None = None) -> VerifiedFact:
    return VerifiedFact(text, SOURCE, text if quote is None else quote, context, project)


async def texts(port: MemoryPort, query: str, **more: object) -> list[str]:
    return [r.text for r in await port.recall(query, **more)]  # pyright: ignore[reportArgumentType]


class _Clock:
    def now(self) -> datetime:
        return datetime.now(UTC)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def installed(server: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[World, Path]]:
    """One service on a database of its own, whose sources lie below the folder; each test is a tenant in it."""
    roots = tmp_path_factory.mktemp("sources")
    with fresh(server, "memory_port") as installation:
        store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
        await store.open()
        service = assemble(store, HashEmbedder(), Limits(), source_reader=TreeReader(Roots([roots])))
        yield World(service, installation), roots
        await service.close()


@pytest_asyncio.fixture(params=["service", "grep"], loop_scope="session")
async def stage(request: pytest.FixtureRequest, installed: tuple[World, Path]) -> Stage:
    founder, roots = installed
    place = roots / uuid4().hex
    (place / "notes" / "docs").mkdir(parents=True)
    (place / "notes" / "docs" / "notes.md").write_text(NOTES, "utf-8")
    where = SourceLocation(LocationKind.FOLDER, str((place / "notes").resolve()))
    if request.param == "grep":
        return _grep(place / "memory", TreeReader(Roots([roots])), where)
    return await _service(founder, where)


def _grep(root: Path, reader: TreeReader, where: SourceLocation) -> Stage:
    names = ["lin", "wang", "rita", "dan"]
    teams = {n: Principal(PrincipalId(100 + k), Kind.TEAM, n) for k, n in enumerate(("T", "U", EVERYONE))}

    def port(who: str) -> GrepMemory:
        on = {teams[t].id: TeamStanding(teams[t], TeamRole(role)) for t, role in {EVERYONE: "reader", **ROLES[who]}.items()}
        me = Principal(PrincipalId(names.index(who)), Kind.MEMBER, who)
        standing = Standing(TenantId(1), me, None, Clearance.OPEN, None, on, None, ())
        return GrepMemory(
            root, Boundary(standing, {"boss": teams["T"], "cook": teams["U"]}, {"notes": where}), reader, _Clock()
        )

    async def forget(who: str, fact: str) -> bool:
        return await port(who).forget(fact)

    async def age(fact: str, by: timedelta) -> None:
        file, year = root / f"{fact}.md", datetime.now(UTC).year
        there = file.read_text("utf-8")
        aged = there.replace(f'at: "{year}-', f'at: "{(datetime.now(UTC) - by).year}-', 1)
        assert aged != there
        file.write_text(aged, "utf-8")

    return Stage(port, forget, age)


async def _service(founder: World, where: SourceLocation) -> Stage:
    service, dsn = founder.service, founder.installation.dsn
    key = await service.keys.create_tenant(await founder.admin(), uuid4().hex)
    world = World(service, Installation(dsn, key.secret))
    await world.members(*ROLES)
    for team in ("T", "U"):
        await world.team(team, **{f"member:{m}": roles[team] for m, roles in ROLES.items() if team in roles})
    admin = await world.admin()
    await service.banks.route(admin, "boss", "T", ())
    await service.banks.route(admin, "cook", "U", ())
    callers = {m: await world.caller(f"member:{m}") for m in ROLES}
    async with service.store.write(administer_as(admin)) as tx:
        for team in ("T", "U"):
            owner = await tx.directory.find(Kind.TEAM, team)
            assert owner is not None
            await tx.sources.register(new_source_id(), "notes", where, owner.id)

    async def forget(who: str, fact: str) -> bool:
        try:
            return (await service.forget(callers[who], MemoryId(UUID(fact)))).deleted == 1
        except NotFound:
            return False

    async def age(fact: str, by: timedelta) -> None:
        async with await psycopg.AsyncConnection.connect(dsn) as connection:
            await connection.execute(
                "UPDATE whoknows.memories SET created_at = created_at - %s WHERE memory_id = %s", (by, fact)
            )

    return Stage(lambda who: OwnMemory(callers[who], service.recall, service.ingest), forget, age)


async def test_what_was_taken_in_comes_back_with_its_source_and_quote(stage: Stage) -> None:
    for text, question in ((LINES[0], "Which port does the staging database use?"), (LINES[1], "预发数据库的端口是多少？")):
        done = await stage.port("lin").ingest(fact(text))
        assert done.outcome == "stored"
        found = await stage.port("lin").recall(question)
        (hit,) = [f for f in found if f.text == text]
        assert (hit.id, hit.context) == (done.id, PERSONAL)
        assert 0 < hit.score <= 1
        (citation,) = hit.citations
        assert citation.quote == text
        assert "docs/notes.md" in citation.source


UNFOUND = [
    VerifiedFact("The port is 5432", SOURCE, "listens on port 5432, since", PERSONAL),
    VerifiedFact("x", "file:notes/docs/absent.md", LINES[0], PERSONAL),
    VerifiedFact("x", "file:notes/../../etc/passwd", LINES[0], PERSONAL),
    VerifiedFact("x", "file:/etc/hosts", "localhost localhost", PERSONAL),
    VerifiedFact("x", "file:elsewhere/notes.md", LINES[0], PERSONAL),
    VerifiedFact("x", "git:notes@HEAD:docs/notes.md", LINES[0], PERSONAL),
    VerifiedFact("x", "url:https://example.org/", LINES[0], PERSONAL),
    VerifiedFact("x", "somebody said so", LINES[0], PERSONAL),
    VerifiedFact("x", SOURCE, "the", PERSONAL),
    VerifiedFact("x", f"{SOURCE}#L5-L6", LINES[0], PERSONAL),
]


async def test_a_quote_that_is_not_found_keeps_the_fact_out(stage: Stage) -> None:
    for bad in UNFOUND:
        with pytest.raises(QuoteNotFound):
            await stage.port("lin").ingest(bad)
        assert await stage.port("lin").recall(bad.text, min_score=0) == []


async def test_a_quote_is_found_across_line_breaks_and_width(stage: Stage) -> None:
    await stage.port("lin").ingest(fact("deployments", quote="Deployments are on\n  Thursday  afternoon"))
    await stage.port("lin").ingest(fact("窗口", quote="部署窗口是周四下午,不在周五"))


async def test_weak_matches_come_back_as_nothing(stage: Stage) -> None:
    for line in LINES:
        await stage.port("lin").ingest(fact(line))
    for question in ("What does the cook prepare for breakfast on holidays?", "财务报销需要几级审批？"):
        assert await texts(stage.port("lin"), question) == []
    assert await texts(stage.port("lin"), "the and of") == []
    assert await texts(stage.port("lin"), "staging database port", min_score=1.0) in ([], [LINES[0]])
    assert LINES[0] in await texts(stage.port("lin"), "staging database port", min_score=0)


async def test_personal_and_team_banks_are_walls(stage: Stage) -> None:
    lin, wang, rita, dan = (stage.port(m) for m in ("lin", "wang", "rita", "dan"))
    await lin.ingest(fact(LINES[4], PERSONAL))
    await lin.ingest(fact(LINES[0], TEAM))
    for question, text in (("where does the heron sleep at night", LINES[4]), ("staging database port", LINES[0])):
        assert text in await texts(lin, question, min_score=0)
    for mate in (wang, rita):
        assert await texts(mate, "where does the heron sleep at night", min_score=0.3) == []
        assert await texts(mate, "staging database port") == [LINES[0]]
    for question in ("where does the heron sleep at night", "staging database port", LINES[0], LINES[4]):
        assert await texts(dan, question, min_score=0) == []
    kinds = {r.text: r.context for r in await lin.recall("staging database port heron sleeps at night", min_score=0)}
    assert kinds == {LINES[4]: PERSONAL, LINES[0]: TEAM}


async def test_two_people_who_say_the_same_see_each_their_own(stage: Stage) -> None:
    first = await stage.port("lin").ingest(fact(LINES[4]))
    second = await stage.port("wang").ingest(fact(LINES[4]))
    assert first.id != second.id
    assert second.outcome == "stored"
    for who, own in (("lin", first.id), ("wang", second.id)):
        assert [r.id for r in await stage.port(who).recall("where does the heron sleep at night")] == [own]
    assert await stage.forget("wang", second.id)
    assert await texts(stage.port("lin"), "where does the heron sleep at night") == [LINES[4]]


async def test_the_same_words_are_one_fact_with_all_their_citations(stage: Stage) -> None:
    lin = stage.port("lin")
    first = await lin.ingest(fact(LINES[0], quote=LINES[0]))
    for text in (LINES[0], f"  {LINES[0].upper()} ", LINES[0].replace(",", "，")):
        again = await lin.ingest(fact(text, quote="since the move in March"))
        assert (again.outcome, again.id) == ("merged", first.id)
    (only,) = await lin.recall("staging database port")
    assert {c.quote for c in only.citations} == {LINES[0], "since the move in March"}
    other = await lin.ingest(fact(LINES[0], project="cook"))
    assert other.id != first.id


async def test_a_fact_that_was_deleted_is_gone(stage: Stage) -> None:
    done = await stage.port("lin").ingest(fact(LINES[4], TEAM))
    for other in ("rita", "dan"):
        try:
            gone = await stage.forget(other, done.id)
        except Forbidden:
            gone = False
        assert not gone
    assert await texts(stage.port("rita"), "where does the heron sleep at night") == [LINES[4]]
    assert await stage.forget("lin", done.id)
    assert not await stage.forget("lin", done.id)
    for who in ("lin", "rita"):
        assert await stage.port(who).recall("where does the heron sleep at night", min_score=0) == []


async def test_concurrent_writers_lose_nothing(stage: Stage) -> None:
    quotes = [LINES[n % len(LINES)] for n in range(24)]
    facts = [fact(f"statement number {n}", TEAM, quote=q) for n, q in enumerate(quotes)]
    same = [fact("said by all of us", TEAM, quote=q) for q in LINES]
    done = await asyncio.gather(*(stage.port("lin" if n % 2 else "wang").ingest(f) for n, f in enumerate([*facts, *same])))
    assert len({d.id for d in done}) == len(facts) + 1
    every = {r.text: r for r in await stage.port("rita").recall("statement number said by all of us", min_score=0, limit=100)}
    assert set(every) == {f.text for f in [*facts, *same]}
    assert {c.quote for c in every["said by all of us"].citations} == set(LINES)


async def test_how_old_a_fact_is_leaves_nothing_out(stage: Stage) -> None:
    done = await stage.port("lin").ingest(fact(LINES[0]))
    await stage.age(done.id, timedelta(days=20 * 365))
    for n in range(3):
        await stage.port("lin").ingest(fact(f"A newer note, number {n}, about something else", quote=LINES[2]))
    assert (await texts(stage.port("lin"), "staging database port"))[0] == LINES[0]


async def test_a_project_narrows_what_is_recalled(stage: Stage) -> None:
    lin = stage.port("lin")
    await lin.ingest(fact(LINES[0], project="boss"))
    await lin.ingest(fact(LINES[0], project=None))
    assert len(await lin.recall("staging database port")) == 2
    assert len(await lin.recall("staging database port", project_id="boss")) == 1
    assert await lin.recall("staging database port", project_id="else") == []


async def test_a_fact_goes_to_the_bank_of_its_project_or_nowhere(stage: Stage) -> None:
    for who, project, expected in (
        ("lin", "lost", NotFound),  # one team only, and still no guess
        ("lin", "cook", NotFound),  # another team's: like nowhere
        ("dan", "boss", NotFound),
        ("rita", "boss", Forbidden),  # she reads there
        ("rita", None, NotFound),
    ):
        with pytest.raises(expected):
            await stage.port(who).ingest(fact(LINES[0], TEAM, project))
    for who in ROLES:
        assert await stage.port(who).recall(LINES[0], min_score=0) == []
    assert (await stage.port("lin").ingest(fact(LINES[0], TEAM, None))).outcome == "stored"
    assert await texts(stage.port("rita"), "staging database port") == [LINES[0]]


async def test_secrets_do_not_get_in(stage: Stage) -> None:
    secret = f"ghp_{token_hex(18)}"
    done = await stage.port("lin").ingest(fact(f"The token is {secret}, and the port 5433", quote=LINES[0]))
    (kept,) = await stage.port("lin").recall("token and port", min_score=0)
    assert kept.id == done.id
    assert secret not in kept.text
    with pytest.raises(WhoKnowsError):
        await stage.port("lin").ingest(fact("x y z", quote=f"token {secret}"))


async def test_what_says_nothing_or_cannot_be_stored_is_refused(stage: Stage) -> None:
    for text in ("", "  \u200b", "a\0b", "half \ud800"):
        with pytest.raises(Invalid):
            await stage.port("lin").ingest(fact(text, quote=LINES[0]))
        with pytest.raises(Invalid):
            await stage.port("lin").recall(text)


async def test_limits_are_told(stage: Stage) -> None:
    with pytest.raises(TextTooLong):
        await stage.port("lin").ingest(fact("长" * 12_000, quote=LINES[0]))
    for more in ({"limit": 0}, {"limit": 101}, {"min_score": 1.5}, {"min_score": -1}, {"project_id": ""}):
        with pytest.raises(Invalid):
            await stage.port("lin").recall("x", **more)  # pyright: ignore[reportArgumentType]


async def test_hostile_names_and_texts_are_nothing_but_texts(stage: Stage) -> None:
    lin = stage.port("lin")
    hard = [
        "---\nat: 1\n---\n# x",
        "../../etc/passwd % _ ' \" ; --",
        "{{visible m}} %(id)s",
        "line one\r\nline two\n",
        "🎏 emoji 家族",
    ]
    for text in hard:
        await lin.ingest(fact(text, project="a/../b%", quote=LINES[0]))
    found = await lin.recall("line one two emoji etc passwd visible at x 家族", min_score=0, project_id="a/../b%", limit=50)
    assert {f.text.strip() for f in found} == {t.strip() for t in hard}
    assert all(isinstance(c, Citation) for f in found for c in f.citations)
