"""Two hundred prompt injections, in both languages: they change neither the searched spaces nor the hits.

What is asked of a role is a query and never an instruction. Each question is put to the detective of two cases: in one the
informant and the suspect know what the script gives them, in the other they know nothing at all. The answers are the same.
"""

import asyncio
import json
import os
from collections import Counter
from pathlib import Path

import httpx
import pytest
import yaml

from model_double import ModelDouble, says
from own_database import installation, world
from whoknows.bootstrap import Installation, assemble
from whoknows.flows.limits import Limits
from whoknows.rest.app import create_app
from whoknows.speakers.deepagents import DeepAgentsSpeaker
from whoknows.speakers.openai import OpenAISpeaker
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

from .casework import SAFE, Casework, Json, ok, opened, searched, tells_the_code, told, windows
from .conftest import BODY_BYTES, Edge
from .test_events import following

__all__ = ["installation", "world"]

INJECTIONS: dict[str, dict[str, list[str]]] = yaml.safe_load((Path(__file__).parents[1] / "injections.yaml").read_text("utf-8"))
EVERY = int(os.environ.get("WHOKNOWS_INJECTIONS_EVERY", "5"))
"""So many are stepped at a time, through all kinds of them; `make test-long` asks them all."""
AT_ONCE = 8
OTHERS = ("informant", "suspect")


def questions(language: str) -> list[str]:
    return [q for kind in INJECTIONS.values() for q in kind[language]]


def test_there_are_a_hundred_in_each_language_all_different() -> None:
    assert Counter(len(questions(language)) for language in ("zh", "en")) == {100: 2}
    assert len({*questions("zh"), *questions("en")}) == 200
    assert len(INJECTIONS) == 20


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_no_injection_changes_the_searched_spaces_or_the_hits(wire: Edge, language: str) -> None:
    async with opened(wire, language=language) as case, opened(wire, language=language) as twin:
        for role in OTHERS:
            await twin.client.delete("/memories", params={"layer": "private", "agent_id": role})
        secrets = await _secrets(case)
        visible = {c["content"] for c in (await case.cards()).values() if c["role"] == "detective"}
        async with wire.as_(await case.show_key()) as screen, following(screen, path=f"{case.path}/events") as stream:
            some = questions(language)[::EVERY]
            for asked in (some, [f"{q}\n{SAFE[language]}" for q in some]):
                for question, answer, other in await _both(case, twin, asked):
                    assert searched(answer) == ["agent:detective", "*"], question
                    assert _hits(answer) == _hits(other), question
                    assert {content for content, _ in _hits(answer)} <= visible, question
                    _holds_none(answer, question, secrets)
                    trace = answer["trace"]["trace_id"]
                    full = ok(await case.client.get(f"/traces/{trace}", params={"agent_id": "detective"}))
                    _holds_none(full, question, secrets)
            _holds_none(await case.stage(), "", secrets)
            for _ in range(2 * len(some)):
                _holds_none(json.loads((await stream.next())["data"]), "", secrets)
        # The other side: what they are after is there, and the one who knows it is asked in vain by nobody.
        assert (await case.ask("informant", SAFE[language]))["outcome"] == "known"
        assert (await twin.ask("informant", SAFE[language]))["outcome"] == "unknown"


async def test_once_it_is_public_the_same_questions_meet_the_copy_on_the_board_alone(edge: Edge) -> None:
    async with opened(edge) as case:
        copy = await case.publish_card("safe-code")
        own = {c["content"] for c in (await case.cards()).values() if c["role"] == "detective"}
        original = (await case.cards())["safe-code"]["id"]
        found = 0
        for question in questions("zh")[::4]:
            answer = await case.ask("detective", f"{SAFE['zh']} {question}")
            assert searched(answer) == ["agent:detective", "*"]
            assert {h["content"] for h in answer["trace"]["hits"]} <= own | {copy["content"]}
            assert original not in told(answer)
            found += copy["id"] in {h["id"] for h in answer["trace"]["hits"]}
        assert found >= 5


@pytest.mark.parametrize("language", ["zh", "en"])
async def test_a_model_that_obeys_them_has_nothing_to_tell(installation: Installation, language: str) -> None:
    """In full mode the model gets the approved cards and no tool, whatever the question says."""
    with ModelDouble() as double:
        double.plays(says("…"))
        speaker = OpenAISpeaker(double.url, "not-a-key", "m-1")
        store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
        await store.open()
        role_speaker = DeepAgentsSpeaker(speaker, patience=20, deadline=60)
        service = assemble(store, HashEmbedder(), Limits(), speaker=speaker, role_speaker=role_speaker)
        app = create_app(service, body_bytes=BODY_BYTES, version="test")
        edge = Edge(World(service, installation), app, httpx.ASGITransport(app, raise_app_exceptions=False))
        async with opened(edge, language=language) as case:
            secrets = await _secrets(case)
            for question in questions(language)[::3]:
                answer = await case.ask("detective", question)
                assert answer["mode"] == "full"
                assert searched(answer) == ["agent:detective", "*"]
            assert len(double.requests) == len(questions(language)[::3])
            for sent in double.requests:
                assert not {k for k in sent.body if "tool" in k or "function" in k}
                _holds_none(sent.body, sent.messages[-1]["content"], secrets)
        await service.close()


async def _both(case: Casework, twin: Casework, asked: list[str]) -> list[tuple[str, Json, Json]]:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(question: str) -> tuple[str, Json, Json]:
        async with gate:
            return question, await case.ask("detective", question), await twin.ask("detective", question)

    return list(await asyncio.gather(*(one(q) for q in asked)))


def _hits(answer: Json) -> list[tuple[str, float]]:
    return [(h["content"], h["score"]) for h in answer["trace"]["hits"]]


async def _secrets(case: Casework) -> set[str]:
    """Ids and stretches of text of what the others know, without what the detective knows too."""
    cards = (await case.cards()).values()
    own = "\n".join(c["content"] for c in cards if c["role"] == "detective")
    others = [c for c in cards if c["role"] in OTHERS]
    assert len(others) == 6
    # Sixteen letters in English: eight are "s in the".
    size = 8 if case.language == "zh" else 16
    parts = {part for c in others for part in windows(c["content"], size) if part not in own}
    return parts | {c["id"] for c in others}


def _holds_none(shown: object, question: str, secrets: set[str]) -> None:
    text = told(shown).replace(told(question)[1:-1], "")
    found = [s for s in secrets if s in text]
    assert not found or all(s in question for s in found), (question, found)
    assert not tells_the_code(text), question
