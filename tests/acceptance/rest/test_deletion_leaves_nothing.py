"""Deletion (rules W9): whatever a text went into, a dump of the whole database holds it nowhere afterwards.

What somebody asked or said in its own words stays its own, also where it repeats a memory: a question, a message of a chat.
"""

import asyncio
import string
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

import made_up
import model_double as play
from model_double import ModelDouble
from whoknows.bootstrap import Installation, assemble
from whoknows.domain.ids import MemoryId
from whoknows.domain.principal import AgentRole, GateLevel
from whoknows.flows.limits import Limits
from whoknows.ports import Vector
from whoknows.recall.passages import is_inline
from worlds import HashEmbedder, World

from ..remains import dumped
from .casework import ok
from .conftest import Edge, until
from .distilling import distil, marked
from .distilling import said as said_all
from .hooking import Session, connected, distilled, turns

Json = dict[str, Any]


class Canaries:
    """A word of its own for each place that a text goes to, so that one that is left says where."""

    def __init__(self) -> None:
        self.words: dict[str, str] = {}

    def __call__(self, place: str) -> str:
        return self.words.setdefault(place, "q" + made_up.letters(13, string.ascii_lowercase))

    def left_in(self, dump: str) -> list[str]:
        low = dump.lower()
        return [place for place, word in self.words.items() if word in low]


@pytest.fixture
def canary() -> Canaries:
    return Canaries()


async def dump(edge: Edge, folder: Path) -> str:
    return await dumped(edge.world.installation.dsn, folder)


async def captured(client: httpx.AsyncClient, content: str, **fields: Any) -> Json:
    response = await client.post("/capture", json={"content": content, **fields})
    assert response.status_code in (201, 202), response.text
    return response.json()["memory"]


async def deleted(client: httpx.AsyncClient, *memories: Json) -> None:
    for memory in memories:
        ok(await client.delete(f"/memories/{memory['id']}"))


async def test_every_field_every_version_and_every_copy_go_with_the_memory(
    edge: Edge, canary: Canaries, tmp_path: Path
) -> None:
    world = edge.world
    await world.agents("A", "C")
    await world.agents("S", role=AgentRole.SUB, parent="A")
    await world.agents("SS", role=AgentRole.SUB, parent="S")
    await world.team("T", A="writer", C="reader")
    async with edge.as_("A") as a, edge.as_("S") as s, edge.as_("C") as c:
        key = {"Idempotency-Key": "once"}
        body = {
            "content": f"Hafen {canary('content')}", "title": canary("title"), "tags": [canary("tag")],
            "subject": canary("subject"), "reason": canary("reason"), "source": f"manual: {canary('source')}",
            "quote": f"he said {canary('quote')}",
        }  # fmt: skip
        memory = ok(await a.post("/capture", json=body, headers=key), 201)["memory"]
        ok(await a.post(f"/memories/{memory['id']}/publish", json={"team_id": "T"}), 201)
        ok(
            await a.post(
                "/inject-context", json={"agent_id": "S", "task": "x", "memory_ids": [memory["id"]], "may_pass_on": True}
            )
        )
        copy = ok(await s.get("/memories"))["items"][0]
        ok(await s.post("/inject-context", json={"agent_id": "SS", "task": "x", "memory_ids": [copy["id"]]}))
        ok(await a.put(f"/memories/{memory['id']}/shares/C"))
        for version, place in enumerate(("first edit", "second edit"), 1):
            edit = {"version": version, "content": f"Hafen {canary(place)}", "reason": f"because {canary(f'{place}, reason')}"}
            ok(await a.patch(f"/memories/{memory['id']}", json=edit))
        found = ok(await c.get("/recall", params={"query": "Hafen", "min_score": 0, "include": "trace,history"}))
        assert canary("content") in str(found), "the published copy"
        kept = await captured(a, "Hafen der anderen")
        assert len(canary.left_in(await dump(edge, tmp_path))) == len(canary.words), "the test would see what is left"
        gone = ok(await a.delete(f"/memories/{memory['id']}"))
        assert gone["deleted"] == 1
        assert gone["copied"] == 2, "the copies that the caller made itself; those of others went, and are not told"
        assert canary.left_in(await dump(edge, tmp_path)) == []
        assert [m["id"] for m in ok(await a.get("/memories"))["items"]] == [kept["id"]]
        again = await a.post("/capture", json=body, headers=key)
        assert again.status_code == 404, "the answer of that key is gone with the memory"
        assert canary.left_in(again.text) == []


async def test_a_chain_goes_version_by_version_and_what_was_overturned_is_current_again(
    edge: Edge, canary: Canaries, tmp_path: Path
) -> None:
    await edge.world.agents("A")
    async with edge.as_("A") as a:
        old = await captured(a, f"Tor {canary('old')}")
        middle = await captured(a, f"Tor {canary('middle')}", supersedes=old["id"], reason=canary("why"))
        new = await captured(a, f"Tor {canary('new')}", supersedes=middle["id"])
        await deleted(a, middle)
        assert set(canary.left_in(await dump(edge, tmp_path))) == {"old", "new"}
        await deleted(a, new)
        (back,) = ok(await a.get("/memories"))["items"]
        assert (back["id"], back["state"]) == (old["id"], "active")
        await deleted(a, old)
        assert canary.left_in(await dump(edge, tmp_path)) == []


async def test_what_waited_for_a_reviewer_leaves_nothing_however_it_ends(edge: Edge, canary: Canaries, tmp_path: Path) -> None:
    world = edge.world
    await world.members("otto")
    await world.agents("A")
    await world.team("R", GateLevel.REVIEWED, A="writer", **{"member:otto": "writer"})
    async with edge.as_("A") as a, edge.as_("member:otto") as otto:
        team = {"memory_type": "team", "team_id": "R"}
        refused = await captured(a, f"Brücke {canary('refused')}", **team)
        admitted = await captured(a, f"Brücke {canary('admitted')}", **team)
        withdrawn = await captured(a, f"Brücke {canary('held')}", **team)
        ok(await otto.post(f"/review/{refused['id']}/refuse", json={"reason": "decided otherwise"}))
        assert "refused" not in canary.left_in(await dump(edge, tmp_path))
        body = {"version": 1, "content": f"Brücke {canary('reviewed words')}"}
        ok(await otto.post(f"/review/{admitted['id']}/admit", json=body))
        assert set(canary.left_in(await dump(edge, tmp_path))) == {"admitted", "held", "reviewed words"}
        await deleted(a, admitted, withdrawn)
        assert canary.left_in(await dump(edge, tmp_path)) == []
        (entry, *_) = ok(await a.get("/ledger"))["items"]
        assert entry["code"] == "rejected", "that it was refused is still told"


async def test_what_others_took_from_it_goes_along_and_the_rest_of_them_stays(
    edge: Edge, canary: Canaries, tmp_path: Path
) -> None:
    world = edge.world
    await world.agents("A")
    await world.team("T", A="owner")
    async with edge.as_("A") as a:
        team = {"memory_type": "team", "team_id": "T"}
        said = f"Der Kran steht am Pier {canary('source')}"
        one = await captured(a, said, **team)
        other = await captured(a, "Der Kran steht am Pier, seit März", **team)
        quoting = await captured(a, "Am Pier wird gebaut", source=f"memory:{one['id']}", quote=said, **team)
        listed = {"memory_ids": [one["id"], other["id"]], "text": said, "quotes": [{"memory_id": one["id"], "quote": said}]}
        observed = ok(await a.post("/observations", json=listed), 201)
        ok(await a.post("/corrections", json={"text": f"nicht {canary('correction')}", "about": one["id"]}), 201)
        assert len(canary.left_in(await dump(edge, tmp_path))) == 2
        await deleted(a, one)
        assert canary.left_in(await dump(edge, tmp_path)) == []
        left = {m["id"]: m for m in ok(await a.get("/memories"))["items"]}
        assert {other["id"], quoting["id"]} <= set(left)
        assert observed.get("id", observed.get("memory", {}).get("id")) not in left
        assert left[quoting["id"]]["content"] == "Am Pier wird gebaut"


async def test_what_was_distilled_goes_with_its_quote(talk: Edge, canary: Canaries, tmp_path: Path) -> None:
    await talk.world.members("mira")
    async with talk.as_("member:mira") as mira:
        text = f"定了：以后发布服务器固定用 {canary('distilled')}，不要再用别的。"
        body = {"projectId": "boss", "messages": [{"id": "m1", "role": "user", "content": text}]}
        kept = ok(await mira.post("/master-agent/distill", json=body))["kept"]
        assert kept, "a decision is worth keeping"
        assert canary.left_in(await dump(talk, tmp_path)) == ["distilled"]
        for fact in kept:
            ok(await mira.delete(f"/master-agent/memories/{fact['memory']['memoryId']}"))
        assert canary.left_in(await dump(talk, tmp_path)) == []


async def test_what_was_overturned_in_part_goes_from_the_statement_that_has_its_words_beside_its_own(
    installation: Installation, canary: Canaries, tmp_path: Path
) -> None:
    async with marked(installation) as (edge, _):
        await edge.world.agents("A")
        await edge.world.members("mira")
        await edge.world.team("T")
        await edge.world.join("T", "member:mira")
        async with edge.as_("member:mira") as mira:
            first = await distil(mira, said_all(f"decision/project: server = {canary('old')}"))
            old = first["kept"][0]["memory"]["memoryId"]
            later = await distil(mira, said_all("decision/project: server = srv-5, rest stays", first=2))
            (kept,) = later["kept"]
            new = kept["memory"]["memoryId"]
            assert canary("old") in kept["memory"]["content"]
            copy = ok(await mira.post(f"/memories/{new}/publish", json={"team_id": "T"}), 201)["memory"]
            quoting = f"memory:{new}"
            await captured(mira, "we read that", account="mira", source=quoting, quote=kept["memory"]["content"])
            ok(await mira.delete(f"/memories/{old}"))
            assert canary.left_in(await dump(edge, tmp_path)) == []
            for memory in (new, copy["id"]):
                assert ok(await mira.get(f"/memories/{memory}"))["content"] == "server = srv-5, rest stays"
            await edge.world.service.work.embed(MemoryId(UUID(new)))
            found = ok(await mira.get("/recall", params={"query": "srv-5", "min_score": 0}))["memories"]
            assert new in {m["id"] for m in found}, "found by its own words"
            ok(await mira.delete(f"/master-agent/distill/{later['batchId']}"))
            assert (await mira.get(f"/memories/{new}")).status_code == 404, "no hand has changed it"


async def test_what_was_distilled_from_an_answer_goes_with_the_memory_that_the_answer_rested_on(
    installation: Installation, double: ModelDouble, canary: Canaries, tmp_path: Path
) -> None:
    async with marked(installation, double) as (edge, _):
        await edge.world.members("mira")
        async with edge.as_("member:mira") as mira:
            memory = await captured(mira, f"Der Server ist {canary('memory')}", account="mira", project_id="boss")
            double.plays(play.says(f"decision/project: server = {canary('memory')}"), play.says("{}"))
            await said(mira, "decision/project: port = 5433")
            while await edge.world.service.distill_turns.some():
                pass
            assert len(ok(await mira.get("/master-agent/memories"))["items"]) == 3
            await deleted(mira, memory)
            assert canary.left_in(await dump(edge, tmp_path)) == []
            left = ok(await mira.get("/master-agent/memories"))["items"]
            assert [m["content"] for m in left] == ["port = 5433"], "what the member said is its own"


async def test_an_answer_that_goes_while_it_is_distilled_becomes_no_memory(
    installation: Installation, double: ModelDouble, canary: Canaries, tmp_path: Path
) -> None:
    async with marked(installation, double) as (edge, _):
        await edge.world.members("mira")
        async with edge.as_("member:mira") as mira:
            memory = await captured(mira, f"Der Server ist {canary('memory')}", account="mira", project_id="boss")
            double.plays(play.says(f"decision/project: server = {canary('memory')}"), double.says_and_waits("{}"))
            await said(mira, "decision/project: port = 5433")
            distilling = asyncio.create_task(edge.world.service.distill_turns.some())
            await until(lambda: asyncio.to_thread(double.reached.wait, 0.02))
            await deleted(mira, memory)
            double.go_on.set()
            await distilling
            assert canary.left_in(await dump(edge, tmp_path)) == []


# Stored answers of a model, which repeat what it was shown.


@pytest.fixture
async def spoken(talk: Edge, double: ModelDouble, canary: Canaries) -> AsyncIterator[tuple[httpx.AsyncClient, Json]]:
    """A member that asked, and the answer: the model repeats the memory that it was shown."""
    await talk.world.members("mira")
    async with talk.as_("member:mira") as mira:
        memory = await captured(mira, f"服务器是 {canary('memory')}", account="mira", project_id="boss")
        double.plays(play.says(f"服务器是 {canary('memory')}。"), play.says("我说过：", canary("memory")), play.says("好的。"))
        yield mira, memory


async def said(client: httpx.AsyncClient, message: str, **more: Any) -> Json:
    return ok(await client.post("/master-agent/chat", json={"projectId": "boss", "message": message, **more}))


async def messages(client: httpx.AsyncClient, conversation: str) -> list[Json]:
    return ok(await client.get(f"/master-agent/conversations/{conversation}"))["messages"]


async def test_an_answer_that_rested_on_a_deleted_memory_goes_and_those_that_came_after_it(
    talk: Edge, double: ModelDouble, spoken: tuple[httpx.AsyncClient, Json], canary: Canaries, tmp_path: Path
) -> None:
    mira, memory = spoken
    first = await said(mira, "服务器是哪台？")
    again = {"conversationId": first["conversationId"]}
    await said(mira, "再说一遍", **again)
    elsewhere = await said(mira, "你好")
    assert canary.left_in(await dump(talk, tmp_path)) == ["memory"]
    await deleted(mira, memory)
    assert canary.left_in(await dump(talk, tmp_path)) == []
    turns = await messages(mira, first["conversationId"])
    assert [(m["role"], m["state"]) for m in turns] == [("user", "done"), ("assistant", "removed")] * 2
    assert turns[0]["content"] == "服务器是哪台？", "what the member wrote is its own"
    assert "删除" in turns[1]["content"]
    assert (await messages(mira, elsewhere["conversationId"]))[1]["state"] in ("done", "removed")
    await said(mira, "那么现在呢？", **again)
    assert canary("memory") not in str(double.last.body), "nor is the model shown it any more"
    assert [m["state"] for m in await messages(mira, first["conversationId"])][-1] == "done", "the talk goes on"


async def test_an_answer_on_its_way_is_not_kept_when_its_memory_is_deleted_meanwhile(
    talk: Edge, double: ModelDouble, spoken: tuple[httpx.AsyncClient, Json], canary: Canaries, tmp_path: Path
) -> None:
    mira, memory = spoken
    double.plays(double.says_and_waits("服务器是 ", then=[canary("memory")]))
    asked = asyncio.create_task(said(mira, "服务器是哪台？"))
    await until(lambda: asyncio.to_thread(double.reached.wait, 0.02))
    await deleted(mira, memory)
    double.go_on.set()
    answer = await asked
    assert canary.left_in(await dump(talk, tmp_path)) == []
    assert [m["state"] for m in await messages(mira, answer["conversationId"])] == ["done", "removed"]


async def test_an_answer_whose_history_was_removed_meanwhile_is_not_kept_either(
    talk: Edge, double: ModelDouble, spoken: tuple[httpx.AsyncClient, Json], canary: Canaries, tmp_path: Path
) -> None:
    mira, memory = spoken
    first = await said(mira, "服务器是哪台？")
    double.plays(double.says_and_waits("刚才说的是 ", then=[canary("memory")]))
    ok(await mira.post(f"/memories/{memory['id']}/archive"))  # so that it is in the history alone
    asked = asyncio.create_task(said(mira, "刚才说了什么？", conversationId=first["conversationId"]))
    await until(lambda: asyncio.to_thread(double.reached.wait, 0.02))
    await deleted(mira, memory)
    double.go_on.set()
    await asked
    assert canary.left_in(await dump(talk, tmp_path)) == []


async def test_an_answer_that_rests_on_another_memory_stays(
    talk: Edge, spoken: tuple[httpx.AsyncClient, Json], canary: Canaries, tmp_path: Path
) -> None:
    mira, _ = spoken
    other = await captured(mira, "端口是 5433", account="mira", project_id="elsewhere")
    first = await said(mira, "服务器是哪台？")
    await deleted(mira, other)
    assert (await messages(mira, first["conversationId"]))[1]["state"] == "done"
    assert canary.left_in(await dump(talk, tmp_path)) == ["memory"]


async def test_what_a_model_says_is_redacted_before_it_is_kept(talk: Edge, double: ModelDouble, tmp_path: Path) -> None:
    await talk.world.members("mira")
    secret = made_up.password()
    double.plays(play.says("密码：", secret[:5], secret[5:], " 记住了"))
    async with talk.as_("member:mira") as mira:
        answer = await said(mira, "你好")
        assert answer["answer"] == "密码：[secret:credential] 记住了"
        assert secret not in str(await messages(mira, answer["conversationId"]))
    assert secret not in await dump(talk, tmp_path)


async def test_a_question_is_its_askers_own_and_stays_until_it_is_old(edge: Edge, canary: Canaries, tmp_path: Path) -> None:
    await edge.world.agents("A")
    async with edge.as_("A") as a:
        memory = await captured(a, f"Hafen {canary('memory')}")
        ok(await a.get("/recall", params={"query": f"wo ist {canary('memory')}"}))
        await deleted(a, memory)
    assert canary.left_in(await dump(edge, tmp_path)) == ["memory"]
    await edge.world.service.work.sweep_old()
    async with edge.world.service.store.jobs() as jobs:
        await jobs.sweep_old(0)
    assert canary.left_in(await dump(edge, tmp_path)) == []


async def test_the_prompt_that_a_memory_was_learned_from_keeps_its_figures_and_none_of_its_words(
    installation: Installation, canary: Canaries, tmp_path: Path
) -> None:
    async with marked(installation) as (edge, _):
        await edge.world.members("mira", "noor")
        for who in ("member:mira", "member:noor"):
            await connected(edge, who, "boss", "/srv/boss", "governed")

        async def asked(who: str, number: str, prompt: str, said: str = "Good.") -> str:
            """The trace of a prompt; sessions and turns are called the same for everybody."""
            one = Session(edge, "codex", who, "/srv/boss", "s")
            await one.asks(prompt, number)
            await one.stops(number, said)
            return [str(t["id"]) for t in await turns(edge, who) if t["event"] == "prompt"][-1]

        fact = "decision/project: server = "
        first = await asked("member:mira", "t1", f"{canary('asked')}\n{fact}{canary('learned')}")
        again = await asked("member:mira", "t2", f"{canary('asked again')}\n{fact}{canary('learned')}")
        other = await asked("member:mira", "t3", f"{canary('of another')}\ndecision/project: port = {canary('another')}")
        theirs = await asked("member:noor", "t1", f"{canary('of somebody else')}\n{fact}{canary('theirs')}")
        whether, told_then = f"{canary('asked whether')} it is {canary('told')}", f"decision/project: host = {canary('told')}"
        answered = await asked("member:mira", "t4", whether, told_then)
        await distilled(edge.world.service)
        assert len(canary.left_in(await dump(edge, tmp_path))) == len(canary.words)
        async with edge.as_("member:mira") as mira, edge.as_("member:noor") as noor:
            for word in ("learned", "told"):
                (memory,) = [m for m in ok(await mira.get("/memories"))["items"] if canary(word) in m["content"]]
                await deleted(mira, memory)
            left = {"of another", "another", "of somebody else", "theirs"}
            assert set(canary.left_in(await dump(edge, tmp_path))) == left
            for trace in (first, again, answered):
                told = ok(await mira.get(f"/traces/{trace}"))
                assert told["question"] == ""
                assert told["took_ms"] > 0
                assert told["terms"]
                assert {t["term"] for t in told["terms"]} == {""}
                assert all(t["weight"] > 0 for t in told["terms"])
            assert canary("of another") in ok(await mira.get(f"/traces/{other}"))["question"]
            assert canary("of somebody else") in ok(await noor.get(f"/traces/{theirs}"))["question"]


# Jobs in flight.


class PausedEmbedder(HashEmbedder):
    """A double that stops in the middle of a text, and goes on when it is told to."""

    def __init__(self) -> None:
        self.holds = asyncio.Event()
        self.go_on = asyncio.Event()

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        if any("Leuchtturm" in t for t in texts):
            self.holds.set()
            await self.go_on.wait()
        return await super().embed_passages(texts)


async def test_a_job_that_holds_the_text_while_it_is_deleted_brings_nothing_back(
    installation: Installation, world: World, canary: Canaries, tmp_path: Path
) -> None:
    await world.agents("A")
    embedder = PausedEmbedder()
    service = assemble(world.service.store, embedder, Limits())
    text = f"Leuchtturm {canary('long')} " + "am Ufer steht ein Haus. " * 400
    assert not is_inline(text)
    memory = await world.write("A", text)
    working = asyncio.create_task(service.work.embed(MemoryId(memory.id)))
    await asyncio.wait_for(embedder.holds.wait(), 20)
    await world.service.forget(await world.caller("A"), memory.id)
    embedder.go_on.set()
    assert await working is False
    assert canary.left_in(await dumped(installation.dsn, tmp_path)) == []
    assert await world.recalled("A", "Leuchtturm am Ufer") == []
    assert not await service.work.embed(MemoryId(memory.id)), "a job that comes late finds the tombstone"
