"""Property of the stage: whatever is played, by script and at random, it never shows a private text or a private id.

`WHOKNOWS_BUREAU_WALKS=100` plays longer.
"""

import json
import os
import random
from typing import Any

import pytest

from own_database import installation, world

from .casework import Casework, Json, ok, opened, told, windows
from .conftest import Edge
from .test_events import Stream, following

__all__ = ["installation", "world"]

WALKS = int(os.environ.get("WHOKNOWS_BUREAU_WALKS", "2"))
STEPS = 25
SCRIPTS = [(s, language) for s in ("heron", "night-train", "greenhouse") for language in ("zh", "en")]
IN_TURNS = [s if n % 4 in (1, 2) else pytest.param(*s, marks=pytest.mark.slow) for n, s in enumerate(SCRIPTS)]
"""Each in one of its languages; the command line plays them in the other (`test_bureau.py` there)."""
WORDS = ["蓝鲸", "钥匙", "灯塔", "暗号", "密道", "账本", "whale", "key", "lighthouse", "password", "tunnel", "ledger"]


class Watcher:
    """Knows what is private at each moment, and looks for it in everything that the stage tells."""

    def __init__(self, case: Casework, screen: Any) -> None:
        self.case = case
        self.screen = screen
        self.secrets: set[str] = set()
        """Ids of private memories and traces, and texts of questions and answers: never public."""
        self.snapshots = 0

    async def look(self) -> Json:
        """The stage as it is now, checked against the case as it is now, which is answered."""
        snapshot = ok(await self.screen.get(f"{self.case.path}/stage"))
        look = await self.case.look()
        self.check(snapshot, look)
        self.snapshots += 1
        return look

    def check(self, shown: Json, look: Json) -> None:
        text = told(shown)
        cards = [c for r in look["roles"] for c in r["cards"]]
        public = {m["content"] for m in look["board"]}
        open_words = "\n".join([*public, look["title"], look["script"], *(r["name"] for r in look["roles"])])
        for card in cards:
            self.secrets.add(card["id"])
            if card["content"] not in public:
                for part in windows(card["content"]):
                    assert part not in text or part in open_words, f"{part!r} of a private card is on the stage"
        self.check_secrets(text, open_words)

    def check_secrets(self, text: str, open_words: str) -> None:
        for secret in self.secrets:
            assert secret not in text or secret in open_words, f"{secret!r} is on the stage"


class Player:
    """One at the operator's desk, who does whatever the dice say."""

    def __init__(self, watcher: Watcher, dice: random.Random) -> None:
        self.watcher = watcher
        self.case = watcher.case
        self.dice = dice
        self.kinds: list[str] = []

    async def step(self, step: Json, look: Json) -> None:
        """A step that the script suggests."""
        match step["kind"]:
            case "whisper":
                self.watcher.secrets.add((await self.case.whisper(step["role"], step["text"]))["id"])
            case "publish":
                (card,) = [c for r in look["roles"] for c in r["cards"] if c["card"] == step["card"]]
                await self._publish(card["id"])
            case _:
                await self._ask(step["role"], step["text"])

    async def anything(self, look: Json) -> None:
        chosen_role = self.dice.choice(look["roles"])
        role, cards = chosen_role["role"], chosen_role["cards"]
        chosen = self.dice.choice(("whisper",) * 4 + ("ask",) * 4 + ("publish",) * 3 + ("withdraw", "edit", "delete", "reset"))
        self.kinds.append(chosen)
        match chosen:
            case "whisper":
                self.watcher.secrets.add((await self.case.whisper(role, self._words()))["id"])
            case "ask":
                about = f"{self.dice.choice(cards)['content']}？{self._words()}"
                await self._ask(role, self.dice.choice([self._words(), about]))
            case "publish":
                await self._publish(self.dice.choice(cards)["id"])
            case "withdraw":
                for p in ok(await self.case.client.get("/publications", params={"agent_id": role}))["items"][:1]:
                    path = f"/publications/{p['publication_id']}/withdraw"
                    ok(await self.case.client.post(path, params={"agent_id": role}))
            case "edit":
                card = self.dice.choice(cards)
                body = {"content": self._words(), "version": card["version"]}
                ok(await self.case.client.patch(f"/memories/{card['id']}", json=body, params={"agent_id": role}))
            case "delete":
                ok(await self.case.client.delete(f"/memories/{self.dice.choice(cards)['id']}", params={"agent_id": role}))
                await self.case.whisper(role, self._words())  # nobody is left without a card
            case _:
                await self.case.reset()

    async def _publish(self, memory: str) -> None:
        answer = await self.case.publish(memory)
        assert answer.status_code in (200, 201, 409), answer.text  # 409: it was withdrawn

    async def _ask(self, role: str, question: str) -> None:
        answer = await self.case.ask(role, question)
        self.watcher.secrets |= {answer["trace"]["trace_id"], told(answer["answer"])[1:-1]}
        if len(question) >= 8:
            self.watcher.secrets.add(question)
        assert {s["space"] for s in answer["trace"]["searched"]} == {f"agent:{role}", "*"}

    def _words(self) -> str:
        """Words, with a token that stands nowhere else."""
        return f"{self.dice.choice(WORDS)} {self.dice.getrandbits(64):016x} {self.dice.choice(WORDS)}"


@pytest.mark.parametrize(("script", "language"), IN_TURNS)
async def test_no_step_of_a_script_brings_anything_private_onto_the_stage(wire: Edge, script: str, language: str) -> None:
    async with opened(wire, script, language) as case, wire.as_(await case.show_key()) as screen:
        watcher = Watcher(case, screen)
        player = Player(watcher, random.Random(script + language))
        async with following(screen, path=f"{case.path}/events") as stream:
            look = await watcher.look()
            for step in look["steps"]:
                await player.step(step, look)
                look = await watcher.look()
            await _all_events(stream, watcher)
        assert watcher.snapshots > 10


@pytest.mark.parametrize("walk", range(WALKS))
async def test_no_random_play_brings_anything_private_onto_the_stage(wire: Edge, walk: int) -> None:
    script, language = SCRIPTS[walk % len(SCRIPTS)]
    async with opened(wire, script, language) as case, wire.as_(await case.show_key()) as screen:
        watcher = Watcher(case, screen)
        player = Player(watcher, random.Random(walk))
        async with following(screen, path=f"{case.path}/events") as stream:
            look = await watcher.look()
            for _ in range(STEPS):
                await player.anything(look)
                look = await watcher.look()
            assert len(set(player.kinds)) >= 4
            await _all_events(stream, watcher)


async def test_the_watcher_has_eyes(edge: Edge) -> None:
    """The property has teeth: a stage that showed a private card, an id or a question would be found out."""
    async with opened(edge) as case:
        watcher = Watcher(case, case.client)
        look = await case.look()
        stage = await case.stage()
        watcher.check(stage, look)
        card = look["roles"][1]["cards"][0]
        for leak in (card["content"], card["content"][3:11], card["id"]):
            with pytest.raises(AssertionError):
                watcher.check({**stage, "title": f"{stage['title']} {leak}"}, look)


async def _all_events(stream: Stream, watcher: Watcher) -> None:
    """Every event that was told, up to a last one that is asked for here."""
    last = await watcher.case.whisper("suspect", "the last words of this play")
    watcher.secrets.add(last["id"])
    look = await watcher.case.look()
    newest = (await watcher.case.stage())["roles"][2]["last"]["id"]
    told_of = 0
    while True:
        event = json.loads((await stream.next())["data"])
        watcher.check({"event": event}, look)
        told_of += 1
        if event["id"] == newest:
            break
    assert told_of > 5
