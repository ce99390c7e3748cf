"""The shortest story through the whole service."""

from worlds import World


async def test_a_team_sees_what_its_member_wrote_and_others_do_not(world: World) -> None:
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    await world.write("A", "预发环境数据库端口是 5433", team_id="T")
    assert await world.recalled("B", "预发 数据库 端口") == ["预发环境数据库端口是 5433"]
    assert await world.recalled("C", "预发 数据库 端口") == []
