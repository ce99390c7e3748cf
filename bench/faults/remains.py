"""What is left after a kill: looked at in the tables as their owner, and through the interface as the writer."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
import psycopg

from faults.writers import Acknowledged

_MISSING = "SELECT i FROM unnest(%s::uuid[]) i WHERE NOT EXISTS (SELECT FROM memories m WHERE m.memory_id = i)"
# A memory is whole: words, first version, author, and vectors or the promise of a job that will make them.
_HALF = """
    SELECT m.memory_id FROM memories m LEFT JOIN documents d ON d.memory_no = m.memory_no
    WHERE d.memory_no IS NULL
       OR cardinality(d.terms) <> (SELECT count(*) FROM postings p WHERE p.audience_id = d.audience_id
              AND p.term = ANY (d.terms) AND p.memory_no = d.memory_no)
       OR NOT EXISTS (SELECT FROM versions v WHERE v.memory_id = m.memory_id AND v.version = 1 AND v.content = m.content)
       OR NOT EXISTS (SELECT FROM memory_authors a WHERE a.memory_id = m.memory_id AND a.author_id = m.author_id)
       OR NOT EXISTS (SELECT FROM events e WHERE e.memory_id = m.memory_id)
       OR NOT (EXISTS (SELECT FROM passages p WHERE p.memory_no = m.memory_no)
               OR EXISTS (SELECT FROM pending_embeddings q WHERE q.memory_id = m.memory_id))
    UNION ALL SELECT NULL FROM postings p WHERE NOT EXISTS (SELECT FROM memories m WHERE m.memory_no = p.memory_no)"""


@dataclass(frozen=True, slots=True)
class Remains:
    """How many acknowledged writes are gone or unreadable, and how many memories are not whole."""

    lost: int
    half_written: int


def look(data_dir: Path, url: str, key: str, acknowledged: Sequence[Acknowledged], asked: Sequence[Acknowledged]) -> Remains:
    """All of ``acknowledged`` in the tables; those of ``asked`` by id and by their word, over HTTP."""
    with owner(data_dir) as connection:
        gone = {str(r[0]) for r in connection.execute(_MISSING, ([a.id for a in acknowledged],))}
        half = connection.execute(_HALF).fetchall()
    headers = {"Authorization": f"Bearer {key}"}
    with httpx.Client(base_url=url, headers=headers, timeout=30) as client:
        unread = {a.id for a in asked if not (_read(client, a) and _found(client, a))}
    return Remains(len(gone | unread), len(half))


def without_vectors(data_dir: Path, patience: float) -> int:
    """Memories that still wait for their vectors when none does any more, or after ``patience`` seconds."""
    deadline = time.monotonic() + patience
    with owner(data_dir) as connection:
        while True:
            row = connection.execute(
                "SELECT count(*) FROM memories m WHERE NOT EXISTS (SELECT FROM passages p WHERE p.memory_no = m.memory_no) "
                "OR EXISTS (SELECT FROM pending_embeddings q WHERE q.memory_id = m.memory_id)"
            ).fetchone()
            waiting = int(row[0]) if row else 0
            if waiting == 0 or time.monotonic() > deadline:
                return waiting
            time.sleep(0.5)


def owner(data_dir: Path) -> psycopg.Connection:
    """A connection as the owner of the embedded database, whom no policy binds."""
    lines = (data_dir / "postgres" / "postmaster.pid").read_text("utf-8").splitlines()
    options = "-c search_path=whoknows,public"
    return psycopg.connect(host=lines[4], port=lines[3], user="postgres", dbname="postgres", options=options, autocommit=True)


def _read(client: httpx.Client, wanted: Acknowledged) -> bool:
    answer = client.get(f"/api/v1/memories/{wanted.id}")
    return answer.status_code == 200 and answer.json()["content"] == wanted.content


def _found(client: httpx.Client, wanted: Acknowledged) -> bool:
    answer = client.get("/api/v1/recall", params={"query": wanted.word, "min_score": "0"})
    return answer.status_code == 200 and wanted.id in {m["id"] for m in answer.json()["memories"]}
