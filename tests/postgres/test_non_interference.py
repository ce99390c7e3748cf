"""What a reader gets depends on what it may see, and on nothing else: invisible rows change no hit, score, count or page."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
from databases import fresh, serve
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from visibility_stage import expire
from whoknows.bootstrap import Installation
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Draft, Filters, Isolation, Memory, Patch, State
from whoknows.domain.principal import AgentRole
from whoknows.errors import WhoKnowsError
from whoknows.flows.recall import Question
from whoknows.service import Service
from worlds import World

WORDS = (
    "端口", "数据库", "预发", "发布", "口令", "回滚", "支付服务", "备份", "密钥", "周四",
    "deploy", "window", "Friday", "port", "5433", "staging", "database", "backup", "rollback", "token",
)  # fmt: skip

texts = st.lists(st.sampled_from(WORDS), min_size=2, max_size=8).map(" ".join)
spaces = st.sampled_from(("own", "team", "everyone", "with"))
visible_rows = st.lists(st.tuples(spaces, texts), min_size=1, max_size=8, unique_by=lambda row: row[1])
KINDS = (
    "private", "other team", "other tenant", "narrowed", "held", "session", "task", "account", "flood", "changes", "expired",
)  # fmt: skip
noises = st.lists(st.sampled_from(KINDS), min_size=1, max_size=5, unique=True)


@dataclass
class Room:
    """The reader R, and X who fills the world with what R cannot see."""

    world: World
    elsewhere: World

    @property
    def service(self) -> Service:
        return self.world.service

    async def populate(self) -> None:
        await self.world.members("m", "judge")
        await self.world.agents("R", "X", "Y", "O")
        await self.world.agents("M", account="m")
        await self.world.agents("S", role=AgentRole.SUB, parent="R")
        await self.world.team("T", R="writer", X="writer", Y="writer", O="owner")
        await self.world.team("U", X="writer", Y="writer")
        await self.world.team("*", X="writer", R="writer")
        await self.elsewhere.agents("R", "X")
        await self.elsewhere.team("T", R="writer", X="writer")

    async def show(self, space: str, text: str) -> Memory:
        """A row that R sees."""
        match space:
            case "own":
                return await self.world.write("R", text, session_id="s")
            case "team":
                return await self.world.write("X", text, team_id="T")
            case "everyone":
                return await self.world.write("X", text, team_id="*")
            case _:
                return await self.world.write("X", text, visible_to=("R",))

    async def hide(self, noise: str, text: str, shown: list[Memory]) -> None:
        """Rows that R does not see, as like to the question and to what it sees as can be."""
        x = await self.world.caller("X")
        match noise:
            case "private":
                await self.service.capture.batch(x, [Draft(text), *(Draft(m.content) for m in shown)])
            case "other team":
                await self.service.capture.batch(x, [Draft(m.content, layer="team", team_id="U") for m in shown])
            case "other tenant":
                for who in ("R", "X"):
                    await self.elsewhere.write(who, text)
                    await self.elsewhere.write(who, f"{text} {who}", team_id="T")
            case "narrowed":
                await self.world.write("X", text, team_id="T", visible_to=("Y",))
            case "held":
                theirs = [m for m in shown if m.audience.owner.name == "T"]
                if theirs:
                    y = await self.world.caller("Y")
                    held = await self.service.capture(y, Draft(text, layer="team", team_id="T", supersedes=theirs[0].id))
                    assert held.outcome == "held"
            case "session":
                await self.service.capture(x, Draft(text, isolation=Isolation.SESSION, session_id="s"))
            case "task":
                task = await self.world.caller("R", await self.world.key("R", task=f"k{uuid4().hex[:6]}"))
                await self.service.capture(task, Draft(text, isolation=Isolation.TASK))
            case "account":
                m = await self.world.caller("M")
                await self.service.capture(m, Draft(text, account="m"))
            case "flood":
                await self.service.capture.batch(x, [Draft(f"{text} {n}") for n in range(50)])
            case "expired":
                gone = await self.world.write("X", f"{text} gone")
                expire(self.world.installation.dsn, gone.id)
            case _:
                old = await self.world.write("X", f"{text} old")
                kept = await self.world.write("X", f"{text} kept")
                await self.service.change.edit(x, old.id, 1, Patch(content=f"{text} edited", named=frozenset({"content"})))
                await self.service.change.share(x, old.id, "Y", True)
                await self.service.change.archive(x, kept.id)
                await self.service.forget(x, old.id)

    async def recalls(self, question: str) -> dict[str, Any]:
        """What R recalls, with and without floor, narrowed, within a session, and with history."""
        r = await self.world.caller("R")
        found: dict[str, Any] = {}
        for name, asked in (
            ("all", Question(question, 50, 0.0)),
            ("default floor", Question(question, 5)),
            ("team", Question(question, 50, 0.0, Filters(team_id="T"))),
            ("in session", Question(question, 50, 0.0, Filters(session_id="s"))),
            ("history", Question(question, 50, 0.0, history=True)),
        ):
            told = await self.service.recall(r, asked)
            body = {k: v for k, v in told.trace.body.items() if k != "embed_ms"}
            hits = [(a.memory, a.hit, a.fused, [m.id for m in a.chain]) for a in told.memories]
            found[name] = (told.outcome, hits, told.searched, told.degraded, body)
        return found

    async def answers(self, question: str, shown: list[Memory], absent: MemoryId) -> dict[str, Any]:
        """All that R is told, but for times and the ids of traces."""
        r = await self.world.caller("R")
        found = await self.recalls(question)
        pages: list[Any] = []
        cursor: str | None = None
        while True:
            page = await self.service.read.list(r, Filters(), 2, cursor)
            pages.append(page)
            cursor = page.next_cursor
            if cursor is None:
                break
        found["pages"] = pages
        found["states"] = [await self.service.read.list(r, Filters(state=s), 200, None) for s in State if s is not State.ACTIVE]
        found["knows"] = await self.service.explain.knows(r, Filters(), 200, None)
        found["exported"] = [m async for m in self.service.export(r)]
        found["pending"] = await self.service.oversee.pending(r)
        found["history"] = [await self.service.read.history(r, m.id) for m in shown]
        found["absent"] = await self._error(self.service.read.get(r, absent))
        found["behind what is absent"] = await self.service.read.list(r, Filters(), 2, "ffffffff-ffff-7fff-bfff-ffffffffffff")
        return found

    async def _error(self, work: Any) -> tuple[str, str]:
        with pytest.raises(WhoKnowsError) as fault:
            await work
        return fault.value.code, fault.value.detail


@pytest.fixture(scope="module")
def rooms(server: str) -> Iterator[tuple[asyncio.Runner, World]]:
    with fresh(server, "rooms") as installation, asyncio.Runner() as runner:
        service = runner.run(serve(installation))
        yield runner, World(service, installation)
        runner.run(service.close())


_NUMBERS = iter(range(10_000))


@seed(2)
@settings(
    max_examples=12,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
@given(rows=visible_rows, question=texts, noise=noises)
def test_invisible_rows_change_nothing_that_a_reader_gets(
    rooms: tuple[asyncio.Runner, World], rows: list[tuple[str, str]], question: str, noise: list[str]
) -> None:
    runner, founder = rooms
    runner.run(_compare(founder, rows, question, noise))


def test_each_kind_of_noise_by_itself(rooms: tuple[asyncio.Runner, World]) -> None:
    runner, founder = rooms
    rows = [
        ("own", "预发 数据库 端口 5433"),
        ("team", "deploy window Friday"),
        ("with", "发布 口令 回滚"),
        ("everyone", "backup token 密钥"),
    ]
    runner.run(_compare(founder, rows, "数据库 端口 deploy 口令", list(KINDS)))


def test_what_is_bound_to_another_session_changes_no_recall(rooms: tuple[asyncio.Runner, World]) -> None:
    """R's own rows, listed for it; a recall elsewhere does not know of them, not even in its counts."""
    runner, founder = rooms

    async def compared() -> None:
        room = Room(await _found(founder, "sessions"), await _found(founder, "sessions-next"))
        await room.populate()
        await room.show("own", "预发 数据库 端口 5433")
        before = await room.recalls("数据库 端口")
        r = await room.world.caller("R")
        await room.service.capture(r, Draft("数据库 端口 别处", isolation=Isolation.SESSION, session_id="elsewhere"))
        assert await room.recalls("数据库 端口") == before
        assert len(await room.world.recalled("R", "数据库 端口", filters=Filters(session_id="elsewhere"))) == 2

    runner.run(compared())


async def _compare(founder: World, rows: list[tuple[str, str]], question: str, noise: list[str]) -> None:
    number = next(_NUMBERS)
    room = Room(*[await _found(founder, f"room{number}{suffix}") for suffix in ("", "-next")])
    await room.populate()
    shown = [await room.show(space, text) for space, text in rows]
    absent = MemoryId(uuid4())
    before = await room.answers(question, shown, absent)
    for kind in noise:
        await room.hide(kind, question, shown)
        after = await room.answers(question, shown, absent)
        for what, answer in before.items():
            assert after[what] == answer, f"{kind} changed {what}"


async def _found(founder: World, name: str) -> World:
    made = await founder.service.keys.create_tenant(await founder.admin(), name)
    return World(founder.service, Installation(founder.installation.dsn, made.secret))
