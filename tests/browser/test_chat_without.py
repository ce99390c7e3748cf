"""Whose conversations they are; and what the chat is where there is no model, no account, or another's eyes look on."""

import pytest_asyncio
from playwright.async_api import Browser, expect

from browser.conftest import House
from browser.talking import ask, enter
from browser.visiting import Visitor, visiting
from whoknows.domain.credential import Permission
from whoknows.domain.principal import AgentRole

SERVER = "boss 项目的服务器固定是 srv-4"


@pytest_asyncio.fixture(loop_scope="session")
async def nora(house: House, visitor: Visitor) -> Visitor:
    """The same in a house without a model."""
    await house.world.members("nora")
    await enter(visitor, house, "member:nora")
    return visitor


async def test_without_a_model_the_answer_is_evidence_and_looks_like_it(house: House, nora: Visitor) -> None:
    await house.world.write("member:nora", SERVER, account="nora", project_id="boss")
    await ask(nora, "boss 项目的服务器是哪台？")
    page = nora.page
    await expect(page.locator(".band")).to_contain_text("Evidence mode No language model took part; none is set up here.")
    await expect(page.locator(".findings")).to_contain_text(SERVER)
    await page.get_by_text("From one memory").click()
    await expect(page.locator(".from .card")).to_contain_text(SERVER)
    await expect(page.get_by_text("It fits the question with")).to_be_hidden()
    await page.locator(".score summary").click()
    await expect(page.get_by_text("It fits the question with")).to_be_visible()
    await ask(nora, "quantum chromodynamics of pineapples")
    await expect(page.locator(".answer").last).to_contain_text("Nothing that you may know here matches.")


async def test_who_has_no_account_reads_why_and_what_to_do(browser: Browser, house: House) -> None:
    world = house.world
    await world.members("mira")
    await world.agents("free")
    await world.agents("hers", account="mira")
    await world.agents("sub", role=AgentRole.SUB, parent="hers")
    for key, words in (
        (world.installation.new_key, "This key has no conversations."),
        (world.keys["free"], "This key has no conversations."),
        (world.keys["sub"], "This key has no conversations."),
        (await world.key("agent:free", "member:mira"), "Whom will you act as?"),
    ):
        async with visiting(browser, house.url) as visitor:
            await visitor.sign_in(key)
            await visitor.open("/chat")
            await expect(visitor.page.locator(".nobody")).to_contain_text(words)
    async with visiting(browser, house.url) as visitor:
        await enter(visitor, house, "hers")
        await expect(visitor.page.locator(".hello")).to_be_visible()


async def test_only_those_who_can_have_conversations_are_offered(browser: Browser, house: House) -> None:
    world = house.world
    await world.members("mira")
    await world.agents("free", "idle")
    await world.agents("hers", account="mira")
    async with visiting(browser, house.url) as visitor:
        await visitor.sign_in(await world.key("agent:free", "agent:idle", "agent:hers", "member:mira"))
        await visitor.open("/chat")
        await expect(visitor.page.locator(".nobody form button")).to_have_text(["hers", "mira"])
    async with visiting(browser, house.url) as visitor:
        await visitor.sign_in(await world.key("agent:free", "agent:idle"))
        await visitor.open("/chat")
        await expect(visitor.page.locator(".nobody")).to_contain_text("This key has no conversations.")
        await expect(visitor.page.locator(".nobody form button")).to_have_count(0)


async def test_where_there_is_no_project_yet_the_first_one_is_asked_for_as_such(nora: Visitor, house: House) -> None:
    await house.world.members("olga")
    await nora.page.context.clear_cookies()
    await nora.sign_in(house.world.keys["member:olga"])
    await nora.open("/chat")
    await nora.page.get_by_label("Name of the project").fill("garden")
    await nora.page.get_by_role("button", name="Open the project").click()
    await expect(nora.page.locator(".hello")).to_contain_text("garden")


async def test_another_members_conversation_is_not_there(browser: Browser, house: House, nora: Visitor) -> None:
    await ask(nora, "only mine")
    await expect(nora.page.locator(".answer footer")).to_be_visible()
    path = nora.page.url.partition("/console")[2]
    await house.world.members("mira")
    async with visiting(browser, house.url) as other:
        await other.sign_in(house.world.keys["member:mira"])
        other.forgive.append("404")
        await other.open(path)
        await expect(other.page.get_by_role("heading", level=1)).to_have_text("That did not work")


async def test_with_the_eyes_of_another_one_reads_and_cannot_say_anything(
    browser: Browser, house: House, nora: Visitor
) -> None:
    await ask(nora, "read me")
    await expect(nora.page.locator(".answer footer")).to_be_visible()
    await house.world.members("olga")
    await house.world.team("desk")
    for who in ("member:nora", "member:olga"):  # one sees with the eyes of those that one knows of
        await house.world.join("desk", who, "reader")
    key = await house.world.key("member:olga", permissions=[Permission.INSPECT])
    async with visiting(browser, house.url) as olga:
        await olga.sign_in(key)
        await olga.page.locator("summary", has_text="See as …").click()
        await olga.page.get_by_role("button", name="nora").click()
        await olga.open(nora.page.url.partition("/console")[2])
        await expect(olga.page.locator(".said .text")).to_have_text("read me")
        await expect(olga.page.get_by_text("one reads and says nothing")).to_be_visible()
        await expect(olga.page.locator("form.say, .talk form")).to_have_count(0)
