"""What is sent again, and what is not."""

import gzip
from collections.abc import Callable, Iterator

import httpx
import pytest

from whoknows.client import ApiError, ServerUnreachable, WhoKnows
from whoknows.client.bounded import answered

KEY = "wk_" + "x" * 40


class Answers:
    """A server that answers as told, and keeps what it was asked."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.left = list(answers)
        self.asked: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(request)
        answer = self.left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


def client(answers: Answers) -> WhoKnows:
    return WhoKnows(key=KEY, transport=httpx.MockTransport(answers))


def busy() -> httpx.Response:
    return httpx.Response(503, headers={"Retry-After": "0"}, json={"code": "store_unavailable", "detail": "away"})


OK = httpx.Response(200, json={"ok": True})


def test_a_read_is_sent_again_until_the_server_is_back() -> None:
    answers = Answers(busy(), busy(), OK)
    assert client(answers).whoami() == {"ok": True}
    assert len(answers.asked) == 3


def test_a_capture_is_sent_again_with_the_same_idempotency_key() -> None:
    answers = Answers(busy(), httpx.ReadError("gone"), OK)
    client(answers).capture("text")
    assert len({r.headers["Idempotency-Key"] for r in answers.asked}) == 1
    assert len(answers.asked) == 3


def test_two_captures_have_different_idempotency_keys() -> None:
    answers = Answers(OK, OK)
    wk = client(answers)
    wk.capture("text")
    wk.capture("text")
    assert len({r.headers["Idempotency-Key"] for r in answers.asked}) == 2


@pytest.mark.parametrize("outcome", [busy(), httpx.ReadError("gone")])
@pytest.mark.parametrize("does", [lambda wk: wk.add_key(["a"]), lambda wk: wk.edit("id", 1, content="x")])
def test_what_may_not_be_repeated_is_sent_once(does: Callable[[WhoKnows], object], outcome: httpx.Response | Exception) -> None:
    answers = Answers(outcome, OK)
    with pytest.raises(ApiError):
        does(client(answers))
    assert len(answers.asked) == 1


def test_it_gives_up_after_a_few_attempts() -> None:
    answers = Answers(*[busy() for _ in range(10)])
    with pytest.raises(ApiError, match="store_unavailable"):
        client(answers).whoami()
    assert len(answers.asked) == 4


def test_a_server_that_asks_for_a_long_wait_is_not_waited_for() -> None:
    answers = Answers(httpx.Response(503, headers={"Retry-After": "3600"}, json={"code": "store_full", "detail": "full"}), OK)
    with pytest.raises(ApiError) as refused:
        client(answers).whoami()
    assert refused.value.retry_after == 3600
    assert len(answers.asked) == 1


def test_the_key_follows_no_redirect_to_another_host() -> None:
    answers = Answers(httpx.Response(307, headers={"Location": "http://elsewhere.example/"}))
    with pytest.raises(ApiError):
        client(answers).whoami()
    assert [r.url.host for r in answers.asked] == ["127.0.0.1"]


def test_a_question_is_in_no_address() -> None:
    answers = Answers(OK)
    client(answers).recall("发布口令是什么")
    assert answers.asked[0].url.query == b""


class Endless(httpx.SyncByteStream):
    """An answer that never ends, and how much of it was taken."""

    def __init__(self) -> None:
        self.taken = 0

    def __iter__(self) -> Iterator[bytes]:
        while True:
            self.taken += 1 << 20
            yield b" " * (1 << 20)


@pytest.mark.parametrize("packed", [False, True])
def test_an_answer_without_end_fills_no_memory(packed: bool) -> None:
    endless = Endless()
    bomb = httpx.Response(200, headers={"Content-Encoding": "gzip"}, content=gzip.compress(bytes(8 << 20)))
    answers = Answers(bomb if packed else httpx.Response(200, stream=endless))
    with httpx.Client(transport=httpx.MockTransport(answers)) as http, pytest.raises(ApiError) as fault:
        answered(http, http.build_request("GET", "http://127.0.0.1/"), most=3 << 20)
    assert fault.value.code == "answer_too_large"
    assert endless.taken <= 4 << 20


def test_an_answer_that_cannot_be_unpacked_is_an_error_like_others() -> None:
    with pytest.raises(ApiError) as fault:
        client(Answers(httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(b"no gzip")))).whoami()
    assert fault.value.code == "bad_answer"
    packed = httpx.Response(200, headers={"Content-Encoding": "gzip"}, stream=httpx.ByteStream(gzip.compress(b'{"ok": true}')))
    assert client(Answers(packed)).whoami() == {"ok": True}


def test_half_a_character_reaches_the_server_instead_of_failing_here() -> None:
    answers = Answers(OK, OK, OK)
    client(answers).capture("bad \ud800")
    assert b"\\ud800" in answers.asked[0].content
    client(answers).route_workplace("/srv/\udcff", machine="desk")
    assert "/srv/\ufffd" in answers.asked[-1].url.params["directory"]
    client(answers).list(tags=["a\ud800", "b"])
    assert answers.asked[-1].url.params.get_list("tags") == ["a\ufffd", "b"]


def test_an_answer_that_is_no_problem_is_still_an_error_with_its_status() -> None:
    with pytest.raises(ServerUnreachable):
        client(Answers(httpx.ConnectError("no"), httpx.ConnectError("no"))).whoami()
    with pytest.raises(ApiError) as refused:
        client(Answers(httpx.Response(418, text="a teapot"))).whoami()
    assert refused.value.status == 418
