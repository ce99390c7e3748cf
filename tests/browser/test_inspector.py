"""The recall inspector and two readers side by side: what a question did, and what it would do at another floor."""

import pytest
from playwright.async_api import Browser, expect

from browser.conftest import House
from browser.visiting import Visitor, visiting
from whoknows.domain.credential import Permission

QUESTION = "When does the western gate open?"


async def asked(house: House, visitor: Visitor) -> None:
    """wukong knows of the gate, and asks."""
    await house.world.agents("wukong")
    await house.world.write("wukong", "The western gate opens at dawn")
    await house.world.write("wukong", "The gate keeper is called Zhang")
    await house.world.write("wukong", "Tang prefers tea without milk")
    await visitor.sign_in(house.world.keys["wukong"])
    await visitor.open("/knows/inspector")
    await visitor.page.get_by_label("Ask a question").fill(QUESTION)
    await visitor.page.get_by_role("button", name="Ask and inspect").click()
    await expect(visitor.page.get_by_role("heading", name=QUESTION)).to_be_visible()


async def test_a_question_becomes_a_picture_with_a_table(house: House, visitor: Visitor) -> None:
    await asked(house, visitor)
    page = visitor.page
    table = page.get_by_role("table", name="Every candidate that you may see")
    await expect(table.get_by_role("row").nth(1)).to_contain_text("The western gate opens at dawn")
    await expect(table.get_by_role("row").nth(1)).to_contain_text("answered")
    await expect(table.locator("tr.below_floor")).not_to_have_count(0)
    picture = page.get_by_role("img", name="The search as a picture")
    assert await picture.locator("circle[data-score]").count() == await table.locator("tbody tr").count()
    await expect(picture.locator("desc")).to_contain_text("below the floor")
    await expect(page.get_by_text("embedding")).to_be_visible()
    assert await visitor.faults_of_access() == []


async def test_no_private_word_is_in_the_address_the_title_or_the_history(house: House, visitor: Visitor) -> None:
    await asked(house, visitor)
    assert "gate" not in visitor.page.url
    assert "?trace=" in visitor.page.url
    assert await visitor.page.title() == "Recall inspector · WhoKnows"
    await visitor.page.reload()
    await expect(visitor.page.get_by_role("heading", name=QUESTION)).to_be_visible()


async def test_the_floor_can_be_moved_by_mouse_and_by_keyboard_without_asking_again(house: House, visitor: Visitor) -> None:
    await asked(house, visitor)
    page = visitor.page
    sent: list[str] = []
    page.on("request", lambda r: sent.append(r.url))
    slider = page.get_by_role("slider", name="Floor")
    shown = await page.locator("circle[data-score]").count()
    await slider.focus()
    await page.keyboard.press("Home")
    await expect(page.locator(".would")).to_have_text(f"At a floor of 0.00, {shown} would be answered. Nothing is asked again.")
    await page.keyboard.press("ArrowRight")
    await expect(page.locator(".would")).to_contain_text("0.01")
    await page.keyboard.press("End")
    await expect(page.locator(".would")).to_contain_text("At a floor of 1.00")
    box = await slider.bounding_box()
    assert box is not None
    right, middle = box["x"] + box["width"] - 12, box["y"] + box["height"] / 2
    await page.mouse.move(right, middle)
    await page.mouse.down()
    await page.mouse.move(box["x"] + box["width"] / 2, middle, steps=4)
    await page.mouse.up()
    await expect(page.locator(".would")).to_contain_text("At a floor of 0.5")
    scores = [float(await d.get_attribute("data-score") or 0) for d in await page.locator("circle[data-score]").all()]
    floor = float(await slider.input_value())
    assert await page.locator("circle.would-be[data-score]").count() == sum(s >= floor for s in scores)
    assert float((await page.locator(".lanes line.floor").get_attribute("x1") or "0").rstrip("%")) == 100 * floor
    assert [u for u in sent if "/static/" not in u] == []


async def test_a_floor_that_is_none_is_refused_and_says_so(house: House, visitor: Visitor) -> None:
    visitor.forgive.append("422")
    await house.world.agents("wukong")
    await visitor.sign_in(house.world.keys["wukong"])
    await visitor.open("/knows/inspector")
    await visitor.page.evaluate("() => document.querySelector('[name=floor]').type = 'text'")
    await visitor.page.get_by_label("Ask a question").fill(QUESTION)
    await visitor.page.get_by_label("Floor").fill("nan")
    await visitor.page.get_by_role("button", name="Ask and inspect").click()
    await expect(visitor.page.get_by_text("between 0 and 1")).to_be_visible()


@pytest.mark.slow
async def test_nothing_asked_yet_and_nothing_found_are_designed_answers(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    await visitor.sign_in(house.world.keys["wukong"])
    page = visitor.page
    await visitor.open("/knows/inspector")
    await expect(page.get_by_text("No question has been asked yet.")).to_be_visible()
    assert await visitor.faults_of_access() == []
    await page.get_by_label("Ask a question").fill("量子色动力学")
    await page.get_by_role("button", name="Ask and inspect").click()
    await expect(page.get_by_text("Neither arm brought a candidate.")).to_be_visible()
    await expect(page.locator(".searched")).to_contain_text("own")


async def test_the_newest_questions_make_a_histogram_and_open_again(house: House, visitor: Visitor) -> None:
    await asked(house, visitor)
    for n in range(4):
        await house.world.ask("wukong", f"quantum chromodynamics {n}")
    await house.world.agents("maomao")
    await house.world.ask("maomao", "what is hidden from wukong?")
    page = visitor.page
    await visitor.open("/knows/inspector")
    await expect(page.locator(".histogram")).to_contain_text("Of 5 questions 1 had an answer; the floor is 0.22.")
    await expect(page.locator(".newest li")).to_have_count(5)
    assert "hidden from wukong" not in await page.content()
    await page.get_by_text("As a table").click()
    counts = await page.locator(".histogram td").all_inner_texts()
    assert sum(map(int, counts)) == 5
    await page.get_by_role("link", name=QUESTION).click()
    await expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()


async def test_anothers_trace_and_none_at_all_are_the_same_nothing(house: House, visitor: Visitor) -> None:
    visitor.forgive.append("404")
    await house.world.agents("wukong", "maomao")
    found = await house.world.ask("maomao", "what does maomao keep to itself?")
    await visitor.sign_in(house.world.keys["wukong"])
    pages: list[str] = []
    for trace in (str(found.trace.id), "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e56"):
        await visitor.open(f"/knows/inspector?trace={trace}")
        pages.append(await visitor.page.locator("main").inner_text())
    assert pages[0] == pages[1]
    assert "keep to itself" not in pages[0]


async def test_hostile_questions_and_texts_are_shown_and_nothing_else(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    hostile = '</title><svg onload="document.title=1"><script>alert(1)</script> western gate'
    await house.world.write("wukong", hostile)
    await visitor.sign_in(house.world.keys["wukong"])
    await visitor.open("/knows/inspector")
    await visitor.page.get_by_label("Ask a question").fill(hostile)
    await visitor.page.get_by_role("button", name="Ask and inspect").click()
    await expect(visitor.page.locator(".trace h2")).to_have_text(hostile)
    await expect(visitor.page.locator(".candidates")).to_contain_text(hostile)
    assert await visitor.page.locator("main script").count() == 0
    assert await visitor.page.title() == "Recall inspector · WhoKnows"


async def household_of_two(house: House) -> None:
    await house.world.agents("wukong", "maomao")
    await house.world.write("wukong", "The western gate opens at dawn")
    await house.world.write("wukong", "The western gate is guarded by Zhang", visible_to=("maomao",))
    await house.world.write("maomao", "The western gate has a second key")
    await house.world.team("pilgrims", wukong="reader", maomao="reader")


async def test_a_question_as_two_readers_shows_what_each_got_and_why_not(house: House, visitor: Visitor) -> None:
    await household_of_two(house)
    page = visitor.page
    await visitor.sign_in(await house.world.key("wukong", permissions=[Permission.INSPECT]))
    await visitor.open("/knows/two")
    await page.get_by_label("The question").fill(QUESTION)
    await page.get_by_label("And as").select_option("agent:maomao")
    await page.get_by_role("button", name="Ask both").click()
    left, right = page.locator(".sides > section").nth(0), page.locator(".sides > section").nth(1)
    await expect(left.locator(".card")).to_have_count(2)
    await expect(right.locator(".card")).to_have_count(2)
    await expect(left.locator(".missed")).to_contain_text("second key")
    await expect(right.locator(".missed")).to_contain_text("opens at dawn")
    await expect(right.locator(".missed")).to_contain_text("it may not know it: the reader is not in the audience")
    await expect(right.locator(".searched")).to_contain_text("shared")
    await expect(left.locator(".times")).to_contain_text("together")
    assert page.url.endswith("/knows/two")
    assert await visitor.faults_of_access() == []
    await right.get_by_role("button", name="Open this trace").click()
    await expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    await expect(page.locator(".candidates")).not_to_contain_text("opens at dawn")


async def test_each_look_with_the_eyes_of_another_is_in_the_audit_trail(house: House, visitor: Visitor) -> None:
    await household_of_two(house)
    await visitor.sign_in(await house.world.key("wukong", permissions=[Permission.INSPECT]))
    await visitor.open("/knows/two")
    await visitor.page.get_by_label("The question").fill(QUESTION)
    await visitor.page.get_by_label("And as").select_option("agent:maomao")
    await visitor.page.get_by_role("button", name="Ask both").click()
    await expect(visitor.page.locator(".sides")).to_be_visible()
    trail = await house.world.service.oversee.audit((await house.world.caller("maomao")).credential, 50, None)
    looks = [r for r in trail.items if r.concerns == "agent:maomao" and r.action == "inspect"]
    assert len(looks) == 1
    assert "gate" not in str(looks)


async def test_without_inspect_one_asks_as_oneself_and_as_nobody_else(house: House, browser: Browser) -> None:
    await household_of_two(house)
    async with visiting(browser, house.url) as visitor:
        visitor.forgive.append("403")
        await visitor.sign_in(house.world.keys["wukong"])
        await visitor.open("/knows/two")
        await expect(visitor.page.get_by_text("You are one reader")).to_be_visible()
        answer = await visitor.page.evaluate(
            """async () => (await fetch("/console/knows/two", {method: "POST", headers: {"X-CSRF-Token":
            JSON.parse(document.body.getAttribute("hx-headers:inherited"))["X-CSRF-Token"]},
            body: new URLSearchParams({question: "gate", left: "agent:wukong", right: "agent:maomao"})})).status"""
        )
        assert answer == 403
    async with visiting(browser, house.url) as visitor:
        await visitor.sign_in(await house.world.key("wukong", "maomao"))
        await visitor.page.get_by_text("Choose whom to act as").click()
        await visitor.page.get_by_role("button", name="wukong").first.click()
        await visitor.open("/knows/two")
        await visitor.page.get_by_label("The question").fill(QUESTION)
        await visitor.page.get_by_role("button", name="Ask both").click()
        await expect(visitor.page.locator(".sides > section").nth(1).locator(".card")).to_have_count(2)
