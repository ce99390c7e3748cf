"""What a project leaves, without either of the two locks: nobody counts a memory that it may not see."""

from typing import Any

from raw import entered, second_lock_alone

from whoknows.bootstrap import Installation
from whoknows.domain.memory import Filters
from whoknows.policy.standing import scope_for
from whoknows.stores.postgres.parameters import filtered, scoped
from whoknows.stores.postgres.sql import raw_blocks, render
from worlds import World

BLOCK = raw_blocks("arms")["left_of_project"]


async def test_what_a_project_leaves_is_hidden_by_each_lock_alone(world: World, installation: Installation) -> None:
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    for n in range(3):
        await world.write("A", f"A's own {n}", project_id="desk")
    await world.write("A", "the team's", team_id="T", project_id="desk")
    await world.write("A", "of nothing", team_id="T")
    await world.write("C", "before it in the alphabet", project_id="cellar")
    await world.write("C", "behind it", project_id="roof")
    for who, narrows, held in (("A", False, 0), ("B", False, 0), ("C", True, 0)):
        assert await _left(world, installation, who, or_global=True) == (narrows, held), who
    for who, held in (("A", 4), ("B", 1), ("C", 0)):
        assert await _left(world, installation, who, or_global=False) == (True, held), who


async def _left(world: World, installation: Installation, who: str, or_global: bool) -> tuple[bool, int]:
    caller = await world.caller(who)
    async with world.service.store.read(caller) as tx:
        scope = scope_for(await tx.directory.standing())
    params = scoped(scope) | filtered(Filters(project_id="desk", or_global=or_global)) | {"most": 100}
    async with second_lock_alone(installation.dsn, caller) as connection:
        answers = [await _row(connection, params, clause) for clause in (True, False)]
    async with entered(installation.dsn, None, "", "", "") as connection:
        answers.append(await _row(connection, params, True))
        if not or_global:
            assert await _row(connection, params, False) == (True, 4), "without both locks all are counted"
    assert answers[0] == answers[1] == answers[2]
    return answers[0]


async def _row(connection: Any, params: dict[str, Any], clause: bool) -> tuple[bool, int]:
    row = await (await connection.execute(render(BLOCK, scope_clause=clause), params)).fetchone()
    assert row["numbers"] is not None
    assert len(row["numbers"]) == row["held"]
    return row["narrows"], row["held"]
