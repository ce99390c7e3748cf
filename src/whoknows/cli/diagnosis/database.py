"""What the doctor looks at in the database: whether it answers, its versions, its schema, and the second lock."""

from collections.abc import Iterator

from whoknows.cli.diagnosis.findings import Finding, fail, ok, warn
from whoknows.errors import WhoKnowsError
from whoknows.settings import Settings


def database(settings: Settings) -> Iterator[Finding]:
    if not settings.database_url and not (settings.data_dir / "postgres").exists():
        yield warn("database", "there is none yet", "`whoknows serve` makes it at its first start")
        return
    from whoknows.stores.postgres.inspect import inspect

    advice = (
        "look at WHOKNOWS_DATABASE_URL, and whether that server runs"
        if settings.database_url
        else f"the log of PostgreSQL is in {settings.data_dir / 'postgres'}"
    )
    try:
        kind, dsn = ("server of your own", settings.database_url) if settings.database_url else _embedded(settings)
        found = inspect(dsn, int(settings.database_timeout) or 1)
    except (WhoKnowsError, OSError, RuntimeError) as fault:
        yield fail("database", str(fault).splitlines()[0], advice)
        return
    if found.server_number < 150_000:
        yield fail("PostgreSQL", f"{found.server} is too old", "WhoKnows needs PostgreSQL 15 or later")
    else:
        yield ok("PostgreSQL", f"{found.server}, {kind}")
    yield _pgvector(found.pgvector)
    if found.dimensions is None:
        yield warn("schema", "nothing is installed in this database yet", "`whoknows serve` does it at its first start")
        return
    yield from _schema(found.missing, found.unknown)
    if found.dimensions != settings.embedder_dimensions:
        yield fail(
            "vectors",
            f"the database holds {found.dimensions} dimensions, the settings say {settings.embedder_dimensions}",
            "set the embedder back, or export and import into a new database",
        )
    yield _second_lock(found.powerful, found.unforced)


def _embedded(settings: Settings) -> tuple[str, str]:
    """What to tell of the built-in server, for those who make a backup of it, and its address."""
    from whoknows.stores.postgres.embedded import EmbeddedServer

    server = EmbeddedServer(settings.data_dir / "postgres")
    dsn = server.start()
    return f"built-in server at {dsn}, psql and pg_dump in {server.tools}", dsn


def _pgvector(version: str | None) -> Finding:
    if version is None:
        return fail("pgvector", "the extension is not there", "install pgvector 0.7 or later on that server")
    if tuple(int(n) for n in version.split(".")[:2]) < (0, 7):
        return fail("pgvector", f"{version} is too old", "install pgvector 0.7 or later on that server")
    return ok("pgvector", version)


def _schema(missing: tuple[str, ...], unknown: tuple[str, ...]) -> Iterator[Finding]:
    if unknown:
        yield fail("schema", f"made by a newer WhoKnows ({', '.join(unknown)})", "install that version of WhoKnows here")
    elif missing:
        yield warn("schema", f"{len(missing)} migrations to come ({', '.join(missing)})", "`whoknows serve` applies them")
    else:
        yield ok("schema", "all migrations are applied")


def _second_lock(powerful: tuple[str, ...], unforced: tuple[str, ...]) -> Finding:
    if powerful:
        return fail(
            "row-level security",
            f"does not bind {', '.join(powerful)}",
            "; ".join(f"ALTER ROLE {role} NOSUPERUSER NOBYPASSRLS" for role in powerful),
        )
    if unforced:
        return fail(
            "row-level security",
            f"not forced on {', '.join(unforced)}",
            "; ".join(f"ALTER TABLE whoknows.{t} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY" for t in unforced),
        )
    return ok("row-level security", "forced on every table with tenant data, and binds every role of WhoKnows")
