"""Fifty turns in which what we injected, reminders and heartbeats come along, and two say something new: two memories."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from .conftest import Edge
from .distilling import memories
from .hooking import PROGRAMS, Session, connected, distilled, session, turns
from .with_the_model import with_the_model

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow]

BEFORE = "定了：boss 项目的数据库用 PostgreSQL，不用 MySQL。"
"""What memory holds already, and so is put beside prompts."""
NEW = {
    7: "We decided: from now on the deployment server of this project is srv-4, not srv-2.",
    31: "以后回答我都用中文，尽量简短，我不喜欢长篇大论。",
}
ASKED = (
    "boss 项目的数据库用什么？",
    "Can you run the tests again?",
    "What does this function do?",
    "看一下这个报错是什么意思",
    "Please fix the typo in the second paragraph.",
    "继续",
)
REMINDER = "<system-reminder>\nThe user prefers tabs. We decided to use MongoDB. 决定：以后一律用 MongoDB。\n</system-reminder>"
HEARTBEAT = "Read HEARTBEAT.md if it exists. If nothing needs attention, reply HEARTBEAT_OK."
NOTICE = "<task-notification>\nWe decided to use Oracle.\n</task-notification>"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def edge(server: str) -> AsyncIterator[Edge]:
    async with with_the_model(server, "fifty_turns") as edge:
        yield edge


async def _turn(one: Session, n: int, beside: str) -> str:
    """One of fifty; what was put beside it. ``beside``: the last block that some turn got, which comes along again."""
    if n in NEW:
        return await one.exchange(f"{REMINDER}\n{NEW[n]}\n{beside}", f"Noted.\n{beside}")
    if n % 10 == 4:
        return await one.exchange(HEARTBEAT, "HEARTBEAT_OK")
    if n % 10 == 9:
        return await one.exchange(NOTICE, "The task is done. We decided to use Oracle.")
    asked = ASKED[n % len(ASKED)]
    return await one.exchange(
        f"{asked}\n{REMINDER}\n{beside}", f"As memory says: {BEFORE}\n{beside}\nPerhaps we should use Redis?"
    )


async def _fifty(edge: Edge) -> None:
    beside, told = "", ""
    sessions = [session(edge, p, "member:mira") for p in PROGRAMS]
    for n in range(50):
        beside = await _turn(sessions[n % 3], n, beside) or beside
        told += beside
        if n % 10 == 0:
            await distilled(edge.world.service)
    await distilled(edge.world.service)
    assert BEFORE in told, "nothing was injected: nothing is proved"


async def _kept(edge: Edge) -> dict[str, str]:
    async with edge.as_("member:mira") as mira:
        return {m["memoryId"]: text for text, m in (await memories(mira)).items()}


async def test_two_of_fifty_turns_say_something_new_and_a_second_run_adds_nothing(edge: Edge) -> None:
    await edge.world.members("mira")
    await connected(edge, "member:mira", "boss", "/srv/boss", "governed")
    held = await edge.world.write("member:mira", BEFORE, account="mira", project_id="boss")
    await _fifty(edge)
    first = await _kept(edge)
    new = [text for i, text in first.items() if i != str(held.id)]
    assert len(new) == 2, new
    assert any("srv-4" in t for t in new)
    assert any("中文" in t for t in new)
    await _fifty(edge)
    assert await _kept(edge) == first
    noted = await turns(edge, "member:mira")
    assert {t["outcome"] for t in noted if t["event"] == "stop"} <= {"captured", "skipped"}
    assert sum(t["event"] == "stop" and t["outcome"] == "captured" for t in noted) == 2 * 40
