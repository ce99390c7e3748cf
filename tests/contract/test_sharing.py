"""Shares: how many there may be."""

from dataclasses import replace

import pytest

from whoknows.errors import Invalid
from worlds import World


async def test_a_memory_is_shared_with_as_many_as_one_may_name_when_it_is_written(world: World) -> None:
    await world.agents("A", "B", "C")
    change = replace(world.service.change, limits=replace(world.service.limits, readers=1))
    mine, caller = await world.write("A", "the port is 5433"), await world.caller("A")
    await change.share(caller, mine.id, "B", given=True)
    with pytest.raises(Invalid, match="team"):
        await change.share(caller, mine.id, "C", given=True)
    again = await change.share(caller, mine.id, "B", given=True)
    assert {r.name for r in again.audience.readers} == {"A", "B"}
