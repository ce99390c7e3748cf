"""A conversation that comes again under other ids: it is known by the order in which it was said."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio

from postgres.databases import fresh

from .conftest import Edge
from .distilling import DISTILL, MEMORIES, distil, marked, memories, said, texts, two_members, whys

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHAT = said(
    "good morning, let us go on with it",
    "decision/project: server = srv-4",
    "ok",
    "user_preference/global: tone = plain",
    "decision/project: server = srv-9",
    "risk/project: disk = nearly full",
    "thanks",
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reading(server: str) -> AsyncIterator[Edge]:
    with fresh(server, "distill_again") as installation:
        async with marked(installation) as (edge, _):
            yield edge


@pytest_asyncio.fixture(loop_scope="module")
async def mira(reading: Edge) -> AsyncIterator[httpx.AsyncClient]:
    """A member who has told nothing yet."""
    edge = await two_members(reading)
    async with edge.as_("member:mira") as client:
        yield client


def under(prefix: str, messages: list[dict[str, str]] = CHAT) -> list[dict[str, str]]:
    """The same words under other ids."""
    return [{**m, "id": prefix + m["id"]} for m in messages]


async def one_by_one(client: httpx.AsyncClient, messages: list[dict[str, str]]) -> list[dict[str, Any]]:
    return [await distil(client, [m]) for m in messages]


async def test_at_once_under_other_ids_it_adds_nothing_and_overturns_nothing(mira: httpx.AsyncClient) -> None:
    first = await distil(mira, CHAT)
    assert len(first["kept"]) == 4
    before = await memories(mira)
    again = await distil(mira, under("x"))
    assert again["kept"] == []
    assert {why for _, why in whys(again)} == {"repeat"}
    assert await memories(mira) == before
    # What was deleted since stays deleted.
    await mira.delete(f"{MEMORIES}/{before['disk = nearly full']['memoryId']}")
    assert (await distil(mira, under("y")))["kept"] == []
    assert "disk = nearly full" not in await memories(mira)


async def test_message_by_message_it_adds_nothing_either(mira: httpx.AsyncClient) -> None:
    await one_by_one(mira, CHAT)
    before = set(await memories(mira))
    assert [a["kept"] for a in await one_by_one(mira, under("x"))] == [[]] * len(CHAT)
    assert set(await memories(mira)) == before
    # Said in one go, it is the same conversation.
    assert (await distil(mira, under("y")))["kept"] == []


async def test_what_comes_after_a_replay_is_new(mira: httpx.AsyncClient) -> None:
    await distil(mira, CHAT)
    answer = await distil(mira, [*under("x"), *said("decision/project: colour = red", first=50)])
    assert texts(answer) == [("stored", "colour = red")]


async def test_a_sentence_said_again_alone_is_meant(mira: httpx.AsyncClient) -> None:
    await one_by_one(mira, CHAT)
    answer = await distil(mira, said("decision/project: server = srv-4", first=90))
    assert texts(answer) == [("superseding", "server = srv-4")]


@pytest.mark.parametrize("reply", [None, "ok", "Noted, that is what holds from now on"])
async def test_who_changes_the_mind_to_and_fro_has_the_last_word(mira: httpx.AsyncClient, reply: str | None) -> None:
    number = 0
    for server in ("srv-1", "srv-2", "srv-1", "srv-2", "srv-1"):
        for role, text in (("user", f"decision/project: server = {server}"), ("assistant", reply)):
            if text is not None:
                number += 1
                await distil(mira, said(text, role=role, first=number))
        assert set(await memories(mira)) == {f"server = {server}"}


async def test_a_batch_that_was_undone_may_be_told_again_under_other_ids(mira: httpx.AsyncClient) -> None:
    first = await distil(mira, CHAT)
    await mira.delete(f"{DISTILL}/{first['batchId']}")
    assert await memories(mira) == {}
    assert len((await distil(mira, under("x")))["kept"]) == 4


async def test_another_project_has_not_heard_it(mira: httpx.AsyncClient) -> None:
    await distil(mira, CHAT)
    answer = await distil(mira, under("x"), project="other")
    assert {t for _, t in texts(answer)} == {"server = srv-4", "server = srv-9", "disk = nearly full"}
