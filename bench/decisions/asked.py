"""A paper's questions, asked of the real server: of an agent that imported the records, and of a reader of them as a source."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from decisions.paper import FIRST, Answer, Grade, Question, grade
from speed.server import start

Json = dict[str, Any]
_PATIENCE = 1800.0
NAME = "decisions"


@contextmanager
def installed(records: Path) -> Generator["Installed"]:
    """A server whose database is empty, and a repository that holds the records."""
    with TemporaryDirectory(prefix="whoknows-decisions-") as directory:
        home = Path(directory)
        home.chmod(0o755)
        repository = home / "sources" / NAME
        shutil.copytree(records, repository)
        _repository(repository)
        key = f"wk_{os.urandom(32).hex()}"
        server = start(home / "data", key, source_roots=str(home / "sources"))
        try:
            server.wait()
            yield Installed(server.url, key, repository)
        finally:
            server.end()


class Installed:
    def __init__(self, url: str, key: str, repository: Path) -> None:
        self.url, self.repository = url, repository
        self._admin = self._client(key)

    def imported(self) -> httpx.Client:
        """An agent that imported the records by the program, and its client."""
        key = self._agent("importer")
        program = str(Path(sys.executable).with_name("whoknows"))
        kept = {k: v for k, v in os.environ.items() if not k.startswith("WHOKNOWS_")}
        env = kept | {"WHOKNOWS_URL": self.url, "WHOKNOWS_KEY": key, "PYTHONWARNINGS": "ignore"}
        done = subprocess.run([program, "import", str(self.repository), "--json"], env=env, capture_output=True, check=True)
        said: Json = json.loads(done.stdout)
        print(f"imported: {said['files']} files, {said['stored']} memories, {len(said['overturned'])} overturned")
        return self._ready(self._client(key))

    def registered(self) -> httpx.Client:
        """An agent of a team for which the records are a registered source."""
        key = self._agent("reader")
        self._admin.post("/teams", json={"team_id": "team"}).raise_for_status()
        self._admin.put("/teams/team/members/agent:reader", json={"role": "reader"}).raise_for_status()
        body = {"kind": "git", "locator": str(self.repository), "name": NAME, "audience": "team:team"}
        source = self._admin.post("/sources", json=body).raise_for_status().json()["source_id"]
        began = time.monotonic()
        done: Json = self._admin.post(f"/sources/{source}/sync").raise_for_status().json()
        print(f"synchronised: {done['documents']} documents in {time.monotonic() - began:.1f} s")
        return self._ready(self._client(key))

    def _agent(self, name: str) -> str:
        self._admin.post("/agents", json={"agent_id": name, "role": "main"}).raise_for_status()
        return self._admin.post("/keys", json={"acts_as": [name]}).raise_for_status().json()["key"]

    def _client(self, key: str) -> httpx.Client:
        headers = {"Authorization": f"Bearer {key}"}
        return httpx.Client(base_url=f"{self.url}/api/v1", headers=headers, timeout=_PATIENCE)

    def _ready(self, client: httpx.Client) -> httpx.Client:
        """Until the vectors of long texts are made."""
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            items: list[Json] = client.get("/memories", params={"limit": 200}).raise_for_status().json()["items"]
            waiting = sum(1 for m in items if m["embedding_pending"])
            if not waiting:
                return client
            time.sleep(1.0)
        raise RuntimeError("the vectors are not made")


def ask(client: httpx.Client, question: Question, superseded: frozenset[str], records: Path) -> Grade:
    """Evidence mode: what recall brings above its default floor is the answer."""
    found: Json = client.post("/recall", json={"query": question.text, "limit": FIRST}).raise_for_status().json()
    return grade(question, [_answer(m) for m in found["memories"]], superseded, records)


def _answer(memory: Json) -> Answer:
    cited = [(_file(e["locator"]), e["quote"]) for e in memory["evidence"] if e["quote"]]
    return Answer(tuple(dict.fromkeys(f for f, _ in cited)) if len(cited) < 2 else tuple(f for f, _ in cited),
                  tuple(q for _, q in cited))  # fmt: skip


def _file(locator: str) -> str:
    return Path(locator.partition("#")[0].replace(":", "/")).name


def _repository(path: Path) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": str(path), "GIT_CONFIG_NOSYSTEM": "1"}
    who: Sequence[str] = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
    for command in (["init", "--quiet"], ["add", "--all"], [*who, "commit", "--quiet", "--message", "records"]):
        subprocess.run(["git", *command], cwd=path, env=env, check=True, capture_output=True)
