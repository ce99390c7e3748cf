"""Kill the server or its database under load, many times, and count what was lost: `make bench-faults`."""

import argparse
import json
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from faults.remains import without_vectors
from faults.rounds import Ordeal
from whoknows.flows.keys import new_secret

_PATIENCE = 300.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1, help="of the moments of the kills")
    parser.add_argument("--out", type=Path, default=Path("out/faults.json"))
    given = parser.parse_args()
    began = time.monotonic()
    lost = half = 0
    with TemporaryDirectory() as folder:
        ordeal = Ordeal(Path(folder), new_secret(), given.seed, given.writers)
        try:
            ordeal.begin()
            for number in range(1, given.rounds + 1):
                left = ordeal.round(number)
                lost, half = lost + left.lost, half + left.half_written
                killed = "server" if number % 2 else "database"
                print(
                    f"round {number}: {killed} killed, {len(ordeal.acknowledged)} acknowledged so far, "
                    f"lost {left.lost}, half-written {left.half_written}",
                    flush=True,
                )
            waiting = without_vectors(Path(folder), _PATIENCE)
        finally:
            ordeal.end()
    result = {
        "rounds": given.rounds,
        "acknowledged": len(ordeal.acknowledged),
        "answered with an error": ordeal.refused,
        "lost": lost,
        "half-written": half,
        "without vectors at the end": waiting,
        "seconds": round(time.monotonic() - began),
    }
    for what, value in result.items():
        print(f"{what}: {value}")
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(result, indent=2) + "\n", "utf-8")
    sys.exit(1 if lost or half or waiting or not ordeal.acknowledged else 0)


if __name__ == "__main__":
    main()
