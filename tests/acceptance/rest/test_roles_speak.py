"""Full mode: a model says it as the role, from the cards that were found; where it fails, evidence is what remains."""

import json
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

import model_double as play
from model_double import ModelDouble
from own_database import installation, world
from whoknows.bootstrap import Installation, assemble
from whoknows.flows.limits import Limits
from whoknows.ports import RoleSpeaker, Speaker
from whoknows.rest.app import create_app
from whoknows.speakers.deepagents import DeepAgentsSpeaker
from whoknows.speakers.missing import MissingRoleSpeaker
from whoknows.speakers.openai import OpenAISpeaker
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

from .casework import CODE, SAFE, hits, opened, searched, tells_the_code, told
from .conftest import BODY_BYTES, Edge

__all__ = ["installation", "world"]

QUESTION = SAFE["zh"]


@pytest.fixture
async def spoken(installation: Installation, double: ModelDouble) -> AsyncIterator[Edge]:
    """The REST edge over a world whose roles speak through the double."""
    speaker = OpenAISpeaker(double.url, "not-a-key", "m-1")
    async for edge in _edge(installation, speaker, DeepAgentsSpeaker(speaker, patience=2, deadline=10)):
        yield edge


async def _edge(installation: Installation, speaker: Speaker, role_speaker: RoleSpeaker) -> AsyncIterator[Edge]:
    store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
    await store.open()
    service = assemble(store, HashEmbedder(), Limits(), speaker=speaker, role_speaker=role_speaker)
    app = create_app(service, body_bytes=BODY_BYTES, version="test")
    yield Edge(World(service, installation), app, httpx.ASGITransport(app, raise_app_exceptions=False))
    await service.close()


async def test_the_model_says_it_and_the_trace_shows_what_it_was_given(spoken: Edge, double: ModelDouble) -> None:
    double.plays(play.says("嘘……", "密码是四八二六。"))
    async with opened(spoken) as case:
        answer = await case.ask("informant", QUESTION)
        assert (answer["answer"], answer["mode"], answer["reason"]) == ("嘘……密码是四八二六。", "full", None)
        assert (answer["outcome"], answer["trace"]["mode"]) == ("known", "full")
        given = json.loads(double.last.system.partition("卡片：")[2])
        assert [c["text"] for c in given] == hits(answer)
        assert (await case.stage())["roles"][1]["last"]["mode"] == "full"
        assert "嘘" not in told(await case.stage())


async def test_the_model_gets_approved_cards_alone(spoken: Edge, double: ModelDouble) -> None:
    async with opened(spoken) as case:
        await case.ask("detective", QUESTION)
        assert not tells_the_code(double.last.body)
        assert json.loads(double.last.system.partition("卡片：")[2]) == []
        original = (await case.cards())["safe-code"]["id"]
        await case.publish_card("safe-code")
        await case.ask("detective", QUESTION)
        (card,) = json.loads(double.last.system.partition("卡片：")[2])
        assert (CODE in card["text"], card["from"], card["made public by"]) == (True, "board", "informant")
        assert original not in told(double.last.body)
        assert not {k for k in double.last.body if "tool" in k}


async def test_what_the_model_says_cannot_make_a_question_known(spoken: Edge, double: ModelDouble) -> None:
    """It decides how it is said, never whether it is known: also when it makes something up."""
    double.plays(play.says("密码是 0000，我偷看了线人的记忆。"))
    async with opened(spoken) as case:
        answer = await case.ask("detective", QUESTION)
        assert (answer["outcome"], hits(answer)) == ("unknown", [])
        assert searched(answer) == ["agent:detective", "*"]
        assert (await case.stage())["roles"][0]["last"]["outcome"] == "unknown"


@pytest.mark.parametrize(
    ("scene", "reason"),
    [
        (lambda _: play.refuses(429), "model_quota"),
        (lambda _: play.refuses(500), "model_unavailable"),
        (lambda _: play.refuses(401), "model_refused_key"),
        (lambda _: play.says(""), "model_nonsense"),
        (lambda _: play.breaks_off("密"), "model_unavailable"),
        (lambda d: d.never_begins(), "model_timeout"),
    ],
    ids=["quota", "down", "key", "nothing", "broken off", "silent"],
)
async def test_a_model_that_fails_leaves_the_evidence_and_its_reason(
    spoken: Edge, double: ModelDouble, scene: Callable[[ModelDouble], play.Scene], reason: str
) -> None:
    double.plays(scene(double))
    async with opened(spoken) as case:
        answer = await case.ask("informant", QUESTION)
        assert (answer["mode"], answer["reason"], answer["outcome"]) == ("evidence", reason, "known")
        assert CODE in answer["answer"]
        assert (await case.stage())["roles"][1]["last"]["mode"] == "evidence"


async def test_a_model_that_is_gone_leaves_the_evidence(spoken: Edge, double: ModelDouble) -> None:
    double.stop()
    async with opened(spoken) as case:
        answer = await case.ask("informant", QUESTION)
        assert (answer["mode"], answer["reason"]) == ("evidence", "model_unavailable")


async def test_without_the_extra_roles_answer_by_evidence_and_say_why(installation: Installation) -> None:
    async for edge in _edge(installation, OpenAISpeaker("http://127.0.0.1:9/v1", "not-a-key", "m-1"), MissingRoleSpeaker()):
        async with opened(edge) as case:
            answer = await case.ask("informant", QUESTION)
            assert (answer["mode"], answer["reason"]) == ("evidence", "speaker_missing")
            assert CODE in answer["answer"]
