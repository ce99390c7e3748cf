"""Hooks: what is put beside a prompt, when, and what is not."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import httpx
import pytest
import pytest_asyncio

from whoknows.domain.egress import Purpose
from whoknows.domain.memory import Category
from whoknows.errors import EmbedderUnavailable
from whoknows.flows.aim import Aim
from whoknows.flows.egress import Egress
from whoknows.flows.hook import Hook
from whoknows.flows.room import Room
from whoknows.policy.egress import endpoint_at
from whoknows.ports import Vector
from whoknows.rest.app import create_app
from worlds import HashEmbedder

from .conftest import BODY_BYTES, Edge, problem
from .hooking import PROGRAMS, connected, context_of, ids_in, number, session, staged, turns
from .shared import founder, world

__all__ = ["founder", "world"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

PORT = "The staging database of boss listens on port 5433"
QUESTION = "Which port does the staging database of boss listen on?"


@pytest_asyncio.fixture(loop_scope="session")
async def desk(edge: Edge) -> Edge:
    """ana's two agents, boss in /srv/boss for all programs, read-only; one memory of the project."""
    world = edge.world
    await world.members("ana", "ben")
    await world.agents("claude", "codex", account="ana")
    await world.agents("other", account="ben")
    await world.team("T", claude="writer", codex="writer", other="writer")
    await world.service.banks.route(await world.admin(), "boss", "T", [])
    await connected(edge, "claude", "boss", "/srv/boss")
    await world.write("claude", PORT, account="ana", project_id="boss", source="git:docs@3f2a9c1:ports.md", title="Ports")
    return edge


@pytest.mark.parametrize("program", PROGRAMS)
async def test_what_memory_holds_is_put_beside_a_prompt_with_its_source(desk: Edge, program: str) -> None:
    beside = await session(desk, program).asks(QUESTION)
    assert beside.startswith("<whoknows-memory ")
    assert beside.endswith("</whoknows-memory>")
    assert f"  {PORT}" in beside
    assert "docs:ports.md" in beside
    assert "agent:claude" in beside
    assert len(beside) <= 6000


async def test_nothing_is_put_beside_a_prompt_that_memory_does_not_answer(desk: Edge) -> None:
    assert await session(desk).asks("How long do penguins hold their breath below the ice?") == ""


async def test_a_directory_that_nobody_registered_gets_nothing(desk: Edge) -> None:
    assert await session(desk, directory="/srv/other").asks(QUESTION) == ""
    assert await session(desk, directory="/srv/boss2").asks(QUESTION) == ""
    elsewhere = session(desk)
    elsewhere.machine = "another-machine"
    assert await elsewhere.asks(QUESTION) == ""
    assert await session(desk, who="other").asks(QUESTION) == ""


async def test_a_project_that_is_off_gets_nothing_and_leaves_nothing(desk: Edge) -> None:
    await staged(desk, "claude", "boss", "off")
    one = session(desk)
    assert await one.asks(QUESTION) == ""
    assert await one.starts() == ""
    assert await turns(desk, "claude") == []


async def test_nothing_is_put_into_a_session_twice_until_it_is_cleared(desk: Edge) -> None:
    one = session(desk)
    assert PORT in await one.asks(QUESTION)
    assert await one.asks(QUESTION) == ""
    assert PORT in await session(desk).asks(QUESTION)
    await one.starts("clear")
    assert PORT in await one.asks(QUESTION)


async def test_the_same_event_twice_is_answered_alike_and_noted_once(desk: Edge) -> None:
    one, turn = session(_patient(desk)), number()
    first = await one.asks(QUESTION, turn)
    again = await asyncio.gather(*(one.asks(QUESTION, turn) for _ in range(5)))
    assert {a.partition("\n")[2] for a in again} == {first.partition("\n")[2]}
    assert len(await turns(desk, "claude")) == 1


async def test_a_prompt_in_one_project_never_carries_what_belongs_to_another(desk: Edge) -> None:
    await connected(desk, "claude", "cook", "/srv/cook")
    await desk.world.write("claude", "The staging database of cook listens on port 5499", account="ana", project_id="cook")
    await desk.world.write("claude", "Every staging database listens above port 5000", account="ana")
    boss = await session(desk).asks("Which port does the staging database listen on?")
    cook = await session(desk, directory="/srv/cook").asks("Which port does the staging database listen on?")
    assert PORT in boss
    assert "5499" not in boss
    assert "5499" in cook
    assert PORT not in cook
    assert "above port 5000" in boss
    assert "above port 5000" in cook


async def test_personal_is_never_the_teams_and_a_teams_never_another_persons(desk: Edge) -> None:
    world = desk.world
    await world.write("other", "The staging database of boss listens on port 6001", team_id="T", project_id="boss")
    await world.write("other", "The staging database of boss listens on port 6002", account="ben", project_id="boss")
    await world.write("codex", "The staging database of boss listens on port 6003", project_id="boss")
    await connected(desk, "other", "boss", "/srv/boss", "team")
    below = await session(desk).asks(QUESTION)
    assert PORT in below
    assert not [n for n in ("6001", "6002", "6003") if n in below]
    await staged(desk, "claude", "boss", "team")
    at_team = await session(desk).asks(QUESTION)
    assert PORT in at_team
    assert "6001" in at_team
    assert "6002" not in at_team
    bens = await session(desk, who="other").asks(QUESTION)
    assert "6001" in bens
    assert "6002" in bens
    assert PORT not in bens
    await world.expel("T", "claude")
    assert "6001" not in await session(desk).asks(QUESTION)


async def test_a_correction_made_in_one_program_is_told_in_another_as_overturned(desk: Edge) -> None:
    beside = await session(desk, "claude-code").asks(QUESTION)
    (old,) = ids_in(beside)
    async with desk.as_("claude") as claude:
        wrong = {
            "text": "The staging database of boss listens on port 5440",
            "about": old,
            "supersedes": True,
            "reason": "it moved",
        }
        assert (await claude.post("/corrections", json={**wrong, "project_id": "boss"})).status_code in (200, 201)
    told = await session(desk, "codex", "codex").asks(QUESTION)
    assert "  The staging database of boss listens on port 5440" in told
    assert f"overturned (no longer holds since {_today(told)}): “Ports {PORT}” Reason: it moved" in told
    assert f"  {PORT}" not in told


def _today(told: str) -> str:
    return told.partition("no longer holds since ")[2][:10]


async def test_who_begins_is_told_what_matters_and_nothing_of_another_project(desk: Edge) -> None:
    world = desk.world
    for category, text, project in (
        ("decision", "boss deploys from the branch release", "boss"),
        ("risk", "the certificate of boss ends in March", "boss"),
        ("user_preference", "answers are short", None),
        ("decision", "cook is frozen", "cook"),
        ("decision", "nobody's decision", None),
    ):
        await world.write("claude", text, account="ana", project_id=project, category=Category(category))
    told = await session(desk, "codex").starts()
    assert len(told) <= 1200
    for text in ("branch release", "ends in March", "answers are short"):
        assert text in told
    for text in ("cook is frozen", "nobody's decision", "5433"):
        assert text not in told
    assert await session(desk, "codex").starts("resume") == ""
    assert await session(desk, "codex").starts("teleport") == ""
    sub = await session(desk).output("SubagentStart", agent_id="a1", agent_type="Explore")
    assert "branch release" in context_of(sub, "SubagentStart")
    assert await session(desk).output("SubagentStart", agent_id="a1", agent_type="") == {}


async def test_what_a_brief_said_in_full_is_not_said_again(desk: Edge) -> None:
    await desk.world.write(
        "claude", "boss deploys from the branch release", account="ana", project_id="boss", category=Category.DECISION
    )
    one = session(desk)
    assert "branch release" in await one.starts()
    assert "branch release" not in await one.asks("Which branch does boss deploy from? release?")
    late = session(desk)
    assert "branch release" in await late.asks("Which branch does boss deploy from? release?")
    assert await late.starts() == ""


async def test_after_compaction_what_stood_there_is_repeated_in_a_line_each(desk: Edge) -> None:
    one = session(desk)
    await one.asks(QUESTION, "t1")
    told = await one.starts("compact")
    assert 'for="compaction"' in told
    assert PORT in told
    assert len(told) <= 1200
    assert await one.starts("compact") == told
    assert await one.asks(QUESTION, "t2") == ""
    assert await session(desk).starts("compact") == ""
    ids = [str(t["memories"][0]) for t in await turns(desk, "claude") if t["memories"]]
    async with desk.as_("claude") as claude:
        assert (await claude.delete(f"/memories/{ids[0]}")).status_code == 200
    assert await one.starts("compact") == ""


async def test_what_changed_since_it_was_told_is_told_again(desk: Edge) -> None:
    one = session(desk)
    assert PORT in await one.asks(QUESTION)
    (told, *_) = [t["memories"][0] for t in await turns(desk, "claude") if t["memories"]]
    async with desk.as_("claude") as claude:
        edited = {"version": 1, "content": PORT.replace("5433", "5450")}
        assert (await claude.patch(f"/memories/{told}", json=edited)).status_code == 200
    assert "5450" in await one.asks(QUESTION)
    assert await one.asks(QUESTION) == ""


async def test_a_session_number_of_somebody_else_tells_nothing_of_theirs(desk: Edge) -> None:
    await connected(desk, "other", "boss", "/srv/boss")
    await desk.world.write("other", PORT, account="ben", project_id="boss")
    mine, theirs = session(desk), session(desk, who="other")
    theirs.id = mine.id
    assert PORT in await mine.asks(QUESTION, "t")
    assert PORT in await theirs.asks(QUESTION, "t")
    assert [t["session_id"] for t in await turns(desk, "other")] == [mine.id]


async def test_twenty_at_once_are_all_answered(desk: Edge) -> None:
    patient = _patient(desk)
    found = await asyncio.gather(*(session(patient, PROGRAMS[n % 3]).asks(QUESTION) for n in range(20)))
    assert all(PORT in f for f in found)


async def test_who_comes_in_a_crowd_is_turned_away_in_time_and_a_stop_is_kept_all_the_same(desk: Edge) -> None:
    await staged(desk, "claude", "boss", "governed")
    room = Room(places=1, patience=0.05)
    crowded = _with(desk, replace(desk.world.service.hook, room=room))
    one = session(crowded)
    async with room.place():
        refused = await one.sends("UserPromptSubmit", prompt=QUESTION)
        await problem(refused, 503, "busy")
        assert int(refused.headers["retry-after"]) > 0
        stop = asyncio.create_task(one.stops(number(), "It is 5433."))
        await asyncio.wait([stop], timeout=0.2)
        assert not stop.done()
    await stop
    assert [t["outcome"] for t in await turns(desk, "claude")] == ["captured"]
    assert PORT in await one.asks(QUESTION)


def _patient(desk: Edge) -> Edge:
    """A desk that turns nobody away, however crowded the machine of the tests is."""
    return _with(desk, replace(desk.world.service.hook, room=Room(places=4, patience=30)))


def _with(desk: Edge, hook: Hook) -> Edge:
    app = create_app(replace(desk.world.service, hook=hook), body_bytes=BODY_BYTES, version="test")
    return Edge(desk.world, app, httpx.ASGITransport(app, raise_app_exceptions=False))


@pytest.mark.parametrize("cut", ["first \ud83d", "second \ude80", "\ud83d and \ude80", "said \\ud83d", "🚀", "\ud83d🚀"])
async def test_a_text_that_a_program_cut_within_a_character_is_heard(desk: Edge, cut: str) -> None:
    await staged(desk, "claude", "boss", "governed")
    one = session(desk)
    assert PORT in await one.asks(f"{QUESTION} {cut}", "t")
    await one.stops("t", f"It is 5433 {cut}")
    assert [t["outcome"] for t in await turns(desk, "claude")] == ["injected", "captured"]


async def test_a_huge_prompt_is_asked_by_its_ends(desk: Edge) -> None:
    app = create_app(desk.world.service, body_bytes=4 << 20, version="test")
    roomy = Edge(desk.world, app, httpx.ASGITransport(app, raise_app_exceptions=False))
    paste = "\n".join(f"at frame {n} of nothing in particular" for n in range(14_000))
    assert PORT in await session(roomy).asks(f"{QUESTION}\n{paste}")
    assert PORT in await session(roomy).asks(f"{paste}\n{QUESTION}")
    await problem(await session(roomy).sends("UserPromptSubmit", prompt="x" * (1 << 20)), 413, "too_large")


async def test_chinese_is_asked_and_answered_in_chinese(desk: Edge) -> None:
    await desk.world.write("claude", "项目一律用 pnpm 构建，不用 npm", account="ana", project_id="boss")
    told = await session(desk, "pi").asks("项目用什么构建？")
    assert "  项目一律用 pnpm 构建，不用 npm" in told
    assert "与本次提问相关的记忆记录" in told


async def test_an_event_that_is_none_is_refused_and_one_that_is_new_gets_nothing(desk: Edge) -> None:
    one = session(desk, "codex")
    assert await one.output("PostToolUse", tool_name="Bash", tool_input={"command": "ls"}) == {}
    assert await one.output("FromTheFuture", anything=[1]) == {}
    await problem(await one.sends("UserPromptSubmit", prompt=["x"]), 422, "invalid")
    await problem(await one.sends("UserPromptSubmit"), 422, "invalid", "prompt")
    await problem(await one.sends("SessionStart", cwd=None), 422, "invalid", "cwd")
    async with desk.as_("claude") as client:
        body = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": "/srv/boss"}
        await problem(await client.post("/hooks/codex", json=body), 422, "invalid", "X-Machine")
        assert (await client.post("/hooks/cursor", json=body, headers={"X-Machine": "m"})).status_code == 422
    assert (await session(desk, who="wk_" + "x" * 40).sends("SessionStart")).status_code == 401


async def test_what_was_put_beside_a_prompt_can_be_explained(desk: Edge) -> None:
    told = await session(desk).asks(QUESTION)
    trace = told.partition('trace="')[2][:36]
    async with desk.as_("claude") as claude:
        explained = (await claude.get(f"/traces/{trace}")).json()
        assert explained["question"] == QUESTION
        assert {s["space"] for s in explained["searched"]} == {"agent:claude", "member:ana"}
        (memory,) = ids_in(told)
        assert (await claude.get(f"/memories/{memory}/why")).json()["verdict"] == "visible"
    (turn,) = await turns(desk, "claude")
    assert str(turn["id"]) == trace
    assert turn["outcome"] == "injected"
    assert turn["characters"] == len(told)
    assert turn["tokens"] > 0
    assert 0 < turn["lowest_score"] <= turn["top_score"] <= 1


async def test_a_person_is_told_once_a_session_that_memory_is_searched_by_words_alone(desk: Edge) -> None:
    service = desk.world.service
    aim = Aim(service.store, Down(), service.egress)
    down = replace(service, hook=replace(service.hook, prompts=replace(service.hook.prompts, aim=aim)))
    app = create_app(down, body_bytes=BODY_BYTES, version="test")
    other = Edge(desk.world, app, httpx.ASGITransport(app, raise_app_exceptions=False))
    one = session(other)
    first = await one.output("UserPromptSubmit", prompt=QUESTION, prompt_id="t1")
    assert PORT in context_of(first, "UserPromptSubmit")
    assert first["systemMessage"].startswith("WhoKnows:")
    assert "systemMessage" not in await one.output("UserPromptSubmit", prompt=f"{QUESTION} Again?", prompt_id="t2")
    assert {t["reason"] for t in await turns(desk, "claude")} == {"embedder_unavailable"}


class Down(HashEmbedder):
    """An embedder that does not answer."""

    async def embed_question(self, text: str) -> Vector:
        raise EmbedderUnavailable

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise EmbedderUnavailable


async def test_words_of_an_unregistered_directory_leave_for_no_embedder(desk: Edge) -> None:
    service = desk.world.service
    outside = Outside()
    egress = Egress(service.store, (endpoint_at(Purpose.EMBEDDING, "https://embed.example.org/v1", "m"),))
    aim = Aim(service.store, outside, egress)
    prompts = replace(service.hook.prompts, aim=aim, egress=egress)
    app = create_app(replace(service, hook=replace(service.hook, prompts=prompts)), body_bytes=BODY_BYTES, version="test")
    other = Edge(desk.world, app, httpx.ASGITransport(app, raise_app_exceptions=False))
    assert await session(other, directory="/srv/secret").asks("What does nobody know about this?") == ""
    assert outside.asked == []
    assert PORT in await session(other).asks(QUESTION)
    assert outside.asked == [QUESTION]


class Outside(HashEmbedder):
    """An embedder of somebody else, which remembers what it was sent."""

    address = "https://embed.example.org/v1"

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed_question(self, text: str) -> Vector:
        self.asked.append(text)
        return await super().embed_question(text)
