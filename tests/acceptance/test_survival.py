"""What outlives a kill: the real program on an embedded database, whose processes end in the middle of their work."""

import json
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import httpx
import psutil
import pytest

from acceptance.cli.conftest import Server, start

PATIENCE = 60.0
"""Seconds until a wait is given up."""
BACK_AGAIN = 30.0
"""Seconds within which a server finds its database again."""
NOT_THERE = (StopIteration, IndexError, ValueError, OSError, psutil.Error)
"""No PostgreSQL runs, or one is being started: its file is absent, or half written, or of a process that is gone."""
LONG_TEXTS = [
    f"第{n}号仓库的交接记录：" + f"冷链车在第{n}站换了司机，温度计读数正常，签收单由调度员保管。" * 14 for n in range(12)
]
"""More than 300 characters each, and so many that their vectors are not complete when the answer is given."""


@dataclass
class House:
    """One data directory, the servers on it, and the key of the agent `keeper`, whose acknowledged memories are kept here."""

    home: Path
    servers: list[Server] = field(default_factory=list[Server])
    key: str = ""
    acknowledged: dict[str, str] = field(default_factory=dict[str, str])

    def server(self) -> Server:
        """One that runs; started where there is none."""
        return next((s for s in self.servers if s.process.poll() is None), None) or self.another()

    def another(self) -> Server:
        self.servers.append(start(self.home))
        return self.servers[-1]

    def client(self, server: Server, key: str | None = None) -> httpx.Client:
        headers = {"Authorization": f"Bearer {key or self.key}"}
        return httpx.Client(base_url=f"{server.url}/api/v1", headers=headers, timeout=BACK_AGAIN)

    def capture(self, client: httpx.Client, content: str) -> httpx.Response:
        answer = client.post("/capture", json={"content": content})
        if answer.status_code == 201:
            self.acknowledged[answer.json()["memory"]["id"]] = content
        return answer

    def missing(self, client: httpx.Client) -> list[str]:
        """Acknowledged memories that are not there as they were written."""
        answers = {i: client.get(f"/memories/{i}") for i in self.acknowledged}
        return [i for i, a in answers.items() if a.status_code != 200 or a.json()["content"] != self.acknowledged[i]]

    def first_process(self) -> psutil.Process:
        """Of the PostgreSQL in this very data directory."""
        number = next(self.home.rglob("postmaster.pid")).read_text().splitlines()[0]
        return psutil.Process(int(number))

    def end_what_nobody_holds(self) -> None:
        """Where a server was killed and none came after it, its database still runs."""
        with suppress(*NOT_THERE):
            left = self.first_process()
            left.send_signal(signal.SIGINT)  # to PostgreSQL: end now, without waiting for its clients
            left.wait(BACK_AGAIN)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    # Not below pytest's own directory: the database, as another user, could not get there in a later run.
    house = House(Path(mkdtemp(prefix="whoknows-survival-")))
    try:
        first = house.another()
        with house.client(first, first.key) as admin:
            assert admin.post("/agents", json={"agent_id": "keeper", "role": "main"}).status_code == 201
            house.key = admin.post("/keys", json={"acts_as": ["keeper"]}).json()["key"]
        yield house
    finally:
        for server in house.servers:
            if server.process.poll() is None:
                server.end(signal.SIGTERM)
        house.end_what_nobody_holds()
        shutil.rmtree(house.home, ignore_errors=True)


@pytest.mark.slow
def test_a_server_whose_database_is_killed_says_so_and_is_back_by_itself_with_all_it_acknowledged(house: House) -> None:
    with house.client(house.server()) as client:
        for n in range(10):
            assert house.capture(client, f"the harbour crane number {n} was greased").status_code == 201
        before, known = house.first_process(), next(iter(house.acknowledged))
        os.kill(before.pid, signal.SIGKILL)
        until = time.monotonic() + BACK_AGAIN
        back = False
        while not back:
            assert time.monotonic() < until, "the database did not come back"
            read = client.get(f"/memories/{known}")
            written = house.capture(client, f"written at {time.monotonic_ns()} while the database was away")
            for answer in (read, written):
                assert answer.status_code in (200, 201) or told_to_wait(answer), (answer.status_code, answer.text)
            # A killed server's children may answer for a moment: back is only what another first process serves.
            back = written.status_code == 201 and read.status_code == 200 and restarted(house, before)
        assert house.missing(client) == []
        assert "crane number 7" in recalled(client, "harbour crane number 7 greased")[0]["content"]


def test_a_killed_server_leaves_all_it_acknowledged_and_the_next_one_completes_the_vectors(house: House) -> None:
    killed = house.server()
    with house.client(killed) as client:
        assert house.capture(client, "the lighthouse keeper repaired the brass lantern").status_code == 201
        batch = client.post("/capture/batch", json={"items": [{"content": text} for text in LONG_TEXTS]})
        killed.end(signal.SIGKILL)
    results = batch.json()["results"]
    house.acknowledged |= {r["memory"]["id"]: text for r, text in zip(results, LONG_TEXTS, strict=True)}
    with house.client(house.server()) as client:
        assert house.missing(client) == []
        assert "brass lantern" in recalled(client, "brass lantern of the lighthouse")[0]["content"]
        eventually(lambda: client.get("/jobs/pending").json()["embedding"] == 0, "the vectors of the long texts")
        found = {m["id"]: m["scores"]["dense"] for m in recalled(client, "谁在冷链车上开车", min_score=0, limit=50)}
        for result in results:
            assert found.get(result["memory"]["id"]) is not None, "a long text is found by its vectors"


def test_two_servers_on_one_data_directory_share_memories_and_events_and_either_may_end(house: House) -> None:
    first, second = house.server(), house.another()
    with house.client(first) as here, house.client(second) as there:
        with there.stream("GET", "/events") as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": connected"
            captured = house.capture(here, "the ferry to the island leaves at dawn").json()["memory"]["id"]
            assert next_event(lines)["memory_id"] == captured
        assert recalled(there, "when does the ferry leave for the island")[0]["id"] == captured
        answer = house.capture(there, "the bakery on the quay sells rye bread").json()["memory"]["id"]
        assert recalled(here, "rye bread from the bakery")[0]["id"] == answer
        assert first.end(signal.SIGTERM) == 0
        assert house.capture(there, "the first of the two servers went home").status_code == 201
        assert recalled(there, "which of the two servers went home")[0]["content"].endswith("went home")
        assert house.missing(there) == []


def recalled(client: httpx.Client, query: str, **more: Any) -> list[dict[str, Any]]:
    answer = client.post("/recall", json={"query": query, **more})
    assert answer.status_code == 200, answer.text
    return answer.json()["memories"]


def next_event(lines: Iterator[str]) -> dict[str, Any]:
    """The data of the next event; comment lines come meanwhile, so that this is not for ever in one read."""
    until = time.monotonic() + PATIENCE
    for line in lines:
        if line.startswith("data: "):
            return json.loads(line.removeprefix("data: "))
        assert time.monotonic() < until, "no event came"
    raise AssertionError("the stream ended")


def eventually(holds: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < until, f"waited in vain for {what}"
        time.sleep(0.1)


def told_to_wait(answer: httpx.Response) -> bool:
    return answer.status_code == 503 and int(answer.headers["retry-after"]) > 0


def restarted(house: House, before: psutil.Process) -> bool:
    try:
        return house.first_process() != before
    except NOT_THERE:
        return False
