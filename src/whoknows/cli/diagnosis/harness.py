"""What the doctor looks at between a coding agent and the server: hook command, log, and this directory."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from whoknows.cli.diagnosis import tools
from whoknows.cli.diagnosis.findings import Finding, fail, ok, warn
from whoknows.cli.faults import CliFault
from whoknows.cli.keychain import key_for
from whoknows.connect.places import Places
from whoknows.connect.wired import Wiring
from whoknows.domain.harness import Program, Stage
from whoknows.harness.wording import FAULTS
from whoknows.hooks import breaker, install
from whoknows.hooks.log import NAME as LOG

_PATIENCE = 5.0
"""Seconds."""
_SLOW = 0.2
"""Seconds that a prompt may wait for memory before somebody feels it."""
_LAST, _LINES = 2000, 3
_HEAD = 5
"""Words of a line of the log before its advice, which the findings give themselves, once."""


def between(which: Program, places: Places, url: str, directory: Path) -> Iterator[Finding]:
    """The hook is run as the program runs it, with an event that means nothing; the rest is asked of the server."""
    if not os.environ.get("WHOKNOWS_KEY", "").strip():
        told = "WHOKNOWS_KEY is not set in this shell: a program that is started here asks nobody"
        yield fail("key of the hooks", told, "export it in your shell's start-up file")
    elif which is not Program.PI and install.launcher(places.data).exists():  # that it is not there is told already
        yield _hook(which, places, url)
    yield from _faults(places, url)
    key = _key(url)
    if key is None:
        return
    yield _endpoint(which, places, url, key)
    yield _routed(which, places, url, key, directory)
    yield from tools.findings(which, places, url, _headers(places, key))


def _hook(which: Program, places: Places, url: str) -> Finding:
    about = "hook command"
    log = places.state / LOG
    before = _size(log)
    began = time.perf_counter()
    try:
        ended = subprocess.run(  # noqa: S602 - the very line that stands in the files of the program
            Wiring(places, url).command(which),
            shell=True,
            input=json.dumps({"hook_event_name": "Probe", "session_id": "doctor", "cwd": "/"}).encode(),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return fail(about, f"it did not end within {_PATIENCE:.0f} s", f"`whoknows connect {which}` writes it again")
    took = time.perf_counter() - began
    if ended.returncode or ended.stderr:
        said = "".join(ended.stderr.decode("utf-8", "replace").strip().splitlines()[-1:])
        return fail(about, f"exit code {ended.returncode} {said}".strip(), f"`whoknows connect {which}` writes it again")
    if _size(log) > before:
        code = "".join(_tail(log).splitlines()[-1].split(" ")[3:4])
        why = f"{code} ({FAULTS[code].en})" if code in FAULTS else code
        return fail(about, f"it runs, but has no answer: {why}", f"{_advice(code, which)}; the log is {log}")
    told = f"runs, and has its answer in {took * 1000:.0f} ms"
    return ok(about, told) if took < _SLOW else warn(about, told, "prompts wait as long: is this machine busy, or the network?")


def _advice(code: str, which: Program) -> str:
    match code:
        case "resting":
            return "the server failed it before: what is wrong stands in these lines; it asks again within half a minute"
        case "other_server" | "no_server":
            return f"`whoknows connect {which}`, if WHOKNOWS_URL is the server that you mean"
        case "http_401" | "http_403":
            return "the key is wrong: see the lines below"
        case _:
            return "is the server there? See the lines below"


def _faults(places: Places, url: str) -> Iterator[Finding]:
    key = os.environ.get("WHOKNOWS_KEY", "").strip()
    until = breaker.of_server(str(places.state), url, key).rests_until(time.time())
    if until is not None:
        told = f"nothing is asked for another {until - time.time():.0f} s"
        yield warn("rest after faults", told, "mend what is told here; it tries again by itself")
    log = places.state / LOG
    lines = _tail(log).splitlines()
    if lines:
        last = "; ".join(" ".join(line.split(" ")[:_HEAD]) for line in lines[-_LINES:])
        yield ok("faults that were noted", f"the last ones: {last}; all in {log}")


def _endpoint(which: Program, places: Places, url: str, key: str) -> Finding:
    import httpx

    from whoknows.client.errors import error_of

    about = "answer to an event"
    began = time.perf_counter()
    event = {"hook_event_name": "Probe", "session_id": "doctor", "cwd": "/"}
    try:
        answer = httpx.post(f"{url}/api/v1/hooks/{which}", json=event, headers=_headers(places, key), timeout=_PATIENCE)
    except httpx.HTTPError as fault:
        return fail(about, f"none from {url} ({type(fault).__name__})", "start it: `whoknows serve`; or set WHOKNOWS_URL")
    took = time.perf_counter() - began
    if answer.status_code != 200:
        told = f"the server answers {answer.status_code} to events of {which}: {error_of(answer).detail}"
        valid = "`whoknows whoami` says whom the key is for, `whoknows keys add` makes one"
        return fail(about, told, valid if answer.status_code in (401, 403) else "is it an older WhoKnows?")
    return ok(about, f"in {took * 1000:.0f} ms")


def _routed(which: Program, places: Places, url: str, key: str, directory: Path) -> Finding:
    from whoknows.client import ApiError, WhoKnows

    about = "this directory"
    try:
        with WhoKnows(url, key=key, agent=os.environ.get("WHOKNOWS_AGENT") or None, timeout=_PATIENCE) as wk:
            found = wk.route_workplace(str(directory), program=str(which), machine=places.machine)
    except ApiError as error:
        if error.status == 404:
            return warn(about, f"{directory} belongs to no project here", f"`whoknows connect {which}` in it")
        return fail(about, error.detail, "look at the key and the server")
    told = f"{found['directory']} is project {found['project_id']}, stage {found['stage']}"
    if found["stage"] == Stage.OFF:
        return warn(about, told, f"`whoknows stage {found['project_id']} read-only` lets it recall")
    return ok(about, told + (f", team {found['team_id']}" if found["team_id"] else ""))


def _headers(places: Places, key: str) -> dict[str, str]:
    agent = os.environ.get("WHOKNOWS_AGENT", "")
    named = {"X-Agent": agent} if agent else {}
    return {"Authorization": f"Bearer {key}", "X-Machine": places.machine, **named}


def _key(url: str) -> str | None:
    try:
        return key_for(url)
    except CliFault:
        return None  # told by who looks at the server


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, _size(path) - _LAST))
            return file.read().decode("utf-8", "replace")
    except OSError:
        return ""
