"""The hall of a case: one reading for all who watch from a process, and every key checked for each event."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest

from whoknows.domain.credential import Credential
from whoknows.domain.ids import CredentialId
from whoknows.domain.script import Language
from whoknows.domain.stage import StageEvent
from whoknows.errors import NotFound
from whoknows.flows.hall import MOST_WAITING
from worlds import World

PATIENCE = 30.0


@dataclass
class Viewer:
    """``got`` are the roles of whom it heard, in the order in which it did."""

    found: AsyncGenerator[StageEvent | None]
    got: list[StageEvent] = field(default_factory=list[StageEvent])
    ready: asyncio.Event = field(default_factory=asyncio.Event)
    over: bool = False

    async def watch(self) -> None:
        async for event in self.found:
            if event is None:
                self.ready.set()
            else:
                self.got.append(event)
        self.over = True


@dataclass
class Playhouse:
    world: World
    operator: Credential
    name: str

    async def key(self) -> tuple[CredentialId, Credential]:
        made = await self.world.service.cases.show_key(self.operator, self.name, None)
        return made.id, await self.world.service.authenticate(made.secret)

    async def revoke(self, key: CredentialId) -> None:
        await self.world.service.keys.revoke(self.operator, key)

    async def happens(self, times: int = 1) -> None:
        for _ in range(times):
            await self.world.service.play.whisper(self.operator, self.name, "suspect", f"whisper {time.monotonic_ns()}")

    def events(self, credential: Credential, **more: Any) -> AsyncGenerator[StageEvent | None]:
        return self.world.service.show.events(credential, self.name, None, **more)

    @asynccontextmanager
    async def watched(self, *credentials: Credential) -> AsyncGenerator[list[Viewer]]:
        """By one viewer for each of ``credentials``, all of whom have sat down."""
        async with self.seated([self.events(c) for c in credentials]) as viewers:
            yield viewers

    @asynccontextmanager
    async def seated(self, streams: list[AsyncGenerator[StageEvent | None]]) -> AsyncGenerator[list[Viewer]]:
        viewers = [Viewer(s) for s in streams]
        tasks = [asyncio.create_task(v.watch()) for v in viewers]
        for viewer in viewers:
            await asyncio.wait_for(viewer.ready.wait(), PATIENCE)
        yield viewers
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert [e for e in ends if e is not None and not isinstance(e, asyncio.CancelledError)] == []


@pytest.fixture
async def house(world: World) -> Playhouse:
    opened = await world.service.cases.open(await world.admin(), "heron", Language.EN)
    return Playhouse(world, await world.service.authenticate(opened.secret), opened.case)


async def have(viewers: list[Viewer], count: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while any(len(v.got) < count for v in viewers):  # noqa: ASYNC110 - nothing tells of it
            await asyncio.sleep(0.01)


async def are_over(*viewers: Viewer) -> None:
    async with asyncio.timeout(PATIENCE):
        while not all(v.over for v in viewers):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_fifty_viewers_get_every_event_once_and_in_order_by_readings_that_do_not_grow_with_them(
    house: Playhouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, credential = await house.key()
    async with house.watched(*[credential] * 50) as viewers:
        await house.happens()
        await have(viewers, 1)
        store, readings = house.world.service.store, 0
        really = store.read

        def counted(caller: Any) -> Any:
            nonlocal readings
            readings += caller.credential.id == credential.id
            return really(caller)

        monkeypatch.setattr(store, "read", counted)
        await asyncio.gather(*(house.happens() for _ in range(8)))
        await have(viewers, 9)
        await asyncio.sleep(0.1)
        assert readings < 60
        told = [[e.id for e in v.got] for v in viewers]
        assert len(set(told[0])) == 9
        assert all(t == told[0] for t in told)


async def test_a_viewer_that_does_not_read_holds_up_nobody_and_misses_nothing(house: Playhouse) -> None:
    _, credential = await house.key()
    sleeper = house.events(credential)
    assert await anext(sleeper) is None
    async with house.watched(credential) as (other,):
        many = MOST_WAITING + 20
        await house.happens(many)
        await have([other], many)
        seen = [e.id async for e in _first(sleeper, many)]
        assert seen == [e.id for e in other.got]
    await sleeper.aclose()


async def test_a_key_that_is_revoked_between_two_events_gets_nothing_more(house: Playhouse) -> None:
    (key, credential), (_, staying) = await house.key(), await house.key()
    async with house.watched(credential, staying) as (gone, stays):
        await house.happens()
        await have([gone, stays], 1)
        await house.revoke(key)
        await house.happens()
        await have([stays], 2)
        await are_over(gone)
        assert len(gone.got) == 1


async def test_what_waits_for_a_key_is_not_given_once_it_is_revoked(house: Playhouse) -> None:
    (key, credential), (_, staying) = await house.key(), await house.key()
    slow = house.events(credential)
    assert await anext(slow) is None
    async with house.watched(staying) as viewers:
        await house.happens()
        await have(viewers, 1)
        await house.revoke(key)
        await house.happens()
        await have(viewers, 2)
        assert [e async for e in slow if e is not None] == []


async def test_when_the_key_that_reads_for_all_is_revoked_another_one_reads_on(house: Playhouse) -> None:
    keys = [await house.key() for _ in range(4)]
    async with house.watched(*(c for _, c in keys)) as viewers:
        for n, (key, _) in enumerate(keys[:-1]):
            await house.happens()
            await have(viewers[n:], n + 1)
            await house.revoke(key)
        await house.happens()
        await have(viewers[-1:], len(keys))
        await are_over(*viewers[:-1])
        assert [len(v.got) for v in viewers] == [1, 2, 3, 4]


async def test_streams_of_a_dead_key_end_while_nothing_happens(house: Playhouse) -> None:
    (key, credential), (_, staying) = await house.key(), await house.key()
    async with house.watched(credential, credential, staying) as (one, two, stays):
        await house.revoke(key)
        await are_over(one, two)
        assert not stays.over


async def test_a_stream_of_the_console_ends_with_its_session_and_not_with_another_of_the_same_key(house: Playhouse) -> None:
    made = await house.world.service.cases.show_key(house.operator, house.name, None)
    sign_in = house.world.service.sign_in
    (token, session), (_, other) = await sign_in.open(made.secret), await sign_in.open(made.secret)
    streams = [house.events(s.credential, session=s.id) for s in (session, other)]
    async with house.seated(streams) as (gone, stays):
        await sign_in.close(token)
        await are_over(gone)
        await house.happens()
        await have([stays], 1)
        assert gone.got == []
    with pytest.raises(NotFound):
        await house.world.service.show.stage(session.credential, house.name, session.id)
    assert (await house.world.service.show.stage(other.credential, house.name, other.id)).roles


async def test_an_event_that_waits_for_an_older_transaction_is_told_soon_after_that_one_ended(house: Playhouse) -> None:
    """Nobody is notified of the end of a transaction in which nothing happened."""
    _, credential = await house.key()
    waited: list[float] = []
    async with house.watched(credential) as viewers:
        for n in range(3):
            async with await psycopg.AsyncConnection.connect(house.world.installation.dsn) as older:
                await older.execute("SELECT pg_current_xact_id()")
                await house.happens()
                await asyncio.sleep(0.1)
                assert len(viewers[0].got) == n
                await older.commit()
            ended = time.monotonic()
            await have(viewers, n + 1)
            waited.append(time.monotonic() - ended)
    assert min(waited) < 0.6, waited


async def test_pictures_that_are_asked_for_at_once_are_one_and_each_key_is_checked(
    house: Playhouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    (key, dead), (_, living) = await house.key(), await house.key()
    await house.revoke(key)
    store, readings = house.world.service.store, 0
    really = store.read

    def counted(caller: Any) -> Any:
        nonlocal readings
        readings += 1
        return really(caller)

    monkeypatch.setattr(store, "read", counted)
    stage = house.world.service.show.stage
    asked = [stage(dead if n % 10 == 0 else living, house.name) for n in range(50)]
    answers = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(a, NotFound) for a in answers] == [n % 10 == 0 for n in range(50)]
    assert len({a.last_event for a in answers if not isinstance(a, BaseException)}) == 1
    assert readings <= 4


async def test_a_picture_is_never_older_than_the_question_for_it(house: Playhouse) -> None:
    _, credential = await house.key()

    async def looks_after_it_happened() -> None:
        await house.happens()
        before = (await house.world.service.show.stage(credential, house.name)).roles
        last = next(r.last for r in before if r.id == "suspect")
        assert last is not None

    await asyncio.gather(*(looks_after_it_happened() for _ in range(6)))


async def _first(found: AsyncGenerator[StageEvent | None], count: int) -> AsyncIterator[StageEvent]:
    async with asyncio.timeout(PATIENCE):
        async for event in found:
            if event is not None:
                yield event
                count -= 1
            if count == 0:
                return
