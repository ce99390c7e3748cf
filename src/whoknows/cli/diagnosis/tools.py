"""What the doctor looks at on the tools: whether the server has them, and whether a program is told of them at once."""

import json
import os
import subprocess
import time
from collections.abc import Iterator
from typing import Any

from whoknows.cli.diagnosis.findings import Finding, fail, ok, warn
from whoknows.connect.places import Places
from whoknows.connect.wired import Wiring
from whoknows.domain.harness import Program
from whoknows.hooks import install

_PATIENCE = 5.0
"""Seconds."""
_SLOW = 0.5
"""Seconds that the start of a program may wait for them."""
_PROTOCOL = "2025-06-18"
"""Of MCP: the oldest that the programs speak, and the one without a conversation."""
_INITIALIZE = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": {"name": "doctor", "version": "1"}}
_SAID = ({"id": 1, "method": "initialize", "params": _INITIALIZE}, {"id": 2, "method": "tools/list"})


def findings(which: Program, places: Places, url: str, headers: dict[str, str]) -> Iterator[Finding]:
    """``headers``: of a request with the key of the person who asks."""
    found, names = _of_server(url, headers)
    yield found
    said = os.environ.get("WHOKNOWS_KEY", "").strip() and install.launcher(places.data).exists()
    if which is not Program.PI and said:  # that there is none is told already
        yield _at_once(which, places, url, names)


def _of_server(url: str, headers: dict[str, str]) -> tuple[Finding, list[str]]:
    import httpx

    about = "MCP"
    asked: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    spoken = headers | {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": _PROTOCOL}
    try:
        answer = httpx.post(f"{url}/mcp", json=asked, headers=spoken, timeout=_PATIENCE)
        names = [t["name"] for t in answer.json()["result"]["tools"]]
    except httpx.HTTPError as fault:
        return fail(about, f"no answer at {url}/mcp ({type(fault).__name__})", "start the server: `whoknows serve`"), []
    except (ValueError, KeyError, TypeError):
        return fail(about, f"{url}/mcp lists no tools", "is it an older WhoKnows, or the key not valid?"), []
    return ok(about, f"{len(names)} tools at {url}/mcp: {', '.join(names)}"), names


def _at_once(which: Program, places: Places, url: str, names: list[str]) -> Finding:
    """The command is run as the program runs it. ``names``: what the server has, nothing where it could not be asked."""
    about, again = "tools command", f"`whoknows connect {which}` writes it again"
    wired = Wiring(places, url, os.environ.get("WHOKNOWS_AGENT") or None).tools(which)
    began = time.perf_counter()
    try:
        ended = subprocess.run(  # noqa: S603 - the very command that stands in the files of the program
            [wired["command"], *wired["args"]],
            input="".join(json.dumps({"jsonrpc": "2.0", **said}) + "\n" for said in _SAID).encode(),
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
        _, listed = (json.loads(line)["result"] for line in ended.stdout.splitlines())
        told = [t["name"] for t in listed["tools"]]
    except (OSError, subprocess.TimeoutExpired) as fault:
        return fail(about, f"it does not run ({type(fault).__name__})", again)
    except (ValueError, KeyError, TypeError):
        return fail(about, "it does not say which tools there are", again)
    took = time.perf_counter() - began
    if names and told != names:
        return warn(about, f"it describes {len(told)} tools, the server has {len(names)}", again)
    said = f"describes {len(told)} tools in {took * 1000:.0f} ms, whether the server is there or not"
    return ok(about, said) if took < _SLOW else warn(about, said, "programs wait as long at their start: is this machine busy?")
