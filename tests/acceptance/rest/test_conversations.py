"""Conversations as they are read and deleted, and answers in evidence mode, which say nothing that is gone."""

from typing import Any

import httpx
import psycopg
import pytest

import model_double as play
from model_double import ModelDouble
from whoknows.domain.credential import Permission
from worlds import World

from .conftest import Edge, problem
from .test_chat import INJECTIONS, SECRET

CHAT = "/master-agent/chat"
HERE = "/master-agent/conversations"


async def said(client: httpx.AsyncClient, message: str, project: str = "boss", **more: Any) -> dict[str, Any]:
    answer = await client.post(CHAT, json={"projectId": project, "message": message, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


def everywhere(world: World, words: str) -> list[str]:
    """The tables in which a row holds ``words``, as one whom no policy binds."""
    with psycopg.connect(world.installation.dsn, autocommit=True) as connection:
        tables = connection.execute(
            "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables "
            "WHERE table_schema IN ('whoknows', 'procrastinate') AND table_type = 'BASE TABLE'"
        ).fetchall()
        assert len(tables) > 20
        return [
            t
            for (t,) in tables
            if connection.execute(f"SELECT FROM {t} t WHERE t::text LIKE %s".encode(), (f"%{words}%",)).fetchone() is not None
        ]


async def test_conversations_are_listed_by_their_newest_message_page_by_page(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    async with talk.as_("member:mira") as mira:
        ids = [
            (await said(mira, f"\n\n  title {n}\nand more", "boss" if n % 2 else "other"))["conversationId"] for n in range(5)
        ]
        await said(mira, "once more", "other", conversationId=ids[0])
        order = [ids[0], *reversed(ids[1:])]
        seen: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            query: dict[str, Any] = {"limit": 2} | ({} if cursor is None else {"cursor": cursor})
            page = (await mira.get(HERE, params=query)).json()
            seen += page["items"]
            cursor = page["nextCursor"]
            if cursor is None:
                break
        assert [c["conversationId"] for c in seen] == order
        assert {c["title"] for c in seen} == {f"title {n}" for n in range(5)}
        of_boss = (await mira.get(HERE, params={"projectId": "boss"})).json()["items"]
        assert [c["conversationId"] for c in of_boss] == [ids[3], ids[1]]
        await problem(await mira.get(HERE, params={"cursor": "no id"}), 422, "invalid", "cursor")
        assert (await mira.get(HERE, params={"projectId": "nowhere"})).json() == {"items": [], "nextCursor": None}


async def test_a_long_conversation_is_read_from_its_end(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    async with talk.as_("member:mira") as mira:
        conversation = (await said(mira, "m0"))["conversationId"]
        for n in range(1, 5):
            await said(mira, f"m{n}", conversationId=conversation)
        newest = (await mira.get(f"{HERE}/{conversation}", params={"limit": 2})).json()
        assert [m["content"] for m in newest["messages"] if m["role"] == "user"] == ["m3", "m4"]
        before = (await mira.get(f"{HERE}/{conversation}", params={"limit": 3, "cursor": newest["nextCursor"]})).json()
        assert [m["content"] for m in before["messages"] if m["role"] == "user"] == ["m0", "m1", "m2"]
        assert before["nextCursor"] is None
        assert newest["title"] == "m0"


async def test_deleting_a_conversation_leaves_nothing_of_its_texts_anywhere(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    double.plays(
        play.says("die antwort zitronenfalter"),
        play.breaks_off("halbe antwort zitronenfalter"),
        play.says("ja zitronenfalter"),
        play.says("gut"),
    )
    async with talk.as_("member:mira") as mira:
        first = await said(mira, "frage zitronenfalter")
        mine = {"projectId": "boss", "message": "noch eine zitronenfalter", "conversationId": first["conversationId"]}
        failed = (await mira.post(CHAT, json=mine)).json()
        await said(mira, mine["message"], conversationId=first["conversationId"], retryOf=failed["retryOf"])
        other = await said(mira, "etwas anderes")
        assert set(everywhere(talk.world, "zitronenfalter")) == {
            "whoknows.conversations",
            "whoknows.exchanges",
            "whoknows.traces",
        }
        assert (await mira.delete(f"{HERE}/{first['conversationId']}")).json() == {"deleted": 1}
        assert everywhere(talk.world, "zitronenfalter") == []
        await problem(await mira.delete(f"{HERE}/{first['conversationId']}"), 404, "not_found")
        await problem(await mira.get(f"/traces/{first['traceId']}"), 404, "not_found")
        assert (await mira.get(f"/traces/{other['traceId']}")).status_code == 200
        assert [c["conversationId"] for c in (await mira.get(HERE)).json()["items"]] == [other["conversationId"]]


@pytest.mark.parametrize(
    ("message", "marked", "nothing"),
    [
        (
            "港口 4 号吊机 上次 保养 是 什么 时候",
            "【证据模式：没有语言模型参与】记忆里",
            "【证据模式：没有语言模型参与】没有找到",
        ),
        ("when was crane 4 of the harbour serviced", "[Evidence mode: no language model took part] What", "[Evidence mode"),
    ],
)
async def test_without_a_model_the_answer_is_what_was_found_with_its_sources_in_the_language_of_the_question(
    world: World, edge: Edge, message: str, marked: str, nothing: str
) -> None:
    await world.members("mira")
    text = f"{message}: 2026-03-14"
    found = await world.write(
        "member:mira", text, account="mira", project_id="boss", source="file:log.md", quote="crane 4 was serviced"
    )
    await world.write("member:mira", f"{text} (elsewhere)", account="mira", project_id="other")
    async with edge.as_("member:mira") as mira:
        answer = await said(mira, message)
        assert (answer["mode"], answer["model"], answer["state"]) == ("evidence", None, "done")
        assert answer["answer"].startswith(marked)
        for part in (text, "log.md", "crane 4 was serviced", str(found.id)):
            assert part in answer["answer"]
        assert "elsewhere" not in answer["answer"]
        (source,) = answer["sources"]
        assert (source["id"], source["excerpt"]) == (str(found.id), text)
        assert 0 < source["score"] <= 1
        assert [(e["locator"], e["quote"]) for e in source["evidence"]] == [("log.md", "crane 4 was serviced")]
        none = await said(mira, "qwertz" if message.isascii() else "天空为什么是蓝色的呢")
        assert none["sources"] == []
        assert none["answer"].startswith(nothing)
        whole = (await mira.get(f"{HERE}/{answer['conversationId']}")).json()["messages"]
        assert [m["content"] for m in whole] == [message, answer["answer"]]


async def test_an_answer_in_evidence_mode_says_nothing_any_more_of_a_memory_that_is_deleted(world: World, edge: Edge) -> None:
    await world.members("mira")
    await world.agents("boss", account="mira")
    await world.team("T", boss="writer")
    await world.team("*", boss="writer")
    own = await world.write("member:mira", "the harbour crane was greased on monday", account="mira", project_id="boss")
    everyones = await world.write("boss", "the harbour crane was painted on friday", team_id="*", project_id="boss")
    await world.write("boss", "the harbour crane was sold on sunday", team_id="T", project_id="boss")
    async with edge.as_("boss") as boss, edge.as_("member:mira") as mira:
        answer = await said(boss, "harbour crane")
        for words in ("greased", "painted"):
            assert words in answer["answer"]
        assert "sold" not in answer["answer"]  # the member, who reads this conversation too, is not on that team
        path = f"{HERE}/{answer['conversationId']}"
        await boss.delete(f"/memories/{everyones.id}")
        hers = (await mira.get(path)).json()["messages"][-1]
        assert "greased" in hers["content"]
        assert "painted" not in str(hers)
        await mira.delete(f"/memories/{own.id}")
        assert "greased" not in (await boss.get(path)).text
        gone = (await mira.get(path)).json()["messages"][-1]
        assert "is not there any more" in gone["content"]
        assert everywhere(world, "greased") == []


async def test_two_hundred_messages_that_ask_for_more_find_nothing_more_in_evidence_mode(world: World, edge: Edge) -> None:
    await world.members("mira", "noor")
    await world.write("member:noor", SECRET, account="noor", project_id="boss")
    async with edge.as_("member:mira") as mira:
        for kind in INJECTIONS.values():
            for message in (*kind["zh"], *kind["en"]):
                answer = await said(mira, message)
                assert answer["sources"] == [], message
                assert "mandarine" not in answer["answer"]
            trace = (await mira.get(f"/traces/{answer['traceId']}")).json()
            assert [s["space"] for s in trace["searched"]] == ["member:mira", "*"]
            assert trace["mode"] == "evidence"
    async with edge.as_("member:noor") as noor:  # the other side: it is there for her
        assert "mandarine" in (await said(noor, "保险箱密码是多少"))["answer"]


async def test_a_question_of_any_length_is_searched(world: World, edge: Edge) -> None:
    await world.members("mira")
    async with edge.as_("member:mira") as mira:
        assert (await said(mira, "港" * 10_000))["state"] == "done"


async def test_with_inspect_one_reads_a_conversation_and_neither_says_nor_deletes_anything(world: World, edge: Edge) -> None:
    await world.members("mira")
    operator = await world.key(permissions=[Permission.INSPECT])
    async with edge.as_("member:mira") as mira, edge.as_(operator, X_Seen_As="member:mira") as eyes:
        answer = await said(mira, "hello")
        path = f"{HERE}/{answer['conversationId']}"
        assert (await eyes.get(path)).json() == (await mira.get(path)).json()
        await problem(await eyes.delete(path), 403, "seen_as_reads_only")
        refused = await eyes.post(CHAT, json={"projectId": "boss", "message": "x"})
        await problem(refused, 403, "seen_as_reads_only")
        noted = (await mira.get("/audit")).json()["items"]
        assert any(n["action"] == "inspect" and HERE in n["target"] for n in noted)
