"""Run the benchmarks of the hook: `make bench-hooks`, or `--quick` for a small version of the same."""

import argparse
import asyncio
import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hooks.matrix import failures
from hooks.own import own_time
from hooks.projects import within_projects
from hooks.prompts import added, place
from hooks.world import prepared
from speed.figures import Figure, machine_before, say, show, write
from speed.server import serving
from speed.texts import Writer

PARTS = ("failures", "own", "prompts", "projects")
MEMORIES = 100_000
SHARED, ALONE = 100, 1
"""Audiences over which they are spread: a hundred, of which the reader has a few; or all in the reader's own bank."""


def run(parts: set[str], quick: bool, kept: Path | None, prompts: int) -> list[Figure]:
    figures: list[Figure] = []
    with TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        if "own" in parts:
            say("the hook itself")
            figures += own_time(Path(scratch) / "own", 10 if quick else 60)
        if "failures" in parts:
            say("servers that fail")
            figures += failures(Path(scratch) / "failing", 1 if quick else 5)
        memories = 2_000 if quick else MEMORIES
        if "prompts" in parts:
            for audiences in (SHARED, ALONE):
                folder = (kept or Path(scratch)) / f"{memories}-in-{audiences}"
                say(f"{memories:,} memories in {audiences}")
                key = prepared(folder, memories, audiences)
                say("prompts")
                with serving(folder) as server:
                    place(server.url, key)
                    part = f"{memories:,} memories in {audiences}, one prompt"
                    questions = Writer(1).questions(20 if quick else prompts)
                    figures += added(part, server.url, key, questions, Path(scratch) / f"asking-{audiences}")
        if "projects" in parts:
            folder = (kept or Path(scratch)) / f"{memories}-in-{ALONE}"
            say(f"{memories:,} memories in {ALONE}")
            prepared(folder, memories, ALONE)
            copied = Path(scratch) / "projects"
            subprocess.run(["cp", "-a", str(folder), str(copied)], check=True)  # with its owner, who is not always ourselves
            figures += asyncio.run(within_projects(copied, 12 if quick else 60))
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="2,000 memories: whether it runs, not how fast it is")
    parser.add_argument("--only", choices=PARTS, action="append", help="one part; may be given several times")
    parser.add_argument("--data", type=Path, help="keep the filled stores in this folder, and take them from there")
    parser.add_argument("--prompts", type=int, default=200)
    parser.add_argument("--out", type=Path, default=Path("out/hooks.json"))
    given = parser.parse_args()
    about = machine_before(given.quick)
    figures = run(set(given.only or PARTS), given.quick, given.data, given.prompts)
    about["load_after"] = os.getloadavg()
    show(figures)
    write(figures, about, given.out)
    sys.exit(0 if given.quick or all(f.reached is not False for f in figures) else 1)


if __name__ == "__main__":
    main()
