"""Run the benchmarks of speed: `make bench`, or `--quick` for a small version of the same in a minute."""

import argparse
import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from speed.approximate import recall_of_hnsw
from speed.beside_powermem import beside_powermem
from speed.context import context_beside_recall
from speed.figures import Figure, machine_before, say, show, write
from speed.fill import centres, fill
from speed.gate import gate_beside_embedding
from speed.hidden import hidden_beside_absent, hidden_from_reader
from speed.over_http import through_the_server
from speed.questions import recall_beside_embedding
from speed.texts import Writer
from speed.world import world
from speed.writing import capture_beside_embedding
from whoknows.stores.postgres.hnsw import build_if_worth

PARTS = ("recall", "http", "capture", "gate", "hnsw", "context", "million", "powermem")
"""``recall`` holds hidden beside absent, too; ``http`` the readers, memory and the start."""


@dataclass(frozen=True, slots=True)
class Size:
    """How much of everything. ``hnsw_questions`` 0: too few memories for HNSW to answer."""

    audiences: int
    memories: int
    centres: int
    questions: int
    per_reader: int
    captured: int
    hnsw_questions: int
    million: int
    million_audiences: int
    powermem: int
    powermem_questions: int
    context: int
    gated: int


FULL = Size(100, 100_000, 300, 300, 25, 512, 40, 1_000_000, 1_000, 5_000, 60, 10_000, 100)
QUICK = Size(10, 5_000, 40, 60, 3, 64, 0, 0, 0, 0, 0, 2_000, 5)


async def run(size: Size, parts: set[str], powermem_python: Path | None) -> list[Figure]:
    figures: list[Figure] = []
    if parts & {"recall", "http", "capture", "hnsw"}:
        figures += await _hundred_thousand(size, parts)
    if "gate" in parts:
        with TemporaryDirectory() as folder:
            async with world(Path(folder), size.audiences) as here:
                say("the gate beside embedding")
                around = await centres(here.service.embedder, Writer(1), size.centres)
                fill(here, Writer(1).texts(size.memories, 15, 40), 1, around)
                figures += await gate_beside_embedding(here, Path(folder) / "repositories", size.gated)
    if "context" in parts:
        figures += await _context(size)
    if "million" in parts and size.million:
        figures += await _million(size)
    if "powermem" in parts and size.powermem:
        writer = Writer(5)
        with TemporaryDirectory() as folder:
            async with world(Path(folder), audiences=1) as small:
                around = await centres(small.service.embedder, writer, size.centres)
        texts, questions = writer.texts(size.powermem, 15, 40), list(dict.fromkeys(writer.questions(size.powermem_questions)))
        figures += await beside_powermem(texts, questions, around, powermem_python)
    return figures


async def _hundred_thousand(size: Size, parts: set[str]) -> list[Figure]:
    writer = Writer(1)
    figures: list[Figure] = []
    with TemporaryDirectory() as folder:
        async with world(Path(folder), size.audiences) as here:
            say("writing memories")
            around = await centres(here.service.embedder, writer, size.centres)
            count = fill(here, writer.texts(size.memories, 15, 40), 1, around)
            part = f"{count:,} memories, {size.audiences} audiences, reader sees 5"
            questions = writer.questions(size.questions + 30)
            hidden = hidden_from_reader(here, size.questions)
            if "recall" in parts:
                say("recall beside embedding")
                figures += await recall_beside_embedding(here, part, questions, p50=2.5, p95=5)
                figures += await hidden_beside_absent(here, hidden)
            if "hnsw" in parts and size.hnsw_questions:
                say("HNSW beside the exact answer")
                figures += await recall_of_hnsw(here, questions[: size.hnsw_questions])
            if "http" in parts:
                say("through the server")
                build_if_worth(here.installation.dsn)  # or the server would, and be measured while it does
                ids = [str(m) for m in hidden]
                figures += await through_the_server(Path(folder), here.keys, questions, ids, size.per_reader)
            if "capture" in parts:
                say("batch capture")
                figures += await capture_beside_embedding(here, Writer(2).texts(size.captured, 15, 40))
    return figures


async def _context(size: Size) -> list[Figure]:
    """One reader's own memories, of several projects."""
    writer = Writer(9)
    with TemporaryDirectory() as folder:
        async with world(Path(folder), audiences=1) as here:
            say("context beside recall")
            around = await centres(here.service.embedder, writer, size.centres)
            fill(here, writer.texts(size.context, 15, 40), 1, around)
            return await context_beside_recall(here, writer.questions(size.questions + 30))


async def _million(size: Size) -> list[Figure]:
    """Fifteen terms a memory; each text stands in ten audiences, of which no reader has many."""
    writer = Writer(3)
    with TemporaryDirectory() as folder:
        async with world(Path(folder), size.million_audiences) as here:
            say("writing a million memories")
            around = await centres(here.service.embedder, writer, size.centres)
            count = fill(here, writer.texts(size.million // 10, 15, 15), 10, around)
            part = f"{count:,} memories, {size.million_audiences:,} audiences, reader sees 5"
            return await recall_beside_embedding(here, part, writer.questions(size.questions + 30), p50=4, p95=None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="5,000 memories: whether it runs, not how fast it is")
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; may be given several times")
    parser.add_argument("--powermem-python", type=Path, help="a Python that has PowerMem; otherwise an environment is made")
    parser.add_argument("--out", type=Path, default=Path("out/bench.json"))
    given = parser.parse_args()
    about = machine_before(given.quick)
    figures = asyncio.run(run(QUICK if given.quick else FULL, set(given.only or PARTS), given.powermem_python))
    about["load_after"] = os.getloadavg()
    show(figures)
    write(figures, about, given.out)
    sys.exit(0 if given.quick or all(f.reached is not False for f in figures) else 1)


if __name__ == "__main__":
    main()
