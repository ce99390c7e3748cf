"""Inspect a database as its owner: versions, schema, and whether the second lock is closed. Changes nothing."""

from dataclasses import dataclass

import psycopg

from whoknows.stores.postgres.migrate import migrations
from whoknows.stores.postgres.sql import blocks
from whoknows.stores.postgres.translate import translated


@dataclass(frozen=True, slots=True)
class Inspection:
    """``pgvector`` is None where the extension is absent; ``dimensions`` where nothing is installed yet.

    ``missing`` are migrations to come, ``unknown`` those of a newer WhoKnows; ``powerful`` are roles of ours that
    row-level security does not bind; ``unforced`` are tables with tenant data on which it is not forced.
    """

    server: str
    server_number: int
    pgvector: str | None
    dimensions: int | None
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    powerful: tuple[str, ...]
    unforced: tuple[str, ...]


def inspect(dsn: str, timeout: int) -> Inspection:
    """Raises StoreUnavailable where the server does not answer within ``timeout`` seconds."""
    sql = blocks("inspection")
    with translated(), psycopg.connect(dsn, connect_timeout=timeout, autocommit=True) as connection:

        def names(block: str) -> tuple[str, ...]:
            return tuple(str(name) for (name,) in connection.execute(sql[block]))

        installed = bool(names("installed"))
        done = names("migrations") if installed else ()
        known = [name for name, _ in migrations()]
        dimensions = names("dimensions") if installed else ()
        return Inspection(
            server=names("server")[0],
            server_number=connection.info.server_version,
            pgvector=next(iter(names("pgvector")), None),
            dimensions=int(dimensions[0]) if dimensions else None,
            missing=tuple(n for n in known if n not in done),
            unknown=tuple(n for n in done if n not in known),
            powerful=names("powerful_roles"),
            unforced=names("unforced_tables"),
        )
