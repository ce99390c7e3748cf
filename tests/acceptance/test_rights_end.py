"""The end of a right takes effect with the next request and on open event streams, on both of two server processes."""

import json
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest

from acceptance.two_servers import PATIENCE, Tenant

GIFT = "支付接口用幂等键去重"
HERE, THERE = 0, 1
"""The server on which a right is ended, and the other one."""


@dataclass
class Story:
    """A, its sub-agent S, a team of A that shares with sub-agents; the task `t`; what was given for it and freely."""

    tenant: Tenant
    copies: dict[str, str] = field(default_factory=dict[str, str])
    originals: dict[str, str] = field(default_factory=dict[str, str])

    def listed(self, who: str, server: int, **params: str) -> set[str]:
        with self.tenant.client(who, server) as client:
            answer = client.get("/memories", params={"limit": "200", **params})
            assert answer.status_code == 200, answer.text
            listed = {m["content"] for m in answer.json()["items"]}
            asked = client.post("/recall", json={"query": GIFT, "min_score": 0, "limit": 50})
            assert {m["content"] for m in asked.json()["memories"]} == listed
            return listed

    def status(self, who: str, server: int) -> int:
        with self.tenant.client(who, server) as client:
            return client.get("/memories").status_code

    def ask(self, method: str, path: str, who: str = "A", server: int = HERE, **body: Any) -> Any:
        with self.tenant.client(who, server) as client:
            answer = client.request(method, path, json=body or None)
            assert answer.is_success, answer.text
            return answer.json()


@pytest.fixture
def story(tenant: Tenant) -> Story:
    tenant.agents("A", "B")
    tenant.agents("S", role="sub", parent="A")
    tenant.team("T", A="writer", B="writer")
    told = Story(tenant)
    told.ask("PATCH", "/teams/T", "admin", share_with_subagents=True)
    told.originals["own"] = told.ask("POST", "/capture", content=f"{GIFT}: A's own")["memory"]["id"]
    of_team = told.ask("POST", "/capture", "B", content=f"{GIFT}: the team's", memory_type="team", team_id="T")
    told.originals["team"] = of_team["memory"]["id"]
    tenant.keys["token"] = told.ask("POST", "/tasks", task_id="t", agents=["S"])["tokens"]["S"]
    told.originals["bound"] = told.ask("POST", "/capture", content=f"{GIFT}: for the task")["memory"]["id"]
    for name, more in (("own", {}), ("team", {}), ("bound", {"task_id": "t"})):
        given = told.ask(
            "POST", "/inject-context", agent_id="S", task="x", memory_ids=[told.originals[name]], depth="minimal", **more
        )
        told.copies[name] = next(m["id"] for m in given["memories"] if m["origin"]["memory_id"] == told.originals[name])
    return told


def expelled(story: Story) -> None:
    story.tenant.expel("T", "A", HERE)


def shares_no_more(story: Story) -> None:
    story.ask("PATCH", "/teams/T", "admin", share_with_subagents=False)


def deleted(story: Story) -> None:
    story.ask("DELETE", f"/memories/{story.originals['own']}")


def archived(story: Story) -> None:
    story.ask("POST", f"/memories/{story.originals['own']}/archive")


def superseded(story: Story) -> None:
    story.ask("POST", "/capture", content="it is otherwise", supersedes=story.originals["own"], reason="r")


def withdrawn(story: Story) -> None:
    given = story.ask("GET", "/injections")["items"]
    story.ask("DELETE", f"/injections/{next(i['id'] for i in given if i['memory_id'] == story.copies['own'])}")


def deleted_by_its_author(story: Story) -> None:
    story.ask("DELETE", f"/memories/{story.originals['team']}", "B")


ENDS: dict[str, tuple[Callable[[Story], None], str]] = {
    "the injector is expelled from the team": (expelled, "team"),
    "the team shares no more": (shares_no_more, "team"),
    "another deletes the original": (deleted_by_its_author, "team"),
    "the original is deleted": (deleted, "own"),
    "the original is archived": (archived, "own"),
    "the original is superseded": (superseded, "own"),
    "it is withdrawn": (withdrawn, "own"),
}


OFTEN = ("the injector is expelled from the team", "the original is deleted", "it is withdrawn")
"""Two servers, two streams each: `make test` ends these, `make test-long` all. Within one service all are tried always."""


@pytest.mark.parametrize("how", [h if h in OFTEN else pytest.param(h, marks=pytest.mark.slow) for h in ENDS])
def test_a_copy_is_gone_with_the_next_request_and_its_open_streams_say_so_and_no_more(story: Story, how: str) -> None:
    end, of = ENDS[how]
    texts = {"own": f"{GIFT}: A's own", "team": f"{GIFT}: the team's"}
    assert story.listed("S", HERE) == story.listed("S", THERE) == set(texts.values())
    with following(story, "S", HERE) as here, following(story, "S", THERE) as there:
        end(story)
        assert story.listed("S", THERE) == story.listed("S", HERE) == {t for n, t in texts.items() if n != of}
        for server in (HERE, THERE):
            with story.tenant.client("S", server) as client:
                assert client.get(f"/memories/{story.copies[of]}").status_code == 404
        note = story.ask("POST", "/capture", "S", THERE, content="S goes on")["memory"]["id"]
        for stream in (here, there):
            heard = [next_event(stream), next_event(stream)]
            assert [e["memory_id"] for e in heard] == [story.copies[of], note], "the end, and nothing else of it"
            assert heard[0]["kind"] == "memory.deleted"


def test_an_edit_of_the_original_changes_no_copy_until_it_is_given_again(story: Story) -> None:
    story.ask("PATCH", f"/memories/{story.originals['own']}", version=1, content=f"{GIFT}: edited")
    with following(story, "S", THERE) as stream:
        for server in (HERE, THERE):
            assert f"{GIFT}: A's own" in story.listed("S", server)
            changed = [i for i in story.ask("GET", "/injections", server=server)["items"] if i["origin_changed"]]
            assert [i["memory_id"] for i in changed] == [story.copies["own"]]
        given = story.ask(
            "POST", "/inject-context", agent_id="S", task="x", memory_ids=[story.originals["own"]], depth="minimal"
        )
        for server in (HERE, THERE):
            assert story.listed("S", server) == {f"{GIFT}: edited", f"{GIFT}: the team's"}
        heard = {e["kind"]: e["memory_id"] for e in (next_event(stream), next_event(stream))}
        assert heard["memory.deleted"] == story.copies["own"]
        assert set(heard.values()) == {story.copies["own"], given["memories"][0]["id"]}


def test_the_end_of_a_task_ends_its_tokens_and_their_streams(story: Story) -> None:
    def close() -> None:
        story.ask("POST", "/tasks/t/close", server=HERE)

    the_token_dies(story, close)
    with story.tenant.client("S", THERE) as client:
        claimed = client.get("/memories", headers={"X-Task": "t"}).json()["items"]
    assert story.copies["bound"] not in {m["id"] for m in claimed}
    assert story.listed("S", THERE) == {f"{GIFT}: A's own", f"{GIFT}: the team's", "after the end"}


def test_the_end_of_the_key_that_opened_a_task_ends_its_tokens(story: Story) -> None:
    def revoke() -> None:
        keys = story.ask("GET", "/keys", "A")["items"]
        story.ask("DELETE", f"/keys/{next(k['id'] for k in keys if k['task_id'] is None)}", "admin", HERE)

    the_token_dies(story, revoke)
    assert story.status("A", THERE) == 401


def test_the_end_of_the_agent_that_opened_a_task_ends_its_tokens_and_copies(story: Story) -> None:
    def remove() -> None:
        story.ask("PATCH", "/agents/S", "admin", HERE, parent="B")
        story.ask("DELETE", "/agents/A", "admin", HERE)

    the_token_dies(story, remove)
    assert story.listed("S", HERE) == story.listed("S", THERE) == {"after the end"}


def the_token_dies(story: Story, end: Callable[[], None]) -> None:
    assert story.listed("token", HERE) == story.listed("token", THERE)
    assert f"{GIFT}: for the task" in story.listed("token", THERE)
    with following(story, "token", HERE) as here, following(story, "token", THERE) as there:
        end()
        for server in (THERE, HERE):
            assert story.status("token", server) == 401
        story.ask("POST", "/capture", "S", content="after the end")
        for stream in (here, there):
            heard = rest_of(stream)
            assert {e["kind"] for e in heard} <= {"memory.deleted"}, "the stream ended and told nothing new"


@contextmanager
def following(story: Story, who: str, server: int) -> Generator[Iterator[str]]:
    with story.tenant.client(who, server) as client, client.stream("GET", "/events") as stream:
        lines = stream.iter_lines()
        assert next(lines) == ": connected"
        yield lines


def next_event(lines: Iterator[str]) -> dict[str, Any]:
    """Comment lines come meanwhile, so that this is not for ever in one read."""
    until = time.monotonic() + PATIENCE
    for line in lines:
        if line.startswith("data: "):
            return json.loads(line.removeprefix("data: "))
        assert time.monotonic() < until, "no event came"
    raise AssertionError("the stream ended")


def rest_of(lines: Iterator[str]) -> list[dict[str, Any]]:
    """What is still told until the stream ends by itself."""
    until = time.monotonic() + PATIENCE
    heard: list[dict[str, Any]] = []
    try:
        for line in lines:
            if line.startswith("data: "):
                heard.append(json.loads(line.removeprefix("data: ")))
            assert time.monotonic() < until, "the stream goes on"
    except httpx.RemoteProtocolError:
        pass  # cut off: that is an end as well
    return heard
