"""What a prompt waits for with the server up: from the start of the hook to its end, and over HTTP alone."""

import http.client
import json
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

from hooks.started import Ran, hook
from hooks.world import PROJECT
from speed.figures import Figure, quantile
from whoknows.client import WhoKnows

DIRECTORY = "/srv/bench/desk"
AT_ONCE = 20
_WARM = 15
_P50, _P95 = 100, 200


def place(url: str, key: str) -> None:
    """Connect the directory, so that prompts asked in it are answered from the caller's own bank."""
    with WhoKnows(url, key=key) as client:
        client.register_workplace("claude-code", DIRECTORY, PROJECT)
        client.set_project_stage(PROJECT, "read-only", reason="a benchmark")


def added(part: str, url: str, key: str, questions: Sequence[str], folder: Path) -> list[Figure]:
    """Each prompt in a session of its own, or the second time nothing would be left to say."""
    one = hook(folder)
    events = [event(q) for q in questions]
    for said in events[:_WARM]:
        _post(url, key, said)
        one.run(url, key, said | {"session_id": str(uuid4())})
    shim: list[float] = []
    plain: list[float] = []
    known = 0
    for said in events[_WARM:]:
        ran = one.run(url, key, said)
        known += b"additionalContext" in ran.out
        shim.append(ran.seconds)
        began = time.perf_counter()
        _post(url, key, said | {"session_id": str(uuid4())})
        plain.append(time.perf_counter() - began)
    many: list[Ran] = []
    with ThreadPoolExecutor(AT_ONCE) as pool:
        again = [e | {"session_id": str(uuid4())} for e in events[:AT_ONCE]]
        many += pool.map(one.run, [url] * AT_ONCE, [key] * AT_ONCE, again)
    longest = 1000 * max(r.seconds for r in many)
    faults = one.log.read_bytes().count(b"\n") if one.log.exists() else 0
    return [
        Figure(part, "prompts with memory", known / len(shim), at_least=0.5),
        Figure(part, "hook, p50", 1000 * quantile(shim, 0.5), "ms", at_most=_P50),
        Figure(part, "hook, p95", 1000 * quantile(shim, 0.95), "ms", at_most=_P95),
        Figure(part, "over HTTP alone, p50", 1000 * quantile(plain, 0.5), "ms"),
        Figure(part, "over HTTP alone, p95", 1000 * quantile(plain, 0.95), "ms"),
        Figure(part, f"{AT_ONCE} hooks at once, longest", longest, "ms", at_most=1200),
        Figure(part, f"{AT_ONCE} hooks at once, with memory", sum(b"additionalContext" in r.out for r in many)),
        Figure(part, "faults in the log", faults, at_most=0),
    ]


def event(question: str) -> dict[str, object]:
    return {
        "hook_event_name": "UserPromptSubmit",
        "session_id": str(uuid4()),
        "prompt_id": str(uuid4()),
        "transcript_path": "",
        "permission_mode": "default",
        "cwd": DIRECTORY,
        "prompt": question,
    }


def _post(url: str, key: str, said: dict[str, object]) -> None:
    """On a connection of its own, as a program makes it."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=60)
    headers = {"Authorization": f"Bearer {key}", "X-Machine": os.uname().nodename, "Content-Type": "application/json"}
    connection.request("POST", "/api/v1/hooks/claude-code", json.dumps(said), headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    assert answer.status == 200, body
