"""Ten thousand writes from eight processes that repeat and contradict each other, and what is current afterwards.

    python -m faults.contradictions

Four agents write into a team and into their own memory about the same few subjects, each from several processes: statements
of a subject, the same words again, and explicit supersessions. Afterwards every author has exactly one current statement of
each subject it spoke of, no chain is a circle, every chain ends in what is current, and what is current is a statement
that could have been the last: no other of the same author on that subject was begun after it was answered.
"""

import argparse
import asyncio
import json
import multiprocessing
import random
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

import psycopg

from whoknows.bootstrap import Installation, build, install
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Draft
from whoknows.domain.principal import AgentRole, GateLevel, TeamRole
from whoknows.errors import WhoKnowsError
from whoknows.flows.administer import NewAgent
from whoknows.flows.authenticate import act_as
from whoknows.service import Service
from whoknows.settings import Settings

WHOLE = {
    "several": "authors with several current statements of a subject",
    "circles": "circles",
    "endless": "endless chains",
    "nowhere": "chains that end nowhere",
    "otherwise": "rows whose index says otherwise",
    "missing": "subjects without a current statement",
    "late": "statements that cannot be last",
    "failed": "failed otherwise",
}
"""What must be nought at the end."""
EXPECTED = ("already_superseded", "held", "invalid: its own words")
"""What a write among contradictions may come to, besides going in."""
TEAM = "T"
AGENTS = ("A", "B", "C", "D")
SUBJECTS = 12
VALUES = 6
PROCESSES = 8

_STATE = """
    WITH RECURSIVE mine AS (
        SELECT m.memory_id, m.audience_id, m.subject, m.state, w.author_id
        FROM memories m JOIN memory_authors w USING (memory_id) WHERE m.subject IS NOT NULL),
    walk AS (
        SELECT memory_id AS start, superseded_by AS next, 1 AS depth FROM memories WHERE superseded_by IS NOT NULL
        UNION ALL
        SELECT w.start, m.superseded_by, w.depth + 1 FROM walk w JOIN memories m ON m.memory_id = w.next
        WHERE m.superseded_by IS NOT NULL AND w.depth < 20000)
    SELECT
      (SELECT count(*) FROM memories) AS rows,
      (SELECT count(*) FROM memories WHERE state = 'active') AS current,
      (SELECT count(*) FROM (SELECT FROM mine WHERE state = 'active'
          GROUP BY audience_id, subject, author_id HAVING count(*) > 1) x) AS several,
      (SELECT count(*) FROM walk WHERE start = next) AS circles,
      (SELECT count(*) FROM walk WHERE depth >= 20000) AS endless,
      (SELECT count(*) FROM memories m WHERE m.state = 'superseded' AND NOT EXISTS (
          SELECT FROM memories n WHERE n.memory_id = m.superseded_by AND n.audience_id = m.audience_id)) AS nowhere,
      (SELECT count(*) FROM memories m LEFT JOIN documents d USING (memory_no)
          WHERE d.live IS DISTINCT FROM (m.state = 'active')) AS otherwise
"""
_CURRENT = """
    SELECT a.layer, p.name AS author, m.subject, m.content FROM memories m JOIN audiences a USING (audience_id)
    JOIN memory_authors w USING (memory_id) JOIN principals p ON p.principal_id = w.author_id
    WHERE m.state = 'active' AND m.subject IS NOT NULL
"""


@dataclass(frozen=True, slots=True)
class Write:
    """One write that was answered: when it was begun and answered, in seconds of one clock of the machine."""

    agent: str
    layer: str
    subject: str
    content: str
    begun: float
    answered: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--writes", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/contradictions.json"))
    given = parser.parse_args()
    result = measure(given.writes, given.seed)
    for what, value in result.items():
        print(f"{what}: {value}")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    sys.exit(1 if any(result[w] for w in WHOLE.values()) else 0)


def measure(writes: int, seed: int) -> dict[str, Any]:
    began = time.monotonic()
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        settings = Settings(data_dir=Path(folder), database_timeout=60.0, pool_size=4)
        installation = install(settings)
        keys = asyncio.run(_prepared(settings, installation))
        context = multiprocessing.get_context("spawn")
        with context.Pool(PROCESSES) as pool:
            share = writes // PROCESSES
            given = [(settings, installation.dsn, keys, share, seed * 1000 + n) for n in range(PROCESSES)]
            parts = pool.starmap(work, given)
        with psycopg.connect(installation.dsn, options="-c search_path=whoknows,public") as connection:
            cursor = connection.execute(_STATE.encode())
            names = [c.name for c in cursor.description or ()]
            row = dict(zip(names, cursor.fetchone() or (), strict=True))
            state: dict[str, Any] = {WHOLE.get(name, name): value for name, value in row.items()}
            current = connection.execute(_CURRENT.encode()).fetchall()
    done = [w for part in parts for w in part[0]]
    refused = sum((part[1] for part in parts), Counter[str]())
    missing, late = judged(done, current)
    return {
        "writes": len(done) + refused.total(),
        "answered": len(done),
        "refused or held": dict(refused),
        WHOLE["failed"]: sum(n for code, n in refused.items() if code not in EXPECTED),
        **state,
        WHOLE["missing"]: missing,
        WHOLE["late"]: late,
        "seconds": round(time.monotonic() - began),
    }


def judged(done: Sequence[Write], current: Sequence[tuple[Any, ...]]) -> tuple[int, int]:
    """How many (author, subject) have no current statement, and how many current ones were certainly followed by another."""
    stands = {(layer, author, subject): content for layer, author, subject, content in current}
    spoken: dict[tuple[str, str, str], list[Write]] = {}
    for write in done:
        spoken.setdefault((write.layer, write.agent, write.subject), []).append(write)
    missing = late = 0
    for key, writes in spoken.items():
        last_begun = max(w.begun for w in writes)
        possible = {w.content for w in writes if w.answered >= last_begun}
        if key not in stands:
            missing += 1
        elif stands[key] not in possible:
            late += 1
    return missing, late


def work(settings: Settings, dsn: str, keys: dict[str, str], writes: int, seed: int) -> tuple[list[Write], Counter[str]]:
    """One process's share."""
    return asyncio.run(_work(replace(settings, database_url=dsn), dsn, keys, writes, random.Random(seed)))


async def _prepared(settings: Settings, installation: Installation) -> dict[str, str]:
    service = build(settings, installation)
    await service.store.open()
    try:
        assert installation.new_key is not None
        admin = await service.authenticate(installation.new_key)
        for name in AGENTS:
            await service.administer.make_agent(admin, NewAgent(name, AgentRole.MAIN))
        await service.administer.make_team(admin, TEAM, None, GateLevel.OPEN, False)
        for name in AGENTS:
            await service.administer.put_membership(admin, TEAM, f"agent:{name}", TeamRole.WRITER)
        return {n: (await service.keys.make(admin, [n], (), None, None)).secret for n in AGENTS}
    finally:
        await service.close()


async def _work(
    settings: Settings, dsn: str, keys: dict[str, str], writes: int, chance: random.Random
) -> tuple[list[Write], Counter[str]]:
    service = build(settings, Installation(dsn, None))
    await service.store.open()
    done: list[Write] = []
    refused: Counter[str] = Counter()
    seen: dict[tuple[str, str, str], MemoryId] = {}
    try:
        for _ in range(writes):
            agent, layer = chance.choice(AGENTS), chance.choice(("team", "private"))
            subject = f"service-{chance.randrange(SUBJECTS)}.port"
            content = f"{subject} listens on {5000 + chance.randrange(VALUES)}"
            old = seen.get((agent, layer, subject)) if chance.random() < 0.25 else None
            draft = Draft(
                content,
                layer=layer,
                team_id=TEAM if layer == "team" else None,
                subject=subject,
                supersedes=None if old is None else MemoryId(UUID(str(old))),
                reason=None if old is None else "measured again",
            )
            begun = time.monotonic()
            try:
                outcome, memory = await _written(service, keys[agent], draft)
                if outcome == "held":  # what others wrote too is not overturned by one of them
                    refused["held"] += 1
                    continue
                seen[agent, layer, subject] = memory
                done.append(Write(agent, layer, subject, content, begun, time.monotonic()))
            except WhoKnowsError as fault:
                refused["invalid: its own words" if "itself" in fault.detail else fault.code] += 1
    finally:
        await service.close()
    return done, refused


async def _written(service: Service, key: str, draft: Draft) -> tuple[str, MemoryId]:
    outcome = await service.capture(act_as(await service.authenticate(key), None), draft)
    return outcome.outcome, outcome.memory.id


if __name__ == "__main__":
    main()
