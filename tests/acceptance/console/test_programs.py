"""Programs: where they work, how far each project is connected, what each turn got; of the account alone, and as one sees."""

import re
from datetime import UTC, datetime
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI

from acceptance.console.conftest import SignedIn
from acceptance.rest.conftest import Edge
from acceptance.rest.hooking import MACHINE, connected, distilled, number, session, staged
from made_up import password
from whoknows.domain.credential import Permission
from whoknows.domain.harness import HookEvent, HookTurn, Outcome, Program, Stage
from whoknows.domain.principal import AgentRole
from worlds import World

pytestmark = pytest.mark.asyncio(loop_scope="session")
PAGE = "/console/programs"
KNOWN = "灯塔每四秒闪一次 the lighthouse flashes every four seconds"
ASKED = "how often does the lighthouse flash? 灯塔多久闪一次"


@pytest_asyncio.fixture(loop_scope="session")
async def office(world: World, app: FastAPI) -> Edge:
    """ana with two agents, ben with one; ana's programs are connected to `boss`, read-only, and know of a lighthouse."""
    edge = Edge(world, app, httpx.ASGITransport(app, raise_app_exceptions=False))
    await world.members("ana", "ben")
    await world.agents("claude", "codex", account="ana")
    await world.agents("bens", account="ben")
    await world.agents("sub", role=AgentRole.SUB, parent="claude")
    await world.write("claude", KNOWN, project_id="boss", account="ana")
    await connected(edge, "claude", "boss", "/srv/code/boss", programs=("claude-code",))
    return edge


async def main_of(client: httpx.AsyncClient, path: str = PAGE, **headers: str) -> str:
    answer = await client.get(path, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.text.partition("<main")[2]


async def test_who_has_connected_nothing_is_told_the_command_that_does(office: Edge, signed_in: SignedIn) -> None:
    async with signed_in(office.world.keys["bens"]) as ben:
        page = await main_of(ben)
        assert "whoknows connect claude-code --project ." in page
        assert "data-copies" in page
        assert "boss" not in page


async def test_a_project_shows_its_stage_its_directories_its_report_and_what_each_turn_got(
    office: Edge, signed_in: SignedIn
) -> None:
    talk = session(office, directory="/srv/code/boss/src")
    assert KNOWN in await talk.asks(ASKED)
    await talk.asks("/compact")
    async with signed_in(office.world.keys["claude"]) as claude:
        page = await main_of(claude)
        assert "what your own memory knows is put beside prompts" in page
        assert "/srv/code/boss" in page
        assert MACHINE in page
        assert "2, of which prompts: 2, in 1 session" in page
        assert "connected in 1 place" in page
        assert re.search(r"score 0\.\d\d ·", page), "one memory has one score, and no span"
        assert "a command of the program" in page, "why nothing was told, in words"
        (memory,) = set(re.findall(r'href="/console/memory/([0-9a-f-]{36})"', page))
        assert KNOWN in (await claude.get(f"/console/memory/{memory}")).text
        (trace,) = re.findall(r"inspector\?trace=([0-9a-f-]{36})", page)
        opened = await claude.get(f"/console/knows/inspector?trace={trace}")
        assert (opened.status_code, "lighthouse" in opened.text) == (200, True)
        chinese = await main_of(claude, **{"Accept-Language": "zh-CN"})
        assert "程序的命令" in chinese
        assert "a command of the program" not in chinese


async def test_a_turn_that_was_learned_from_says_what_became_of_it(office: Edge, signed_in: SignedIn) -> None:
    await staged(office, "claude", "boss", "governed")
    talk = session(office, directory="/srv/code/boss")
    await talk.exchange("定了：预发环境的数据库端口以后固定用 5433。", "好的，我会用 5433。")
    await talk.exchange(ASKED, "Every four seconds.")
    async with signed_in(office.world.keys["member:ana"]) as ana:
        assert (await main_of(ana)).count("offered, and kept to be distilled — it still waits") == 2
        await distilled(office.world.service)
        page = await main_of(ana)
        assert page.count("offered, and kept to be distilled — new") == 1
        assert page.count("offered, and kept to be distilled — nothing in it was kept · ") == 1


async def test_what_was_told_and_is_not_ones_own_to_see_is_counted_and_not_named(office: Edge, signed_in: SignedIn) -> None:
    own = await office.world.write("claude", "the harbour master keeps a grey parrot", project_id="boss")
    assert "parrot" in await session(office, directory="/srv/code/boss").asks("what does the harbour master keep, a parrot?")
    async with signed_in(office.world.keys["member:ana"]) as ana, signed_in(office.world.keys["claude"]) as claude:
        theirs, hers = await main_of(claude), await main_of(ana)
        assert str(own.id) in theirs
        assert "trace=" in theirs
        assert "parrot" not in hers
        assert str(own.id) not in hers
        assert "1 more that is gone, or not yours to see" in hers
        assert "trace=" not in hers, "a trace is read by who asked"
        await office.world.service.forget(await office.world.caller("claude"), own.id)
        assert "1 more that is gone, or not yours to see" in await main_of(claude)


async def test_a_project_of_somebody_else_and_one_that_is_not_there_are_the_same_page(
    office: Edge, signed_in: SignedIn
) -> None:
    await session(office, directory="/srv/code/boss").asks(ASKED)
    async with signed_in(office.world.keys["bens"]) as ben:
        pages: list[str] = []
        for project in ("boss", "ssob"):
            await ben.post("/console/project", data={"project": project})
            pages.append(re.sub("boss|ssob", "·", await main_of(ben)))
        assert pages[0] == pages[1]
        assert "It was never set." in pages[0]
        assert "Nothing came yet." in pages[0]


async def test_a_stage_goes_on_by_one_and_back_with_its_reason_in_the_history(office: Edge, signed_in: SignedIn) -> None:
    async with signed_in(office.world.keys["member:ana"]) as ana:
        sent = await ana.post(f"{PAGE}/stage", data=to("governed", "read-only", "no wrong recall in two weeks"))
        assert sent.headers["location"] == f"{PAGE}?did=stage"
        page = await main_of(ana, f"{PAGE}?did=stage")
        assert "no wrong recall in two weeks" in page
        assert 'name="stage" value="read-only"' in page, "the way back"
        assert await stage_of(office) == "governed"
        await ana.post(f"{PAGE}/stage", data=to("off", "governed"))
        assert await stage_of(office) == "off"
        assert 'name="stage" value="governed">' not in await main_of(ana), "two steps forward are no one step"


async def test_a_stage_that_somebody_changed_meanwhile_stays_as_it_is(office: Edge, signed_in: SignedIn) -> None:
    await staged(office, "claude", "boss", "governed")
    async with signed_in(office.world.keys["member:ana"]) as ana:
        stale = await ana.post(f"{PAGE}/stage", data=to("off", "read-only"))
        assert (stale.status_code, "concurrent_change" in stale.text) == (409, True)
        unreachable = await ana.post(f"{PAGE}/stage", data=to("team", "governed"))
        assert (unreachable.status_code, "stage_unreachable" in unreachable.text) == (409, True)
        for wrong in ({"stage": ""}, {"stage": "all"}, {"seen": "all"}, {"project": ""}, {"project": "x" * 300}):
            assert (await ana.post(f"{PAGE}/stage", data=to("off", "governed") | wrong)).status_code == 422, wrong
        assert await stage_of(office) == "governed"


async def test_a_secret_in_a_reason_is_replaced_and_the_page_says_so(office: Edge, signed_in: SignedIn) -> None:
    secret = password()
    async with signed_in(office.world.keys["member:ana"]) as ana:
        sent = await ana.post(f"{PAGE}/stage", data=to("off", "read-only", f"the password: {secret}"))
        assert sent.headers["location"] == f"{PAGE}?did=redacted"
        page = await main_of(ana, sent.headers["location"])
        assert "The reason held a secret" in page
        assert secret not in page


async def test_an_unregistered_directory_is_routed_no_more_and_a_second_time_is_not_found(
    office: Edge, signed_in: SignedIn
) -> None:
    place = {"program": "claude-code", "machine": MACHINE, "directory": "/srv/code/boss"}
    async with signed_in(office.world.keys["bens"]) as ben:
        strangers = await ben.post(f"{PAGE}/unregister", data=place)
        absent = await ben.post(f"{PAGE}/unregister", data=place | {"directory": "/srv/code/ssob"})
        assert (strangers.status_code, strangers.text) == (404, absent.text)
    assert KNOWN in await session(office, directory="/srv/code/boss").asks(ASKED)
    async with signed_in(office.world.keys["codex"]) as codex:
        done = await codex.post(f"{PAGE}/unregister", data=place)
        assert done.headers["location"] == f"{PAGE}?did=unregistered"
        assert (await codex.post(f"{PAGE}/unregister", data=place)).status_code == 404
        assert (await codex.post(f"{PAGE}/unregister", data=place | {"program": "vi"})).status_code == 422
        page = await main_of(codex)
        assert "No directory is registered for this project" in page
        assert KNOWN in page, "its turns stay"
    assert await session(office, directory="/srv/code/boss").asks(ASKED) == ""


async def test_a_sub_agent_has_no_programs_and_changes_none(office: Edge, signed_in: SignedIn) -> None:
    async with signed_in(office.world.keys["sub"]) as sub:
        assert "A sub-agent has none of its own" in await main_of(sub)
        assert (await sub.post(f"{PAGE}/stage", data=to("off", "off"))).status_code == 403


async def test_with_the_eyes_of_another_one_reads_its_programs_changes_nothing_and_it_is_audited(
    office: Edge, signed_in: SignedIn
) -> None:
    await session(office, directory="/srv/code/boss").asks(ASKED)
    operator = await office.world.key("agent:bens", permissions=[Permission.INSPECT])
    auditor = await office.world.service.authenticate(await office.world.key(permissions=[Permission.AUDIT]))
    async with signed_in(operator) as browser:
        await browser.post("/console/eyes", data={"eyes": "member:ana"})
        page = await main_of(browser)
        assert KNOWN in page
        assert f'action="{PAGE}' not in page
        sent = await browser.post(f"{PAGE}/stage", data=to("off", "read-only"))
        assert (sent.status_code, await stage_of(office)) == (403, "read-only")
    trail = (await office.world.service.oversee.audit(auditor, 50, None)).items
    assert ("inspect", f"GET {PAGE}", "member:ana") in [(e.action, e.target, e.concerns) for e in trail]


async def test_older_turns_follow_and_a_cursor_of_somebody_else_is_none(office: Edge, signed_in: SignedIn) -> None:
    await noted(office, 26)
    async with signed_in(office.world.keys["member:ana"]) as ana:
        page = await main_of(ana)
        (after,) = set(re.findall(r"after=([0-9a-f-]{36})", page))
        assert page.count('class="entry turn"') == 25
        more = await ana.get(f"{PAGE}?after={after}", headers={"HX-Request": "true"})
        assert more.text.count('class="entry turn"') == 1
        assert "<html" not in more.text
        assert (await main_of(ana, f"{PAGE}?after={after}")).count('class="entry turn"') == 1
    async with signed_in(office.world.keys["bens"]) as ben:
        await ben.post("/console/project", data={"project": "boss"})
        hidden = await ben.get(f"{PAGE}?after={after}")
        absent = await ben.get(f"{PAGE}?after={uuid4()}")
        assert (hidden.status_code, hidden.text) == (422, absent.text)


async def noted(office: Edge, many: int) -> None:
    """So many skipped prompts, in one go."""
    world = office.world
    async with world.service.store.write(await world.caller("claude")) as tx:
        for _ in range(many):
            turn = HookTurn(
                uuid4(), Program.CLAUDE_CODE, "s", number(), "boss", Stage.READ_ONLY, HookEvent.PROMPT, Outcome.SKIPPED,
                datetime.now(UTC), 1.0, "command",
            )  # fmt: skip
            await tx.hook_turns.note(turn)


def to(stage: str, seen: str, reason: str = "") -> dict[str, str]:
    return {"project": "boss", "stage": stage, "seen": seen, "reason": reason}


async def stage_of(office: Edge) -> str:
    caller = await office.world.caller("member:ana")
    return str((await office.world.service.stages.now(caller, "boss")).stage)
