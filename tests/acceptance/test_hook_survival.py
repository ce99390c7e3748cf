"""A server that is killed right behind its answer to a stop: the exchange is learned from by the next one, once."""

import signal
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import httpx
import psycopg
import pytest

from acceptance.cli.conftest import Server, start

pytestmark = pytest.mark.slow
PATIENCE = 60.0
FACTS = {
    "PostgreSQL": "定了：计费服务的数据库用 PostgreSQL，不用 MySQL。",
    "中文": "以后回答我都用中文，尽量简短，我不喜欢长篇大论。",
    "证书": "风险：证书月底到期，可能会导致登录失败。",
}


@pytest.fixture
def home() -> Iterator[Path]:
    # Not below pytest's own directory: the database, as another user, could not get there in a later run.
    home = Path(mkdtemp(prefix="whoknows-hooks-"))
    yield home
    rmtree(home, ignore_errors=True)


def client(server: Server, key: str) -> httpx.Client:
    headers = {"Authorization": f"Bearer {key}", "X-Machine": "m"}
    return httpx.Client(base_url=f"{server.url}/api/v1", headers=headers, timeout=PATIENCE)


def event(name: str, turn: str, **fields: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "s", "turn_id": turn, "cwd": "/srv/boss", **fields}


def _past_the_lease(home: Path) -> None:
    """What the killed server had in hand already is its own for a while: that while is over."""
    (pid,) = home.rglob("postmaster.pid")
    lines = pid.read_text().splitlines()
    dsn = f"host={lines[4]} port={lines[3]} user=postgres dbname=postgres"
    with psycopg.connect(dsn, options="-c search_path=whoknows") as connection:
        connection.execute("UPDATE hook_exchanges SET held_until = now() WHERE held_until IS NOT NULL")


def test_what_a_stop_was_answered_for_survives_the_kill_of_its_server(home: Path) -> None:
    first = start(home)
    assert first.key is not None
    with client(first, first.key) as admin:
        assert admin.post("/members", json={"member_id": "mira"}).status_code == 201
        key = admin.post("/keys", json={"acts_as": ["member:mira"]}).json()["key"]
    with client(first, key) as mira:
        place = {"program": "codex", "machine": "m", "directory": "/srv/boss", "project_id": "boss"}
        assert mira.put("/workplaces", json=place).status_code == 200
        for stage in ("read-only", "governed"):
            assert mira.put("/projects/boss/stage", json={"stage": stage}).status_code == 200
        for n, fact in enumerate(FACTS.values()):
            assert mira.post("/hooks/codex", json=event("UserPromptSubmit", f"t{n}", prompt=fact)).status_code == 200
        for n in range(len(FACTS)):
            assert mira.post("/hooks/codex", json=event("Stop", f"t{n}", last_assistant_message="好的。")).json() == {}
        first.end(signal.SIGKILL)
    second = start(home)
    try:
        _past_the_lease(home)
        with client(second, key) as mira:
            deadline = time.monotonic() + PATIENCE
            kept: list[str] = []
            while len(kept) < len(FACTS) and time.monotonic() < deadline:
                kept = [m["content"] for m in mira.get("/memories", params={"limit": 200}).json()["items"]]
            assert all(any(word in text for text in kept) for word in FACTS), kept
            assert len(kept) == len(FACTS)
            for n, fact in enumerate(FACTS.values()):  # a program that never got its answer sends it again
                mira.post("/hooks/codex", json=event("UserPromptSubmit", f"t{n}", prompt=fact))
                mira.post("/hooks/codex", json=event("Stop", f"t{n}", last_assistant_message="好的。"))
            assert mira.get("/projects/boss/report").status_code == 200
            assert len(mira.get("/memories", params={"limit": 200}).json()["items"]) == len(FACTS)
    finally:
        second.end(signal.SIGTERM)
