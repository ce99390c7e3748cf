"""What a search within a project finds, and how long it takes: projects of several sizes in one bank, exact search as truth."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psycopg
from numpy.typing import NDArray
from pgvector.psycopg import register_vector

from hooks.world import reopened
from speed.figures import Figure, milliseconds, say
from speed.texts import Writer
from speed.world import World
from whoknows.domain.memory import Filters
from whoknows.flows.recall import CANDIDATES
from whoknows.policy.egress import kept_here
from whoknows.policy.standing import scope_for

SHARES = {"half": 0.5, "third": 0.3, "tenth": 0.1, "hundredth": 0.01}
"""What is left is in small projects."""
_SMALL = 100
"""Memories of each of these."""
_WARM = 8
_NOISE = 0.6
"""Length of what a question adds to the memory that it is about."""
_LEAST = 0.98

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class _Vectors:
    """Row by row: the number of a memory, its vector, and how it is called."""

    numbers: NDArray[np.int64]
    vectors: Floats
    names: dict[int, str]


async def within_projects(directory: Path, questions: int) -> list[Figure]:
    """``directory`` holds a bank of one person, whose projects are given away again."""
    figures: list[Figure] = []
    async with reopened(directory) as here:
        random = np.random.default_rng(11)
        asked = [(await here.service.aim(kept_here(q))).vector for q in Writer(1).questions(questions)]
        known = _vectors(here.installation.dsn)
        aside = known.vectors - known.vectors.mean(axis=0)
        along = np.linalg.svd(aside[::25], full_matrices=False)[2][0]
        for how, place in {"in any order": random.random(len(aside)), "by topic": aside @ along}.items():
            say(f"projects {how}")
            projects = _shared_out(place)
            _assign(here.installation.dsn, known.numbers, projects)
            for size, names in _sizes(projects).items():
                of_project = {n: np.flatnonzero(projects == n) for n in names}
                about = _about(random, known.vectors, of_project, questions)
                for what, vectors in {"about it": about, "about anything": asked}.items():
                    part = f"projects {how}, asked {what}, {size}"
                    figures += await _measured(here, part, known, of_project, vectors)
    return figures


async def _measured(
    here: World, part: str, known: _Vectors, of_project: Mapping[str, NDArray[np.int64]], asked: Sequence[Sequence[float]]
) -> list[Figure]:
    caller = await here.caller()
    names = list(of_project)
    took: list[float] = []
    shares: dict[int, list[float]] = {10: [], CANDIDATES: []}
    through_hnsw = 0
    for n, vector in enumerate(asked):
        name = names[n % len(names)]
        rows = of_project[name]
        async with here.service.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            began = time.perf_counter()
            found = await tx.arms.search(scope, (), list(vector), Filters(project_id=name, or_global=True), CANDIDATES)
            if n >= _WARM:
                took.append(time.perf_counter() - began)
        through_hnsw += not found.exact
        exact = rows[np.argsort(-(known.vectors[rows] @ np.asarray(vector, np.float32)), kind="stable")]
        for k, found_of in shares.items():
            truth = {known.names[int(known.numbers[r])] for r in exact[:k]}
            brought = {str(h.memory) for h in (found.dense or ())[:k]}
            found_of.append(len(truth & brought) / len(truth))
    return [
        *(Figure(part, f"recall of the exact top {k}", float(np.mean(s)), at_least=_LEAST) for k, s in shares.items()),
        *milliseconds(part, "search", took),
        Figure(part, "answered by HNSW", through_hnsw / len(asked)),
    ]


def _vectors(dsn: str) -> _Vectors:
    with psycopg.connect(dsn, autocommit=True, options="-c search_path=whoknows,public") as connection:
        register_vector(connection)
        rows = connection.execute("SELECT memory_no, embedding FROM passages ORDER BY memory_no").fetchall()
        names = connection.execute("SELECT memory_no, memory_id FROM memories").fetchall()
    vectors = np.array([r[1].to_numpy() for r in rows], np.float32)
    return _Vectors(np.array([r[0] for r in rows], np.int64), vectors, {n: str(m) for n, m in names})


def _shared_out(place: NDArray[np.floating]) -> NDArray[np.str_]:
    """The project of each row: neighbours by ``place`` are in the same one."""
    names: list[str] = []
    for name, share in SHARES.items():
        names += [name] * int(share * len(place))
    names += [f"small-{n // _SMALL}" for n in range(len(place) - len(names))]
    projects = np.empty(len(place), "U16")
    projects[np.argsort(place)] = names
    return projects


def _assign(dsn: str, numbers: NDArray[np.int64], projects: NDArray[np.str_]) -> None:
    with psycopg.connect(dsn, autocommit=True, options="-c search_path=whoknows,public") as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("CREATE TEMP TABLE given (memory_no bigint PRIMARY KEY, name text)")
        with connection.cursor().copy("COPY given FROM STDIN") as copy:
            for number, name in zip(numbers.tolist(), projects.tolist(), strict=True):
                copy.write_row((number, name))
        connection.execute("UPDATE memories m SET project_id = g.name FROM given g WHERE g.memory_no = m.memory_no")
        connection.execute("VACUUM (ANALYZE) memories")


def _sizes(projects: NDArray[np.str_]) -> dict[str, list[str]]:
    small = sorted({str(p) for p in projects if p.startswith("small")})
    return {**{f"{share:.0%} of the bank": [name] for name, share in SHARES.items()}, f"{_SMALL} memories each": small}


def _about(
    random: np.random.Generator, vectors: Floats, of_project: Mapping[str, NDArray[np.int64]], count: int
) -> list[list[float]]:
    """Near a memory of the project, in the order in which projects are asked."""
    names = list(of_project)
    rows = [int(random.choice(of_project[names[n % len(names)]])) for n in range(count)]
    noise = random.standard_normal((count, vectors.shape[1]), np.float32)
    noisy = vectors[rows] + _NOISE * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    return (noisy / np.linalg.norm(noisy, axis=1, keepdims=True)).tolist()
