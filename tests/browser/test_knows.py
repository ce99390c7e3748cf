"""The matrix of who knows what: what its cells say, how one moves in it, and how long it may be."""

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from browser.conftest import House
from browser.knowing import household, many
from browser.visiting import Visitor, visiting
from whoknows.domain.credential import Permission
from whoknows.domain.memory import Filters
from whoknows.flows.explain import Matrix

MARKS = {"y": True, "i": True, "n": False}


async def opened(visitor: Visitor, key: str) -> Page:
    await visitor.sign_in(key)
    await visitor.open("/knows")
    await expect(visitor.page.locator("table[data-ready]")).to_be_visible()
    return visitor.page


def row_of(page: Page, text: str) -> Locator:
    return page.get_by_role("row").filter(has_text=text)


async def cell_of(page: Page, text: str, reader: str) -> Locator:
    heads = page.locator("thead th")
    places = [await heads.nth(n).get_attribute("data-space") for n in range(await heads.count())]
    return row_of(page, text).locator("th, td").nth(places.index(reader))


async def test_every_mark_is_the_verdict_that_explain_gives(house: House, visitor: Visitor) -> None:
    written = await household(house.world)
    page = await opened(visitor, house.world.keys["wukong"])
    known: Matrix = await house.world.service.explain.knows(await house.world.caller("wukong"), Filters(), 200, None)
    drawn: dict[str, dict[str, str]] = await page.evaluate(
        """() => { const spaces = [...document.querySelectorAll("thead th")].map((h) => h.dataset.space);
        return Object.fromEntries([...document.querySelectorAll("tr[data-memory]")].map((r) => [r.dataset.memory,
            Object.fromEntries([...r.cells].slice(1).map((c) => [spaces[c.cellIndex], c.className]))])); }"""
    )
    assert {str(row.memory.id) for row in known.rows} == set(drawn)
    for row in known.rows:
        for v in row.verdicts:
            assert MARKS[drawn[str(row.memory.id)][v.reader]] == v.visible, (row.memory.content, v.reader)
    assert drawn[str(written["private"].id)]["agent:monkey"] == "i", "it holds a copy"
    assert {c for cells in drawn.values() for c in cells.values()} == {"y", "n", "i"}


async def test_those_of_whom_one_is_not_told_are_no_columns(house: House, visitor: Visitor) -> None:
    await household(house.world)
    page = await opened(visitor, house.world.keys["wukong"])
    await expect(page.locator("thead")).to_contain_text("maomao")
    assert "outsider" not in await page.content()
    assert "Strangers keep" not in await page.content()


async def test_a_click_on_a_cell_opens_the_rule_in_words(house: House, visitor: Visitor) -> None:
    await household(house.world)
    page = await opened(visitor, house.world.keys["wukong"])
    sheet = page.locator("#why")
    await (await cell_of(page, "Launch password", "agent:maomao")).click()
    await expect(sheet).to_contain_text("the reader is not in the audience")
    await expect(sheet).to_contain_text("R1 audience")
    await expect(sheet).to_contain_text("Blue Whale")
    await (await cell_of(page, "The pilgrims cross the river", "agent:mouse")).click()
    await expect(sheet).to_contain_text("a need-to-know agent reads only what it owns")
    await (await cell_of(page, "The western gate", "agent:maomao")).click()
    await expect(sheet).to_contain_text("its author shared it with the reader")
    await (await cell_of(page, "Launch password", "agent:monkey")).click()
    await expect(sheet).to_contain_text("a copy that you handed over")
    assert await visitor.faults_of_access() == []
    await sheet.get_by_role("button", name="Close").click()
    await expect(sheet).to_be_hidden()
    assert page.url.endswith("/console/knows"), "what was looked at is in no address"


async def test_a_held_memory_says_who_may_review_it(house: House, visitor: Visitor) -> None:
    await household(house.world)
    page = await opened(visitor, house.world.keys["wukong"])
    await page.get_by_label("State").select_option("held")
    await expect(page.locator("tr[data-memory]")).to_have_count(1)
    await (await cell_of(page, "on Wednesday", "agent:maomao")).click()
    await expect(page.locator("#why")).to_contain_text("neither its author nor a reviewer")
    await (await cell_of(page, "on Wednesday", "member:guanyin")).click()
    await expect(page.locator("#why")).to_contain_text("the reader is on team:pilgrims")


async def test_reasons_are_in_chinese_on_a_chinese_page(house: House, browser: Browser) -> None:
    await household(house.world)
    async with visiting(browser, house.url, language="zh", theme="dark") as visitor:
        page = await opened(visitor, house.world.keys["wukong"])
        await (await cell_of(page, "Launch password", "agent:maomao")).click()
        await expect(page.locator("#why")).to_contain_text("这位读者不在受众之内")
        await expect(page.locator("#why")).to_contain_text("层级：私有")


async def test_arrow_keys_move_through_the_cells_and_enter_opens_the_reason(house: House, visitor: Visitor) -> None:
    await household(house.world)
    page = await opened(visitor, house.world.keys["wukong"])
    first = page.locator("tbody tr[data-memory]").first.locator("th")
    await first.focus()
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowRight")
    await page.keyboard.press("ArrowDown")
    at = page.locator("td:focus")
    assert await at.evaluate("(c) => [c.cellIndex, c.parentElement.ariaRowIndex]") == [2, "3"]
    assert await page.locator("table [tabindex='0']").count() == 1
    await page.keyboard.press("Enter")
    await expect(page.locator("#why")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.locator("#why")).to_be_hidden()
    assert await page.locator("td:focus").evaluate("(c) => c.cellIndex") == 2, "back where one was"
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("ArrowRight")
    await expect(page.locator("thead th:focus")).to_contain_text("wukong")
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("heading", name="Who knows this memory")).to_be_visible()


@pytest.mark.slow
async def test_scrolling_through_3000_rows_keeps_few_in_the_page_and_brings_each_once(house: House, visitor: Visitor) -> None:
    written = await household(house.world)
    await many(house.world, written["team"], 3000)
    page = await opened(visitor, house.world.keys["wukong"])
    grid = page.get_by_role("grid")
    total = int(await grid.get_attribute("data-memories") or 0)
    assert await grid.get_attribute("aria-rowcount") == str(total + 1)
    met: dict[int, str] = {}
    for place in range(0, total, 100):
        await page.evaluate("(n) => { const p = document.querySelector('.pane'); p.scrollTop = n * 40; }", place)
        await expect(page.locator(f"tr[aria-rowindex='{min(place + 10, total - 1) + 2}']")).to_be_visible()
        await expect(page.locator("tbody.waiting")).to_have_count(0)
        rows: list[tuple[str, str]] = await page.evaluate(
            "() => [...document.querySelectorAll('tr[data-memory]')].map((r) => [r.ariaRowIndex, r.dataset.memory])"
        )
        assert len(rows) <= 250
        met |= {int(n): memory for n, memory in rows}
    assert sorted(met) == list(range(2, total + 2))
    assert len(set(met.values())) == total


async def test_the_keyboard_goes_to_the_end_of_3000_rows_and_back(house: House, visitor: Visitor) -> None:
    written = await household(house.world)
    await many(house.world, written["team"], 3000)
    page = await opened(visitor, house.world.keys["wukong"])
    await page.locator("tr[data-memory]").first.locator("th").focus()
    await page.keyboard.press("Control+End")
    last = await page.get_by_role("grid").get_attribute("aria-rowcount")
    await expect(page.locator(f"tr[aria-rowindex='{last}'] td:focus")).to_be_visible()
    await page.keyboard.press("PageUp")
    await expect(page.locator("td:focus")).to_be_visible()
    await page.keyboard.press("Control+Home")
    await expect(page.locator("tr[aria-rowindex='2'] th:focus")).to_be_visible()


async def test_filters_narrow_and_an_empty_answer_says_what_one_can_do(house: House, visitor: Visitor) -> None:
    await household(house.world)
    await house.world.write("wukong", "The harbour is deep", project_id="harbour")
    page = await opened(visitor, house.world.keys["wukong"])
    await page.get_by_label("Layer").select_option("private")
    await expect(page.locator("tr[data-memory].team")).to_have_count(0)
    await page.get_by_label("Layer").select_option("")
    await page.get_by_role("combobox", name="Team").select_option("pilgrims")
    await expect(page.locator("tr[data-memory]")).to_have_count(2)
    await page.get_by_role("combobox", name="Team").select_option("")
    await page.get_by_label("Project").fill("harbour")
    await page.keyboard.press("Enter")
    await expect(page.locator("tr[data-memory]")).to_have_count(1)
    await page.get_by_label("Kind").select_option("risk")
    await expect(page.get_by_text("No memory that you may see is like that.")).to_be_visible()
    await page.get_by_role("button", name="Show everything").click()
    await expect(page.locator("tr[data-memory]").first).to_be_visible()
    assert "harbour" not in page.url


async def test_seeing_with_the_eyes_of_another_shows_its_world(house: House, visitor: Visitor) -> None:
    await household(house.world)
    page = await opened(visitor, await house.world.key("wukong", permissions=[Permission.INSPECT]))
    await page.locator("thead th[data-space='agent:maomao']").click()
    await page.get_by_role("button", name="See with its eyes").click()
    await expect(page.locator(".looking")).to_contain_text("maomao")
    await expect(page.locator("thead th").nth(1)).to_contain_text("maomao")
    assert "Blue Whale" not in await page.content()
    assert "Launch password" not in await page.content()
    await expect(row_of(page, "The western gate")).to_be_visible()


async def test_without_the_permission_a_column_lends_no_eyes(house: House, visitor: Visitor) -> None:
    await household(house.world)
    page = await opened(visitor, house.world.keys["wukong"])
    await page.locator("thead th[data-space='agent:maomao']").click()
    await expect(page.locator("#why")).to_contain_text("needs a key with the permission inspect")
    await expect(page.get_by_role("button", name="See with its eyes")).to_have_count(0)


async def test_hostile_names_and_texts_are_shown_and_nothing_else(house: House, visitor: Visitor) -> None:
    name = "<img src=x onerror=alert(1)>\"'{{ 7*7 }}%s"
    await house.world.agents("wukong", name)
    await house.world.team("pilgrims", wukong="writer")
    await house.world.join("pilgrims", f"agent:{name}", "reader")
    text = '</span></a></th></tr></table><script>document.title = "taken"</script><b onclick="x">{owner}</b>'
    await house.world.write("wukong", text, team_id="pilgrims")
    page = await opened(visitor, house.world.keys["wukong"])
    await expect(row_of(page, "document.title")).to_contain_text(text)
    await (await cell_of(page, "document.title", f"agent:{name}")).click()
    await expect(page.locator("#why h2")).to_contain_text(name)
    assert await page.locator("#content :is(img, b, script)").count() == 0
    assert await page.title() == "Who knows what · WhoKnows"


async def test_new_memories_come_as_a_thin_line_and_move_nothing(house: House, visitor: Visitor) -> None:
    await household(house.world)
    page = await opened(visitor, house.world.keys["wukong"])
    await house.world.write("maomao", "The river has risen", team_id="pilgrims")
    await page.get_by_role("button", name="1 new or changed").click()
    await expect(row_of(page, "The river has risen")).to_be_visible()


async def test_a_row_that_was_deleted_leaves_no_hole_and_a_new_reader_asks_to_show_anew(house: House, visitor: Visitor) -> None:
    written = await household(house.world)
    await many(house.world, written["team"], 300)
    page = await opened(visitor, house.world.keys["wukong"])
    await house.world.agents("newcomer")
    await house.world.join("pilgrims", "newcomer", "reader")
    await page.evaluate("() => { document.querySelector('.pane').scrollTop = 200 * 40; }")
    await expect(page.get_by_text("The readers have changed.")).to_be_visible()
    await page.get_by_role("button", name="Show anew").click()
    await expect(page.locator("thead")).to_contain_text("newcomer")


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 2560])
async def test_the_matrix_fits_any_screen_and_scrolls_inside(house: House, browser: Browser, width: int) -> None:
    await household(house.world)
    async with visiting(browser, house.url, language="zh", theme="dark", width=width) as visitor:
        page = await opened(visitor, house.world.keys["wukong"])
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        box = await page.locator("tr[data-memory] td").first.bounding_box()
        assert box is not None
        assert box["width"] >= 24
        assert await visitor.faults_of_access() == []


async def test_without_scripts_the_matrix_is_links_and_forms(house: House, browser: Browser) -> None:
    written = await household(house.world)
    await many(house.world, written["team"], 60)
    context = await browser.new_context(java_script_enabled=False, locale="en-GB")
    page = await context.new_page()
    visitor = Visitor(page, house.url)
    await visitor.sign_in(house.world.keys["wukong"])
    await visitor.open("/knows")
    await page.get_by_role("button", name="Further down").click()
    await page.get_by_role("link", name="Launch password").click()
    await expect(page.locator("table.of")).to_contain_text("R1 audience")
    await context.close()


async def test_a_key_that_acts_as_nobody_or_has_not_chosen_is_told_what_to_do(house: House, browser: Browser) -> None:
    await household(house.world)
    async with visiting(browser, house.url) as visitor:
        await visitor.sign_in(house.world.installation.new_key or "")
        for path in ("/knows", "/knows/two", "/knows/inspector"):
            await visitor.open(path)
            await expect(visitor.page.get_by_role("heading", name="This key knows nothing")).to_be_visible()
    async with visiting(browser, house.url) as visitor:
        await visitor.sign_in(await house.world.key("wukong", "maomao"))
        await visitor.open("/knows")
        await expect(visitor.page.get_by_role("heading", name="As whom?")).to_be_visible()
        await visitor.page.locator("section").get_by_role("button", name="maomao").click()
        await expect(visitor.page.get_by_role("grid")).to_be_visible()
