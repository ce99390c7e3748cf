"""The chat of the console: what is said, the answer as it comes, what it rests on, and what is kept of it."""

import asyncio
import re
import threading
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

import model_double as play
from acceptance.rest.conftest import until
from browser.conftest import House
from browser.talking import ENTRIES, ENTRIES_CHINESE, HOSTILE, ask, enter
from browser.visiting import Visitor, visiting
from model_double import ModelDouble
from whoknows.domain.memory import Filters

SERVER = "boss 项目的服务器固定是 srv-4"


@pytest_asyncio.fixture(loop_scope="session")
async def mira(browser: Browser, parlour: House) -> AsyncIterator[Visitor]:
    """A member who has signed in and talks about the project boss, with a model."""
    await parlour.world.members("mira")
    async with visiting(browser, parlour.url) as visitor:
        await enter(visitor, parlour, "member:mira")
        yield visitor


async def nothing_waits(house: House) -> bool:
    """Turns of all tenants are distilled together: those of other tests may come first."""
    return not await house.world.service.distill_turns.some()


async def heard(event: threading.Event) -> None:
    assert await asyncio.to_thread(event.wait, 20)


async def test_acceptance_1_the_menu_at_the_top_right_has_prompts_and_memory_among_its_six_entries(
    browser: Browser, parlour: House
) -> None:
    await parlour.world.members("mira")
    for language, entries in (("en", ENTRIES), ("zh", ENTRIES_CHINESE)):
        async with visiting(browser, parlour.url, language=language) as visitor:
            await enter(visitor, parlour, "member:mira")
            page = visitor.page
            await page.locator(".menu.more > summary").click()
            assert await page.locator(".menu.more .row").all_inner_texts() == entries
            corner = await page.locator(".menu.more > summary").bounding_box()
            assert corner is not None
            assert corner["x"] > 1100
            assert corner["y"] < 120
            for entry, path in ((entries[0], "/console/prompts"), (entries[1], "/console/memory")):
                assert await page.locator(".menu.more").get_by_role("link", name=entry).get_attribute("href") == path
            await page.locator(".menu.more").get_by_role("link", name=entries[0]).click()
            await expect(page).to_have_url(f"{parlour.url}/console/prompts")


async def test_the_menu_is_walked_by_arrow_keys_and_left_by_escape(mira: Visitor) -> None:
    page = mira.page
    await page.locator(".menu.more > summary").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
        await page.keyboard.press(key)
    await expect(page.locator(".menu.more").get_by_role("button", name="Model")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("The model's name")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_label("The model's name")).to_be_hidden()


async def test_words_are_visible_as_the_model_says_them(mira: Visitor, double: ModelDouble) -> None:
    double.plays(double.says_and_waits("服务器", "是", then=["srv-4。"]))
    await ask(mira, "服务器是哪台？")
    answer = mira.page.locator(".answer .text")
    await expect(answer).to_have_text("服务器是")
    assert "/chat/" in mira.page.url  # the message is kept already, and the address leads to it
    double.go_on.set()
    await expect(answer).to_have_text("服务器是srv-4。")
    await expect(mira.page.locator(".turn")).not_to_have_attribute("aria-busy", "true")
    await expect(mira.page.locator(".talk .name")).to_have_text(["服务器是哪台？"])


async def test_stop_ends_the_models_call_and_keeps_what_it_had_said(mira: Visitor, double: ModelDouble) -> None:
    double.plays(double.says_and_waits("Once upon"))
    await ask(mira, "Tell me everything")
    await expect(mira.page.locator(".answer .text")).to_have_text("Once upon")
    await mira.page.get_by_role("button", name="Stop").click()
    await heard(double.left)
    await expect(mira.page.locator(".broke")).to_contain_text("It was stopped. Your message is kept, and the answer as far")
    await expect(mira.page.locator(".answer .text")).to_have_text("Once upon")
    await expect(mira.page.get_by_role("button", name="Stop")).to_be_hidden()


async def test_what_an_answer_rests_on_opens_under_it_as_cards(parlour: House, mira: Visitor) -> None:
    world = parlour.world
    await world.write("member:mira", SERVER, account="mira", project_id="boss")
    await world.write("member:mira", "用户偏好微信式交互", account="mira")
    await ask(mira, "服务器是哪台？")
    await mira.page.get_by_text("From 2 memories").click()
    cards = mira.page.locator(".from .card")
    await expect(cards).to_have_count(2)
    await expect(cards.first).to_contain_text(SERVER)
    await expect(mira.page.get_by_role("link", name="How it was found")).to_have_attribute(
        "href", re.compile(r"/console/knows/inspector\?trace=[0-9a-f-]{36}")
    )


async def test_a_failing_model_says_what_was_kept_and_what_the_memories_say_and_is_asked_again(
    parlour: House, mira: Visitor, double: ModelDouble
) -> None:
    await parlour.world.write("member:mira", SERVER, account="mira", project_id="boss")
    double.plays(play.fails_in_the_stream("overloaded", "It is"), play.says("srv-4."))
    await ask(mira, "boss 项目的服务器是哪台？")
    page = mira.page
    await expect(page.locator(".broke")).to_contain_text("Your message is kept, and the answer as far as it came.")
    await expect(page.locator(".answer .text")).to_have_text("It is")
    await page.get_by_text("What the memories say meanwhile").click()
    await expect(page.locator(".from .card")).to_contain_text(SERVER)
    await page.get_by_role("button", name="Ask again").click()
    await expect(page.locator(".answer .text")).to_have_text("srv-4.")
    await expect(page.locator(".turn")).to_have_count(1)
    await expect(page.locator(".said .text")).to_have_text("boss 项目的服务器是哪台？")


async def test_enter_sends_and_shift_enter_breaks_the_line(mira: Visitor, double: ModelDouble) -> None:
    field = mira.page.get_by_label("Message", exact=True)
    await field.fill("first")
    await field.press("Shift+Enter")
    await field.press_sequentially("second")
    await expect(mira.page.locator(".turn")).to_have_count(0)
    await field.press("Enter")
    await expect(mira.page.locator(".answer .text")).to_have_text("好的。")
    assert double.last.messages[-1]["content"] == "first\nsecond"


async def test_enter_that_ends_a_composition_of_chinese_does_not_send(mira: Visitor) -> None:
    page = mira.page
    await page.get_by_label("Message", exact=True).focus()
    typing = await page.context.new_cdp_session(page)
    await typing.send("Input.imeSetComposition", {"text": "fuwuqi", "selectionStart": 6, "selectionEnd": 6})
    composing = {"type": "rawKeyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 229}
    await typing.send("Input.dispatchKeyEvent", composing)
    await typing.send("Input.insertText", {"text": "服务器"})
    await expect(page.get_by_label("Message", exact=True)).to_have_value("服务器")
    await expect(page.locator(".turn")).to_have_count(0)
    await page.keyboard.press("Enter")
    await expect(page.locator(".said .text")).to_have_text("服务器")


async def test_hostile_texts_are_shown_and_never_run(mira: Visitor, double: ModelDouble) -> None:
    double.plays(play.says(*HOSTILE))
    said = "\n".join(HOSTILE)
    await ask(mira, said)
    page = mira.page
    await expect(page.locator(".answer footer")).to_be_visible()
    for seen in (page.locator(".said .text"), page.locator(".answer .text")):
        assert "".join((await seen.inner_text()).split()) == "".join(said.split())
    await page.reload()
    assert "".join((await page.locator(".answer .text").inner_text()).split()) == "".join(said.split())
    assert await page.evaluate("window.ran") is None
    assert await page.locator(".turns :is(script, img, iframe, a[href^=javascript])").count() == 0
    assert await page.title() == "Chat · WhoKnows"


async def test_model_and_effort_of_the_project_reach_the_model(mira: Visitor, double: ModelDouble) -> None:
    page = mira.page
    await page.get_by_label("Message", exact=True).fill("half a thought")
    await page.locator(".menu.more > summary").click()
    await page.locator(".menu.more").get_by_role("button", name="Model").click()
    await page.get_by_label("The model's name").fill("m-2")
    await page.get_by_role("button", name="Use this model").click()
    await expect(page.locator("#controls > p")).to_have_text("m-2 answers · Reasoning effort: as it is set up")
    await page.locator(".menu.more > summary").click()
    await page.locator(".menu.more").get_by_role("button", name="Reasoning effort").click()
    await page.get_by_label("high").check()
    await page.get_by_role("button", name="Use this effort").click()
    await expect(page.locator("#controls > p")).to_have_text("m-2 answers · Reasoning effort: high")
    await expect(page.get_by_label("Message", exact=True)).to_have_value("half a thought")
    await page.get_by_role("button", name="Send").click()
    await expect(page.locator(".answer .model")).to_have_text("m-2 · high")
    assert (double.last.body["model"], double.last.body["reasoning_effort"]) == ("m-2", "high")


async def test_session_info_tells_ids_and_figures_and_refresh_keeps_what_is_being_typed(
    parlour: House, mira: Visitor, double: ModelDouble
) -> None:
    await ask(mira, "one")
    page = mira.page
    await expect(page.locator(".answer footer")).to_be_visible()
    conversation = page.url.rpartition("/")[2]
    await page.reload()
    await page.locator(".menu.more > summary").click()
    await page.get_by_role("link", name="Session info").click()
    facts = page.locator("#about-body")
    await expect(facts).to_contain_text(conversation)
    for figure in ("boss", "m-1", "a model's words", "of context", "1; 1 answered by a model"):
        await expect(facts).to_contain_text(figure)
    await page.keyboard.press("Escape")
    # Elsewhere, somebody goes on with the same conversation.
    async with visiting(page.context.browser, parlour.url) as other:  # pyright: ignore[reportArgumentType]
        await other.sign_in(parlour.world.keys["member:mira"])
        await other.open(f"/chat/{conversation}")
        await ask(other, "two")
        await expect(other.page.locator(".answer footer")).to_have_count(2)
    await page.get_by_label("Message", exact=True).fill("three, half")
    await page.locator(".menu.more > summary").click()
    await page.get_by_role("link", name="Refresh").click()
    await expect(page.locator(".said .text")).to_have_text(["one", "two"])
    await expect(page.get_by_label("Message", exact=True)).to_have_value("three, half")


async def test_a_conversation_is_deleted_only_after_ten_seconds_in_which_it_can_be_undone(mira: Visitor) -> None:
    page = mira.page
    await page.clock.install()
    await ask(mira, "to be forgotten")
    await expect(page.locator(".answer footer")).to_be_visible()
    path = page.url
    delete = page.get_by_role("button", name="Delete the conversation: to be forgotten")
    await delete.click()
    await expect(page.locator(".talks .undo")).to_contain_text("with its messages and traces")
    await page.get_by_role("button", name="Undo").click()
    await page.clock.run_for(11_000)
    await expect(page.locator(".talk")).to_have_count(1)
    await delete.click()
    await page.clock.run_for(11_000)
    await expect(page.locator(".talk")).to_have_count(0)
    mira.forgive.append("404")
    await page.goto(path)
    await expect(page.get_by_role("heading", level=1)).to_have_text("That did not work")


async def test_what_was_kept_of_a_turn_appears_under_it_and_can_be_undone(parlour: House, mira: Visitor) -> None:
    page, service = mira.page, parlour.world.service
    await page.clock.install()
    await ask(mira, "decision/project: server = srv-4")
    await expect(page.locator(".kept")).to_contain_text("Looking for what should be kept")
    await until(lambda: nothing_waits(parlour))
    await page.clock.run_for(2_500)
    await expect(page.locator(".kept summary")).to_have_text("One thing was kept")
    await page.locator(".kept summary").click()
    await expect(page.locator(".kept li")).to_have_text("Decision server = srv-4")
    await expect(page.get_by_role("link", name="See it in the memory")).to_have_attribute("href", "/console/memory")
    await page.locator(".kept").get_by_role("button", name="Undo").click()
    await expect(page.locator(".turn .undo")).to_contain_text("What was kept of this goes in 10 s")
    await page.clock.run_for(11_000)
    await expect(page.locator(".kept")).to_have_text("Undone: 1 gone again, 0 count again.")
    there = await service.account_memories.list(await parlour.world.caller("member:mira"), Filters(), 10, None)
    assert there.items == []


async def test_a_message_that_is_to_leave_nothing_leaves_nothing(parlour: House, mira: Visitor) -> None:
    await mira.page.get_by_label("Keep nothing of this").check()
    await ask(mira, "decision/project: server = srv-4")
    await expect(mira.page.locator(".answer footer")).to_be_visible()
    await expect(mira.page.locator(".kept")).to_have_count(0)
    await until(lambda: nothing_waits(parlour))
    there = await parlour.world.service.account_memories.list(await parlour.world.caller("member:mira"), Filters(), 10, None)
    assert there.items == []


async def test_it_answers_without_scripts_too(browser: Browser, parlour: House) -> None:
    await parlour.world.members("mira")
    async with visiting(browser, parlour.url, scripts=False) as plain:
        await enter(plain, parlour, "member:mira")
        await plain.page.get_by_label("Message", exact=True).fill("first\nsecond")
        await plain.page.get_by_role("button", name="Send").click()
        await expect(plain.page.locator(".answer .text")).to_have_text("好的。")
        await expect(plain.page.locator(".said .text")).to_have_text("first\nsecond")


async def test_an_error_keeps_what_was_typed(mira: Visitor) -> None:
    mira.forgive.append("422|413")
    long = "x" * 40_000
    await ask(mira, long)
    await expect(mira.page.get_by_role("alert")).to_contain_text("32768 are accepted")
    await expect(mira.page.get_by_label("Message", exact=True)).to_have_value(long)
    await expect(mira.page.locator(".turn")).to_have_count(0)


@pytest.mark.slow
async def test_every_state_is_reached_by_a_screen_reader_and_fits_a_phone(
    browser: Browser, parlour: House, double: ModelDouble
) -> None:
    world = parlour.world
    await world.members("mira")
    await world.write("member:mira", f"{SERVER} {'x' * 200}", account="mira", project_id="boss")
    double.plays(play.says("y" * 300), play.breaks_off("half"))
    for language, theme, width in (("en", "light", 390), ("zh", "dark", 1280)):
        async with visiting(browser, parlour.url, language=language, theme=theme, width=width) as visitor:
            await enter(visitor, parlour, "member:mira")
            assert await visitor.faults_of_access() == []
            await ask(visitor, f"{SERVER} {'z' * 200}")
            await expect(visitor.page.locator(".answer footer")).to_be_visible()
            await visitor.page.locator(".from summary").click()
            await expect(visitor.page.locator(".from .card")).to_be_visible()
            assert await visitor.faults_of_access() == []
            assert await visitor.page.evaluate("document.documentElement.scrollWidth") <= width
