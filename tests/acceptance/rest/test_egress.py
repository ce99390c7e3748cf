"""What may leave this machine (C24): listed bank by bank, counted without a text, and forbidden where a bank says so."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

import model_double as play
from model_double import ModelDouble
from own_database import installation, world
from whoknows.bootstrap import Installation
from whoknows.domain.principal import GateLevel

from .casework import opened
from .conftest import Edge, problem
from .outside import EMBEDDER_HOST, MODEL_HOST, Outside, outside_world

__all__ = ["installation", "world"]

SERVER, SIDEBOARD = "boss 项目的服务器固定是 srv-4", "boss 项目的备份放在 sideboard-7"


@pytest.fixture
async def outside(installation: Installation, double: ModelDouble) -> AsyncIterator[Outside]:
    async with outside_world(installation, double) as made:
        yield made


async def said(client: httpx.AsyncClient, message: str = "服务器是哪台？", **more: Any) -> dict[str, Any]:
    answer = await client.post("/master-agent/chat", json={"projectId": "boss", "message": message, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_where_nothing_is_configured_nothing_is_listed_and_nothing_needs_leave(edge: Edge) -> None:
    await edge.world.agents("A")
    await edge.world.team("T", A="writer")
    await edge.world.write("A", SERVER)
    async with edge.as_("A") as a:
        items = (await a.get("/egress")).json()["items"]
    assert [(b["bank"], b["egress"], b["services"]) for b in items] == [
        ("agent:A", "allowed", []), ("team:T", "allowed", []), ("*", "allowed", []),
    ]  # fmt: skip


async def test_a_model_on_loopback_stays_here_whatever_a_bank_says(talk: Edge, double: ModelDouble) -> None:
    await talk.world.members("mira")
    await talk.world.write("member:mira", SERVER, account="mira", project_id="boss")
    async with talk.as_("member:mira") as mira:
        assert (await mira.put("/egress/member:mira", json={"egress": "forbidden"})).status_code == 200
        answer = await said(mira)
        (bank, _) = (await mira.get("/egress")).json()["items"]
    assert answer["mode"] == "full"
    assert "srv-4" in double.last.composed
    assert {(s["state"], s["texts"]) for s in bank["services"]} == {("stays_here", 0)}


async def test_each_bank_is_told_what_leaves_for_where_how_often_and_redacted_how(outside: Outside) -> None:
    await outside.world.members("mira")
    await outside.world.write("member:mira", SERVER, account="mira", project_id="boss")
    async with outside.edge.as_("member:mira") as mira:
        await said(mira)
    told = await outside.services("member:mira", "member:mira")
    assert (told["chat"]["host"], told["chat"]["state"]) == (MODEL_HOST, "allowed")
    assert (told["embedding"]["host"], told["embedding"]["model"]) == (EMBEDDER_HOST, "hash")
    assert told["chat"]["texts"] == 2, "the message, and the memory that went in"
    assert told["chat"]["last_at"] is not None
    assert told["chat"]["redacted"] == ["secrets", "personal data"]
    assert "memories" in told["chat"]["sends"]
    assert told["embedding"]["texts"] >= 2, "the memory, and the question"
    assert told["distillation"]["host"] == MODEL_HOST


async def test_what_a_team_keeps_back_is_never_in_what_a_model_outside_is_sent(outside: Outside) -> None:
    world = outside.world
    await world.members("mira")
    await world.agents("A", account="mira")
    await world.team("*", A="writer")
    await world.write("A", SERVER, team_id="*", project_id="boss")
    await world.write("member:mira", SIDEBOARD, account="mira", project_id="boss")
    assert (await outside.forbid(None, "*")).status_code == 200
    async with outside.edge.as_("member:mira") as mira:
        await said(mira)
        assert "srv-4" not in str(outside.double.last.body)
        assert "sideboard-7" in outside.double.last.composed
        context = (await mira.get("/master-agent/context", params={"projectId": "boss", "message": "服务器"})).json()
        assert "srv-4" not in context["composed"]
        assert [d["why"].partition(":")[0] for d in context["dropped"]] == ["egress_forbidden"]
        assert (await outside.forbid(None, "*", "allowed")).status_code == 200
        await said(mira)
        assert "srv-4" in outside.double.last.composed


async def test_an_account_that_keeps_its_texts_back_is_answered_by_evidence_and_told_why(outside: Outside) -> None:
    await outside.world.members("mira")
    await outside.world.agents("A", account="mira")
    await outside.world.write("member:mira", SERVER, account="mira", project_id="boss")
    await outside.forbid("member:mira", "member:mira")
    for who in ("member:mira", "A"):  # a main agent speaks with its member's words
        async with outside.edge.as_(who) as client:
            answer = await said(client)
            assert (answer["mode"], answer["reason"], answer["model"]) == ("evidence", "egress_forbidden", None)
            assert "srv-4" in answer["answer"]
            trace = (await client.get(f"/traces/{answer['traceId']}")).text
            assert "egress_forbidden" in trace
    assert outside.double.requests == []
    await outside.forbid("member:mira", "member:mira", "allowed")
    async with outside.edge.as_("member:mira") as mira:
        assert ((await said(mira))["mode"], len(outside.double.requests)) == ("full", 1)


async def test_an_earlier_answer_that_rests_on_a_bank_which_forbids_is_not_shown_to_the_model_again(outside: Outside) -> None:
    await outside.world.members("mira")
    await outside.world.agents("A")
    await outside.world.team("*", A="writer")
    await outside.world.write("A", SERVER, team_id="*", project_id="boss")
    outside.double.plays(play.says("是 srv-4。"), play.says("好的。"))
    async with outside.edge.as_("member:mira") as mira:
        first = await said(mira)
        again = {"conversationId": first["conversationId"]}
        await said(mira, "再说一遍", **again)
        assert "srv-4" in str(outside.double.last.body)
        await outside.forbid(None, "*")
        await said(mira, "还有呢？", **again)
        assert "srv-4" not in str(outside.double.last.body)


async def test_an_embedder_outside_is_not_given_what_a_bank_keeps_back_and_words_find_it_all_the_same(
    outside: Outside,
) -> None:
    world = outside.world
    await world.agents("A", "B")
    await outside.forbid("A", "agent:A")
    async with outside.edge.as_("A") as a, outside.edge.as_("B") as b:
        kept = (await a.post("/capture", json={"content": SERVER})).json()["memory"]
        edited = await a.patch(f"/memories/{kept['id']}", json={"version": 1, "content": f"{SERVER}，编号 kolibri"})
        assert edited.status_code == 200, edited.text
        await b.post("/capture", json={"content": SIDEBOARD})
        found = (await a.get("/recall", params={"query": "服务器 kolibri", "min_score": 0, "include": "trace"})).json()
        await b.get("/recall", params={"query": "备份 sideboard"})
        assert [m["id"] for m in found["memories"]] == [kept["id"]]
        assert "egress_forbidden" in str(found)
        assert not outside.embedder.heard_of("srv-4")
        assert not outside.embedder.heard_of("kolibri")
        assert outside.embedder.heard_of("sideboard-7")
        assert outside.embedder.heard_of("备份 sideboard"), "the question of who allows it"
        assert (await a.get("/jobs/pending")).json() == {"embedding": 1, "egress_forbidden": 1}
        assert (await b.get("/jobs/pending")).json() == {"embedding": 0, "egress_forbidden": 0}


async def test_own_words_of_an_observation_stay_where_the_bank_that_they_are_in_keeps_its_texts(outside: Outside) -> None:
    world = outside.world
    await world.agents("A")
    await world.team("T", A="owner")
    said_twice = ("Builds fail when the disk is full", "Nightly builds fail since the disk is full")
    ids = [str((await world.write("A", text, team_id="T")).id) for text in said_twice]
    await outside.forbid("A", "team:T")
    body = {
        "memory_ids": ids,
        "text": "A full disk makes builds fail.",
        "quotes": [{"memory_id": ids[0], "quote": "when the disk is full"}],
    }
    async with outside.edge.as_("A") as a:
        assert (await a.post("/observations", json=body)).status_code == 201
        assert not outside.embedder.heard_of("A full disk"), "the author itself forbids nothing: its team does"
        assert (await a.get("/observations")).json()["items"][0]["content"] == "A full disk makes builds fail."


async def test_what_waited_for_leave_is_embedded_when_the_bank_allows_it(outside: Outside) -> None:
    world = outside.world
    await world.agents("A")
    await outside.forbid("A", "agent:A")
    memory = await world.write("A", SERVER)
    assert not await world.service.work.embed(memory.id)
    assert not outside.embedder.heard_of("srv-4")
    await outside.forbid("A", "agent:A", "allowed")
    assert await world.service.work.embed(memory.id)
    assert outside.embedder.heard_of("srv-4")
    told = await outside.services("A", "agent:A")
    assert told["embedding"]["texts"] == 1
    async with outside.edge.as_("A") as a:
        assert (await a.get("/jobs/pending")).json()["egress_forbidden"] == 0


async def test_counts_tell_nobody_of_memories_that_it_does_not_see(outside: Outside) -> None:
    world = outside.world
    await world.agents("A", "B", "C")
    await world.team("T", GateLevel.REVIEWED, A="writer", B="writer", C="reader")
    before = (await outside.services("C", "team:T"))["embedding"]
    await world.write("A", "nur für B", team_id="T", visible_to=("B",))
    await world.write("A", "wartet auf Durchsicht", team_id="T")
    await world.write("A", "privat")
    assert (await outside.services("C", "team:T"))["embedding"] == before, "narrowed and held texts are none of its business"
    assert (await outside.services("A", "team:T"))["embedding"]["texts"] == 2
    async with outside.edge.as_("C") as c:
        assert {b["bank"] for b in (await c.get("/egress")).json()["items"]} == {"agent:C", "team:T", "*"}


async def test_who_may_forbid_and_only_who_forbade_may_allow_again(outside: Outside) -> None:
    world = outside.world
    await world.members("mira", "otto")
    await world.agents("A", "B")
    await world.team("T", A="owner", B="writer")
    await problem(await outside.forbid("B", "team:T"), 403, "egress_not_yours")
    await problem(await outside.forbid("member:otto", "member:mira"), 403, "egress_not_yours")
    await problem(await outside.forbid("A", "team:nobody"), 404, "not_found")
    await problem(await outside.forbid("A", "nobody"), 422, "invalid", "principal")
    await problem(await outside.forbid("A", "team:T", "perhaps"), 422, "invalid")
    assert (await outside.forbid("A", "team:T")).json() == {
        "bank": "team:T", "egress": "forbidden", "forbidden_by": ["owner"],
    }  # fmt: skip
    assert (await outside.forbid(None, "team:T")).json()["forbidden_by"] == ["owner", "administrator"]
    await problem(await outside.forbid("A", "team:T", "allowed"), 403, "egress_forbidden_by_another")
    await problem(await outside.forbid(None, "team:T", "allowed"), 403, "egress_forbidden_by_another")
    assert (await outside.services("B", "team:T"))["chat"]["state"] == "forbidden"


async def test_a_refusal_to_allow_changes_nothing_and_each_side_takes_back_its_own(outside: Outside) -> None:
    await outside.world.members("mira")
    await outside.forbid(None, "member:mira")
    await problem(await outside.forbid("member:mira", "member:mira", "allowed"), 403, "egress_forbidden_by_another")
    assert (await outside.forbid(None, "member:mira", "allowed")).json()["egress"] == "allowed"
    await outside.forbid("member:mira", "member:mira")
    await problem(await outside.forbid(None, "member:mira", "allowed"), 403, "egress_forbidden_by_another")
    assert (await outside.services("member:mira", "member:mira"))["chat"]["state"] == "forbidden"


async def test_it_is_in_the_audit_trail_and_no_text_is_counted(outside: Outside) -> None:
    await outside.world.agents("A")
    await outside.world.write("A", SERVER)
    await outside.forbid("A", "agent:A")
    await outside.forbid("A", "agent:A", "allowed")
    async with outside.edge.admin as admin:
        actions = [r["action"] for r in (await admin.get("/audit")).json()["items"]]
    assert actions[:2] == ["egress.allow", "egress.forbid"]


async def test_a_role_whose_bank_forbids_it_answers_by_evidence_and_a_model_sees_no_card_that_is_kept_back(
    outside: Outside,
) -> None:
    async with opened(outside.edge) as case:
        free = await case.ask("informant", "保险箱密码是多少？")
        assert free["mode"] == "full"
        assert outside.roles.cards
        outside.roles.cards.clear()
        async with outside.edge.as_(case.key) as operator:
            done = await operator.put("/egress/agent:informant", json={"egress": "forbidden"})
            assert done.status_code == 200, done.text
        kept = await case.ask("informant", "保险箱密码是多少？")
        assert (kept["mode"], kept["reason"]) == ("evidence", "egress_forbidden")
        assert outside.roles.cards == []
