"""The first key of an installation: made once, by whoever owns the database."""

import psycopg

from whoknows.domain.ids import new_credential_id
from whoknows.errors import ConfigurationFault
from whoknows.flows.authenticate import secret_hash
from whoknows.flows.keys import new_secret, secret_fault
from whoknows.stores.postgres.sql import blocks
from whoknows.stores.postgres.translate import translated


def first_key(dsn: str, given: str) -> str | None:
    """The installation key, where this call made it. Two that start at once make one between them."""
    if given and (fault := secret_fault(given)):
        raise ConfigurationFault(f"WHOKNOWS_BOOTSTRAP_KEY: {fault}")
    secret = given or new_secret()
    params = {"id": new_credential_id(), "hash": secret_hash(secret)}
    with translated(), psycopg.connect(dsn, options="-c search_path=whoknows,public") as connection:
        connection.execute("SELECT pg_advisory_xact_lock(7466202)")
        connection.execute("SET LOCAL ROLE whoknows_definer")
        made = connection.execute(blocks("credentials")["bootstrap"], params).fetchone()
    return secret if made is not None else None
