"""A house in which a language model speaks, played by a double on loopback; and what one does at its chat."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from playwright.async_api import expect

from acceptance.rest.conftest import BODY_BYTES, serving
from marked_distiller import MarkedDistiller
from model_double import ModelDouble
from whoknows.bootstrap import assemble
from whoknows.console.app import add_console, create_console
from whoknows.console.facts import Facts
from whoknows.flows.answering import Pace
from whoknows.flows.limits import Limits
from whoknows.rest.app import create_app
from whoknows.speakers.openai import OpenAISpeaker
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

if TYPE_CHECKING:
    from browser.conftest import House
    from browser.visiting import Visitor

MODEL = "m-1"
ENTRIES = ["Prompts", "Memory", "Model", "Reasoning effort", "Session info", "Refresh"]
ENTRIES_CHINESE = ["提示词", "记忆", "模型", "推理强度", "会话信息", "刷新"]
HOSTILE = (
    "<script>window.ran = 1</script>",
    "<img src=x onerror='window.ran = 1'>",
    "</div></article></main><h1>{{ 7 * 7 }}</h1>",
    "<a href='javascript:window.ran = 1'>x</a>",
    "<iframe srcdoc='<script>parent.ran = 1</script>'></iframe>",
    "&lt;b&gt; \u202egnihton\u202c ``` data: x event: start",
)


@asynccontextmanager
async def talking_house(founder: World, double: ModelDouble) -> AsyncIterator[tuple[World, str]]:
    """A service of its own on ``founder``'s database, with its address."""
    store = PostgresStore(Database(founder.installation.dsn, size=8, timeout=10))
    await store.open()
    speaker = OpenAISpeaker(double.url, "not-a-key", MODEL)
    pace, distiller = Pace(patience=20, deadline=30), MarkedDistiller()
    service = assemble(store, HashEmbedder(), Limits(), speaker=speaker, pace=pace, distiller=distiller)
    app = create_app(service, body_bytes=BODY_BYTES, version="test")
    add_console(app, create_console(service, Facts("test", MODEL)))
    async with serving(app) as url:
        yield World(service, founder.installation), url
    await service.close()


async def enter(visitor: "Visitor", house: "House", who: str, project: str = "boss") -> None:
    """Sign in, and open the chat in ``project``."""
    await visitor.sign_in(house.world.keys[who])
    await visitor.open("/chat")
    form = visitor.page.locator("main form.another")
    await form.locator("input[name=project]").fill(project)
    await form.locator("button").click()
    await expect(visitor.page.locator("#message")).to_be_visible()


async def ask(visitor: "Visitor", text: str) -> None:
    await visitor.page.locator("#message").fill(text)
    await visitor.page.locator("#message").press("Enter")
