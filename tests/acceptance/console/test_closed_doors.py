"""Rooms for keys that see nothing there yet: each says why, and what to do instead, and none calls it an error."""

import pytest

from acceptance.console.conftest import SignedIn
from whoknows.domain.credential import Permission
from worlds import World

pytestmark = pytest.mark.asyncio(loop_scope="session")
ROOMS = [
    "memory",
    "memory/batches",
    "knows",
    "knows/two",
    "knows/inspector",
    "gate",
    "gate/ledger",
    "gate/observations",
    "gate/proposals",
    "gate/corrections",
    "programs",
]


@pytest.mark.parametrize("room", ROOMS)
async def test_a_key_for_several_chooses_as_whom_in_the_room_itself(world: World, signed_in: SignedIn, room: str) -> None:
    await world.agents("wukong", "maomao")
    async with signed_in(await world.key("wukong", "maomao")) as browser:
        page = await browser.get(f"/console/{room}")
        assert page.status_code == 200
        main = page.text.partition("<main")[2]
        assert all(f'name="acting" value="agent:{name}"' in main for name in ("wukong", "maomao"))
        assert f'name="back" value="/console/{room}"' in main

        await browser.post("/console/acting", data={"acting": "agent:wukong"})
        assert 'name="acting"' not in (await browser.get(f"/console/{room}")).text.partition("<main")[2]


@pytest.mark.parametrize("room", [*ROOMS, "chat"])
async def test_a_key_that_acts_as_nobody_is_shown_the_way_to_one_that_does(
    world: World, signed_in: SignedIn, room: str
) -> None:
    async with signed_in(await world.key(permissions=[Permission.ADMIN])) as browser:
        page = await browser.get(f"/console/{room}")
        assert page.status_code == 200
        assert 'href="/console/admin"' in page.text.partition("<main")[2]
