"""People who are signed in to the console, and the clock of their sessions, moved by the owner of the database."""

import hashlib

from raw import entered

from whoknows.domain.credential import Permission
from whoknows.domain.session import Session
from worlds import World


async def signed_in(world: World, *acts_as: str, permissions: tuple[Permission, ...] = ()) -> tuple[str, Session]:
    """The token and the session of a new key."""
    return await world.service.sign_in.open(await world.key(*acts_as, permissions=permissions))


async def idle(world: World, token: str, how_long: str) -> None:
    """As if the last request of the session had been so long ago."""
    statement = "UPDATE console_sessions SET last_seen_at = now() - %(x)s::interval WHERE token_hash = %(hash)s"
    await _owner(world, statement, token, how_long)


async def aged(world: World, token: str, how_long: str) -> None:
    """As if all of the session had begun so much earlier."""
    statement = (
        "UPDATE console_sessions SET created_at = created_at - %(x)s::interval, expires_at = expires_at - %(x)s::interval "
        "WHERE token_hash = %(hash)s"
    )
    await _owner(world, statement, token, how_long)


async def since_last_seen(world: World, token: str) -> float:
    """Seconds."""
    statement = "SELECT extract(epoch FROM now() - last_seen_at)::float8 AS s FROM console_sessions WHERE token_hash = %(hash)s"
    async with entered(world.installation.dsn, None, "", "", "") as connection:
        row = await (await connection.execute(statement, {"hash": _hash(token)})).fetchone()
    assert row is not None
    return row["s"]


async def kept(world: World) -> int:
    """Sessions that the table holds, ended ones too."""
    async with entered(world.installation.dsn, None, "", "", "") as connection:
        row = await (await connection.execute("SELECT count(*) AS n FROM console_sessions")).fetchone()
    assert row is not None
    return row["n"]


async def _owner(world: World, statement: str, token: str, how_long: str) -> None:
    async with entered(world.installation.dsn, None, "", "", "") as connection:
        done = await connection.execute(statement.encode(), {"x": how_long, "hash": _hash(token)})
        assert done.rowcount == 1
        await connection.commit()


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()
