"""Fill a world in bulk: what captures would have written, row for row, in a fraction of the time."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector

from speed.figures import say
from speed.texts import Writer
from speed.world import READER, WRITER, World
from whoknows.domain.ids import new_memory_id
from whoknows.flows.prepare import index_terms
from whoknows.gate.duplicates import dedupe_key
from whoknows.policy.egress import kept_here
from whoknows.ports import Embedder, IndexTerms

_NOISE = 0.15
"""Length of the noise beside a unit vector. More would leave no structure for an index over vectors to find."""
_STRIDE = 97
"""Audiences between two copies of one text, so that no reader has many of them."""
_BATCH = 10_000
_RUN = 100
"""Memories written one after another in the same project."""
_TABLES = {
    "memories": "COPY memories (memory_no, tenant_id, audience_id, memory_id, author_id, dedupe_author, content, category, "
    "content_hash, dedupe_key, wide, project_id) FROM STDIN",
    "authors": "COPY memory_authors (tenant_id, audience_id, memory_id, author_id) FROM STDIN",
    "versions": "COPY versions (tenant_id, audience_id, memory_id, changed_by, version, content, category, tags, change) "
    "FROM STDIN",
    "documents": "COPY documents (memory_no, tenant_id, audience_id, length, terms, frequencies) FROM STDIN",
}
_POSTINGS = """
    INSERT INTO postings (tenant_id, audience_id, term, memory_no, frequency, length, expires_at)
    SELECT d.tenant_id, d.audience_id, t.term, d.memory_no, t.frequency, d.length, d.expires_at
    FROM documents d, unnest(d.terms, d.frequencies) t(term, frequency)"""
_ARM_INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'whoknows' AND indexname = ANY (%s)"

Floats = NDArray[np.float32]
Row = tuple[Any, ...]


async def centres(embedder: Embedder, writer: Writer, count: int) -> Floats:
    """(count, dimensions): the embedder's own vectors, around which the made-up ones are scattered."""
    return np.array(await embedder.embed_passages([kept_here(t) for t in writer.texts(count, 12, 20)]), np.float32)


def fill(
    world: World,
    texts: Sequence[str],
    copies: int,
    around: Floats,
    vectors: Mapping[str, Sequence[float]] | None = None,
    projects: Sequence[str | None] = (None,),
) -> int:
    """Write each of ``texts`` into ``copies`` audiences and answer how many rows there are.

    What ``index_memory`` would have written, but for events. Neighbouring rows belong to different audiences, as when
    everybody writes at the same time; the indexes of the arms are made afterwards. ``vectors``: those of the texts, instead
    of made-up ones near one of ``around``. ``projects`` take turns.
    """
    distinct = list(dict.fromkeys(texts))
    with psycopg.connect(world.installation.dsn, autocommit=True, options="-c search_path=whoknows,public") as connection:
        register_vector(connection)
        connection.execute("SET session_replication_role = replica")  # no triggers: foreign keys, events
        connection.execute("SET maintenance_work_mem = '1GB'")
        indexes = connection.execute(_ARM_INDEXES, (["postings_terms", "passages_audience", "documents_live"],)).fetchall()
        for name, _ in indexes:
            connection.execute(f"DROP INDEX {name}".encode())
        count = _copy_texts(connection, world, distinct, copies, projects)
        say(f"{count:,} texts are there; their vectors")
        _copy_vectors(connection, around, vectors)
        say("postings and indexes")
        connection.execute(_POSTINGS)
        for _, definition in indexes:
            connection.execute(str(definition).encode())
        connection.execute("SELECT setval(pg_get_serial_sequence('memories', 'memory_no'), %s)", (count,))
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT")
    return count


@lru_cache(maxsize=100_000)
def _indexed(text: str) -> tuple[str, bytes, IndexTerms]:
    """Its hash, its key, and its terms: the same texts are written into one world after another."""
    return sha256(text.encode()).hexdigest(), dedupe_key(text), index_terms(text, None)


def _copy_texts(
    connection: psycopg.Connection, world: World, texts: Sequence[str], copies: int, projects: Sequence[str | None]
) -> int:
    tenant, reader, writer = _ids(connection)
    ready = [(t, *_indexed(t)) for t in texts]
    ids = [new_memory_id() for _ in range(len(texts) * copies)]

    def row(table: str, n: int) -> Row:
        copy, which = divmod(n, len(texts))
        audience = world.audiences[(which + copy * _STRIDE) % len(world.audiences)]
        author = reader if audience == world.audiences[0] else writer
        text, hashed, key, index = ready[which]
        match table:
            case "memories":
                alone = author if author == reader else None
                project = projects[(n + 1) // _RUN % len(projects)]
                return n + 1, tenant, audience, ids[n], author, alone, text, "fact", hashed, key, index.wide, project
            case "authors":
                return tenant, audience, ids[n], author
            case "versions":
                return tenant, audience, ids[n], author, 1, text, "fact", [], "captured"
            case _:
                return n + 1, tenant, audience, index.length, list(index.terms), list(index.frequencies)

    for table in _TABLES:
        _copy(connection, table, len(ids), row)
    return len(ids)


def _copy(connection: psycopg.Connection, table: str, count: int, row: Callable[[str, int], Row]) -> None:
    with connection.cursor() as cursor, cursor.copy(_TABLES[table].encode()) as copy:
        for n in range(count):
            copy.write_row(row(table, n))


def _copy_vectors(connection: psycopg.Connection, around: Floats, vectors: Mapping[str, Sequence[float]] | None) -> None:
    random = np.random.default_rng(7)
    rows = connection.execute("SELECT tenant_id, audience_id, memory_no, content FROM memories ORDER BY memory_no").fetchall()
    statement = "COPY passages (tenant_id, audience_id, memory_no, passage_no, embedding) FROM STDIN (FORMAT binary)"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.set_types(["int4", "int4", "int8", "int2", "halfvec"])
        for start in range(0, len(rows), _BATCH):
            part = rows[start : start + _BATCH]
            made = scattered(random, around, len(part)) if vectors is None else [list(vectors[r[3]]) for r in part]
            for row, vector in zip(part, made, strict=True):
                copy.write_row((*row[:3], 1, HalfVector(vector)))


def scattered(random: np.random.Generator, around: Floats, count: int) -> Floats:
    """(count, dimensions): unit vectors, each a mix of three of ``around`` with a little noise: a text has several topics."""
    shares = random.dirichlet((1.0, 1.0, 1.0), count).astype(np.float32)
    topics = around[random.integers(len(around), size=(count, 3))]
    noise = random.standard_normal((count, around.shape[1]), np.float32)
    noise *= _NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
    mixed = np.einsum("nt,ntd->nd", shares, topics)
    vectors = mixed / np.linalg.norm(mixed, axis=1, keepdims=True) + noise
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _ids(connection: psycopg.Connection) -> tuple[int, int, int]:
    """Tenant, reader and writer."""
    found = dict(connection.execute("SELECT name, principal_id FROM principals WHERE kind = 'agent'").fetchall())
    row = connection.execute("SELECT tenant_id FROM tenants").fetchone()
    assert row is not None
    return row[0], found[READER], found[WRITER]
