"""A speaker against a double of its endpoint: what is sent, what comes back, and each failure by its name."""

import gzip
import threading
from collections.abc import AsyncIterator, Iterator

import pytest

import model_double as play
from model_double import ModelDouble, Scene
from whoknows.domain.egress import Purpose
from whoknows.domain.prompt import Effort
from whoknows.errors import ModelFault, ModelNonsense, ModelQuota, ModelRefusedKey, ModelTimeout, ModelUnavailable
from whoknows.policy.egress import endpoint_at, of_nobody
from whoknows.ports.speaker import SpeechRequest, SpokenTurn
from whoknows.speakers.openai import MOST_BYTES, OpenAISpeaker

QUESTION = "保险箱密码是多少"
GRANT = of_nobody(endpoint_at(Purpose.CHAT, "http://127.0.0.1", "m-1"))
TURNS = (SpokenTurn("system", "规则"), SpokenTurn("user", QUESTION))
EVENT = "data: %s\n\ndata: [DONE]\n\n"


@pytest.fixture
def double() -> Iterator[ModelDouble]:
    with ModelDouble() as double:
        yield double


@pytest.fixture
async def speaker(double: ModelDouble) -> AsyncIterator[OpenAISpeaker]:
    speaker = OpenAISpeaker(double.url, "not-a-key", "m-1")
    yield speaker
    await speaker.close()


def asked(model: str = "", effort: Effort | None = None, patience: float = 20, deadline: float = 60) -> SpeechRequest:
    return SpeechRequest(GRANT, TURNS, model, effort, 100, patience, deadline)


async def heard(speaker: OpenAISpeaker, request: SpeechRequest | None = None) -> list[str]:
    return [piece async for piece in speaker.stream(request or asked())]


async def heard_until(speaker: OpenAISpeaker) -> tuple[str, ModelFault | None]:
    """What was said before it failed, and how it failed."""
    said = ""
    try:
        async for piece in speaker.stream(asked()):
            said += piece
    except ModelFault as fault:
        return said, fault
    return said, None


@pytest.mark.parametrize(
    ("scene", "answer"),
    [
        (play.says("好", "的", "。"), ["好", "的", "。"]),
        (play.says("", "yes", ""), ["yes"]),
        (play.says("up to the limit", finish="length"), ["up to the limit"]),
        (play.says_at_once("all at once"), ["all at once"]),
        (play.says_with_strange_fields("one ", "two"), ["one ", "two"]),
        (play.says_byte_by_byte("港口 4 号吊机"), ["港口 4 号吊机"]),
        (play.says_in_halves("a", "😀", "b"), ["a", "😀b"]),
        (play.says("nul\0nul"), ["nulnul"]),
    ],
    ids=lambda v: None if callable(v) else "+".join(v)[:20].replace("\0", ""),
)
async def test_an_answer_comes_as_the_endpoint_sends_it(
    speaker: OpenAISpeaker, double: ModelDouble, scene: Scene, answer: list[str]
) -> None:
    double.plays(scene)
    assert await heard(speaker) == answer


async def test_the_request_carries_the_turns_and_an_effort_only_where_one_is_set(
    speaker: OpenAISpeaker, double: ModelDouble
) -> None:
    await heard(speaker)
    plain = double.last
    assert plain.path.endswith("/v1/chat/completions")
    assert plain.authorization == "Bearer not-a-key"
    assert plain.body["messages"] == [{"role": t.role, "content": t.content} for t in TURNS]
    assert (plain.body["model"], plain.body["stream"], plain.body["max_tokens"]) == ("m-1", True, 100)
    assert "reasoning_effort" not in plain.body
    assert "tools" not in plain.body
    await heard(speaker, asked(model="m-2", effort=Effort.HIGH))
    assert (double.last.body["model"], double.last.body["reasoning_effort"]) == ("m-2", "high")
    assert double.last.body["max_completion_tokens"] == 100


@pytest.mark.parametrize(
    ("scene", "fault"),
    [
        (play.refuses(401), ModelRefusedKey),
        (play.refuses(403), ModelRefusedKey),
        (play.refuses(402), ModelQuota),
        (play.refuses(429), ModelQuota),
        (play.refuses(429, "insufficient_quota"), ModelQuota),
        (play.refuses(400, "insufficient_quota"), ModelQuota),
        (play.refuses(404, "model_not_found"), ModelUnavailable),
        (play.refuses(500), ModelUnavailable),
        (play.refuses(503), ModelUnavailable),
        (play.refuses(504), ModelTimeout),
        (play.answers_html(502), ModelUnavailable),
        (play.answers_html(), ModelNonsense),
        (play.answers_raw("not json", "application/json"), ModelNonsense),
        (play.answers_raw("[]", "application/json"), ModelNonsense),
        (play.answers_raw("{}", "application/json"), ModelNonsense),
        (play.answers_raw('{"choices": [{"message": {"content": ""}}]}', "application/json"), ModelNonsense),
        (play.answers_raw(EVENT % "half {"), ModelNonsense),
        (play.answers_raw(EVENT % "[1, 2]"), ModelNonsense),
        (play.answers_raw(EVENT % '"text"'), ModelNonsense),
        (play.answers_raw(EVENT % "null"), ModelNonsense),
        (play.answers_raw(EVENT % '{"choices": "none"}'), ModelNonsense),
        (play.answers_raw(EVENT % '{"choices": [{"delta": {"content": {"text": "x"}}}]}'), ModelNonsense),
        (play.answers_raw(EVENT % ("[" * 100_000)), ModelNonsense),
        (play.answers_raw(EVENT % ('{"choices":' * 20_000)), ModelNonsense),
        (play.answers_raw("[" * 100_000, "application/json"), ModelNonsense),
        (play.answers_raw(""), ModelNonsense),
        (play.has_no_choices(), ModelNonsense),
        (play.says(), ModelNonsense),
        (play.says(" ", "\n"), ModelNonsense),
        (play.calls_a_tool(), ModelNonsense),
        (play.breaks_off(), ModelUnavailable),
        (play.fails_in_the_stream("insufficient_quota"), ModelQuota),
        (play.fails_in_the_stream("server_error"), ModelUnavailable),
    ],
)
async def test_each_failure_has_its_name_and_is_tried_once(
    speaker: OpenAISpeaker, double: ModelDouble, scene: Scene, fault: type[ModelFault]
) -> None:
    double.plays(scene)
    with pytest.raises(ModelFault) as raised:
        await heard(speaker)
    assert type(raised.value) is fault
    assert len(double.requests) == 1


async def test_nobody_who_listens_is_a_model_that_is_unavailable(speaker: OpenAISpeaker, double: ModelDouble) -> None:
    double.stop()
    with pytest.raises(ModelUnavailable):
        await heard(speaker)


async def test_a_quota_says_when_to_come_back(speaker: OpenAISpeaker, double: ModelDouble) -> None:
    told = {"7": 7.0, "soon": None, "-1": None, "nan": None, "1e9": 86400.0}
    for header, seconds in told.items():
        double.plays(play.refuses(429, Retry_After=header))
        with pytest.raises(ModelQuota) as raised:
            await heard(speaker)
        assert raised.value.retry_after == seconds, header


async def test_an_error_never_quotes_what_the_endpoint_says_of_the_text(speaker: OpenAISpeaker, double: ModelDouble) -> None:
    for scene in (play.refuses(400, QUESTION, QUESTION), play.refuses(500, "x", QUESTION), play.answers_raw(EVENT % QUESTION)):
        double.plays(scene)
        with pytest.raises(ModelFault) as raised:
            await heard(speaker)
        assert QUESTION not in raised.value.detail
    double.plays(play.refuses(404, "model_not_found", QUESTION))
    with pytest.raises(ModelUnavailable, match="model_not_found"):
        await heard(speaker)


@pytest.mark.parametrize(
    ("scene", "fault"),
    [
        (play.breaks_off("half an ", "answer"), ModelUnavailable),
        (play.ends_early("half an ", "answer"), ModelUnavailable),
        (play.fails_in_the_stream("server_error", "half an ", "answer"), ModelUnavailable),
        (play.fails_in_the_stream("rate_limit_exceeded", "half an ", "answer"), ModelQuota),
    ],
)
async def test_what_was_said_before_a_failure_is_heard(
    speaker: OpenAISpeaker, double: ModelDouble, scene: Scene, fault: type[ModelFault]
) -> None:
    double.plays(scene)
    said, raised = await heard_until(speaker)
    assert (said, type(raised)) == ("half an answer", fault)


async def test_a_model_that_never_begins_is_given_up(speaker: OpenAISpeaker, double: ModelDouble) -> None:
    double.plays(double.never_begins())
    with pytest.raises(ModelTimeout):
        await heard(speaker, asked(patience=0.2))


async def test_a_model_that_stalls_in_the_middle_is_given_up_and_so_is_one_that_only_says_it_is_alive(
    speaker: OpenAISpeaker, double: ModelDouble
) -> None:
    double.plays(double.says_and_waits("half"))
    with pytest.raises(ModelTimeout):
        await heard(speaker, asked(patience=0.2))
    comments = threading.Event()

    def alive(stage: play.Stage) -> None:
        stage.head()
        while not comments.wait(0.02):
            stage.raw(b": alive\n\n")

    double.plays(alive)
    with pytest.raises(ModelTimeout):
        await heard(speaker, asked(patience=0.2))


async def test_an_answer_that_goes_on_for_ever_is_cut_off(speaker: OpenAISpeaker, double: ModelDouble) -> None:
    double.plays(play.never_ends("and on " * 20))
    said, raised = await heard_until(speaker)
    assert isinstance(raised, ModelNonsense)
    assert 0 < len(said) <= 1600
    double.plays(play.never_ends(""))
    with pytest.raises(ModelTimeout):
        await heard(speaker, asked(deadline=0.3))


@pytest.mark.parametrize(
    ("status", "content_type"), [(200, "text/event-stream"), (200, "application/json"), (500, "application/json")]
)
async def test_one_response_that_does_not_end_is_not_read_for_ever(
    speaker: OpenAISpeaker, double: ModelDouble, status: int, content_type: str
) -> None:
    sent = 0

    def one_line(stage: play.Stage) -> None:
        nonlocal sent
        stage.head(status, content_type)
        while True:
            stage.raw(b"x" * 2**20)
            sent += 2**20

    double.plays(one_line)
    with pytest.raises(ModelNonsense, match="does not end"):
        await heard(speaker)
    assert sent < 2 * MOST_BYTES


async def test_an_answer_that_was_packed_is_not_unpacked(speaker: OpenAISpeaker, double: ModelDouble) -> None:
    def packed(stage: play.Stage) -> None:
        stage.head(Content_Encoding="gzip")
        stage.raw(gzip.compress(b" " * 2**20))
        stage.close()

    double.plays(packed)
    with pytest.raises(ModelNonsense, match="packs"):
        await heard(speaker)


async def test_nobody_is_asked_but_the_endpoint_itself(speaker: OpenAISpeaker, double: ModelDouble) -> None:
    with ModelDouble() as other:
        double.plays(play.refuses(307, Location=f"{other.url}/chat/completions"))
        with pytest.raises(ModelUnavailable, match="307"):
            await heard(speaker)
        assert (len(double.requests), other.requests) == (1, [])


async def test_who_stops_listening_ends_the_call(speaker: OpenAISpeaker, double: ModelDouble) -> None:
    double.plays(double.says_and_waits("first"))
    stream = speaker.stream(asked())
    assert await anext(stream) == "first"
    await stream.aclose()
    assert double.left.wait(20)
