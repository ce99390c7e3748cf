"""Migrations: numbered SQL under an advisory lock, applied by the owner of the database."""

from importlib.resources import files
from typing import LiteralString, cast

import psycopg
from procrastinate.schema import SchemaManager
from psycopg.errors import InsufficientPrivilege

from whoknows.errors import ConfigurationFault, DimensionMismatch
from whoknows.stores.postgres.translate import translated

LOCK = 7_466_200
_ROLES = ("whoknows_request", "whoknows_jobs", "whoknows_definer")
_QUEUE = "0007_jobs"


def migrations() -> list[tuple[str, str]]:
    """(name, SQL) in order."""
    folder = files("whoknows.stores.postgres.sql").joinpath("migrations")
    found = sorted(f.name for f in folder.iterdir() if f.name.endswith(".sql"))
    return [(name.removesuffix(".sql"), folder.joinpath(name).read_text("utf-8")) for name in found]


def migrate(dsn: str, embedder: str, dimensions: int) -> list[str]:
    """Bring the database to the newest schema and answer what was applied.

    ``dimensions`` is the embedder's; a database made for another raises DimensionMismatch.
    """
    with translated(), psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (LOCK,))
        try:
            _check_server(connection)
            return _apply(connection, embedder, dimensions)
        finally:
            connection.execute("SELECT pg_advisory_unlock(%s)", (LOCK,))


def _apply(connection: psycopg.Connection, embedder: str, dimensions: int) -> list[str]:
    with connection.transaction():
        _roles(connection)
        connection.execute("CREATE SCHEMA IF NOT EXISTS whoknows")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS whoknows.migrations "
            "(name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())"
        )
    done = {name for (name,) in connection.execute("SELECT name FROM whoknows.migrations")}
    applied: list[str] = []
    unknown = sorted(done - {name for name, _ in migrations()})
    if unknown:
        raise ConfigurationFault(
            f"this database was made by a newer WhoKnows ({', '.join(unknown)}): install that version here"
        )
    for name, text in migrations():
        if name in done:
            continue
        with connection.transaction():
            connection.execute("SET LOCAL search_path = whoknows, public")
            connection.execute("SET LOCAL check_function_bodies = off")
            if name == _QUEUE:
                _queue(connection)
            connection.execute(cast(LiteralString, text.replace("{dimensions}", str(int(dimensions)))))
            connection.execute("INSERT INTO migrations (name) VALUES (%s)", (name,))
        applied.append(name)
    connection.execute(
        "INSERT INTO whoknows.installation (embedder, dimensions) VALUES (%s, %s) ON CONFLICT DO NOTHING",
        (embedder, dimensions),
    )
    row = connection.execute("SELECT embedder, dimensions FROM whoknows.installation").fetchone()
    if row is not None and row[1] != dimensions:
        raise DimensionMismatch(
            f"this database holds vectors of {row[1]} dimensions ({row[0]}), the embedder {embedder} makes {dimensions}: "
            "set the embedder back, or export and import into a new database"
        )
    if row is not None and row[0] != embedder:
        raise ConfigurationFault(
            f"this database holds vectors of {row[0]}, which those of {embedder} cannot be compared with: "
            "set the embedder back, or export and import into a new database"
        )
    return applied


def _roles(connection: psycopg.Connection) -> None:
    # Roles belong to the server, not to the database: another database of this server may have made them.
    for role in _ROLES:
        try:
            connection.execute(
                f"DO $$ BEGIN CREATE ROLE {role} NOLOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$"
            )
            connection.execute(f"GRANT {role} TO CURRENT_USER")
        except InsufficientPrivilege as e:
            raise ConfigurationFault(
                f"the database user {connection.info.user!r} may not make or enter the role {role}: it needs CREATEROLE, and "
                "where this server holds a WhoKnows database already, it must be the user that owns that one"
            ) from e


def _queue(connection: psycopg.Connection) -> None:
    connection.execute("CREATE SCHEMA procrastinate")
    connection.execute("SET LOCAL search_path = procrastinate, public")
    connection.execute(SchemaManager.get_schema())
    connection.execute("SET LOCAL search_path = whoknows, public")


def _check_server(connection: psycopg.Connection) -> None:
    version = connection.info.server_version
    if version < 150_000:
        raise ConfigurationFault(f"PostgreSQL 15 or later is needed, this server is {version // 10_000}")
    row = connection.execute(
        "SELECT coalesce(installed_version, default_version), installed_version IS NOT NULL "
        "FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if row is None:
        raise ConfigurationFault("the extension pgvector is not installed on this server")
    if tuple(int(n) for n in str(row[0]).split(".")[:2]) < (0, 7):
        raise ConfigurationFault(f"pgvector 0.7 or later is needed, this server has {row[0]}")
    if row[1]:
        return
    try:
        connection.execute("CREATE EXTENSION vector SCHEMA public")
    except InsufficientPrivilege as e:
        raise ConfigurationFault(
            "this database user may not create the extension: let a superuser run `CREATE EXTENSION vector` "
            f"in the database {connection.info.dbname!r}, then start again"
        ) from e
