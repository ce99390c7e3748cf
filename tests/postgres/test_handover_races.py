"""A gift and the end of its right at one moment, on real connections: whichever comes first, no copy survives its right."""

import asyncio
import os
from collections.abc import Awaitable
from uuid import UUID

import psycopg
import pytest
from test_attacks import told

from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.injection import Depth
from whoknows.domain.memory import Patch
from whoknows.domain.principal import AgentRole, Clearance
from whoknows.flows.administer import AgentPatch
from whoknows.flows.inject import Gift
from worlds import World

ROUNDS = int(os.environ.get("WHOKNOWS_RACE_ROUNDS", "12"))
REFUSED = {None, "forbidden", "not_found", "task_closed"}
"""What a gift that comes too late may be told. A deadlock, `concurrent_change`, is not among it."""


@pytest.fixture
async def a(world: World) -> Caller:
    """A with S (which needs to know), SS below it, and S2; B; a team of both that shares with sub-agents."""
    await world.agents("A", "B")
    await world.agents("S", role=AgentRole.SUB, parent="A", clearance=Clearance.NEED_TO_KNOW)
    await world.agents("S2", role=AgentRole.SUB, parent="A")
    await world.agents("SS", role=AgentRole.SUB, parent="S")
    admin = await world.admin()
    await world.team("T", A="writer", B="writer")
    await world.service.administer.change_team(admin, "T", None, None, True)
    return await world.caller("A")


async def test_a_gift_and_the_expulsion_of_its_giver(world: World, a: Caller) -> None:
    team = (await world.write("B", "the team's", team_id="T")).id
    for _ in range(ROUNDS):
        gift = world.service.inject(a, Gift("S", "x", memory_ids=(team,)))
        late, _ = await asyncio.gather(told(gift), world.expel("T", "A"))
        assert late in REFUSED
        assert _live(world) == 0
        _nothing_survives(world)
        await world.join("T", "A")


async def test_a_gift_and_the_deletion_of_its_original(world: World, a: Caller) -> None:
    for n in range(ROUNDS):
        own = (await world.write("A", f"note {n}")).id
        if n % 2:
            await world.service.inject(a, Gift("S", "x", memory_ids=(own,)))
        gift = world.service.inject(a, Gift("S", "x", memory_ids=(own,)))
        late, gone = await asyncio.gather(told(gift), told(world.service.forget(a, own)))
        assert late in REFUSED
        assert gone is None
        assert _live(world) == 0
        _nothing_survives(world)


async def test_a_gift_and_a_share_taken_back(world: World, a: Caller) -> None:
    own = (await world.write("A", "shared", visible_to=("S",))).id
    share = world.service.change.share
    for _ in range(ROUNDS):
        gift = world.service.inject(a, Gift("S", "shared", depth=Depth.FULL))
        late, back = await asyncio.gather(told(gift), told(share(a, own, "S", False)))
        assert (late, back) == (None, None) or late in REFUSED
        assert _live(world) == 0
        _nothing_survives(world)
        await share(a, own, "S", True)


async def test_a_gift_and_the_end_of_its_task(world: World, a: Caller) -> None:
    own = (await world.write("A", "note")).id
    for n in range(ROUNDS):
        await world.service.tasks.open(a, f"t{n}", ["S", "S2"], None)
        gifts = [told(world.service.inject(a, Gift(s, "x", memory_ids=(own,), task_id=f"t{n}"))) for s in ("S", "S2")]
        *late, closed = await asyncio.gather(*gifts, told(world.service.tasks.close(a, f"t{n}")))
        assert set(late) <= REFUSED
        assert closed is None
        assert _live(world) == 0
        _nothing_survives(world)


async def test_the_same_gift_at_once_is_one_copy_for_all(world: World, a: Caller) -> None:
    for n in range(ROUNDS):
        own = (await world.write("A", f"note {n}")).id
        gifts = [world.service.inject(a, Gift("S", "x", memory_ids=(own,))) for _ in range(4)]
        ids = {g.memories[0].id for g in await asyncio.gather(*gifts)}
        assert len(ids) == 1
        assert _live(world) == n + 1
    _nothing_survives(world)


async def test_a_gift_and_its_withdrawal(world: World, a: Caller) -> None:
    own = (await world.write("A", "note")).id
    for _ in range(ROUNDS):
        await world.service.inject(a, Gift("S", "x", memory_ids=(own,)))
        given = (await world.service.inject.list(a, True, 1, None)).items[0].id
        gifts = [told(world.service.inject(a, Gift("S", "x", memory_ids=(own,)))) for _ in range(2)]
        assert await asyncio.gather(*gifts, told(world.service.inject.withdraw(a, given))) == [None] * 3
        assert _live(world) <= 1
        _nothing_survives(world)


async def test_a_withdrawal_and_the_deletion_of_the_original(world: World, a: Caller) -> None:
    for n in range(ROUNDS):
        own = (await world.write("A", f"note {n}")).id
        for target in ("S", "S2"):
            await world.service.inject(a, Gift(target, "x", memory_ids=(own,)))
        given = [i.id for i in (await world.service.inject.list(a, True, 2, None)).items]
        ends = [told(world.service.inject.withdraw(a, i)) for i in given]
        assert await asyncio.gather(*ends, told(world.service.forget(a, own))) == [None] * 3
        assert _live(world) == 0
        _nothing_survives(world)


async def test_a_gift_of_words_that_are_edited_at_that_moment(world: World, a: Caller) -> None:
    own = (await world.write("A", "note")).id
    for n in range(ROUNDS):
        edit = world.service.change.edit(a, own, n + 1, Patch(content=f"note {n}", named=frozenset({"content"})))
        gifts = [told(world.service.inject(a, Gift("S", "x", memory_ids=(own,)))) for _ in range(2)]
        assert await asyncio.gather(*gifts, told(edit)) == [None] * 3
        assert _live(world) == 1
        _nothing_survives(world)
    await world.service.inject(a, Gift("S", "x", memory_ids=(own,)))
    assert await world.recalled("S", "note") == [f"note {ROUNDS - 1}"]


async def test_a_gift_to_one_that_is_moved_to_another_parent(world: World, a: Caller) -> None:
    own = (await world.write("A", "note")).id
    for _ in range(ROUNDS):
        gifts = [told(world.service.inject(a, Gift(s, "x", memory_ids=(own,)))) for s in ("S", "SS")]
        *late, moved = await asyncio.gather(*gifts, told(_parent(world, "S", "B")))
        assert set(late) <= REFUSED
        assert moved is None
        assert _live(world) == 0
        _nothing_survives(world)
        await _parent(world, "S", "A")


async def test_what_is_passed_on_while_the_first_gift_ends(world: World, a: Caller) -> None:
    s = await world.caller("S")
    for n in range(ROUNDS):
        own = (await world.write("A", f"note {n}")).id
        copy = (await world.service.inject(a, Gift("S", "x", memory_ids=(own,), may_pass_on=True))).memories[0].id
        passed = told(world.service.inject(s, Gift("SS", "x", memory_ids=(copy,))))
        end: Awaitable[object]
        match n % 3:
            case 0:
                given = (await world.service.inject.list(a, True, 1, None)).items[0].id
                end = world.service.inject.withdraw(a, given)
            case 1:
                end = world.service.forget(a, own)
            case _:
                end = world.service.inject(a, Gift("S", "x", memory_ids=(own,), may_pass_on=False))
        late, ended = await asyncio.gather(passed, told(end))
        assert late in REFUSED
        assert ended is None
        assert _passed_on(world) == 0
        _nothing_survives(world)


async def test_a_task_that_is_opened_for_one_that_is_moved_away(world: World, a: Caller) -> None:
    for n in range(ROUNDS):
        mover = "S" if n % 2 else "SS"
        work = world.service.tasks.open(a, f"t{n}", ["SS"], None)
        late, moved = await asyncio.gather(told(work), told(_parent(world, mover, "B")))
        assert late in REFUSED
        assert moved is None
        assert _tokens(world) == 0, "a token of one that is no descendant any more"
        await _parent(world, mover, "A" if mover == "S" else "S")


async def test_a_task_that_is_opened_by_a_key_that_is_revoked(world: World, a: Caller) -> None:
    for n in range(ROUNDS):
        opener = await world.caller("A", await world.key("A"))
        work = world.service.tasks.open(opener, f"t{n}", ["S", "SS"], None)
        revoke = world.service.keys.revoke(await world.admin(), opener.credential.id)
        late, revoked = await asyncio.gather(told(work), told(revoke))
        assert late in {*REFUSED, "permission_missing", "unauthenticated"}
        assert revoked is None
        assert _tokens(world) == 0, "a token outlives the key that made it"


async def test_many_gifts_and_many_ends_at_once_leave_no_deadlock_and_nothing_without_its_right(
    world: World, a: Caller
) -> None:
    for n in range(ROUNDS // 5):
        owns = [(await world.write("A", f"note {n} {k}")).id for k in range(4)]
        await world.service.tasks.open(a, f"t{n}", ["S", "S2"], None)
        work = [
            *[world.service.inject(a, Gift(s, "x", memory_ids=tuple(owns))) for s in ("S", "S2")],
            *[world.service.inject(a, Gift(s, "x", memory_ids=tuple(owns[::-1]), task_id=f"t{n}")) for s in ("S", "S2")],
            *[world.service.forget(a, o) for o in owns[:2]],
            world.service.tasks.close(a, f"t{n}"),
        ]
        assert set(await asyncio.gather(*[told(w) for w in work])) <= REFUSED
        _nothing_survives(world)
        assert not _copies_of(world, owns[:2])


async def _parent(world: World, who: str, parent: str) -> None:
    patch = AgentPatch(frozenset({"parent"}), parent=parent)
    await world.service.administer.change_agent(await world.admin(), who, patch)


def _nothing_survives(world: World) -> None:
    """As the owner of the database: every live injection has its right now, every injected memory its injection."""
    astray = {
        "a live injection without its right": (
            "SELECT count(*) FROM injections i WHERE ended_at IS NULL "
            "AND may_give(giver_id, target_id, original_id, basis = 'listed', task_no) IS NULL"
        ),
        "a live injection without its copy": (
            "SELECT count(*) FROM injections i WHERE ended_at IS NULL "
            "AND NOT EXISTS (SELECT FROM memories m WHERE m.memory_id = i.memory_id)"
        ),
        "an injected memory without a live injection": (
            "SELECT count(*) FROM memories m JOIN audiences a USING (audience_id) WHERE a.layer = 'injected' "
            "AND NOT EXISTS (SELECT FROM injections i WHERE i.memory_id = m.memory_id AND i.ended_at IS NULL)"
        ),
        "a copy whose original is gone": (
            "SELECT count(*) FROM copies c WHERE NOT EXISTS (SELECT FROM memories m WHERE m.memory_id = c.original_id)"
        ),
        "index rows of what is gone": (
            "SELECT count(*) FROM documents d WHERE NOT EXISTS (SELECT FROM memories m WHERE m.memory_no = d.memory_no)"
        ),
    }
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public") as owner:
        row = owner.execute(f"SELECT {', '.join(f'({query})' for query in astray.values())}".encode()).fetchone()
    assert row is not None
    assert dict(zip(astray, row, strict=True)) == dict.fromkeys(astray, 0)


def _live(world: World) -> int:
    return _count(world, "SELECT count(*) FROM injections WHERE ended_at IS NULL")


def _tokens(world: World) -> int:
    return _count(world, "SELECT count(*) FROM credentials WHERE task_no IS NOT NULL AND revoked_at IS NULL")


def _passed_on(world: World) -> int:
    return _count(world, "SELECT count(*) FROM injections WHERE ended_at IS NULL AND basis = 'passed_on'")


def _copies_of(world: World, originals: list[MemoryId]) -> int:
    return _count(world, "SELECT count(*) FROM copies WHERE original_id = ANY (%s)", [*originals])


def _count(world: World, query: str, *params: list[UUID]) -> int:
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public") as owner:
        row = owner.execute(query.encode(), params).fetchone()
    assert row is not None
    return row[0]
