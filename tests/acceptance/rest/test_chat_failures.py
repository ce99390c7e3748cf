"""A model that fails: each failure has its name, no message is lost, and one can go on; and what is refused from the first."""

import asyncio
from typing import Any

import httpx
import pytest

import model_double as play
from model_double import ModelDouble, Scene

from .conftest import Edge, problem

MESSAGE = "boss 项目的服务器是哪台？"
MEMORY = "boss 项目的服务器固定是 srv-4"
CHAT = "/master-agent/chat"
KEY = {"Idempotency-Key": "7c1e"}


def asked(message: str = MESSAGE, **more: Any) -> dict[str, Any]:
    return {"projectId": "boss", "message": message, **more}


async def messages(client: httpx.AsyncClient, conversation: str) -> list[dict[str, Any]]:
    return (await client.get(f"/master-agent/conversations/{conversation}")).json()["messages"]


async def conversations(client: httpx.AsyncClient) -> list[dict[str, Any]]:
    return (await client.get("/master-agent/conversations")).json()["items"]


async def kept_and_asked_again(mira: httpx.AsyncClient, double: ModelDouble, failed: httpx.Response, code: str) -> None:
    """The message is there with what became of it; evidence came meanwhile; asked again, it gets its answer, in its place."""
    told = failed.json()
    assert [e["excerpt"] for e in told["evidence"]] == [MEMORY]
    user, *partial = await messages(mira, told["conversationId"])
    assert (user["messageId"], user["content"]) == (told["messageId"], MESSAGE)
    assert (user["state"], user["error"]) == ("failed", code)
    assert [(p["content"], p["state"], p["error"]) for p in partial] == (
        [(told["answer"], "broken", code)] if told["answer"] else []
    )
    double.plays(play.says("srv-4。"))
    again = await mira.post(CHAT, json=asked(conversationId=told["conversationId"], retryOf=told["retryOf"]))
    assert (again.status_code, again.json()["answer"]) == (200, "srv-4。")
    assert again.json()["messageId"] == told["messageId"]
    said = await messages(mira, told["conversationId"])
    assert [(m["role"], m["content"], m["state"], m["error"]) for m in said] == [
        ("user", MESSAGE, "done", None),
        ("assistant", "srv-4。", "done", None),
    ]
    assert len(double.last.messages) == 2  # what failed is no history


@pytest.mark.parametrize(
    ("scene", "status", "code", "partial"),
    [
        (play.refuses(429, Retry_After="7"), 429, "model_quota", None),
        (play.refuses(429, "insufficient_quota"), 429, "model_quota", None),
        (play.refuses(401), 502, "model_refused_key", None),
        (play.refuses(500), 502, "model_unavailable", None),
        (play.refuses(404, "model_not_found"), 502, "model_unavailable", None),
        (play.answers_html(), 502, "model_nonsense", None),
        (play.has_no_choices(), 502, "model_nonsense", None),
        (play.calls_a_tool(), 502, "model_nonsense", None),
        (play.breaks_off(), 502, "model_unavailable", None),
        (play.breaks_off("服务器", "是"), 502, "model_unavailable", "服务器是"),
        (play.ends_early("服务器"), 502, "model_unavailable", "服务器"),
        (play.fails_in_the_stream("insufficient_quota", "服务器"), 429, "model_quota", "服务器"),
    ],
)
async def test_each_failure_has_its_name_and_the_message_is_kept(
    talk: Edge, double: ModelDouble, scene: Scene, status: int, code: str, partial: str | None
) -> None:
    await talk.world.members("mira")
    await talk.world.write("member:mira", MEMORY, account="mira", project_id="boss")
    double.plays(scene)
    async with talk.as_("member:mira") as mira:
        failed = await mira.post(CHAT, json=asked())
        told = await problem(failed, status, code)
        assert told["answer"] == partial
        assert ("retry-after" in failed.headers) == (status == 429)
        await kept_and_asked_again(mira, double, failed, code)


async def test_an_answer_that_does_not_end_is_cut_off_and_kept_as_far_as_it_came(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    double.plays(play.never_ends("und weiter " * 200))
    async with talk.as_("member:mira") as mira:
        told = await problem(await mira.post(CHAT, json=asked()), 502, "model_nonsense")
        _, answer = await messages(mira, str(told["conversationId"]))
        assert answer["state"] == "broken"
        assert 10_000 < len(answer["content"]) <= 65_536


async def test_nobody_who_listens(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    double.stop()
    async with talk.as_("member:mira") as mira:
        told = await problem(await mira.post(CHAT, json=asked()), 502, "model_unavailable")
        assert [m["state"] for m in await messages(mira, str(told["conversationId"]))] == ["failed"]


@pytest.mark.parametrize("patience", [0.3])
@pytest.mark.parametrize("begun", [False, True])
async def test_a_model_that_is_too_slow(talk: Edge, double: ModelDouble, begun: bool) -> None:
    await talk.world.members("mira")
    await talk.world.write("member:mira", MEMORY, account="mira", project_id="boss")
    double.plays(double.says_and_waits("服务器是") if begun else double.never_begins())
    async with talk.as_("member:mira") as mira:
        failed = await mira.post(CHAT, json=asked())
        told = await problem(failed, 504, "model_timeout")
        assert told["answer"] == ("服务器是" if begun else None)
        await kept_and_asked_again(mira, double, failed, "model_timeout")


async def test_an_answer_in_halves_of_characters_and_strange_fields_is_kept_whole(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    double.plays(play.says_in_halves("好", "😀", "。"), play.says_byte_by_byte("港口"), play.says_with_strange_fields("吊机"))
    async with talk.as_("member:mira") as mira:
        for expected in ("好😀。", "港口", "吊机"):
            answer = (await mira.post(CHAT, json=asked())).json()
            assert answer["answer"] == expected
            assert (await messages(mira, answer["conversationId"]))[-1]["content"] == expected


async def test_a_broken_answer_is_history_so_that_one_can_say_go_on(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    double.plays(play.breaks_off("Erstens, zweitens, "), play.says("drittens."))
    async with talk.as_("member:mira") as mira:
        told = (await mira.post(CHAT, json=asked())).json()
        await mira.post(CHAT, json=asked("go on", conversationId=told["conversationId"]))
    assert [m["content"] for m in double.last.messages[1:]] == [MESSAGE, "Erstens, zweitens, ", "go on"]


async def test_the_same_idempotency_key_gives_one_exchange_however_often_and_on_two_servers_at_once(
    talk: Edge, beside: Edge, double: ModelDouble
) -> None:
    await talk.world.members("mira", "noor")
    async with talk.as_("member:mira") as mira, beside.as_("member:mira") as again, talk.as_("member:noor") as noor:
        answers = await asyncio.gather(*(c.post(CHAT, json=asked(), headers=KEY) for c in (mira, again, again, mira)))
        assert {a.status_code for a in answers} == {200}
        assert len({a.text for a in answers}) == 1
        assert len(double.requests) == 1
        assert len(await conversations(mira)) == 1
        assert len(await messages(mira, answers[0].json()["conversationId"])) == 2
        await problem(await mira.post(CHAT, json=asked("other"), headers=KEY), 422, "idempotency_mismatch")
        theirs = await noor.post(CHAT, json=asked(), headers=KEY)
        assert theirs.json()["conversationId"] != answers[0].json()["conversationId"]


async def test_the_same_idempotency_key_asks_again_what_failed_in_its_own_exchange(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    double.plays(play.refuses(500), play.says("ja"))
    async with talk.as_("member:mira") as mira:
        failed = (await mira.post(CHAT, json=asked(), headers=KEY)).json()
        again = (await mira.post(CHAT, json=asked(), headers=KEY)).json()
        assert (again["messageId"], again["answer"]) == (failed["messageId"], "ja")
        assert [m["content"] for m in await messages(mira, again["conversationId"])] == [MESSAGE, "ja"]
        assert (await mira.delete(f"/master-agent/conversations/{again['conversationId']}")).status_code == 200
        await problem(await mira.post(CHAT, json=asked(), headers=KEY), 404, "not_found")
    assert len(double.requests) == 2


async def test_a_message_that_was_asked_again_is_answered_again_by_its_idempotency_key(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    double.plays(play.refuses(500), play.says("one"), play.says("two"))
    async with talk.as_("member:mira") as mira:
        failed = (await mira.post(CHAT, json=asked())).json()
        again = asked(conversationId=failed["conversationId"], retryOf=failed["retryOf"])
        first, second = [await mira.post(CHAT, json=again, headers=KEY) for _ in range(2)]
        assert (first.status_code, first.json()["answer"]) == (200, "one")
        assert (second.status_code, second.json()) == (200, first.json())
        await problem(await mira.post(CHAT, json=again), 409, "conflict", "retryOf")
        await problem(await mira.post(CHAT, json=again, headers={"Idempotency-Key": "other"}), 409, "conflict", "retryOf")
    assert len(double.requests) == 2


async def test_what_is_wrong_with_a_message_is_said_before_anything_is_kept_or_sent(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    nowhere = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"
    bodies: list[tuple[dict[str, Any], int, str, str | None]] = [
        ({"message": "x"}, 422, "invalid", "projectId"),
        ({"projectId": "", "message": "x"}, 422, "invalid", "projectId"),
        ({"projectId": "\u200b", "message": "x"}, 422, "invalid", "projectId"),
        ({"projectId": "boss"}, 422, "invalid", "message"),
        (asked(""), 422, "invalid", "message"),
        (asked(" \n\t"), 422, "invalid", "message"),
        (asked("a\0b"), 422, "invalid", "message"),
        (asked("文" * 11_000), 422, "text_too_long", "message"),
        (asked(messages=[]), 422, "invalid", "messages"),
        (asked(model="m-9"), 422, "invalid", "model"),
        (asked(conversationId="no id"), 422, "invalid", "conversationId"),
        (asked(conversationId=nowhere), 404, "not_found", "conversationId"),
        (asked(conversationId=nowhere, retryOf=nowhere), 404, "not_found", "conversationId"),
        (asked(retryOf=nowhere), 422, "invalid", None),
    ]
    async with talk.as_("member:mira") as mira:
        for body, status, code, field in bodies:
            await problem(await mira.post(CHAT, json=body), status, code, field)
        await problem(
            await mira.post(
                CHAT, content=b'{"projectId": "boss", "message": "\\ud800"}', headers={"Content-Type": "application/json"}
            ),
            400,
            "invalid_json",
        )
        assert await conversations(mira) == []
        answer = (await mira.post(CHAT, json=asked())).json()
        mine = {"conversationId": answer["conversationId"]}
        await problem(await mira.post(CHAT, json=asked(**mine, projectId="other")), 422, "invalid", "projectId")
        await problem(await mira.post(CHAT, json=asked(**mine, retryOf=nowhere)), 404, "not_found", "retryOf")
        done = asked(**mine, retryOf=answer["messageId"])
        await problem(await mira.post(CHAT, json=done), 409, "conflict", "retryOf")
        assert len(await messages(mira, answer["conversationId"])) == 2
    assert len(double.requests) == 1


async def test_two_messages_at_once_in_one_conversation_are_both_answered(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    async with talk.as_("member:mira") as mira:
        conversation = (await mira.post(CHAT, json=asked())).json()["conversationId"]
        both = await asyncio.gather(*(mira.post(CHAT, json=asked(f"q{n}", conversationId=conversation)) for n in range(5)))
        assert {b.status_code for b in both} == {200}
        said = await messages(mira, conversation)
    assert len(said) == 12
    assert [m["role"] for m in said] == ["user", "assistant"] * 6
    assert {m["content"] for m in said if m["role"] == "user"} == {MESSAGE, *(f"q{n}" for n in range(5))}
