"""`python -m console`: pages with 10,000 memories, and the stage in step; with `--quick` fewer rounds, and no stage."""

import asyncio
import os
import sys
from pathlib import Path

from console.pages import ROUNDS, pages
from console.stage import stage
from speed.figures import show, write


def main() -> int:
    quick = "--quick" in sys.argv
    figures = asyncio.run(pages(10 if quick else ROUNDS))
    if not quick:
        figures += asyncio.run(stage())
    show(figures)
    write(figures, {"load": os.getloadavg()[0], "cpus": os.cpu_count()}, Path("build") / "bench-console.json")
    return 1 if any(f.reached is False for f in figures) else 0


if __name__ == "__main__":
    sys.exit(main())
