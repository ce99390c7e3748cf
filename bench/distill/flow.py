"""A labelled set through a real server: ``POST /master-agent/distill``, each conversation the account of a member of its own.

Message by message, as a chat gives them, or each conversation in as few calls as its projects allow; then the whole again, with
the same ids and with others.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

import httpx

from distill.rows import Row, by_conversation
from distill.score import Outcome, Score, Stored, count
from speed.server import start
from whoknows.domain.distilled import Known, Reach
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Category
from whoknows.flows.keys import new_secret


@dataclass(slots=True)
class Flow:
    """``same_ids``, ``other_ids``: what the whole conversation said again was kept as, after the first time."""

    first: Score
    same_ids: list[str] = field(default_factory=list[str])
    other_ids: list[str] = field(default_factory=list[str])


def through_server(rows: Sequence[Row]) -> dict[str, Flow]:
    """By the way in which the messages come. A new server, and a new database, for each call."""
    with tempfile.TemporaryDirectory() as data:
        secret = new_secret()
        server = start(Path(data), secret)
        try:
            server.wait()
            admin = _client(server.url, secret)
            return {
                "message by message": _flow(admin, server.url, rows, "a", whole=False),
                "at once": _flow(admin, server.url, rows, "b", whole=True),
            }
        finally:
            server.end()


def _flow(admin: httpx.Client, url: str, rows: Sequence[Row], name: str, *, whole: bool) -> Flow:
    flow = Flow(Score())
    for n, conv in enumerate(by_conversation(rows).values()):
        member = f"{name}{n}"
        admin.post("/members", json={"member_id": member}).raise_for_status()
        key = admin.post("/keys", json={"acts_as": [f"member:{member}"]}).raise_for_status().json()["key"]
        _conversation(_client(url, key), conv, flow, whole=whole)
    return flow


def _client(url: str, key: str) -> httpx.Client:
    return httpx.Client(base_url=f"{url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=120)


def _conversation(client: httpx.Client, conv: Sequence[Row], flow: Flow, *, whole: bool) -> None:
    outcomes = {row.said.id: Outcome(row) for row in conv}
    began: dict[str, str] = {}
    """By memory: the message that created the first of its chain."""
    for answer in _said(client, conv, "", whole=whole):
        for kept in answer["kept"]:
            _keep(client, outcomes[kept["messageId"]], kept, began)
        for skipped in answer["skipped"]:
            outcome = outcomes[skipped["messageId"]]
            if skipped.get("memory"):
                outcome.same.append(_stored({"memoryId": skipped["memory"]}, outcome.row, ""))
            outcome.skipped = skipped["why"]
    for outcome in outcomes.values():
        count(flow.first, outcome)
    texts = [m["content"] for m in _listed(client)]
    flow.first.leaked += sum(bad in text for row in conv for bad in row.must_not for text in texts)
    for prefix, kept in (("", flow.same_ids), ("again-", flow.other_ids)):
        kept += [
            f"{k['outcome']} {k['messageId']} {k['quote'][:70]!r}"
            for answer in _said(client, conv, prefix, whole=whole)
            for k in answer["kept"]
        ]


def _said(client: httpx.Client, conv: Sequence[Row], prefix: str, *, whole: bool) -> Iterator[dict[str, Any]]:
    """The answers to the calls. A call is of one project."""
    parts = [list(p) for _, p in groupby(conv, lambda r: r.said.project_id)] if whole else [[row] for row in conv]
    for part in parts:
        messages = [{"id": prefix + r.said.id, "role": str(r.said.role), "content": r.said.content} for r in part]
        body = {"projectId": part[0].said.project_id, "messages": messages}
        yield client.post("/master-agent/distill", json=body).raise_for_status().json()


def _keep(client: httpx.Client, outcome: Outcome, kept: Mapping[str, Any], began: dict[str, str]) -> None:
    memory = kept["memory"]
    new = memory["memoryId"]
    before = [o["id"] for o in client.get(f"/memories/{new}").raise_for_status().json()["overturned"]]
    first = next((began[o] for o in before if o in began), outcome.row.said.id)
    match kept["outcome"]:
        case "superseding":
            outcome.changed.append(_stored(memory, outcome.row, first))
        case "merged":
            outcome.same.append(_stored(memory, outcome.row, began.get(new, first)))
        case _:
            outcome.made.append(_stored(memory, outcome.row, first))
    began.setdefault(new, first)


def _stored(memory: Mapping[str, Any], row: Row, first: str) -> Stored:
    kind = Category(memory.get("memoryType", Category.DECISION))
    reach = Reach(memory.get("scope", Reach.PROJECT))
    known = Known(MemoryId(memory["memoryId"]), memory.get("content", ""), kind, reach, memory.get("projectId"), None)
    return Stored(known, first, row.said.id)


def _listed(client: httpx.Client) -> Iterator[dict[str, Any]]:
    query: dict[str, str] = {"limit": "200"}
    while True:
        page = client.get("/master-agent/memories", params=query).raise_for_status().json()
        yield from page["items"]
        if not page.get("nextCursor"):
            return
        query["cursor"] = page["nextCursor"]
