"""The server as a program: it starts, ends, and finds everything again."""

import json
import signal
from pathlib import Path

import httpx
import pytest

from .conftest import Cli, environment, start, whoknows


def test_a_port_in_use_is_told_with_the_way_out(cli: Cli, tmp_path: Path) -> None:
    port = cli.server.url.rpartition(":")[2]
    done = whoknows(environment(tmp_path), "serve", "--port", port)
    assert done.returncode == 8
    assert "--port" in done.stderr
    assert not (tmp_path / "share").exists(), "nothing was started for it"


def test_memories_and_keys_outlive_the_server_and_the_first_key_is_shown_once(tmp_path: Path) -> None:
    first = start(tmp_path)
    env = {**first.env, "WHOKNOWS_URL": first.url}
    made = json.loads(
        whoknows({**env, "WHOKNOWS_KEY": first.key or ""}, "init", "--agent", "a", "--team", "t", "--json").stdout
    )
    own = {**env, "WHOKNOWS_KEY": made["key"]}
    assert whoknows(own, "capture", "the server may come and go").returncode == 0
    assert first.end(signal.SIGTERM) == 0
    second = start(tmp_path)
    try:
        assert second.key is None
        again = {**own, "WHOKNOWS_URL": second.url}
        assert "the server may come and go" in whoknows(again, "recall", "who comes and goes, the server?").stdout
    finally:
        assert second.end(signal.SIGINT) == 0
    log = (tmp_path / "log").read_text()
    assert "come and go" not in log
    assert "wk_" not in log


def test_the_server_answers_without_a_key_only_whether_it_is_ready(cli: Cli) -> None:
    assert httpx.get(f"{cli.server.url}/ready").json() == {"status": "ok"}
    assert httpx.get(f"{cli.server.url}/api/v1/whoami").status_code == 401


def test_the_console_is_off_unless_it_is_asked_for(cli: Cli, tmp_path: Path) -> None:
    assert httpx.get(f"{cli.server.url}/console/sign-in").status_code == 404
    server = start(tmp_path, WHOKNOWS_CONSOLE="true")
    try:
        page = httpx.get(f"{server.url}/console/sign-in", timeout=60)
        assert page.status_code == 200
        assert "WhoKnows" in page.text
        assert httpx.get(server.url, timeout=60).headers["location"] == "/console/"
    finally:
        assert server.end(signal.SIGINT) == 0


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "93.184.216.34", "memory.example"])
def test_the_console_is_served_on_loopback_or_a_private_address_alone(tmp_path: Path, host: str) -> None:
    done = whoknows(environment(tmp_path), "serve", "--console", "--host", host)
    assert done.returncode == 2
    assert "console" in done.stderr
    assert not (tmp_path / "share").exists(), "nothing was started for it"
