"""With the eyes of another, a page is read and nothing is written: not even what one's own session is about."""

import re

import pytest

from acceptance.console.conftest import SignedIn
from whoknows.domain.credential import Permission
from whoknows.flows.converse import Said
from whoknows.flows.exchange import Ended
from worlds import World

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_reading_somebody_s_conversation_leaves_ones_own_project_as_it_is(world: World, signed_in: SignedIn) -> None:
    await world.members("mira", "noor")
    ended = [e async for e in world.service.converse(await world.caller("member:noor"), Said("hers", "hello"))][-1]
    assert isinstance(ended, Ended)
    async with signed_in(await world.key("member:mira", permissions=[Permission.INSPECT])) as browser:
        await browser.post("/console/project", data={"project": "own"})
        await browser.post("/console/eyes", data={"eyes": "member:noor"})
        page = await browser.get(f"/console/chat/{ended.conversation}")
        assert page.status_code == 200
        assert "hello" in page.text
        await browser.post("/console/eyes", data={"eyes": ""})
        memory = await browser.get("/console/memory")
        assert re.search(r'name="project"[^>]*value="own"', memory.text)
        assert "hers" not in memory.text


async def test_what_is_sent_with_the_eyes_of_another_says_how_to_go_on(world: World, signed_in: SignedIn) -> None:
    await world.agents("wukong", "maomao")
    key = await world.key("wukong", permissions=[Permission.INSPECT, Permission.ADMIN])
    async with signed_in(key) as browser:
        await browser.post("/console/eyes", data={"eyes": "agent:maomao"})
        for path, form in (("memory/new", {"content": "not mine"}), ("admin/people/member", {"name": "nobody"})):
            answer = await browser.post(f"/console/{path}", data=form)
            assert answer.status_code == 403, path
            assert "seen_as_reads_only" in answer.text
            assert "be yourself again" in answer.text
