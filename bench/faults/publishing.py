"""Publish 50 originals 1,000 times over two servers that die at every step, and count what is left: `make bench-faults`."""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from faults.pair import Pair
from faults.publishers import Publishers
from faults.remains import owner
from whoknows.flows.keys import new_secret
from whoknows.flows.publish import Step

STEPS = [s for s in Step if s is not Step.COMPENSATING]
"""Compensation is come to only where a right ends half way: tests/postgres/test_publishing_saga.py lets processes die there."""
BOARD = "*"
_PATIENCE = 120.0

# Of a copy everything is there, or nothing: words, first version, author, and vectors or the promise of a job.
_LEFT = """
    SELECT
      (SELECT count(*) FROM publications WHERE state = 'ready') AS ready,
      (SELECT count(*) FROM publications WHERE state <> 'ready') AS "not ready",
      (SELECT count(*) FROM (SELECT original_id FROM copies GROUP BY original_id HAVING count(*) = 1) o)
          AS "originals with one copy",
      (SELECT count(*) FROM (SELECT original_id FROM copies GROUP BY original_id HAVING count(*) > 1) o)
          AS "originals with several copies",
      (SELECT count(*) FROM memories m WHERE m.origin IS NOT NULL AND NOT EXISTS (
          SELECT FROM publications p WHERE p.memory_id = m.memory_id AND p.state = 'ready')) AS "orphan copies",
      (SELECT count(*) FROM publications WHERE state = 'pending') AS "pending reservations",
      (SELECT count(*) FROM publication_cleanups) AS "clean-up tasks",
      (SELECT count(*) FROM memories m LEFT JOIN documents d USING (memory_no) WHERE m.origin IS NOT NULL AND (
          d.memory_no IS NULL OR NOT d.live
          OR cardinality(d.terms) <> (SELECT count(*) FROM postings t WHERE t.audience_id = d.audience_id
              AND t.term = ANY (d.terms) AND t.memory_no = d.memory_no)
          OR NOT EXISTS (SELECT FROM versions v WHERE v.memory_id = m.memory_id AND v.content = m.content)
          OR NOT EXISTS (SELECT FROM memory_authors a WHERE a.memory_id = m.memory_id)
          OR NOT (EXISTS (SELECT FROM passages p WHERE p.memory_no = m.memory_no)
              OR EXISTS (SELECT FROM pending_embeddings q WHERE q.memory_id = m.memory_id)))) AS "copies not whole"
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--originals", type=int, default=50)
    parser.add_argument("--publishes", type=int, default=1000)
    parser.add_argument("--at-once", type=int, default=1000, help="requests under way at any time")
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    parser.add_argument("--out", type=Path, default=Path("out/faults_publishing.json"))
    given = parser.parse_args()
    result = measure(given.originals, given.publishes, given.at_once, given.seed)
    for what, value in result.items():
        print(f"{what}: {value}")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", "utf-8")
    sys.exit(0 if holds(result) else 1)


def measure(originals: int, publishes: int, at_once: int, seed: int) -> dict[str, Any]:
    began = time.monotonic()
    with TemporaryDirectory() as folder:
        # At every step in turn, each server once; never both at the same step at once.
        pair = Pair(Path(folder), new_secret(), (list(STEPS), STEPS[3:] + STEPS[:3]))
        try:
            pair.begin()
            key, reader, memories = _prepare(pair, originals)
            publishers = Publishers([s.url for s in pair.servers], key, at_once)
            asked = memories * (publishes // originals)
            random.Random(seed).shuffle(asked)
            pair.condemn()
            asyncio.run(publishers.publish(asked, BOARD))
            pair.pardon()
            pair.wait()
            left = _left(Path(folder))
            seen = _board(pair.servers[1].url, reader)
        finally:
            pair.end()
    return {
        "originals": originals,
        "publishes answered": publishers.answered,
        "killed at": pair.deaths,
        "connections cut": publishers.cut_off,
        "told to come back (409)": publishers.told_to_wait,
        "turned away, too much at once (503)": publishers.turned_away,
        "other answers": dict(publishers.unexpected),
        "originals answered 201 more than once": sum(n > 1 for n in publishers.first.values()),
        "originals answered with different copies": sum(len(c) > 1 for c in publishers.copies.values()),
        "cards a reader sees on the board": seen,
        **left,
        "seconds": round(time.monotonic() - began),
    }


def holds(result: dict[str, Any]) -> bool:
    """Whether the promise was kept: exactly one ready copy of each, whole, and nothing else."""
    every = result["originals"]
    whole = all(result[k] == every for k in ("ready", "originals with one copy", "cards a reader sees on the board"))
    nothing = all(
        result[k] == 0
        for k in (
            "not ready", "originals with several copies", "orphan copies", "pending reservations", "clean-up tasks",
            "copies not whole", "originals answered 201 more than once", "originals answered with different copies",
        )
    )  # fmt: skip
    return whole and nothing and set(result["killed at"]) == {str(s) for s in STEPS}


def _prepare(pair: Pair, originals: int) -> tuple[str, str, list[str]]:
    """The keys of a publisher and of a reader, and the private memories of the first."""
    with httpx.Client(base_url=f"{pair.servers[0].url}/api/v1", timeout=60) as client:
        client.headers["Authorization"] = f"Bearer {pair.bootstrap_key}"
        keys: list[str] = []
        for name in ("informant", "detective"):
            client.post("/agents", json={"agent_id": name, "role": "main"}).raise_for_status()
            keys.append(client.post("/keys", json={"acts_as": [name]}).raise_for_status().json()["key"])
        client.put("/teams/*/members/agent:informant", json={"role": "writer"}).raise_for_status()
        client.headers["Authorization"] = f"Bearer {keys[0]}"
        items = [{"content": f"第 {n} 张卡片：码头 {n} 号仓库的钥匙在值班室 / card {n}"} for n in range(originals)]
        answer = client.post("/capture/batch", json={"items": items}).raise_for_status()
    return keys[0], keys[1], [r["memory"]["id"] for r in answer.json()["results"]]


def _left(data_dir: Path) -> dict[str, int]:
    """What is in the tables when nothing is pending any more, or after a while."""
    deadline = time.monotonic() + _PATIENCE
    with owner(data_dir) as connection:
        while True:
            cursor = connection.execute(_LEFT)
            names = [c.name for c in cursor.description or ()]
            row: Sequence[int] = cursor.fetchone() or ()
            left: dict[str, int] = dict(zip(names, row, strict=True))
            if not (left["pending reservations"] or left["clean-up tasks"]) or time.monotonic() > deadline:
                return left
            time.sleep(0.2)


def _board(url: str, key: str) -> int:
    """How many different cards a reader finds there, by the list, page after page."""
    seen: list[str] = []
    with httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=60) as client:
        cursor: str | None = None
        while True:
            query = {"limit": 200} | ({} if cursor is None else {"cursor": cursor})
            page = client.get("/memories", params=query).raise_for_status().json()
            seen += [m["content"] for m in page["items"]]
            cursor = page["next_cursor"]
            if cursor is None:
                return len(set(seen)) if len(set(seen)) == len(seen) else -1


if __name__ == "__main__":
    main()
