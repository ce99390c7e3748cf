"""Hidden beside absent within the process: the same statements, and so the same time."""

import time

import psycopg

from speed.figures import Figure
from speed.over_http import ratio_of_medians
from speed.world import World
from whoknows.domain.ids import MemoryId, new_memory_id
from whoknows.errors import NotFound

_WARM = 20


def hidden_from_reader(world: World, count: int) -> list[MemoryId]:
    """Ids of memories in audiences that the reader is not in."""
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows,public") as connection:
        rows = connection.execute(
            "SELECT memory_id FROM memories WHERE audience_id = ANY (%s) ORDER BY memory_id LIMIT %s",
            (world.audiences[5:], count),
        )
        return [MemoryId(r[0]) for r in rows]


async def hidden_beside_absent(world: World, hidden: list[MemoryId]) -> list[Figure]:
    caller = await world.caller()
    times: dict[bool, list[float]] = {True: [], False: []}
    for n, memory in enumerate(hidden):
        for is_hidden in (True, False) if n % 2 else (False, True):
            wanted = memory if is_hidden else new_memory_id()
            began = time.perf_counter()
            try:
                await world.service.read.get(caller, wanted)
            except NotFound:
                if n >= _WARM:
                    times[is_hidden].append(time.perf_counter() - began)
    return ratio_of_medians("in process", times[True], times[False])
