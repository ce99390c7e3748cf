"""Two real server processes on one database, and tenants on them: for what must hold across instances."""

import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from uuid import uuid4

import httpx
import pytest

from acceptance.cli.conftest import Server, start

PATIENCE = 60.0
"""Seconds until a request is given up."""


@dataclass
class Tenant:
    """``tenant.agents("A")`` makes agents with keys; ``tenant.client("A", 1)`` asks the second server as A."""

    servers: "TwoServers"
    keys: dict[str, str]

    def agents(self, *names: str, role: str = "main", **fields: object) -> None:
        with self.client("admin") as admin:
            for name in names:
                _ok(admin.post("/agents", json={"agent_id": name, "role": role, **fields}))
                self.keys[name] = _ok(admin.post("/keys", json={"acts_as": [name]})).json()["key"]

    def team(self, name: str, **roles: str) -> None:
        """``tenant.team("T", A="writer")``; the board ``*`` is there already."""
        with self.client("admin") as admin:
            if name != "*":
                _ok(admin.post("/teams", json={"team_id": name}))
            for who, role in roles.items():
                _ok(admin.put(f"/teams/{name}/members/agent:{who}", json={"role": role}))

    def expel(self, team: str, who: str, server: int = 0) -> None:
        with self.client("admin", server) as admin:
            _ok(admin.delete(f"/teams/{team}/members/agent:{who}"))

    def client(self, who: str, server: int = 0) -> httpx.Client:
        return httpx.Client(base_url=self._base(server), headers=self._headers(who), timeout=PATIENCE)

    def async_client(self, who: str, server: int = 0) -> httpx.AsyncClient:
        return httpx.AsyncClient(base_url=self._base(server), headers=self._headers(who), timeout=PATIENCE)

    def _base(self, server: int) -> str:
        return f"{self.servers.all[server].url}/api/v1"

    def _headers(self, who: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.keys[who]}"}


@dataclass
class TwoServers:
    """Processes of `whoknows serve` on one data directory. Each test takes a tenant of its own."""

    home: Path
    all: list[Server] = field(default_factory=list[Server])
    key: str = ""

    def tenant(self) -> Tenant:
        headers = {"Authorization": f"Bearer {self.key}"}
        with httpx.Client(base_url=f"{self.all[0].url}/api/v1", headers=headers, timeout=PATIENCE) as client:
            made = _ok(client.post("/tenants", json={"tenant_id": f"tenant-{uuid4().hex[:12]}"}))
        return Tenant(self, {"admin": made.json()["key"]})


@pytest.fixture(scope="session")
def two_servers() -> Iterator[TwoServers]:
    # Not below pytest's own directory: the database, as another user, could not get there in a later run.
    both = TwoServers(Path(mkdtemp(prefix="whoknows-two-")))
    try:
        both.all.append(start(both.home))
        assert both.all[0].key is not None
        both.key = both.all[0].key
        both.all.append(start(both.home))
        yield both
    finally:
        for server in both.all:
            if server.process.poll() is None:
                server.end(signal.SIGTERM)
        shutil.rmtree(both.home, ignore_errors=True)


@pytest.fixture
def tenant(two_servers: TwoServers) -> Tenant:
    return two_servers.tenant()


def _ok(response: httpx.Response) -> httpx.Response:
    assert response.is_success, response.text
    return response
