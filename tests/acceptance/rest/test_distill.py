"""Distilling a conversation: what becomes memory, where and with what source; what is said again, and what is undone."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from made_up import github_token
from marked_distiller import MarkedDistiller
from postgres.databases import fresh

from .conftest import Edge, problem
from .distilling import DISTILL, MEMORIES, distil, marked, memories, name_of, said, texts, two_members, whys

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reading(server: str) -> AsyncIterator[tuple[Edge, MarkedDistiller]]:
    """One server for all tests here: each has two members of its own."""
    with fresh(server, "distill") as installation:
        async with marked(installation) as both:
            yield both


@pytest_asyncio.fixture(loop_scope="module")
async def edge(reading: tuple[Edge, MarkedDistiller]) -> Edge:
    return await two_members(reading[0])


async def test_a_fact_becomes_memory_with_its_sentence_as_quote_and_its_message_as_source(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        answer = await distil(mira, said("hello", "so:\ndecision/project: server = srv-4\nthat is it"))
        assert texts(answer) == [("stored", "server = srv-4")]
        assert whys(answer) == [("m1", "nothing_lasting")]
        (kept,) = answer["kept"]
        assert (kept["quote"], kept["messageId"]) == ("server = srv-4", "m2")
        assert kept["memory"]["sourceMessageId"] == "m2"
        assert kept["memory"]["distilled"] == {"batchId": answer["batchId"]}
        whole = (await mira.get(f"/memories/{kept['memory']['memoryId']}")).json()
        (evidence,) = whole["evidence"]
        assert (evidence["source_kind"], evidence["locator"], evidence["quote"]) == ("message", "m2", "server = srv-4")
        assert evidence["verified"] is True
        assert whole["distilled"] == {"batch_id": answer["batchId"]}


async def test_what_is_said_of_the_project_stays_there_and_of_the_person_goes_everywhere(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        await distil(mira, said("risk/project: r = 1", "user_preference/global: p = 1"))
        assert set(await memories(mira, scope="project", projectId="boss")) == {"r = 1"}
        assert set(await memories(mira, scope="global")) == {"p = 1"}
        # The same words are another fact in another project, and the same one where it holds everywhere.
        again = await distil(mira, said("risk/project: r = 1", "user_preference/global: p = 1"), project="other")
        assert texts(again) == [("stored", "r = 1")]
        assert [w for _, w in whys(again)] == ["repeat"]


async def test_a_change_takes_the_place_of_the_older_statement_which_stays_as_overturned(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        first = await distil(mira, said("decision/project: server = srv-4"))
        second = await distil(mira, said("decision/project: server = srv-9", first=2))
        assert texts(second) == [("superseding", "server = srv-9")]
        assert set(await memories(mira)) == {"server = srv-9"}
        new = second["kept"][0]["memory"]["memoryId"]
        told = (await mira.get(f"/memories/{new}")).json()
        (old,) = told["overturned"]
        assert old["id"] == first["kept"][0]["memory"]["memoryId"]
        assert "m2" in told["reason"]


async def test_a_change_in_part_of_what_others_read_too_stands_beside_it_in_words_of_its_own(edge: Edge) -> None:
    await edge.world.agents("reads-along")
    async with edge.as_("member:mira") as mira:
        await distil(mira, said("decision/project: relay = srv-4"))
        old = (await memories(mira))["relay = srv-4"]["memoryId"]
        assert (await mira.put(f"/memories/{old}/shares/reads-along")).status_code == 200
        told = await distil(mira, said("decision/project: relay = srv-5, rest stays", first=2))
        assert texts(told) == [("stored", "relay = srv-5, rest stays")], "nothing would take the older words out of it"
        assert {"relay = srv-4", "relay = srv-5, rest stays"} <= set(await memories(mira))


async def test_a_chain_within_one_call_ends_with_one_current_statement(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        messages = said(*(f"decision/project: server = srv-{n}" for n in range(5)), "decision/project: server = srv-4")
        answer = await distil(mira, messages)
        assert [o for o, _ in texts(answer)] == ["stored", *["superseding"] * 4]
        assert whys(answer) == [("m6", "repeat")]
        assert set(await memories(mira)) == {"server = srv-4"}
        current = (await memories(mira))["server = srv-4"]["memoryId"]
        assert len((await mira.get(f"/memories/{current}")).json()["overturned"]) == 4


async def test_the_same_messages_again_add_nothing_not_even_what_was_deleted(edge: Edge) -> None:
    messages = said("decision/project: a = 1", "decision/project: b = 2\nrisk/project: c = 3")
    async with edge.as_("member:mira") as mira:
        first = await distil(mira, messages)
        assert len(first["kept"]) == 3
        await mira.delete(f"{MEMORIES}/{first['kept'][0]['memory']['memoryId']}")
        again = await distil(mira, messages)
        assert again["kept"] == []
        assert whys(again) == [("m1", "repeat"), ("m2", "repeat")]
        assert set(await memories(mira)) == {"b = 2", "c = 3"}
        # Other words under the same id are another message.
        other = await distil(mira, said("decision/project: a = 1, says somebody anew"))
        assert len(other["kept"]) == 1


async def test_two_calls_at_once_do_not_double(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira, edge.as_("member:noor") as noor:
        calls = [distil(mira, said(*(f"decision/project: n{n} = {n}" for n in range(20)), first=f)) for f in (1, 1, 100, 200)]
        answers = await asyncio.gather(*calls, distil(noor, said("decision/project: n1 = 1")))
        assert sum(len(a["kept"]) for a in answers[:4]) == 20
        assert len(await memories(mira)) == 20
        assert set(await memories(noor)) == {"n1 = 1"}


async def test_undoing_a_batch_takes_back_all_of_it_and_brings_back_what_it_overturned(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        await distil(mira, said("decision/project: server = srv-4"))
        second = await distil(mira, said("decision/project: server = srv-9", "risk/project: disk = full", first=2))
        path = f"{DISTILL}/{second['batchId']}"
        assert (await mira.delete(path)).json() == {"deleted": 2, "restored": 1, "released": 0}
        assert set(await memories(mira)) == {"server = srv-4"}
        assert (await mira.delete(path)).json() == {"deleted": 0, "restored": 0, "released": 0}
        listed = (await mira.get(DISTILL)).json()["items"]
        assert [b["undoneAt"] is not None for b in listed] == [True, False]
        # What was undone may be said again.
        anew = await distil(mira, said("decision/project: server = srv-9", "risk/project: disk = full", first=2))
        assert len(anew["kept"]) == 2


async def test_undoing_an_older_batch_leaves_what_came_after_it(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        await distil(mira, said("decision/project: server = srv-1"))
        middle = await distil(mira, said("decision/project: server = srv-2", first=2))
        await distil(mira, said("decision/project: server = srv-3", first=3))
        assert (await mira.delete(f"{DISTILL}/{middle['batchId']}")).json()["deleted"] == 1
        current = (await memories(mira))["server = srv-3"]["memoryId"]
        (old,) = (await mira.get(f"/memories/{current}")).json()["overturned"]
        assert old["content"] == "server = srv-1"


async def test_what_a_hand_has_changed_stays_when_the_batch_is_undone(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        batch = await distil(mira, said("decision/project: a = 1", "decision/project: b = 2"))
        mine = batch["kept"][0]["memory"]["memoryId"]
        await mira.post(f"{MEMORIES}/{mine}", json={"content": "a = 1, and I know why"})
        assert (await mira.delete(f"{DISTILL}/{batch['batchId']}")).json() == {"deleted": 1, "restored": 0, "released": 1}
        (left,) = (await memories(mira)).values()
        assert (left["content"], left["distilled"]) == ("a = 1, and I know why", None)


async def test_a_batch_that_joined_what_was_there_takes_only_its_own_evidence_back(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        by_hand = (await mira.post(MEMORIES, json={"content": "exactly this", "projectId": "boss"})).json()["memoryId"]
        batch = await distil(mira, said("decision/project: exactly this"))
        whole = (await mira.get(f"/memories/{by_hand}")).json()
        if batch["kept"]:  # the same words: joined, with the message as evidence
            assert texts(batch) == [("merged", "exactly this")]
            assert [e["locator"] for e in whole["evidence"]] == ["m1"]
        await mira.delete(f"{DISTILL}/{batch['batchId']}")
        after = (await mira.get(f"/memories/{by_hand}")).json()
        assert (after["content"], after["evidence"]) == ("exactly this", [])


async def test_a_dry_run_tells_and_writes_nothing(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        dry = await distil(mira, said("decision/project: a = 1"), dryRun=True)
        assert texts(dry) == [("stored", "a = 1")]
        assert dry["batchId"] is None
        assert await memories(mira) == {}
        assert (await mira.get(DISTILL)).json()["items"] == []
        assert len((await distil(mira, said("decision/project: a = 1")))["kept"]) == 1


async def test_a_batch_is_read_with_what_it_kept_and_skipped(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        made = await distil(mira, said("decision/project: a = 1", "hello", "decision/project: a = 1"))
        read = (await mira.get(f"{DISTILL}/{made['batchId']}")).json()
        assert [(f["messageId"], f["quote"]) for f in read["facts"]] == [("m1", "a = 1")]
        assert sorted(whys(read)) == [("m2", "nothing_lasting"), ("m3", "repeat")]
        assert (read["heard"], read["kept"], read["automatic"], read["mode"]) == (3, 1, False, "rules")
        assert set(await memories(mira, batchId=made["batchId"])) == {"a = 1"}
        await mira.post(MEMORIES, json={"content": "by hand"})
        assert set(await memories(mira, distilled=True)) == {"a = 1"}
        assert set(await memories(mira, distilled=False)) == {"by hand"}


async def test_another_account_is_told_of_nothing(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira, edge.as_("member:noor") as noor:
        made = await distil(mira, said("decision/project: a = 1"))
        absent = f"{DISTILL}/0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"
        for verb in ("GET", "DELETE"):
            hidden = await problem(await noor.request(verb, f"{DISTILL}/{made['batchId']}"), 404, "not_found")
            none = await problem(await noor.request(verb, absent), 404, "not_found")
            assert hidden | {"request_id": ""} == none | {"request_id": ""}
        assert (await noor.get(DISTILL)).json() == {"items": [], "nextCursor": None}
        asked = {"projectId": "boss", "messages": said("x"), "account": name_of(edge, "mira")}
        await problem(await noor.post(DISTILL, json=asked), 403, "not_your_account")
        # The same words of another are nobody's repeat.
        assert len((await distil(noor, said("decision/project: a = 1")))["kept"]) == 1
        assert set(await memories(mira)) == {"a = 1"}


async def test_a_main_agent_distils_for_its_member_and_a_sub_agent_for_nobody(edge: Edge) -> None:
    await edge.world.agents("M", account=name_of(edge, "mira"))
    await edge.world.agents("free")
    async with edge.as_("M") as m, edge.as_("free") as free, edge.as_("member:mira") as mira:
        await distil(m, said("decision/project: a = 1"))
        assert set(await memories(mira)) == {"a = 1"}
        # Whoever of the account says it again, it is one memory.
        assert whys(await distil(mira, said("decision/project: a = 1", first=7))) == [("m7", "repeat")]
        await problem(await free.post(DISTILL, json={"projectId": "boss", "messages": said("x")}), 403, "no_account")


async def test_the_gate_of_the_account_holds_what_was_distilled_and_verified_lets_it_in(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        for gate, outcome in (("verified", "stored"), ("reviewed", "held")):
            assert (await edge_patch(edge, gate)) == 200
            answer = await distil(mira, said(f"decision/project: long enough a statement under {gate} = 1"), project=gate)
            assert [o for o, _ in texts(answer)] == [outcome]
        assert len(await memories(mira)) == 1


async def edge_patch(edge: Edge, gate: str) -> int:
    async with edge.admin as admin:
        return (await admin.patch(f"/members/{name_of(edge, 'mira')}", json={"gate": gate})).status_code


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"projectId": "", "messages": []}, "projectId"),
        ({"projectId": "p", "messages": [{"id": "m", "role": "developer", "content": "x"}]}, "messages.0.role"),
        ({"projectId": "p", "messages": [{"id": "", "role": "user", "content": "x"}]}, "messages.0.id"),
        ({"projectId": "p", "messages": [{"id": "m", "role": "user", "content": "a\0b"}]}, "messages.0.content"),
        ({"projectId": "p", "messages": [{"id": "m", "role": "user", "content": "x" * 40_000}]}, "messages.0.content"),
        ({"projectId": "p", "messages": [*said("a"), *said("b")]}, "messages.1.id"),
        ({"projectId": "p", "messages": said(*("x" for _ in range(1001)))}, "messages"),
    ],
    ids=["no project", "unknown role", "no id", "NUL", "huge", "one id twice", "too many"],
)
async def test_what_cannot_be_a_conversation_is_refused_whole(edge: Edge, body: dict[str, Any], field: str) -> None:
    async with edge.as_("member:mira") as mira:
        answer = await mira.post(DISTILL, json=body)
        assert answer.status_code == 422, answer.text
        assert answer.json()["field"] == field
        assert (await mira.get(DISTILL)).json()["items"] == []


async def test_no_message_at_all_and_a_thousand_of_them(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        nothing = await distil(mira, [])
        assert (nothing["kept"], nothing["skipped"]) == ([], [])
        stated = {n: f"decision/project: k{n % 50} = {n}" for n in range(1, 1000, 10)}
        many = [stated.get(n, "" if n % 4 == 0 else f"words {n}") for n in range(1000)]
        answer = await distil(mira, said(*many))
        assert len(await memories(mira)) == len({n % 50 for n in stated})
        assert len({s["messageId"] for s in answer["skipped"]} | {k["messageId"] for k in answer["kept"]}) == 1000


async def test_what_systems_and_tools_say_is_nobodys_statement(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        for role in ("system", "tool"):
            answer = await distil(mira, said("decision/project: a = 1", role=role))
            assert whys(answer) == [("m1", "not_said")]
        assert await memories(mira) == {}


async def test_an_idempotency_key_answers_again_and_refuses_another_body(edge: Edge) -> None:
    async with edge.as_("member:mira", Idempotency_Key="k1") as mira:
        first = await distil(mira, said("decision/project: answer = one", "hello"))
        again = await distil(mira, said("decision/project: answer = one", "hello"))
        assert again == first
        other = {"projectId": "boss", "messages": said("decision/project: b = 1")}
        await problem(await mira.post(DISTILL, json=other), 422, "idempotency_mismatch")
        assert set(await memories(mira)) == {"answer = one"}


async def test_a_secret_is_gone_before_anything_judges_it_and_the_fact_beside_it_stays(
    edge: Edge, reading: tuple[Edge, MarkedDistiller]
) -> None:
    distiller = reading[1]
    secret = github_token()
    async with edge.as_("member:mira") as mira:
        answer = await distil(mira, said(f"decision/project: server = srv-4\nand the token is {secret}"))
        assert texts(answer) == [("stored", "server = srv-4")]
    assert distiller.judged, answer
    assert secret not in str(distiller.judged)
    assert "[secret:" in str(distiller.judged)
