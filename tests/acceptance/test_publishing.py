"""Publishing on two server processes with one database: the rows of the source's test matrix that are about it."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from acceptance.two_servers import Tenant, TwoServers

SECRET = "保险箱密码是 7391"
QUESTION = "保险箱的密码是多少"
PATIENCE = 30.0


@pytest.fixture
def case(tenant: Tenant) -> Tenant:
    """A case: an informant who may write on the board, and a detective who reads it."""
    tenant.agents("informant", "detective")
    tenant.team("*", informant="writer")
    return tenant


def whisper(case: Tenant, text: str = SECRET) -> str:
    with case.client("informant") as client:
        return client.post("/capture", json={"content": text}).json()["memory"]["id"]


def publish(case: Tenant, memory: str, server: int = 0) -> httpx.Response:
    with case.client("informant", server) as client:
        return client.post(f"/memories/{memory}/publish", json={"team_id": "*"})


def ask(case: Tenant, who: str, server: int = 0) -> list[dict[str, Any]]:
    with case.client(who, server) as client:
        answer = client.post("/recall", json={"query": QUESTION, "min_score": 0})
    assert answer.status_code == 200, answer.text
    assert {s["space"] for s in answer.json()["searched"]} == {f"agent:{who}", "*"}
    return answer.json()["memories"]


def board(case: Tenant, server: int = 0) -> list[dict[str, Any]]:
    with case.client("detective", server) as client:
        return client.get("/memories", params={"layer": "team"}).json()["items"]


def test_row_3_a_card_of_one_case_cannot_be_published_in_another(case: Tenant, two_servers: TwoServers) -> None:
    memory = whisper(case)
    other = two_servers.tenant()
    other.agents("informant", "detective")
    other.team("*", informant="writer")
    for server in (0, 1):
        foreign, absent = publish(other, memory, server), publish(other, str(uuid4()), server)
        assert (foreign.status_code, foreign.json()["code"]) == (404, "not_found")
        assert _without_request(foreign) == _without_request(absent)
        assert board(other, server) == []
    assert publish(case, memory).status_code == 201
    assert board(other) == []


def test_row_5_what_is_published_is_found_as_the_board_s_copy_with_its_origin(case: Tenant) -> None:
    memory = whisper(case)
    for server in (0, 1):
        assert ask(case, "detective", server) == []
        assert [m["id"] for m in ask(case, "informant", server)] == [memory]
    done = publish(case, memory)
    assert done.status_code == 201
    copy = done.json()["memory"]["id"]
    for server in (0, 1):
        (found,) = ask(case, "detective", server)
        assert (found["id"], found["content"], found["team_id"], found["agent_id"]) == (copy, SECRET, "*", "informant")
        assert found["origin"] == {"agent_id": "informant", "published_at": found["origin"]["published_at"]}
        with case.client("detective", server) as detective:
            assert detective.get(f"/memories/{memory}").status_code == 404
        with case.client("informant", server) as informant:
            original = informant.get(f"/memories/{memory}").json()
            assert (original["memory_type"], original["visible_to"]) == ("private", ["agent:informant"])
            assert informant.get(f"/memories/{copy}").json()["origin"]["memory_id"] == memory


def test_row_6_publishing_twice_leaves_one_copy_on_the_board(case: Tenant) -> None:
    memory = whisper(case)
    answers = [publish(case, memory, server) for server in (0, 1, 0)]
    assert [a.status_code for a in answers] == [201, 200, 200]
    assert len({a.json()["memory"]["id"] for a in answers}) == 1
    assert len({a.json()["publication_id"] for a in answers}) == 1
    assert [m["id"] for m in board(case)] == [answers[0].json()["memory"]["id"]]
    another = whisper(case, "the safe stands behind the picture")
    assert publish(case, another).status_code == 201
    assert len(board(case)) == 2


async def test_row_7_published_on_two_servers_at_once_there_is_one_copy_and_one_first_time(case: Tenant) -> None:
    for round_ in range(5):
        memory = whisper(case, f"{SECRET} / {round_}")
        async with case.async_client("informant", 0) as here, case.async_client("informant", 1) as there:
            clients = [here, there] * 6
            answers = await asyncio.gather(*(c.post(f"/memories/{memory}/publish", json={"team_id": "*"}) for c in clients))
        assert sorted(a.status_code for a in answers) == [200] * 11 + [201]
        assert len({a.json()["memory"]["id"] for a in answers}) == 1
        for server in (0, 1):
            assert len(board(case, server)) == round_ + 1


async def test_a_withdrawal_on_one_server_reaches_readers_and_open_streams_of_the_other(case: Tenant) -> None:
    memory = whisper(case)
    published = publish(case, memory).json()
    copy = published["memory"]["id"]
    assert [m["id"] for m in ask(case, "detective", 1)] == [copy]
    async with case.async_client("detective", 1) as detective, detective.stream("GET", "/events") as stream:
        lines = stream.aiter_lines()
        assert await anext(lines) == ": connected"
        async with case.async_client("informant", 0) as informant:
            withdrawn = await informant.post(f"/publications/{published['publication_id']}/withdraw")
            assert withdrawn.json()["state"] == "withdrawn"
            assert (await detective.get(f"/memories/{copy}")).status_code == 404
            assert (await _next(lines))["kind"] == "memory.moved"
            # What is withdrawn is told of no more: the next event is the copy's return.
            await informant.patch(f"/memories/{memory}", json={"version": 1, "content": f"{SECRET}!"})
            back = await informant.post(f"/publications/{published['publication_id']}/republish")
            assert back.json()["memory"]["version"] == 2
        assert (await _next(lines))["memory_id"] == copy
        assert (await detective.get(f"/memories/{copy}")).json()["content"] == f"{SECRET}!"
    assert [m["content"] for m in ask(case, "detective", 0)] == [f"{SECRET}!"]


def test_deleting_an_original_on_one_server_takes_its_copy_from_the_readers_of_the_other(case: Tenant) -> None:
    memory = whisper(case)
    copy = publish(case, memory).json()["memory"]["id"]
    with case.client("informant", 0) as informant:
        assert informant.delete(f"/memories/{memory}").status_code == 200
    with case.client("detective", 1) as detective:
        assert detective.get(f"/memories/{copy}").status_code == 404
    assert ask(case, "detective", 1) == []
    with case.client("informant", 1) as informant:
        (told,) = informant.get("/publications").json()["items"]
        assert (told["state"], told["memory"], told["content_hash"]) == ("deleted", None, None)


async def _next(lines: AsyncIterator[str]) -> dict[str, Any]:
    async with asyncio.timeout(PATIENCE):
        async for line in lines:
            if line.startswith("data: "):
                return json.loads(line.removeprefix("data: "))
    raise AssertionError("the stream ended")


def _without_request(response: httpx.Response) -> dict[str, Any]:
    return {k: v for k, v in response.json().items() if k != "request_id"}
