"""The stage on a big screen: what is public and nothing else, in step, behind a key of its own."""

import re
from contextlib import suppress

import httpx
import pytest
from playwright.async_api import Browser, Response, expect

from browser.casehouse import SAFE, at_the_table, before_the_stage, founder, opened, play_on, say, tells_the_code, windows
from browser.conftest import House
from browser.fragile_line import fragile
from browser.visiting import Visitor, visiting
from whoknows.domain.script import AskStep, Language, WhisperStep
from worlds import World

__all__ = ["founder"]


async def test_a_published_card_appears_on_an_open_stage_by_itself(founder: World, visitor: Visitor) -> None:
    case = await opened(founder)
    page = await before_the_stage(visitor, await case.show_key())
    await expect(page.locator("#board")).to_contain_text("Nothing is public yet")
    assert not tells_the_code(await page.content())
    await case.publish("safe-code")
    await expect(page.locator("#board .slip .statement")).to_contain_text("4826")
    await expect(page.locator("#board .slip .stamp")).to_contain_text("Informant")
    door = page.locator("[data-role=informant]")
    await expect(door).to_have_class(re.compile("speaking"))
    await expect(door.locator(".last")).to_have_text("made something public")
    await case.ask("detective", SAFE)
    await expect(page.locator("[data-role=detective] .last")).to_have_text("was asked, and knew")
    await case.whisper("suspect", "Somebody saw you at the tower")
    await expect(page.locator("#ticker li").first).to_have_text("Suspect heard a whisper")


async def test_during_a_whole_play_the_stage_gets_nothing_private(founder: World, house: House, browser: Browser) -> None:
    """Its pages, what it fetches, and its stream: no text, id, question, answer or score of a private memory."""
    case = await opened(founder)
    before = await case.look()
    fetched: list[str] = []
    async with visiting(browser, house.url) as screen, visiting(browser, house.url) as chief:

        async def keep(response: Response) -> None:
            if "/events" not in response.url and response.status == 200:
                fetched.append(f"{response.url}\n{await response.text()}")

        screen.page.on("response", keep)
        page = await before_the_stage(screen, await case.show_key())
        beginning = await page.locator("#stage").get_attribute("data-after")
        table = await at_the_table(chief, case)
        await say(table, "Informant", "The blue whale wakes at midnight", "Whisper")
        await expect(table.locator("#answers article")).to_have_count(1)
        await play_on(table, "keyboard")
        await expect(page.locator("#board .slip")).to_have_count(2)
        fetched.append(await page.content())
        cookies = {c["name"]: c["value"] for c in await page.context.cookies()}
        asked = sum(isinstance(s, AskStep) for s in before.script.steps)
        stream = await _whole_stream(house.url, cookies["whoknows_stage"], beginning or "", asked)
        fetched.append(stream)
        assert {"whispered", "asked", "published"} <= set(re.findall(r"event: (\w+)", stream))
    after = await case.look()
    public = " ".join(m.content for m in after.board)
    private = [c.memory for r in (*before.roles, *after.roles) for c in r.cards]
    said = [s.question.en for s in before.script.steps if isinstance(s, AskStep)]
    said += [s.card.text.en for s in before.script.steps if isinstance(s, WhisperStep)]
    everything = "\n".join(fetched)
    assert len(private) >= 20
    assert len(fetched) > 10
    for memory in private:
        assert str(memory.id) not in everything
        assert memory.content_hash not in everything
    for text in {m.content for m in private} | set(said):
        leaked = {w for w in windows(text, 16) if w in everything and w not in public}
        assert leaked == set(), text


async def test_a_show_key_opens_the_stage_and_no_other_door(founder: World, house: House, visitor: Visitor) -> None:
    case = await opened(founder)
    key = await case.show_key()
    page = visitor.page
    await visitor.open("/sign-in")  # whoever takes the ordinary door is led to the stage all the same
    await page.locator("input[name=key]").fill(key)
    await page.keyboard.press("Enter")
    await expect(page.locator("#stage")).to_be_visible()
    kept = await page.context.cookies()
    assert [(c["name"], c["path"], c["httpOnly"], c["sameSite"]) for c in kept] == [
        ("whoknows_stage", "/console/bureau/stage", True, "Strict")
    ]
    for elsewhere in ("/", "/bureau", "/bureau/cases", "/memory", "/live"):
        await visitor.open(elsewhere)
        await expect(page.get_by_label("Your key")).to_be_visible()
    token = kept[0]["value"]
    async with httpx.AsyncClient(base_url=f"{house.url}/console", cookies={"whoknows_case": token}) as thief:
        # Under the name of the operator's cookie it is still the key that it is.
        assert "4826" not in (await thief.get("/bureau", follow_redirects=True)).text
        assert (await thief.post("/bureau/ask", data={"role": "informant", "text": SAFE})).status_code in (303, 403)


async def test_the_stage_refuses_other_keys_and_says_so(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    visitor.forgive.append("401")
    for key in ("nonsense", house.world.keys["wukong"]):
        await visitor.open("/bureau/stage")
        await visitor.page.locator("input[name=key]").fill(key)
        await visitor.page.keyboard.press("Enter")
        await expect(visitor.page.get_by_role("alert")).to_be_visible()
    assert await visitor.page.context.cookies() == []


async def test_the_operator_opens_the_stage_and_makes_a_key_for_it(
    founder: World, house: House, browser: Browser, visitor: Visitor
) -> None:
    case = await opened(founder)
    page = await at_the_table(visitor, case)
    async with page.context.expect_page() as popped:
        await page.get_by_role("link", name="Open the stage").click()
    await expect((await popped.value).locator("#stage")).to_be_visible()
    await page.get_by_text("Make a show key").click()
    await page.get_by_label("Good for").select_option("24")
    await page.get_by_role("button", name="Make the key").click()
    key = await page.locator("#show-key [data-secret]").inner_text()
    await expect(page.locator("#show-key")).to_contain_text("It ends")
    async with visiting(browser, house.url, language="zh") as hall:
        stage = await before_the_stage(hall, key)
        await expect(stage.locator("#board")).to_contain_text("还没有公开的情报")
        await stage.get_by_role("button", name="English").click()
        await expect(stage.locator("#board")).to_contain_text("Nothing is public yet")


async def test_a_line_that_breaks_is_mended_without_loss_or_repetition(founder: World, house: House, browser: Browser) -> None:
    case = await opened(founder)
    async with fragile(house.url) as (line, url), visiting(browser, url) as visitor:
        visitor.forgive.append("ERR_")
        page = await before_the_stage(visitor, await case.show_key())
        await case.ask("detective", SAFE)
        await expect(page.locator("#ticker li")).to_have_count(1)
        line.cut()
        await expect(page.locator(".apart-sign")).to_contain_text("interrupted")
        await case.whisper("suspect", "The line is cut")
        await case.publish("buyer")
        await case.ask("informant", SAFE)
        line.mend()
        await expect(page.locator("#ticker li")).to_have_text(
            [
                "Informant was asked, and knew",
                "Informant made something public",
                "Suspect heard a whisper",
                "Detective was asked, and did not know",
            ]
        )
        await expect(page.locator("#board .slip")).to_have_count(1)
        await expect(page.locator(".apart-sign")).to_have_text("")


@pytest.mark.slow
async def test_the_curtain_falls_when_the_case_is_closed(founder: World, visitor: Visitor) -> None:
    case = await opened(founder)
    page = await before_the_stage(visitor, await case.show_key())
    await founder.service.cases.close(await founder.service.authenticate(case.key), case.opened.case)
    await expect(page.get_by_label("Key for the stage")).to_be_visible()


async def test_the_stage_stays_when_the_play_begins_again(founder: World, visitor: Visitor) -> None:
    case = await opened(founder)
    await case.publish("debt")
    page = await before_the_stage(visitor, await case.show_key())
    await expect(page.locator("#board .slip")).to_have_count(1)
    await founder.service.cases.reset(await founder.service.authenticate(case.key), case.opened.case)
    await expect(page.locator("#ticker li").first).to_have_text("The play begins again")
    await expect(page.locator("#board")).to_contain_text("Nothing is public yet")
    await case.publish("handover")
    await expect(page.locator("#board .slip")).to_contain_text("fishing rod")


async def test_hostile_texts_on_the_board_are_texts(founder: World, visitor: Visitor) -> None:
    case = await opened(founder)
    page = await before_the_stage(visitor, await case.show_key())
    hostile = '<img src=x onerror="document.title=1"><b>{{7*7}}</b>'
    await case.whisper("suspect", hostile)
    memory = next(c.memory for r in (await case.look()).roles for c in r.cards if c.memory.content == hostile)
    await founder.service.play.publish(await founder.service.authenticate(case.key), case.opened.case, memory.id)
    await expect(page.locator("#board .statement")).to_have_text(hostile)
    assert await page.locator("#board img, #board b").count() == 0


@pytest.mark.slow
@pytest.mark.parametrize(("language", "width"), [("en", 390), ("zh", 1280), ("en", 2560)])
async def test_the_stage_is_readable_for_everybody(
    founder: World, house: House, browser: Browser, language: str, width: int
) -> None:
    case = await opened(founder, language=Language(language))
    await case.publish("handover")
    await case.ask("detective", SAFE)
    async with visiting(browser, house.url, language=language, width=width) as visitor:
        await visitor.open("/bureau/stage")
        assert await visitor.faults_of_access() == []
        page = await before_the_stage(visitor, await case.show_key())
        assert await visitor.faults_of_access() == []
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        await page.locator("[data-full]").click()
        await page.wait_for_function("Boolean(document.fullscreenElement)")


async def _whole_stream(url: str, token: str, after: str, asked: int) -> str:
    """Every event since ``after``, as they go over the wire to this session, until so many questions were told."""
    heard = ""
    with suppress(httpx.ReadTimeout):
        async with (
            httpx.AsyncClient(cookies={"whoknows_stage": token}, timeout=5) as screen,
            screen.stream("GET", f"{url}/console/bureau/stage/events", params={"after": after}) as stream,
        ):
            async for line in stream.aiter_lines():
                heard += f"{line}\n"
                if heard.count("event: asked") == asked and not line:
                    break
    return heard
