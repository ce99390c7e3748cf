"""The stage: a key for the big screen sees what is public in a case, as it happens, and nothing else anywhere."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager

import httpx
import pytest

from own_database import installation, world
from worlds import World

from .casework import SAFE, Casework, ok, opened, tells_the_code, told
from .conftest import Edge, problem, until
from .test_events import Stream, following
from .test_every_route import ROUTES, call

__all__ = ["installation", "world"]

STAGE = {"case", "script", "title", "language", "roles", "board", "last_event"}
ROLE = {"id", "name", "last"}
EVENT = {"id", "kind", "role", "outcome", "mode", "searched", "at"}
CARD = {"content", "tags", "origin", "at"}


async def event(stream: Stream) -> dict[str, object]:
    """The next event's data."""
    return json.loads((await stream.next())["data"])


@asynccontextmanager
async def watched(wire: Edge) -> AsyncIterator[tuple[Casework, Stream]]:
    """A case, and its stream with a key for the big screen."""
    async with (
        opened(wire) as case,
        wire.as_(await case.show_key()) as screen,
        following(screen, path=f"{case.path}/events") as stream,
    ):
        yield case, stream


async def test_the_stage_shows_what_is_public_field_by_field(edge: Edge) -> None:
    async with opened(edge) as case:
        await case.whisper("suspect", "今晚不要去码头，蓝鲸已经醒了")
        await case.ask("detective", SAFE["zh"])
        copy = await case.publish_card("safe-code")
        await case.ask("detective", SAFE["zh"])
        stage = await case.stage()
    assert set(stage) == STAGE
    assert all(set(r) == ROLE for r in stage["roles"])
    assert all(set(r["last"]) == EVENT for r in stage["roles"])
    last = {r["id"]: r["last"] for r in stage["roles"]}
    assert (last["suspect"]["kind"], last["suspect"]["outcome"]) == ("whispered", None)
    assert (last["informant"]["kind"], last["informant"]["searched"]) == ("published", [])
    assert (last["detective"]["kind"], last["detective"]["outcome"], last["detective"]["mode"]) == (
        "asked",
        "known",
        "evidence",
    )
    assert last["detective"]["searched"] == ["agent:detective", "*"]
    (card,) = stage["board"]
    assert set(card) == CARD
    assert (card["content"], card["origin"]) == (copy["content"], "informant")
    assert "蓝鲸" not in told(stage)
    assert SAFE["zh"] not in told(stage)


async def test_the_stage_follows_the_board_whichever_way_it_changes(world: World, edge: Edge) -> None:
    async with opened(edge) as case:
        done = ok(await case.publish((await case.cards())["safe-code"]["id"]), 201)
        ok(await case.client.post(f"/publications/{done['publication_id']}/withdraw", params={"agent_id": "informant"}))
        assert (await case.stage())["board"] == []
        body = {"content": "公告：会议改到明天", "memory_type": "team", "agent_id": "detective"}
        ok(await case.client.post("/capture", json=body), 201)
        assert [c["content"] for c in (await case.stage())["board"]] == ["公告：会议改到明天"]
        narrowed = {**body, "content": "只给线人看的话", "visible_to": ["informant"]}
        ok(await case.client.post("/capture", json=narrowed), 201)
        expiring = {**body, "content": "很快就过期的公告", "expires_in": 1}
        ok(await case.client.post("/capture", json=expiring), 201)

        async def expired() -> bool:
            return len((await case.stage())["board"]) == 1

        await until(expired)
        assert [c["content"] for c in (await case.stage())["board"]] == ["公告：会议改到明天"]
        before = (await case.stage())["last_event"]
        assert await world.service.work.sweep() >= 1  # the row goes, and the screens are told

        async def told_of() -> bool:
            return (await case.stage())["last_event"] != before

        await until(told_of)


async def test_a_show_key_reads_the_stage_and_its_events_and_nothing_else(world: World, edge: Edge) -> None:
    async with opened(edge) as case:
        whispered = await case.whisper("suspect", "今晚不要去码头，蓝鲸已经醒了")
        await case.ask("informant", SAFE["zh"])
        async with edge.as_(await case.show_key()) as screen:
            assert ok(await screen.get("/whoami"))["acts_as"] == []
            assert ok(await screen.get("/whoami"))["permissions"] == []
            assert set(ok(await screen.get(f"{case.path}/stage"))) == STAGE
            for route, kind in ROUTES.items():
                method, path = route
                if not kind.key or path.endswith("/events"):
                    continue
                answer = await call(screen, edge.url, route, whispered["id"], case.name)
                assert "蓝鲸" not in answer.text, route
                assert not tells_the_code(answer.text), route
                assert whispered["id"] not in answer.text, route
                if path.startswith("/api/v1/bureau/cases/") and not path.endswith("/stage"):
                    await problem(answer, 403, "permission_missing")
                if method != "GET" and not path.endswith("/capture/batch"):
                    assert answer.status_code in (403, 404, 422), (route, answer.text)
        assert len(await case.cards()) == 10


async def test_a_show_key_ends_when_it_is_told_to_and_not_after_the_operators(edge: Edge) -> None:
    async with opened(edge) as case:
        made = ok(await case.client.post(f"{case.path}/show-key", json={"expires_in": 1}), 201)
        async with edge.as_(made["key"]) as screen:

            async def over() -> bool:
                return (await screen.get(f"{case.path}/stage")).status_code == 401

            await until(over)
        past = await case.client.post(f"{case.path}/show-key", json={"expires_at": "2020-01-01T00:00:00Z"})
        await problem(past, 422, "invalid", "expires_at")
        made = ok(await case.client.post(f"{case.path}/show-key"), 201)
        ok(await case.client.delete(f"/keys/{made['id']}"))
        async with edge.as_(made["key"]) as screen:
            await problem(await screen.get(f"{case.path}/stage"), 401, "unauthenticated")


async def test_events_tell_what_happens_and_to_whom(wire: Edge) -> None:
    async with watched(wire) as (case, stream):
        await case.whisper("suspect", "今晚不要去码头")
        await case.ask("detective", SAFE["zh"])
        await case.publish_card("safe-code")
        await case.publish((await case.cards())["safe-code"]["id"])  # the same copy: nothing happens
        await case.ask("detective", SAFE["zh"])
        await case.reset()
        events = [await event(stream) for _ in range(5)]
    assert all(set(e) == EVENT for e in events)
    assert [(e["kind"], e["role"], e["outcome"]) for e in events] == [
        ("whispered", "suspect", None),
        ("asked", "detective", "unknown"),
        ("published", "informant", None),
        ("asked", "detective", "known"),
        ("reset", None, None),
    ]


async def test_a_stream_goes_on_from_the_picture_of_the_stage_and_from_any_event(wire: Edge) -> None:
    async with opened(wire) as case, wire.as_(await case.show_key()) as screen:
        picture = ok(await screen.get(f"{case.path}/stage"))
        await case.whisper("suspect", "今晚不要去码头")
        await case.ask("detective", SAFE["zh"])
        path = f"{case.path}/events"
        async with following(screen, picture["last_event"], path) as stream:
            first, second = await event(stream), await event(stream)
        assert (first["kind"], second["kind"]) == ("whispered", "asked")
        async with following(screen, str(first["id"]), path) as stream:
            assert (await event(stream))["id"] == second["id"]
        await case.reset()
        async with following(screen, str(first["id"]), path) as stream:  # it is gone: everything since is told
            assert (await event(stream))["kind"] == "reset"
        wrong = await screen.get(path, headers={"Last-Event-ID": "x"})
        await problem(wrong, 422, "invalid", "Last-Event-ID")


@pytest.mark.parametrize("end", ["revoked", "closed"])
async def test_an_open_stream_ends_with_the_key_and_with_the_case(wire: Edge, end: str) -> None:
    async with opened(wire) as case:
        made = ok(await case.client.post(f"{case.path}/show-key"), 201)
        async with wire.as_(made["key"]) as screen, following(screen, path=f"{case.path}/events") as stream:
            if end == "revoked":
                ok(await case.client.delete(f"/keys/{made['id']}"))
                await case.whisper("suspect", "今晚不要去码头")
            else:
                ok(await case.client.delete(case.path))
            with pytest.raises(EOFError):
                await stream.next()


async def test_one_case_hears_nothing_of_another(wire: Edge) -> None:
    async with opened(wire) as a, opened(wire) as b:
        async with wire.as_(await a.show_key()) as screen, following(screen, path=f"{a.path}/events") as stream:
            await b.whisper("suspect", "别的案子里的话")
            await b.ask("detective", SAFE["zh"])
            await a.ask("informant", SAFE["zh"])
            assert (await event(stream))["role"] == "informant"
        assert [r["last"] for r in (await b.stage())["roles"]][1] is None


async def test_events_of_many_hands_arrive_once_each(wire: Edge) -> None:
    """Numbers are drawn before the commit: what commits late is told nevertheless, and nothing twice."""
    async with watched(wire) as (case, stream):
        await asyncio.gather(*(case.whisper("suspect", f"耳语第 {n} 句") for n in range(20)))
        seen = [await event(stream) for _ in range(20)]
    assert len({e["id"] for e in seen}) == 20
    assert {e["kind"] for e in seen} == {"whispered"}


async def test_the_list_of_fields_is_what_goes_over_the_wire(wire: Edge) -> None:
    """The raw bytes of a stream hold the event's own id and data, and no other line."""
    async with opened(wire) as case, wire.as_(await case.show_key()) as screen:
        picture = await case.stage()
        await case.whisper("suspect", "今晚不要去码头")
        async with screen.stream("GET", f"{case.path}/events", headers={"Last-Event-ID": picture["last_event"]}) as response:
            lines = await _first_event(response)
    assert [line.split(":")[0] for line in lines] == ["id", "event", "data"]
    assert set(json.loads(lines[2].partition(": ")[2])) == EVENT


async def _first_event(response: httpx.Response) -> list[str]:
    lines: list[str] = []
    async with asyncio.timeout(20), aclosing(response.aiter_lines()) as all_lines:  # pyright: ignore[reportArgumentType]
        async for line in all_lines:
            if not line and lines:
                return lines
            if line and not line.startswith(":"):
                lines.append(line)
    return lines
