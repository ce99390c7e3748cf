"""A server that is killed while its model speaks: the message is there, is known to have no answer, and gets one."""

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

import httpx
import pytest

import model_double as play
from acceptance.cli.conftest import Server, start
from model_double import ModelDouble

PATIENCE = 60.0
STREAM = {"Accept": "text/event-stream"}
BODY = {"projectId": "boss", "message": "服务器是哪台？"}


@pytest.fixture
def double() -> Iterator[ModelDouble]:
    with ModelDouble() as double:
        yield double


@pytest.fixture
def home() -> Iterator[Path]:
    # Not below pytest's own directory: the database, as another user, could not get there in a later run.
    home = Path(mkdtemp(prefix="whoknows-chat-"))
    yield home
    rmtree(home, ignore_errors=True)


def served(home: Path, double: ModelDouble) -> Server:
    return start(home, WHOKNOWS_MODEL="m-1", WHOKNOWS_MODEL_URL=double.url)


def client(server: Server, key: str) -> httpx.Client:
    return httpx.Client(base_url=f"{server.url}/api/v1", headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE)


def test_a_message_survives_the_kill_of_its_server_and_is_answered_by_the_next(home: Path, double: ModelDouble) -> None:
    first = served(home, double)
    assert first.key is not None
    with client(first, first.key) as admin:
        assert admin.post("/members", json={"member_id": "mira"}).status_code == 201
        key = admin.post("/keys", json={"acts_as": ["member:mira"]}).json()["key"]
    double.plays(double.says_and_waits("服务器"))
    with client(first, key) as mira, mira.stream("POST", "/master-agent/chat", json=BODY, headers=STREAM) as response:
        lines = response.iter_lines()
        start_event = json.loads(next(line for line in lines if line.startswith("data: ")).removeprefix("data: "))
        assert double.reached.wait(PATIENCE)
        first.end(signal.SIGKILL)
        with pytest.raises(httpx.TransportError):
            list(lines)
    assert double.left.wait(PATIENCE), "the model's call outlived its server"
    second = served(home, double)
    try:
        with client(second, key) as mira:
            path = f"/master-agent/conversations/{start_event['conversationId']}"
            until = time.monotonic() + PATIENCE
            while (message := mira.get(path).json()["messages"][0])["state"] == "sending":
                assert time.monotonic() < until, "the message still counts as being answered"
                time.sleep(0.2)
            assert (message["content"], message["state"]) == (BODY["message"], "unanswered")
            double.plays(play.says("srv-4。"))
            again = {**BODY, "conversationId": start_event["conversationId"], "retryOf": message["messageId"]}
            answer = mira.post("/master-agent/chat", json=again)
            assert (answer.status_code, answer.json()["answer"]) == (200, "srv-4。")
            said = mira.get(path).json()["messages"]
            assert [(m["content"], m["state"]) for m in said] == [(BODY["message"], "done"), ("srv-4。", "done")]
            # What waited to become memory waited for the next server too, and is looked through by itself.
            while mira.get(path).json()["messages"][0]["distillation"] == "pending":
                assert time.monotonic() < until + PATIENCE, "nobody looked through the turn"
                time.sleep(0.2)
            assert mira.get(path).json()["messages"][0]["distillation"] == "done"
    finally:
        second.end(signal.SIGTERM)
