"""One gate (rules W5): whatever path a text takes into a bank whose gate asks for evidence, without it it does not get in.

Every route that could write is classified; a new one fails here until somebody has thought about what it writes.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from own_database import installation, world
from worlds import World

from .conftest import Edge
from .test_every_route import found

__all__ = ["installation", "world"]

TEAM = {"memory_type": "team", "team_id": "T"}


@dataclass
class Banks:
    """The team T, where A writes, and the account of mira, for whom boss works. Both have the same gate at a time."""

    edge: Edge

    async def gates(self, level: str) -> None:
        async with self.edge.admin as admin:
            for path in ("/teams/T", "/members/mira"):
                changed = await admin.patch(path, json={"gate": level})
                assert changed.status_code == 200, changed.text

    async def post(self, who: str, path: str, body: dict[str, Any], method: str = "POST") -> dict[str, Any]:
        async with self.edge.as_(who) as client:
            answer = await client.request(method, path, json=body)
            assert answer.status_code < 500, answer.text
            return answer.json()

    async def kept(self, who: str, content: str, **fields: Any) -> dict[str, Any]:
        told = await self.post(who, "/capture", {"content": content, **fields})
        assert "memory" in told, told
        return told["memory"]

    def rows(self, word: str) -> list[tuple[str, bool]]:
        """(state, whether a quote of it was found) of all that says ``word`` in one of the two banks, seen by whom no policy
        binds."""
        with psycopg.connect(self.edge.world.installation.dsn, options="-c search_path=whoknows,public") as connection:
            return connection.execute(
                "SELECT m.state, EXISTS (SELECT FROM evidence e WHERE e.memory_id = m.memory_id AND e.verified) "
                "FROM memories m JOIN audiences a USING (audience_id) JOIN principals p ON p.principal_id = a.owner_id "
                "WHERE (p.kind, p.name) IN (('team', 'T'), ('member', 'mira')) AND concat(m.title, m.content) LIKE %s",
                (f"%{word}%",),
            ).fetchall()


Way = Callable[[Banks, str, str], Awaitable[Any]]
"""Tries to bring a text that says a word into one of the banks, while their gate is at a level; before that it may be open."""


async def _capture(b: Banks, word: str, level: str) -> None:
    await b.post("A", "/capture", {"content": f"it is {word}", **TEAM})
    await b.post(
        "boss", "/capture", {"content": f"mine is {word}", "account": "mira", "source": "manual", "quote": f"is {word}"}
    )


async def _batch(b: Banks, word: str, level: str) -> None:
    await b.post("A", "/capture/batch", {"items": [{"content": f"{n} is {word}", **TEAM} for n in range(2)]})


async def _ingest(b: Banks, word: str, level: str) -> None:
    fact = {"text": f"it is {word}", "source": "url:https://example.org/x", "quote": f"it is {word}"}
    await b.post("A", "/ingest", {**fact, "context": "team", "team_id": "T"})
    await b.post("mira", "/ingest", {**fact, "context": "personal"})


async def _correct(b: Banks, word: str, level: str) -> None:
    await b.gates("open")
    wrong = await b.kept("A", f"what was wrong about {word[::-1]}", **TEAM)
    await b.gates(level)
    correction = {"text": f"right is {word}", "about": wrong["id"], "supersedes": True, "context": "team", "team_id": "T"}
    await b.post("A", "/corrections", correction)


async def _edit(b: Banks, word: str, level: str) -> None:
    await b.gates("open")
    note = await b.kept("A", f"the log of {word[::-1]} says so", **TEAM)
    good = await b.kept("A", f"it says so: {word[::-1]}", source=f"memory:{note['id']}", quote="says so", **TEAM)
    await b.gates(level)
    await b.post("A", f"/memories/{good['id']}", {"version": 1, "content": f"it says {word}"}, "PATCH")
    titled = {"version": (await _version(b, good["id"])), "title": f"about {word}"}
    await b.post("A", f"/memories/{good['id']}", titled, "PATCH")


async def _version(b: Banks, memory: str) -> int:
    async with b.edge.as_("A") as client:
        return (await client.get(f"/memories/{memory}")).json()["version"]


async def _publish(b: Banks, word: str, level: str) -> None:
    private = await b.kept("A", f"my own {word}")
    await b.post("A", f"/memories/{private['id']}/publish", {"team_id": "T"})


async def _republish(b: Banks, word: str, level: str) -> None:
    await b.gates("open")
    private = await b.kept("A", f"my own {word[::-1]}")
    published = await b.post("A", f"/memories/{private['id']}/publish", {"team_id": "T"})
    await b.post("A", f"/memories/{private['id']}", {"version": 1, "content": f"now it is {word}"}, "PATCH")
    await b.gates(level)
    await b.post("A", f"/publications/{published['publication_id']}/republish", {})


async def _observe(b: Banks, word: str, level: str) -> None:
    await b.gates("open")
    ids = [(await b.kept("A", f"{n}: the disk was full before {word[::-1]}", **TEAM))["id"] for n in "ab"]
    await b.gates(level)
    await b.post("A", "/observations", {"memory_ids": ids, "text": f"A full disk breaks {word}."})


async def _account(b: Banks, word: str, level: str) -> None:
    fields = {"title": word, "content": f"it is {word}", "memoryType": "decision", "scope": "global", "tags": []}
    await b.post("mira", "/master-agent/memories", fields)


async def _account_edit(b: Banks, word: str, level: str) -> None:
    await b.gates("open")
    fields = {"title": "t", "content": f"it is {word[::-1]}", "memoryType": "decision", "scope": "global", "tags": []}
    made = await b.post("mira", "/master-agent/memories", fields)
    await b.gates(level)
    await b.post("boss", f"/master-agent/memories/{made['memoryId']}", {"content": f"it is {word}"})


async def _distill(b: Banks, word: str, level: str) -> None:
    said = f"We decided: the deployment server of this project is {word}, and it stays that way."
    await b.post(
        "mira", "/master-agent/distill", {"projectId": "p", "messages": [{"id": word, "role": "user", "content": said}]}
    )


WAYS: dict[tuple[str, str], Way] = {
    ("POST", "/capture"): _capture,
    ("POST", "/capture/batch"): _batch,
    ("POST", "/corrections"): _correct,
    ("PATCH", "/memories/{memory_id}"): _edit,
    ("POST", "/memories/{memory_id}/publish"): _publish,
    ("POST", "/publications/{publication_id}/republish"): _republish,
    ("POST", "/master-agent/memories"): _account,
    ("POST", "/master-agent/memories/{memory_id}"): _account_edit,
}
"""They take any text where the gate is open, and none without evidence where it is `verified`."""
ALWAYS: dict[tuple[str, str], Way] = {("POST", "/ingest"): _ingest, ("POST", "/observations"): _observe}
"""They take no text without a quote that was found, whatever the gate."""
EVIDENCED: dict[tuple[str, str], Way | str] = {
    ("POST", "/master-agent/distill"): _distill,
    ("POST", "/master-agent/chat"): "what is kept of a turn is kept by distillation",
    ("POST", "/hooks/{program}"): "what is kept of an exchange is kept by distillation",
    ("POST", "/sources/{source_id}/sync"): "every piece of a document is the text of its source, and quotes it",
    ("POST", "/observations/consolidate"): "extracts: the words of memories that are there, which it quotes",
    ("POST", "/observations/{memory_id}/recompute"): "extracts: the words of memories that are there, which it quotes",
}
"""What they write carries a quote that was found."""
REVIEWED = {("POST", "/review/{memory_id}/admit"): "whom a gate asks: a person with write rights there who is not the author"}
INJECTED = {("POST", "/inject-context"): "redaction only (W5); what is given goes into nobody's bank"}
OF_A_CASE = {
    ("POST", f"/bureau/cases{way}"): "a tenant of its own, by the verbs of capture and publish, whose board is open"
    for way in ("", "/{case}/whisper", "/{case}/ask", "/{case}/publish", "/{case}/reset", "/{case}/show-key")
}
NO_TEXT = {
    # of memories that are there: their state, or who sees them
    ("POST", "/memories/{memory_id}/archive"), ("POST", "/memories/{memory_id}/restore"),
    ("POST", "/memories/{memory_id}/supersede"), ("PUT", "/memories/{memory_id}/shares/{reader_id}"),
    ("POST", "/memories/{memory_id}/reverify"), ("POST", "/publications/{publication_id}/withdraw"),
    ("POST", "/review/{memory_id}/refuse"),
    # read
    ("POST", "/recall"), ("POST", "/export"), ("POST", "/master-agent/context"),
    # written into Git, on a branch, by a person
    ("POST", "/proposals/{proposal_id}/confirm"), ("POST", "/proposals/{proposal_id}/reject"),
    # prompts and settings
    ("POST", "/master-agent/prompt-policy"), ("POST", "/master-agent/user-prompt"),
    ("POST", "/projects/{projectId}/agent-controls"),
    ("POST", "/master-agent/distill/settings"), ("PUT", "/egress/{principal}"), ("PUT", "/projects/{projectId}/bank"),
    ("PUT", "/workplaces"), ("PUT", "/projects/{project_id}/stage"),
    # the directory
    ("POST", "/agents"), ("PATCH", "/agents/{name}"), ("POST", "/members"), ("PATCH", "/members/{name}"), ("POST", "/teams"),
    ("PATCH", "/teams/{name}"), ("PUT", "/teams/{name}/members/{principal}"), ("POST", "/keys"), ("POST", "/tenants"),
    ("POST", "/sources"), ("POST", "/tasks"), ("POST", "/tasks/{name}/close"),
}  # fmt: skip


@pytest.fixture
async def banks(world: World, edge: Edge) -> Banks:
    await world.members("mira", "o")
    await world.agents("A", "C")
    await world.agents("boss", account="mira")
    await world.team("T", A="writer", C="writer", **{"member:o": "owner"})
    world.keys["mira"] = world.keys["member:mira"]
    return Banks(edge)


def test_every_route_that_could_write_is_known_for_what_it_writes(edge: Edge) -> None:
    writing = {(m, p.removeprefix("/api/v1")) for m, p in found(edge) if m not in ("GET", "DELETE")}
    groups = (set(WAYS), set(ALWAYS), set(EVIDENCED), set(REVIEWED), set(INJECTED), set(OF_A_CASE), NO_TEXT)
    assert writing == set().union(*groups)
    assert sum(map(len, groups)) == len(writing), "a route stands in two groups"


async def test_every_way_into_an_open_bank_is_closed_to_the_unsourced_where_the_gate_is_verified(banks: Banks) -> None:
    for n, ((method, path), way) in enumerate(WAYS.items()):
        for level in ("open", "verified"):
            word = f"zx{n}{level}qk"
            await banks.gates(level)
            await way(banks, word, level)
            assert bool(banks.rows(word)) == (level == "open"), f"{method} {path} through a gate that is {level}"


async def test_what_asks_for_a_quote_anyway_takes_none_that_was_not_found_through_any_gate(banks: Banks) -> None:
    for n, ((method, path), way) in enumerate(ALWAYS.items()):
        for level in ("open", "sourced", "verified"):
            word = f"zx{n}{level}qk"
            await banks.gates(level)
            await way(banks, word, level)
            assert banks.rows(word) == [], f"{method} {path} through a gate that is {level}"


async def test_what_is_distilled_comes_with_a_quote_that_was_found_or_not_at_all(banks: Banks) -> None:
    for level in ("open", "verified"):
        await banks.gates(level)
        await _distill(banks, f"srv{level}", level)
        assert banks.rows(f"srv{level}") == [("active", True)], level
    await banks.gates("reviewed")
    async with banks.edge.as_("boss") as boss:
        said = {"id": "m", "role": "user", "content": "We decided: the deployment server of this project is srvreviewed."}
        await boss.post("/master-agent/distill", json={"projectId": "p", "messages": [said]})
    assert {state for state, _ in banks.rows("srvreviewed")} <= {"held"}


async def test_a_reviewed_bank_holds_what_comes_by_every_way_until_somebody_decides(banks: Banks) -> None:
    for n, ((method, path), way) in enumerate(WAYS.items()):
        if way in (_edit, _account, _account_edit):  # an edit is refused there; the member is the reviewer of its own account
            continue
        word = f"zx{n}reviewedqk"
        await banks.gates("reviewed")
        await way(banks, word, "reviewed")
        rows = banks.rows(word)
        assert rows, f"{method} {path}"
        assert {state for state, _ in rows} == {"held"}, f"{method} {path}"


async def test_who_says_the_same_words_again_brings_no_evidence_by_that(banks: Banks) -> None:
    """Merging is no way round: the row that is joined had passed the gate, and the second voice adds nothing unsourced."""
    await banks.gates("open")
    await banks.kept("A", "spoken twice", **TEAM)
    await banks.gates("verified")
    async with banks.edge.as_("C") as other:
        again = await other.post("/capture", json={"content": "spoken twice", **TEAM})
    assert again.status_code == 422
    with psycopg.connect(banks.edge.world.installation.dsn, options="-c search_path=whoknows,public") as connection:
        row = connection.execute(
            "SELECT count(*) FROM memory_authors JOIN memories USING (memory_id) WHERE content = 'spoken twice'"
        )
        assert row.fetchone() == (1,)
