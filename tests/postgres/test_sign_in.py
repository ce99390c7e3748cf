"""Signing in to the console: a session is worth exactly its key, and over with it."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from signed_in import aged, idle, kept, signed_in, since_last_seen

from acceptance.remains import dumped
from whoknows.domain.credential import Permission
from whoknows.errors import AgentRequired, Forbidden, Invalid, NotYourAgent, PermissionMissing, RefusedByGate, Unauthenticated
from worlds import World

HOSTILE = ("", "x", "\0", "令牌", "\udcff", "a" * 10_000, "' OR true --", "agent:A")


@pytest.fixture
async def world_of_two(world: World) -> World:
    await world.agents("A", "B")
    return world


async def test_a_key_opens_a_session_and_its_token_finds_it(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    token, session = await sign_in.open(world_of_two.keys["A"])
    found = await sign_in.find(token)
    assert found == session
    assert [p.space for p in found.credential.acts_as] == ["agent:A"]
    assert (found.acting, found.eyes, found.project) == (None, None, None)
    assert timedelta(days=6, hours=23) < found.expires_at - datetime.now(UTC) < timedelta(days=7, hours=1)


async def test_what_is_no_key_opens_nothing(world_of_two: World) -> None:
    for secret in (None, *HOSTILE, "wk_" + "x" * 43):
        with pytest.raises(Unauthenticated):
            await world_of_two.service.sign_in.open(secret)
    assert await kept(world_of_two) == 0


async def test_none_unknown_and_ended_are_refused_alike(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    ended, _ = await sign_in.open(world_of_two.keys["A"])
    await sign_in.close(ended)
    said: set[str] = set()
    for token in (None, ended, "x" * 43, world_of_two.keys["A"], *HOSTILE):
        with pytest.raises(Unauthenticated) as fault:
            await sign_in.find(token)
        said.add(fault.value.detail)
    assert len(said) == 1


async def test_a_session_is_none_of_another_s(world_of_two: World) -> None:
    """Closing one's own leaves the other's, and the other key sees nothing of it."""
    sign_in = world_of_two.service.sign_in
    a, session = await sign_in.open(world_of_two.keys["A"])
    b, other = await sign_in.open(world_of_two.keys["B"])
    await sign_in.close(a)
    await sign_in.close(a)
    assert (await sign_in.find(b)).id == other.id != session.id
    with pytest.raises(Unauthenticated):
        await sign_in.find(a)


async def test_another_tenant_s_session_is_in_that_tenant_alone(world_of_two: World) -> None:
    made = await world_of_two.service.keys.create_tenant(await world_of_two.admin(), "elsewhere")
    sign_in = world_of_two.service.sign_in
    there, _ = await sign_in.open(made.secret)
    here, _ = await sign_in.open(world_of_two.keys["A"])
    assert (await sign_in.find(there)).credential.tenant == "elsewhere"
    assert (await sign_in.find(here)).credential.tenant == "default"


async def test_revoking_the_key_ends_its_sessions_at_the_next_request(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    token, session = await sign_in.open(world_of_two.keys["A"])
    other, _ = await sign_in.open(world_of_two.keys["B"])
    await world_of_two.service.keys.revoke(await world_of_two.admin(), session.credential.id)
    with pytest.raises(Unauthenticated):
        await sign_in.find(token)
    with pytest.raises(Unauthenticated):
        await sign_in.choose(session, project="boss")
    assert await sign_in.find(other)


async def test_the_end_of_the_key_is_the_end_of_the_session(world_of_two: World) -> None:
    service = world_of_two.service
    soon = datetime.now(UTC) + timedelta(seconds=1.5)
    key = await service.keys.make(await world_of_two.admin(), ["B"], [], None, soon)
    token, session = await service.sign_in.open(key.secret)
    assert session.expires_at == session.credential.expires_at
    async with asyncio.timeout(20):
        while True:
            try:
                assert (await service.sign_in.find(token)).id == session.id
            except Unauthenticated:
                break
            await asyncio.sleep(0.1)
    assert datetime.now(UTC) >= soon


async def test_deleting_the_principal_ends_the_session_at_the_next_request(world_of_two: World) -> None:
    token, _ = await world_of_two.service.sign_in.open(world_of_two.keys["A"])
    await world_of_two.service.administer.remove_agent(await world_of_two.admin(), "A")
    with pytest.raises(Unauthenticated):
        await world_of_two.service.sign_in.find(token)


async def test_whoever_is_deleted_acts_no_more_and_nobody_takes_its_place(world_of_two: World) -> None:
    """The key for two lives on; what was chosen does not become the other one unasked."""
    sign_in = world_of_two.service.sign_in
    token, session = await signed_in(world_of_two, "A", "B")
    await sign_in.choose(session, acting="agent:A")
    await world_of_two.service.administer.remove_agent(await world_of_two.admin(), "A")
    session = await sign_in.find(token)
    with pytest.raises(NotYourAgent):
        sign_in.caller(session)
    session = await sign_in.choose(session, acting=None)
    principal = sign_in.caller(session).principal
    assert principal is not None
    assert principal.space == "agent:B"


async def test_twelve_hours_without_a_request_end_it_and_a_request_keeps_it(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    token, _ = await sign_in.open(world_of_two.keys["A"])
    await idle(world_of_two, token, "11 hours 59 minutes")
    assert await sign_in.find(token)
    assert await since_last_seen(world_of_two, token) < 60
    await idle(world_of_two, token, "12 hours")
    with pytest.raises(Unauthenticated):
        await sign_in.find(token)


async def test_its_use_is_written_once_a_minute_at_most(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    token, _ = await sign_in.open(world_of_two.keys["A"])
    await idle(world_of_two, token, "50 seconds")
    await asyncio.gather(*(sign_in.find(token) for _ in range(5)))
    assert await since_last_seen(world_of_two, token) >= 50
    await idle(world_of_two, token, "61 seconds")
    await asyncio.gather(*(sign_in.find(token) for _ in range(5)))
    assert await since_last_seen(world_of_two, token) < 50


async def test_seven_days_end_it_however_much_it_is_used(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    token, _ = await sign_in.open(world_of_two.keys["A"])
    await aged(world_of_two, token, "6 days 23 hours 59 minutes")
    assert await sign_in.find(token)
    await aged(world_of_two, token, "1 minute")
    with pytest.raises(Unauthenticated):
        await sign_in.find(token)


async def test_the_sweep_takes_what_is_over_and_leaves_what_lives(world_of_two: World) -> None:
    service = world_of_two.service
    unused, _ = await service.sign_in.open(world_of_two.keys["A"])
    old, _ = await service.sign_in.open(world_of_two.keys["A"])
    _, revoked = await signed_in(world_of_two, "B")
    lives, _ = await service.sign_in.open(world_of_two.keys["B"])
    await idle(world_of_two, unused, "13 hours")
    await aged(world_of_two, old, "8 days")
    await service.keys.revoke(await world_of_two.admin(), revoked.credential.id)
    assert await kept(world_of_two) == 4
    await service.work.sweep_old()
    assert await kept(world_of_two) == 1
    assert await service.sign_in.find(lives)


async def test_the_oldest_of_more_than_fifty_goes_however_many_sign_in_at_once(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    first, _ = await sign_in.open(world_of_two.keys["A"])
    second, _ = await sign_in.open(world_of_two.keys["A"])
    others, _ = await sign_in.open(world_of_two.keys["B"])
    tokens = [t for t, _ in await asyncio.gather(*(sign_in.open(world_of_two.keys["A"]) for _ in range(49)))]
    with pytest.raises(Unauthenticated):
        await sign_in.find(first)
    for token in (second, others, *tokens):
        assert await sign_in.find(token)
    assert await kept(world_of_two) == 51


async def test_sessions_that_are_over_do_not_count_among_the_fifty(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    first, _ = await sign_in.open(world_of_two.keys["A"])
    for token in [t for t, _ in [await sign_in.open(world_of_two.keys["A"]) for _ in range(49)]]:
        await idle(world_of_two, token, "1 day")
    await sign_in.open(world_of_two.keys["A"])
    assert await sign_in.find(first)
    assert await kept(world_of_two) == 2


async def test_one_acts_as_whom_the_key_permits_and_as_nobody_else(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    await world_of_two.members("mira")
    token, session = await signed_in(world_of_two, "A", "member:mira")
    with pytest.raises(AgentRequired):
        sign_in.caller(session)
    for acting in ("agent:A", "member:mira"):
        session = await sign_in.choose(session, acting=acting)
        principal = sign_in.caller(await sign_in.find(token)).principal
        assert principal is not None
        assert principal.space == acting
    for other in ("agent:B", "agent:nobody", "team:A", "*", *HOSTILE[:-1]):
        with pytest.raises(NotYourAgent):
            await sign_in.choose(session, acting=other)
    assert (await sign_in.find(token)).acting == "member:mira"


async def test_a_key_that_only_administers_acts_as_nobody(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    _, session = await sign_in.open(world_of_two.installation.new_key)
    with pytest.raises(PermissionMissing):
        sign_in.caller(session)


async def test_the_task_is_the_key_s_where_it_has_one(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    _, bound = await sign_in.open(await world_of_two.key("A", task="k1"))
    _, free = await sign_in.open(world_of_two.keys["A"])
    assert (sign_in.caller(bound, "k2").task, sign_in.caller(free, "k2").task, sign_in.caller(free).task) == ("k1", "k2", None)


async def test_what_is_not_named_stays_also_when_two_pages_choose_at_once(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    token, session = await signed_in(world_of_two, "A", "B", permissions=(Permission.INSPECT,))
    await asyncio.gather(
        sign_in.choose(session, acting="agent:B"), sign_in.choose(session, eyes="A"), sign_in.choose(session, project="船坞")
    )
    found = await sign_in.find(token)
    assert (found.acting, found.eyes, found.project) == ("agent:B", "agent:A", "船坞")
    found = await sign_in.choose(session, eyes=None)
    assert (found.acting, found.eyes, found.project) == ("agent:B", None, "船坞")
    assert await sign_in.find(token) == found


async def test_eyes_need_the_permission_and_somebody_who_is_there(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    await world_of_two.team("T", A="reader")
    plain, without = await signed_in(world_of_two, "A")
    token, session = await signed_in(world_of_two, "A", permissions=(Permission.INSPECT,))
    with pytest.raises(PermissionMissing):
        await sign_in.choose(without, eyes="agent:B")
    for nobody in ("agent:nobody", "team:T", "member:B", "*", "", "x" * 10_000):
        with pytest.raises(NotYourAgent):
            await sign_in.choose(session, eyes=nobody)
    for broken in ("agent:\0", "agent:\udcff"):
        with pytest.raises(Invalid):
            await sign_in.choose(session, eyes=broken)
    assert (await sign_in.find(plain)).eyes is (await sign_in.find(token)).eyes is None


async def test_with_the_eyes_of_another_one_reads_what_it_reads_and_writes_nothing(world_of_two: World) -> None:
    service = world_of_two.service
    _, session = await signed_in(world_of_two, "A", permissions=(Permission.INSPECT,))
    own = await world_of_two.write("A", "A's own")
    others = await world_of_two.write("B", "B's own")
    before = await service.sign_in.reader(session, "GET /memory")
    assert (await service.read.get(before, own.id)).content == "A's own"
    session = await service.sign_in.choose(session, eyes="agent:B")
    eyes = await service.sign_in.reader(session, "GET /memory")
    assert eyes.seen_as
    assert (await service.read.get(eyes, others.id)).content == "B's own"
    with pytest.raises(Forbidden) as refused:
        service.sign_in.caller(session)
    assert refused.value.reason_code == "seen_as_reads_only"
    noted = await service.oversee.audit((await world_of_two.caller("B")).credential, 50, None)
    assert [(r.action, r.target) for r in noted.items if r.action == "inspect"] == [("inspect", "GET /memory")]


async def test_eyes_of_one_who_is_deleted_see_nothing_and_can_be_closed(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    token, session = await signed_in(world_of_two, "A", permissions=(Permission.INSPECT,))
    await sign_in.choose(session, eyes="agent:B")
    await world_of_two.service.administer.remove_agent(await world_of_two.admin(), "B")
    session = await sign_in.find(token)
    with pytest.raises(NotYourAgent):
        await sign_in.reader(session, "GET /memory")
    assert not (await sign_in.reader(await sign_in.choose(session, eyes=None), "GET /memory")).seen_as


async def test_a_project_is_a_label_and_holds_no_secret(world_of_two: World) -> None:
    sign_in = world_of_two.service.sign_in
    secret = await world_of_two.key("A")
    token, session = await sign_in.open(secret)
    for broken in ("", " ", "\0", "\udcff", "x" * 201):
        with pytest.raises(Invalid):
            await sign_in.choose(session, project=broken)
    with pytest.raises(RefusedByGate):
        await sign_in.choose(session, project=secret)
    assert (await sign_in.find(token)).project is None
    assert (await sign_in.choose(session, project="项" * 200)).project == "项" * 200
    assert (await sign_in.choose(session, project=None)).project is None


async def test_signing_in_and_out_are_in_the_trail_by_ids_alone(world_of_two: World, tmp_path: Path) -> None:
    service = world_of_two.service
    secret = world_of_two.keys["A"]
    token, session = await service.sign_in.open(secret)
    refused, other = await service.sign_in.open(secret)
    await service.sign_in.close(token)
    for page in (
        await service.oversee.audit(await world_of_two.admin(), 50, None),
        await service.oversee.audit(session.credential, 50, None),
    ):
        noted = [r for r in page.items if r.action.startswith("console.")]
        assert [(r.action, r.target) for r in noted] == [
            ("console.sign_out", str(session.id)),
            ("console.sign_in", str(other.id)),
            ("console.sign_in", str(session.id)),
        ]
        assert {r.credential_id for r in noted} == {session.credential.id}
        assert all(r.detail == {} for r in noted)
    b = await service.oversee.audit((await world_of_two.caller("B")).credential, 50, None)
    assert not [r for r in b.items if r.action.startswith("console.")]
    left = await dumped(world_of_two.installation.dsn, tmp_path)
    assert str(other.id) in left
    assert not [s for s in (token, refused, secret) if s in left]


async def test_whoever_signs_in_too_often_reads_in_the_trail_what_went(world_of_two: World) -> None:
    service = world_of_two.service
    opened = [await service.sign_in.open(world_of_two.keys["A"]) for _ in range(51)]
    page = await service.oversee.audit(await world_of_two.admin(), 100, None)
    gone = [r for r in page.items if r.action == "console.sign_out"]
    assert [(r.target, r.detail) for r in gone] == [(str(opened[0][1].id), {"reason": "too_many"})]
