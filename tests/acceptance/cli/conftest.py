"""One `whoknows serve` for the folder, and the real program run against it as four different people."""

import io
import json
import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from whoknows.cli.main import main

Ended = subprocess.CompletedProcess[str]
HERE = Path(__file__).parent
SECRET = "发布口令是蓝鲸计划 / the release password is blue whale"


def environment(home: Path, **more: str) -> dict[str, str]:
    """A home of its own, no keychain, and nothing of the WHOKNOWS_… that the developer's shell may hold."""
    # Nobody's terminal: who runs the tests may have a narrow one.
    kept = {k: v for k, v in os.environ.items() if not k.startswith("WHOKNOWS_") and k not in ("COLUMNS", "LINES")}
    return {
        **kept,
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "share"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "PYTHONPATH": str(HERE),
        **more,
    }


def whoknows(env: dict[str, str], *arguments: str, text: str | bytes = "") -> Ended:
    """Run the program to its end in a process of its own, with ``text`` on its standard input."""
    raw = text if isinstance(text, bytes) else text.encode()
    command = [sys.executable, "-c", "from whoknows.cli.main import main; main()", *arguments]
    done = subprocess.run(command, env=env, input=raw, capture_output=True, timeout=120, check=False)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def whoknows_here(env: dict[str, str], *arguments: str, text: str | bytes = "") -> Ended:
    """The same within this process, which spares the imports: arguments, environment and streams are the program's own."""
    raw = text if isinstance(text, bytes) else text.encode()
    streams = [io.TextIOWrapper(io.BytesIO(b), encoding="utf-8") for b in (raw, b"", b"")]
    with (
        patch.dict(os.environ, env, clear=True),
        patch.multiple(sys, argv=["whoknows", *arguments], stdin=streams[0], stdout=streams[1], stderr=streams[2]),
        warnings.catch_warnings(),
        pytest.raises(SystemExit) as ended,
    ):
        main()
    shown = []
    for stream in streams[1:]:
        stream.flush()
        shown.append(stream.buffer.getvalue().decode())  # pyright: ignore[reportAttributeAccessIssue]
    assert isinstance(ended.value.code, int)
    return subprocess.CompletedProcess(arguments, ended.value.code, *shown)


@dataclass
class Server:
    """A running `whoknows serve`."""

    env: dict[str, str]
    url: str
    key: str | None
    process: subprocess.Popen[str]

    def end(self, how: signal.Signals) -> int:
        self.process.send_signal(how)
        return self.process.wait(60)


def start(home: Path, *arguments: str, **more: str) -> Server:
    """`whoknows serve --port 0`, until it has announced itself; ``more`` stands in its environment."""
    env = environment(home, **more)
    command = [sys.executable, "-c", "from whoknows.cli.main import main; main()", "serve", "--port", "0", "--json", *arguments]
    with (home / "log").open("a") as log:
        process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=log, text=True)
    assert process.stdout is not None
    line = process.stdout.readline()
    assert line, (home / "log").read_text()
    announced = json.loads(line)
    return Server(env, announced["url"], announced.get("key"), process)


@dataclass
class Cli:
    """``cli("main", "recall", "…")`` runs the program with that one's key; ``cli.json`` parses what it answers.

    ``cli.alone`` runs it in a process of its own.
    """

    server: Server
    home: Path
    keys: dict[str, str] = field(default_factory=dict)
    ids: dict[str, str] = field(default_factory=dict)

    def __call__(self, who: str | None, *arguments: str, text: str | bytes = "", **env: str) -> Ended:
        return whoknows_here(self.env(who, **env), *arguments, text=text)

    def alone(self, who: str | None, *arguments: str, text: str | bytes = "", **env: str) -> Ended:
        return whoknows(self.env(who, **env), *arguments, text=text)

    def env(self, who: str | None, **more: str) -> dict[str, str]:
        key = {} if who is None else {"WHOKNOWS_KEY": self.keys[who]}
        return {**self.server.env, "WHOKNOWS_URL": self.server.url, **key, **more}

    def json(self, who: str, *arguments: str, text: str = "", code: int = 0) -> Any:
        done = self(who, *arguments, "--json", text=text)
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="session")
def cli(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cli]:
    """`main` leads the team `backend`, `scout` is its sub-agent there, `outsider` is on no team; `main` has a secret."""
    home = tmp_path_factory.mktemp("home")
    (home / "sources").mkdir()
    server = start(home, WHOKNOWS_SOURCE_ROOTS=str(home / "sources"))
    try:
        assert server.key is not None
        cli = Cli(server, home, {"admin": server.key})
        cli.keys["main"] = cli.json("admin", "init", "--agent", "main", "--team", "backend")["key"]
        cli.json("admin", "agents", "add", "scout", "--parent", "main")
        cli.json("admin", "agents", "add", "outsider")
        cli.json("admin", "teams", "join", "backend", "scout", "--role", "reader")
        for name in ("scout", "outsider"):
            cli.keys[name] = cli.json("admin", "keys", "add", name)["key"]
        cli.ids["secret"] = cli.json("main", "capture", SECRET)["memory"]["id"]
        recalled = cli.json("main", "recall", SECRET)
        assert [m["id"] for m in recalled["memories"]] == [cli.ids["secret"]]
        cli.ids["trace"] = recalled["trace_id"]
        yield cli
    finally:
        server.end(signal.SIGINT)
