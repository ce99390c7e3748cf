"""Turns of chat become memory by themselves: behind the answer, once, as the one who asked, and only if the account says so."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest
import pytest_asyncio

import model_double as play
from marked_distiller import MarkedDistiller
from model_double import ModelDouble
from postgres.databases import fresh
from whoknows.service import Service

from .conftest import Edge, problem
from .distilling import DISTILL, distil, marked, memories, name_of, said, two_members

pytestmark = pytest.mark.asyncio(loop_scope="module")
CHAT = "/master-agent/chat"
HERE = "/master-agent/conversations"
SETTINGS = f"{DISTILL}/settings"


@pytest.fixture(scope="module")
def double() -> Iterator[ModelDouble]:
    with ModelDouble() as double:
        yield double


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reading(server: str, double: ModelDouble) -> AsyncIterator[tuple[Edge, MarkedDistiller]]:
    with fresh(server, "distill_turns") as installation:
        async with marked(installation, double) as both:
            yield both


@pytest_asyncio.fixture(loop_scope="module")
async def edge(reading: tuple[Edge, MarkedDistiller], double: ModelDouble) -> Edge:
    double.plays(play.says("好的。"))
    return await two_members(reading[0])


def service_of(edge: Edge) -> Service:
    return edge.world.service


async def drained(edge: Edge) -> None:
    """What a server does beside its requests, until nothing is due."""
    while await service_of(edge).distill_turns.some():
        pass


async def told(client: httpx.AsyncClient, message: str, **more: Any) -> dict[str, Any]:
    answer = await client.post(CHAT, json={"projectId": "boss", "message": message, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def first_message(client: httpx.AsyncClient, conversation: str) -> dict[str, Any]:
    return (await client.get(f"{HERE}/{conversation}")).json()["messages"][0]


async def test_what_a_person_says_becomes_memory_behind_the_answer_and_is_shown_with_its_turn(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        answer = await told(mira, "decision/project: server = srv-4")
        assert (answer["answer"], answer["distillation"]) == ("好的。", "pending")
        assert await memories(mira) == {}
        await drained(edge)
        (memory,) = (await memories(mira, distilled=True)).values()
        assert (memory["content"], memory["sourceMessageId"]) == ("server = srv-4", answer["messageId"])
        message = await first_message(mira, answer["conversationId"])
        assert message["distillation"] == "done"
        assert [(r["memoryId"], r["content"]) for r in message["remembered"]] == [(memory["memoryId"], "server = srv-4")]
        (batch,) = (await mira.get(DISTILL)).json()["items"]
        assert (batch["automatic"], batch["conversationId"]) == (True, answer["conversationId"])
        # The same sentence as evidence, found in the message.
        (evidence,) = (await mira.get(f"/memories/{memory['memoryId']}")).json()["evidence"]
        assert (evidence["locator"], evidence["verified"]) == (answer["messageId"], True)
        await mira.delete(f"{DISTILL}/{batch['batchId']}")
        assert (await first_message(mira, answer["conversationId"]))["remembered"] == []
        await drained(edge)
        assert await memories(mira) == {}


async def test_an_answer_counts_where_a_model_gave_it_whole(edge: Edge, double: ModelDouble) -> None:
    async with edge.as_("member:mira") as mira:
        double.plays(play.says("research_note/project: load = 40"))
        await told(mira, "measure it")
        double.plays(play.breaks_off("research_note/project: half = said"))
        assert (await mira.post(CHAT, json={"projectId": "boss", "message": "and that"})).status_code == 502
        await drained(edge)
        assert set(await memories(mira)) == {"load = 40"}


async def test_a_transcript_puts_no_other_words_into_a_message_that_was_said_here(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        spoken = await told(mira, "decision/project: kept = 1", distill=False)
        messages = [{"id": spoken["messageId"], "role": "user", "content": "decision/project: forged = 1"}]
        (fact,) = (await distil(mira, messages))["kept"]
        (evidence,) = (await mira.get(f"/memories/{fact['memory']['memoryId']}")).json()["evidence"]
        assert (evidence["quote"], evidence["verified"]) == ("forged = 1", False)


async def test_an_account_a_project_and_a_single_turn_say_no(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        assert (await told(mira, "decision/project: a = 1", distill=False))["distillation"] == "off"
        assert (await mira.get(SETTINGS)).json()["automatic"] is True
        off = await mira.post(SETTINGS, json={"automatic": False})
        assert off.json() == {
            "account": name_of(edge, "mira"),
            "projectId": None,
            "automatic": False,
            "ofAccount": False,
            "ofProject": None,
        }
        assert (await told(mira, "decision/project: b = 1"))["distillation"] == "off"
        await mira.post(SETTINGS, json={"automatic": True, "projectId": "boss"})
        assert (await told(mira, "decision/project: c = 1"))["distillation"] == "pending"
        assert (await told(mira, "decision/project: d = 1", projectId="other"))["distillation"] == "off"
        await mira.post(SETTINGS, json={"automatic": None, "projectId": "boss"})
        assert (await mira.get(SETTINGS, params={"projectId": "boss"})).json()["automatic"] is False
        assert (await told(mira, "decision/project: e = 1"))["distillation"] == "off"
        await drained(edge)
        assert set(await memories(mira)) == {"c = 1"}
        # By hand it goes all the same: who asks for it says so.
        assert len((await distil(mira, said("decision/project: f = 1")))["kept"]) == 1
    async with edge.as_("member:noor") as noor:
        assert (await noor.get(SETTINGS)).json()["automatic"] is True
        await problem(
            await noor.post(SETTINGS, json={"automatic": False, "account": name_of(edge, "mira")}), 403, "not_your_account"
        )


async def test_a_conversation_that_is_deleted_meanwhile_leaves_nothing(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        answer = await told(mira, "decision/project: a = 1")
        await mira.delete(f"{HERE}/{answer['conversationId']}")
        await drained(edge)
        assert await memories(mira) == {}
        # It stays, once it is memory: the sentence and its hash are kept, not the conversation.
        other = await told(mira, "decision/project: b = 1")
        await drained(edge)
        await mira.delete(f"{HERE}/{other['conversationId']}")
        assert set(await memories(mira)) == {"b = 1"}


async def test_what_a_killed_server_had_taken_on_the_next_one_does_once(edge: Edge) -> None:
    """The first server is gone as a kill leaves it: its claim is there, and nobody works on it."""
    async with edge.as_("member:mira") as mira:
        answer = await told(mira, "decision/project: a = 1")
        async with service_of(edge).store.jobs() as jobs:
            (lost,) = await jobs.claim_turns(timedelta(seconds=0), 4, 5)
        assert str(lost.message) == answer["messageId"]
        await asyncio.gather(drained(edge), drained(edge), drained(edge))
        assert set(await memories(mira)) == {"a = 1"}
        assert len((await mira.get(DISTILL)).json()["items"]) == 1


async def test_a_claim_that_has_passed_to_another_writes_nothing(edge: Edge) -> None:
    """The server was not killed, but slow: it comes back when another has taken the turn over."""
    turns = service_of(edge).distill_turns
    async with edge.as_("member:mira") as mira:
        await told(mira, "decision/project: a = 1")
        async with service_of(edge).store.jobs() as jobs:
            (late,) = await jobs.claim_turns(timedelta(seconds=0), 4, 5)
            (_,) = await jobs.claim_turns(timedelta(seconds=0), 4, 5)
        await turns.take_on(late)
        assert await memories(mira) == {}
        await drained(edge)
        assert set(await memories(mira)) == {"a = 1"}


async def test_what_was_said_later_waits_for_what_was_said_before(edge: Edge) -> None:
    """The first turn is in the hands of another process: the second one, which changes it, is not taken before."""
    async with edge.as_("member:mira") as mira, edge.as_("member:noor") as noor:
        await told(mira, "decision/project: server = srv-1")
        async with service_of(edge).store.jobs() as jobs:
            (first,) = await jobs.claim_turns(timedelta(minutes=5), 4, 5)
        await told(mira, "decision/project: server = srv-2")
        await told(noor, "decision/project: server = srv-7")
        await drained(edge)
        assert (set(await memories(mira)), set(await memories(noor))) == (set(), {"server = srv-7"})
        await service_of(edge).distill_turns.take_on(first)
        await drained(edge)
        assert set(await memories(mira)) == {"server = srv-2"}


async def test_a_key_that_has_ended_writes_nothing_any_more(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira, edge.admin as admin:
        made = (await admin.post("/keys", json={"acts_as": [f"member:{name_of(edge, 'mira')}"]})).json()
        async with edge.as_(made["key"]) as second:
            answer = await told(second, "decision/project: a = 1")
            assert (await admin.delete(f"/keys/{made['id']}")).status_code == 200
        await drained(edge)
        assert await memories(mira) == {}
        assert (await first_message(mira, answer["conversationId"]))["distillation"] == "failed"


async def test_an_answer_that_only_repeats_a_memory_adds_nothing(edge: Edge, double: ModelDouble) -> None:
    async with edge.as_("member:mira") as mira:
        await told(mira, "decision/project: server = srv-4")
        await drained(edge)
        double.plays(play.says("as you know:\ndecision/project: server = srv-4"))
        await told(mira, "which one?")
        await drained(edge)
        assert len(await memories(mira)) == 1
        assert (await mira.get("/recall", params={"query": "server", "min_score": 0})).json()["memories"][0]["overturned"] == []
