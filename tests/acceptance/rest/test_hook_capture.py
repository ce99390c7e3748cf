"""Capture: what an exchange with a program says that is new becomes memory, behind the answer, once, and its texts go."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, LiteralString

import psycopg
import pytest
import pytest_asyncio

import made_up
from marked_distiller import MarkedDistiller
from postgres.databases import fresh
from whoknows.domain.credential import Permission
from whoknows.domain.harness import Program
from whoknows.domain.ids import PrincipalId
from whoknows.flows.distill_exchanges import DistillExchanges
from whoknows.ports import Vector
from worlds import HashEmbedder

from .conftest import Edge, until
from .distilling import DISTILL, marked, memories, name_of, two_members
from .hooking import MACHINE, PROGRAMS, connected, distilled, number, session, staged, turns

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def reading(server: str) -> AsyncIterator[tuple[Edge, MarkedDistiller]]:
    with fresh(server, "hook_capture") as installation:
        async with marked(installation) as both:
            yield both


@pytest_asyncio.fixture(loop_scope="module")
async def edge(reading: tuple[Edge, MarkedDistiller]) -> Edge:
    """mira works in /srv/boss; the project is governed. Nothing waits."""
    edge = await two_members(reading[0])
    _run(edge, "DELETE FROM hook_exchanges")
    await connected(edge, MIRA, "boss", "/srv/boss", "governed")
    return edge


MIRA, NOOR = "member:mira", "member:noor"
FACT = "decision/project: server = srv-4"


def _texts(edge: Edge) -> list[tuple[str | None, str | None]]:
    with psycopg.connect(edge.world.installation.dsn, options="-c search_path=whoknows") as connection:
        rows = connection.execute("SELECT prompt, answer FROM hook_exchanges ORDER BY exchange_no").fetchall()
    return [(r[0], r[1]) for r in rows]


def _run(edge: Edge, statement: LiteralString) -> list[Any]:
    """The first column of what it answers, where it answers."""
    with psycopg.connect(edge.world.installation.dsn, options="-c search_path=whoknows") as connection:
        done = connection.execute(statement)
        return [row[0] for row in done.fetchall()] if done.description else []


class _Held(HashEmbedder):
    """A double of an embedder that stops at the first text, and goes on when it is told to."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self.go_on = asyncio.Event()

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        self.reached.set()
        await self.go_on.wait()
        return await super().embed_passages(texts)


def _working(edge: Edge, embedder: HashEmbedder, lease: timedelta) -> DistillExchanges:
    """Another worker on the same database."""
    service = edge.world.service
    return DistillExchanges(service.store, replace(service.distill, embedder=embedder), lease)


async def _kept(edge: Edge, who: str = MIRA) -> dict[str, dict[str, Any]]:
    await distilled(edge.world.service)
    async with edge.as_(who) as client:
        return await memories(client, projectId="boss")


@pytest.mark.parametrize("program", PROGRAMS)
async def test_an_exchange_becomes_memory_with_its_words_as_evidence(edge: Edge, program: str) -> None:
    await session(edge, program, MIRA).exchange(f"Hello.\n{FACT}", "Good.")
    (memory,) = (await _kept(edge)).values()
    assert memory["content"] == "server = srv-4"
    assert _texts(edge) == []


async def test_the_same_turn_adds_nothing_however_often_and_late_it_comes(edge: Edge) -> None:
    one, turn = session(edge, "codex", MIRA), number()
    await asyncio.gather(one.asks(FACT, turn), one.asks(FACT, turn), one.stops(turn, "Good."), one.stops(turn, "Good."))
    assert list(await _kept(edge)) == ["server = srv-4"]
    await one.asks(FACT, turn)
    await one.stops(turn, "Good.")
    assert _texts(edge) == []
    assert list(await _kept(edge)) == ["server = srv-4"]
    assert [(t["event"], t["outcome"]) for t in await turns(edge, MIRA)].count(("stop", "captured")) == 1


async def test_an_answer_that_comes_before_its_prompt_waits_for_it(edge: Edge) -> None:
    one, turn = session(edge, "codex", MIRA), number()
    await one.stops(turn, "Good.")
    assert await _kept(edge) == {}
    await one.asks(FACT, turn)
    assert list(await _kept(edge)) == ["server = srv-4"]


async def test_a_stop_without_a_number_belongs_to_the_newest_prompt(edge: Edge) -> None:
    one = session(edge, "claude-code", MIRA)
    await one.asks(FACT, number())
    await one.stops(None, "Good.")
    assert list(await _kept(edge)) == ["server = srv-4"]


@pytest.mark.parametrize("stage", ["off", "read-only"])
async def test_below_governed_nothing_is_kept(edge: Edge, stage: str) -> None:
    await staged(edge, MIRA, "boss", stage)
    await session(edge, "codex", MIRA).exchange(FACT, "Good.")
    assert _texts(edge) == []
    assert await _kept(edge) == {}


async def test_what_waits_when_a_project_is_taken_back_is_not_learned(edge: Edge) -> None:
    await session(edge, "codex", MIRA).exchange(FACT, "Good.")
    await staged(edge, MIRA, "boss", "read-only")
    assert await _kept(edge) == {}
    assert _texts(edge) == []
    assert [t["reason"] for t in await turns(edge, MIRA) if t["event"] == "stop"] == ["stage_taken_back"]


async def test_no_words_wait_in_a_project_that_was_taken_back(edge: Edge) -> None:
    await session(edge, "codex", MIRA).exchange(FACT, "Good.")
    await session(edge, "codex", MIRA).asks(FACT)
    await session(edge, "codex", MIRA).stops(number(), "Good, every Friday.")
    assert len(_texts(edge)) == 3
    await staged(edge, MIRA, "boss", "off")
    assert _texts(edge) == []
    await staged(edge, MIRA, "boss", "governed")
    assert await _kept(edge) == {}
    assert {t["reason"] for t in await turns(edge, MIRA) if t["event"] == "stop"} == {"stage_taken_back"}


async def test_a_prompt_that_is_noted_after_its_project_was_taken_back_is_not_kept(edge: Edge) -> None:
    service, caller = edge.world.service, await edge.world.caller(MIRA)
    raw = {"hook_event_name": "UserPromptSubmit", "session_id": number(), "turn_id": "t", "cwd": "/srv/boss", "prompt": FACT}
    hooked = await service.hook(caller, Program.CODEX, MACHINE, raw)
    await staged(edge, MIRA, "boss", "off")
    await service.hook.note(caller, hooked)
    assert _texts(edge) == []


async def test_nothing_is_kept_where_the_account_wants_nothing_learned(edge: Edge) -> None:
    async with edge.as_(MIRA) as mira:
        await mira.post(f"{DISTILL}/settings", json={"projectId": "boss", "automatic": False})
    await session(edge, "codex", MIRA).exchange(FACT, "Good.")
    assert _texts(edge) == []
    assert [t["reason"] for t in await turns(edge, MIRA) if t["event"] == "stop"] == ["distilling_off"]


@pytest.mark.parametrize(
    ("prompt", "why"),
    [
        (f"/remember {FACT}", "command"),
        (f"!echo {FACT}", "shell"),
        (f"<task-notification>\n{FACT}\n</task-notification>", "notification"),
        (f"<system-reminder>\n{FACT}\n</system-reminder>", "own_text"),
        (f"Read HEARTBEAT.md\n{FACT}", "heartbeat"),
    ],
)
async def test_what_nobody_said_is_not_learned(edge: Edge, prompt: str, why: str) -> None:
    await session(edge, "claude-code", MIRA).exchange(prompt, "Good.")
    assert _texts(edge) == []
    assert [(t["outcome"], t["reason"]) for t in await turns(edge, MIRA)] == [("skipped", why)] * 2


async def test_neither_a_sub_agent_nor_the_program_itself_is_heard(edge: Edge) -> None:
    one = session(edge, "claude-code", MIRA)
    await one.asks(FACT, "t1", source="schedule_wakeup")
    await one.stops("t1", "Good.")
    await one.asks(FACT, "t2", agent_id="a1", agent_type="general-purpose")
    await one.stops("t2", "Good.", agent_id="a1")
    assert _texts(edge) == []


async def test_who_has_no_account_learns_nothing_and_is_told_why_in_the_figures(edge: Edge) -> None:
    name = f"lone-{number()[:8]}"
    await edge.world.agents(name)
    await connected(edge, name, "boss", "/srv/boss", "governed")
    await session(edge, "codex", name).exchange(FACT, "Good.")
    assert _texts(edge) == []
    assert [t["reason"] for t in await turns(edge, name) if t["event"] == "stop"] == ["no_account"]


async def test_secrets_are_out_before_anything_waits(edge: Edge) -> None:
    secret = made_up.github_token()
    one = session(edge, "codex", MIRA)
    await one.asks(f"{FACT}\nThe token is {secret}.", "t1")
    await one.stops("t1", f"Used {secret}.")
    ((prompt, answer),) = _texts(edge)
    assert prompt is not None
    assert answer is not None
    assert secret not in prompt + answer
    assert FACT in prompt
    assert await _kept(edge)


async def test_what_was_put_beside_a_prompt_is_not_heard_again(edge: Edge) -> None:
    await session(edge, "codex", MIRA).exchange(FACT, "Good.")
    await _kept(edge)
    block = await session(edge, "codex", MIRA).asks("server = srv-4, is that so?")
    assert "server = srv-4" in block
    other = f"{block.replace('server = srv-4', FACT.replace('srv-4', 'srv-9'))}\nSo what?"
    await session(edge, "pi", MIRA).exchange(other, other)
    assert list(await _kept(edge)) == ["server = srv-4"]


async def test_a_key_that_ends_learns_nothing_more_and_its_texts_go(edge: Edge) -> None:
    secret = await edge.world.key(f"member:{name_of(edge, 'mira')}")
    edge.world.keys["mira's second"] = secret
    await session(edge, "codex", "mira's second").exchange(FACT, "Good.")
    credential = (await edge.world.service.authenticate(secret)).id
    await edge.world.service.keys.revoke(await edge.world.admin(), credential)
    assert len(_texts(edge)) == 1
    assert await _kept(edge) == {}
    assert _texts(edge) == []


async def test_undoing_what_was_learned_leaves_nothing(edge: Edge) -> None:
    await session(edge, "codex", MIRA).exchange(FACT, "Good.")
    await _kept(edge)
    async with edge.as_(MIRA) as mira:
        (batch,) = (await mira.get(DISTILL)).json()["items"]
        assert (await mira.delete(f"{DISTILL}/{batch['batchId']}")).json()["deleted"] == 1
    assert await _kept(edge) == {}


async def test_a_prompt_that_is_never_answered_goes_after_a_day(edge: Edge) -> None:
    one = session(edge, "codex", MIRA)
    await one.asks(FACT, "old")
    await one.asks(f"{FACT}5", "new")
    _run(edge, "UPDATE hook_exchanges SET since = since - interval '25 hours' WHERE turn_id = 'old'")
    await edge.world.service.work.sweep_old()
    assert [p for p, _ in _texts(edge)] == [f"{FACT}5"]


async def test_words_of_who_was_deleted_go_at_once(edge: Edge) -> None:
    await session(edge, "codex", MIRA).exchange(FACT, "Good.")
    await edge.world.service.administer.remove_member(await edge.world.admin(), name_of(edge, "mira"))
    await edge.world.service.work.sweep_old()
    assert _texts(edge) == []


async def test_a_process_that_dies_with_an_exchange_in_hand_leaves_it_to_the_next(edge: Edge) -> None:
    await session(edge, "codex", MIRA).exchange(FACT, "Good.")
    async with edge.world.service.store.jobs() as jobs:
        (taken,) = await jobs.hooks.claim(timedelta(minutes=15), 8, 12)
    assert await _kept(edge) == {}
    _run(edge, "UPDATE hook_exchanges SET held_until = now() - interval '1 second'")
    assert list(await _kept(edge)) == ["server = srv-4"]
    async with edge.world.service.store.jobs() as jobs:
        await jobs.hooks.put_off(taken, "late", for_good=False)
    assert list(await _kept(edge)) == ["server = srv-4"]


async def test_an_account_with_many_exchanges_keeps_nobody_else_waiting(edge: Edge) -> None:
    """A round takes the oldest of each."""
    await connected(edge, NOOR, "boss", "/srv/boss", "governed")
    many = session(edge, "codex", MIRA)
    for n in range(10):
        await many.exchange(f"decision/project: server = srv-{n}", "Good.")
    await session(edge, "codex", NOOR).exchange("decision/project: port = 5433", "Good.")
    assert await edge.world.service.distill_exchanges.some() == 2
    async with edge.as_(MIRA) as mira, edge.as_(NOOR) as noor:
        assert list(await memories(mira)) == ["server = srv-0"]
        assert list(await memories(noor)) == ["port = 5433"]
    assert list(await _kept(edge)) == ["server = srv-9"], "and the others in their order"


async def test_a_round_begins_behind_the_account_that_was_last(edge: Edge) -> None:
    await connected(edge, NOOR, "boss", "/srv/boss", "governed")
    for who in (MIRA, NOOR):
        for turn in ("t1", "t2"):
            await session(edge, "codex", who).exchange(FACT, f"Good, {turn}.")
    took: list[PrincipalId] = []
    for _ in range(4):  # one place, and each has something that waits
        async with edge.world.service.store.jobs() as jobs:
            (one,) = await jobs.hooks.claim(timedelta(minutes=1), 1, 12, took[-1] if took else None)
            await jobs.hooks.put_off(one, "given_up", for_good=True)
        took.append(one.owner)
    assert took == [took[0], took[1]] * 2
    assert took[0] != took[1]


async def test_an_exchange_stays_in_hand_as_long_as_its_process_works_on_it(edge: Edge) -> None:
    await session(edge, "codex", MIRA).exchange(FACT, "Good.")
    held = _Held()
    slow = _working(edge, held, lease=timedelta(seconds=2))
    working = asyncio.create_task(slow.some())
    await asyncio.wait_for(held.reached.wait(), 20)
    (first,) = _run(edge, "SELECT held_until FROM hook_exchanges")
    await until(lambda: asyncio.to_thread(lambda: _run(edge, "SELECT held_until FROM hook_exchanges")[0] > first))
    held.go_on.set()
    await working
    assert list(await _kept(edge)) == ["server = srv-4"]


async def test_who_was_away_too_long_finds_it_taken_and_writes_nothing(edge: Edge) -> None:
    await session(edge, "codex", MIRA).exchange(FACT, "Good.")
    held = _Held()
    working = asyncio.create_task(_working(edge, held, lease=timedelta(minutes=10)).some())
    await asyncio.wait_for(held.reached.wait(), 20)
    _run(edge, "UPDATE hook_exchanges SET held_until = now() - interval '1 second' RETURNING 1")
    assert list(await _kept(edge)) == ["server = srv-4"]
    held.go_on.set()
    await working
    assert list(await _kept(edge)) == ["server = srv-4"]
    async with edge.as_(MIRA) as mira:
        assert len((await mira.get(DISTILL)).json()["items"]) == 1, "in one batch"


async def test_a_key_that_looks_through_others_sends_no_events(edge: Edge) -> None:
    key = await edge.world.key(f"member:{name_of(edge, 'noor')}", permissions=[Permission.INSPECT])
    one = session(edge, "codex", key)
    async with edge.as_(key, X_Machine=one.machine, X_Seen_As=f"member:{name_of(edge, 'mira')}") as noor:
        body = {
            "hook_event_name": "Stop",
            "session_id": one.id,
            "cwd": one.directory,
            "turn_id": "t",
            "last_assistant_message": FACT,
        }
        assert (await noor.post("/hooks/codex", json=body)).status_code == 403
    assert _texts(edge) == []
