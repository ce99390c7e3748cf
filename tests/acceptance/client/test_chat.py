"""The verbs of the chat, with both clients, over a real server whose model is a double."""

from collections.abc import AsyncIterator, Iterator

import pytest

import model_double as play
from acceptance.rest.conftest import serving
from model_double import ModelDouble
from whoknows.bootstrap import Installation, assemble
from whoknows.client import ApiError
from whoknows.flows.limits import Limits
from whoknows.rest.app import create_app
from whoknows.speakers.openai import OpenAISpeaker
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

from .conftest import Served

MEMORY = "the harbour crane was greased on monday"


@pytest.fixture
def double() -> Iterator[ModelDouble]:
    with ModelDouble() as double:
        yield double


@pytest.fixture
async def talking(installation: Installation, double: ModelDouble) -> AsyncIterator[Served]:
    store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
    await store.open()
    service = assemble(store, HashEmbedder(), Limits(), speaker=OpenAISpeaker(double.url, "not-a-key", "m-1"))
    world = World(service, installation)
    await world.members("mira")
    await world.write("member:mira", MEMORY, account="mira", project_id="boss")
    async with serving(create_app(service, body_bytes=1 << 20, version="test")) as url:
        yield Served(world, url)
    await service.close()


async def test_both_clients_ask_go_on_read_and_delete(talking: Served, double: ModelDouble) -> None:
    double.plays(play.says("am Montag"))
    async with talking.client("member:mira") as mira:
        first = await mira.chat("boss", "when was the crane greased?")
        assert (first["answer"], first["mode"]) == ("am Montag", "full")
        assert [s["excerpt"] for s in first["sources"]] == [MEMORY]
    conversation = first["conversationId"]
    again = await talking.waiting("member:mira", lambda wk: wk.chat("boss", "sure?", conversation_id=conversation))
    assert again["conversationId"] == conversation
    listed = await talking.waiting("member:mira", lambda wk: wk.conversations(project_id="boss"))
    assert [c["conversationId"] for c in listed["items"]] == [conversation]
    async with talking.client("member:mira") as mira:
        whole = await mira.conversation(conversation)
        assert [m["role"] for m in whole["messages"]] == ["user", "assistant"] * 2
        assert (await mira.forget_conversation(conversation))["deleted"] == 1
        with pytest.raises(ApiError, match="not_found"):
            await mira.conversation(conversation)


async def test_both_clients_hear_the_answer_as_it_is_spoken(talking: Served, double: ModelDouble) -> None:
    double.plays(play.says("am ", "Montag"))
    expected = ["start", "delta", "delta", "done"]
    async with talking.client("member:mira") as mira:
        events = [e async for e in mira.chat_stream("boss", "when?")]
    assert [e["kind"] for e in events] == expected
    assert "".join(e["text"] for e in events if e["kind"] == "delta") == events[-1]["answer"] == "am Montag"
    waited = await talking.waiting("member:mira", lambda wk: list(wk.chat_stream("boss", "when?")))
    assert [e["kind"] for e in waited] == expected


async def test_a_model_that_fails_is_an_error_that_says_how_to_go_on(talking: Served, double: ModelDouble) -> None:
    double.plays(play.refuses(500))
    async with talking.client("member:mira") as mira:
        with pytest.raises(ApiError) as failed:
            await mira.chat("boss", "when was the harbour crane greased on monday")
        assert (failed.value.status, failed.value.code) == (502, "model_unavailable")
        problem = failed.value.problem
        assert [e["excerpt"] for e in problem["evidence"]] == [MEMORY]
        double.plays(play.says("ja"))
        answer = await mira.chat("boss", "when?", conversation_id=problem["conversationId"], retry_of=problem["retryOf"])
        assert answer["messageId"] == problem["messageId"]


async def test_a_quota_that_says_when_to_come_back_soon_is_waited_for_within_one_exchange(
    talking: Served, double: ModelDouble
) -> None:
    double.plays(play.refuses(429, Retry_After="0"), play.says("ja"))
    async with talking.client("member:mira") as mira:
        answer = await mira.chat("boss", "when?")
        assert answer["answer"] == "ja"
        assert len((await mira.conversation(answer["conversationId"]))["messages"]) == 2
    assert len(double.requests) == 2
