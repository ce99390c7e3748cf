"""The time of the hook itself, beside the other ways of starting it and what they have to load."""

import shutil
import sys
from pathlib import Path

from hooks.faulty import GOOD, answering
from hooks.started import Hook, hook, timed
from speed.figures import Figure, quantile

MOST = 40
"""Milliseconds, start of the interpreter included."""
_EVENT: dict[str, object] = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "cwd": "/srv/boss", "prompt": "hello"}


def own_time(folder: Path, rounds: int) -> list[Figure]:
    one = hook(folder)
    python = str(Path(sys.executable).resolve())
    bare = [python, "-I", "-S", "-c"]
    with answering(GOOD) as (url, _):
        figures = _hook(one, url, rounds)
    for what, command in {
        "sh": ["/bin/sh", "-c", ":"],
        "python3 -I -S": [*bare, "pass"],
        "python3 -I -S, socket and json": [*bare, "import socket, json"],
        "python3 -I -S, http.client and json": [*bare, "import http.client, json"],
        "python3 -I -S, urllib.request and json": [*bare, "import urllib.request, json"],
        "python3 of the environment, with site": [sys.executable, "-c", "pass"],
        "python3 of the environment, httpx": [sys.executable, "-c", "import httpx"],
        "python3 by the search path": [shutil.which("python3") or python, "-I", "-S", "-c", "pass"],
    }.items():
        took = [1000 * timed(command, {"PATH": "/usr/bin:/bin", "HOME": str(folder)}, b"").seconds for _ in range(rounds)]
        figures.append(Figure("beside it", f"{what}, p50", quantile(took, 0.5), "ms"))
    return figures


def _hook(one: Hook, url: str, rounds: int) -> list[Figure]:
    one.run(url, "wk_of-a-benchmark", _EVENT)
    ran = [one.run(url, "wk_of-a-benchmark", _EVENT) for _ in range(rounds)]
    assert all(b"what is known" in r.out for r in ran)
    part = "the hook itself, its server answers at once"
    took = [1000 * r.seconds for r in ran]
    return [
        Figure(part, "p50", quantile(took, 0.5), "ms", at_most=MOST),
        Figure(part, "p95", quantile(took, 0.95), "ms"),
        Figure(part, "processor time, p50", 1000 * quantile([r.processor for r in ran], 0.5), "ms"),
    ]
