"""What an installation tells of itself, and to whom: sizes and waiting work to who runs it, and to no reader."""

from dataclasses import replace

import pytest
from raw import entered

from acceptance.rest.shared import founded
from whoknows.domain.credential import Permission
from whoknows.domain.measured import Backlog
from whoknows.errors import Forbidden, PermissionMissing
from whoknows.flows.authenticate import administer_as
from worlds import World

RUNNING = [Permission.ADMIN, Permission.CREATE_TENANTS]


async def test_the_installation_key_is_told_sizes_and_what_waits(world: World) -> None:
    measured = await world.service.measure.measured(await world.admin())
    assert measured.database is not None
    assert measured.database > sum(t.size for t in measured.tables) > 0
    assert [t.size for t in measured.tables] == sorted((t.size for t in measured.tables), reverse=True)
    assert {b.work for b in measured.backlogs} == {"embedding", "kept_back", "distillation", "publication"}


async def test_waiting_work_is_told_as_an_order_of_magnitude(world: World) -> None:
    await world.agents("A")
    for n in range(10):
        await world.write("A", f"the greenhouse door number {n} sticks")
    found: list[Backlog] = []
    for waiting in (0, 1, 9, 10):
        await _wait(world, waiting)
        measured = await world.service.measure.measured(await world.admin())
        found += [b for b in measured.backlogs if b.work == "embedding"]
    assert [b.waiting for b in found] == [1, 10, 10, 100]
    assert [b.oldest is None for b in found] == [True, False, False, False]


async def test_nobody_else_is_told_and_the_database_refuses_it_too(world: World) -> None:
    """A key that acts as somebody is a reader, whatever else it may: what others write would show in the sizes."""
    await world.agents("A")
    tenant = await founded(world)
    secrets = [
        world.keys["A"],
        await world.key(permissions=[Permission.ADMIN, Permission.AUDIT, Permission.INSPECT]),
        await world.key("A", permissions=RUNNING),
        tenant.installation.new_key,
    ]
    for secret in secrets:
        credential = await world.service.authenticate(secret)
        with pytest.raises(PermissionMissing):
            await world.service.measure.measured(credential)
        with pytest.raises(Forbidden, match="lacks the permission"):
            async with world.service.store.read(administer_as(credential)) as tx:
                await tx.measures.measured(8)


async def test_with_the_eyes_of_another_the_database_tells_no_sizes(world: World) -> None:
    await world.agents("A")
    admin = await world.admin()
    eyes = await world.service.authenticate.eyes(admin, "A", "eyes")
    with pytest.raises(Forbidden, match="lacks the permission"):
        async with world.service.store.read(replace(administer_as(admin), principal=eyes, seen_as=True)) as tx:
            await tx.measures.measured(8)


async def test_administrators_are_told_how_it_is_built_and_others_are_not(world: World) -> None:
    built = await world.service.measure.built(await world.admin())
    assert (built.embedder, built.dimensions) == ("test", 384)
    assert built.schema[:4].isdigit()
    await world.agents("A")
    with pytest.raises(PermissionMissing):
        await world.service.measure.built(await world.service.authenticate(world.keys["A"]))


async def _wait(world: World, how_many: int) -> None:
    """As if so many texts waited for their vectors."""
    async with entered(world.installation.dsn, None, "", "", "") as connection:
        await connection.execute("DELETE FROM pending_embeddings")
        await connection.execute(
            "INSERT INTO pending_embeddings (tenant_id, memory_id, author_id) "
            "SELECT tenant_id, memory_id, author_id FROM memories LIMIT %s",
            (how_many,),
        )
        await connection.commit()
