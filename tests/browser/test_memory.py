"""The memory page: what one may know is shown, found, written, changed, put away and deleted there."""

import re

from playwright.async_api import Browser, expect

from browser.conftest import House
from browser.memory_page import act_as, card, choose, told, write
from browser.visiting import Visitor, visiting
from whoknows.domain.credential import Permission
from whoknows.domain.memory import Category, Patch
from whoknows.domain.principal import AgentRole, GateLevel
from whoknows.flows.distill import Transcript
from whoknows.flows.hearing import Message, Role
from whoknows.flows.inject import Gift


async def test_acceptance_3_the_memory_page_shows_adds_edits_and_deletes(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    await house.world.write("wukong", "The bridge is closed on Mondays.")
    await house.world.write("wukong", "The ferry costs two coins.", project_id="harbour")
    page = visitor.page
    await page.clock.install()
    await visitor.sign_in(house.world.keys["wukong"])
    await expect(card(page, "The bridge is closed")).to_be_visible()
    await page.get_by_label("Project", exact=True).fill("harbour")
    await page.get_by_role("button", name="Open", exact=True).click()
    await expect(page.locator("#shelf-project")).to_contain_text("The ferry costs two coins.")
    await expect(page.locator("#shelf-general")).to_contain_text("The bridge is closed")

    await write(page, "The lighthouse keeper is called Ada.")
    await told(page, "Remembered.")
    await expect(page.locator("#shelf-project")).to_contain_text("called Ada")

    await card(page, "called Ada").get_by_role("link", name="Edit").click()
    await page.get_by_label("What is to be remembered?").fill("The lighthouse keeper is called Grace.")
    await page.get_by_role("button", name="Save").click()
    await expect(card(page, "called Grace")).to_contain_text("Saved.")
    await expect(page.get_by_text("called Ada")).to_have_count(0)

    grace = card(page, "called Grace")
    await choose(grace, "Delete")
    await expect(page.locator(".undo").get_by_text("Deleted in 10 s").last).to_be_visible()
    await page.get_by_role("button", name="Undo").click()
    await page.clock.run_for(11_000)
    await expect(grace.locator(".card")).to_be_visible()
    await choose(grace, "Delete")
    await page.clock.run_for(11_000)
    await expect(grace).to_have_count(0)
    await page.reload()
    await expect(page.locator("#shelf-project")).to_contain_text("two coins")
    await expect(page.get_by_text("called Grace")).to_have_count(0)


async def test_acceptance_5_what_is_distilled_appears_on_the_memory_page(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.members("robin")
    await world.agents("wukong", account="robin")
    await visitor.sign_in(world.keys["wukong"])
    await expect(page.get_by_text("Nothing is here yet")).to_be_visible()
    said = Message("m1", Role.USER, "I always prefer answers in Chinese, please remember that for the future.")
    done = await world.service.distill(await world.caller("wukong"), Transcript("harbour", (said,)))
    assert len(done.kept) == 1
    await page.get_by_role("button", name="1 new").click()
    new = page.locator(".kept").first
    await expect(new).to_contain_text("answers in Chinese")
    await expect(new.locator(".distilled")).to_have_text("Distilled")

    await choose(new, "The batch it came with")
    await expect(page.get_by_role("heading", name="A distilled batch")).to_be_visible()
    await expect(page.locator(".kept")).to_contain_text("answers in Chinese")
    await page.clock.install()
    await page.reload()
    await page.get_by_role("button", name="Undo this batch (1 memory)").click()
    await page.clock.run_for(11_000)
    await expect(page.get_by_text("This batch was undone.")).to_be_visible()
    await visitor.open("/memory/batches")
    await expect(page.get_by_role("cell", name="undone")).to_be_visible()
    await page.get_by_role("button", name="Stop that").click()
    await expect(page.get_by_role("button", name="Start that")).to_be_visible()
    await visitor.open("/memory")
    await expect(page.get_by_text("Nothing is here yet")).to_be_visible()


async def test_a_newcomer_sees_that_another_does_not_know_until_it_is_published(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong", "maomao")
    await world.team("crew", wukong="writer", maomao="writer")
    await visitor.sign_in(await world.key("wukong", "maomao"))
    await page.locator("main").get_by_role("button", name="wukong").click()

    await write(page, "The spare key hangs behind the clock.")
    await told(page, "Remembered.")
    await page.locator("#told").get_by_role("link", name="Who may know this?").click()
    readers = page.locator("#who tbody tr")
    await expect(readers.filter(has_text="wukong")).to_contain_text("Yes")
    await expect(readers.filter(has_text="maomao")).to_contain_text("No")
    await expect(readers.filter(has_text="maomao")).to_contain_text("not in the audience")

    await visitor.open("/memory")
    await act_as(page, "maomao")
    await expect(page.get_by_text("Nothing is here yet")).to_be_visible()
    await act_as(page, "wukong")
    await card(page, "spare key").get_by_role("link", name="Publish…").click()
    await card(page, "spare key").get_by_role("button", name="Publish to crew").click()
    await expect(card(page, "spare key").filter(has_text="Private").locator(".told")).to_contain_text("Published.")

    await act_as(page, "maomao")
    copy = card(page, "spare key")
    await expect(copy.locator(".mark.copy")).to_have_text("Public copy")
    await copy.get_by_role("link", name="Who may know this?").click()
    await expect(readers.filter(has_text="maomao")).to_contain_text("the reader is on team:crew")


async def test_an_edit_of_a_past_version_changes_nothing_and_keeps_what_was_typed(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong")
    memory = await world.write("wukong", "The gate opens at eight.")
    await visitor.sign_in(world.keys["wukong"])
    visitor.forgive.append("409")
    await card(page, "gate opens").get_by_role("link", name="Edit").click()
    await page.get_by_label("What is to be remembered?").fill("The gate opens at nine.")
    patch = Patch(content="The gate opens at seven.", named=frozenset({"content"}))
    await world.service.change.edit(await world.caller("wukong"), memory.id, 1, patch)
    await page.get_by_role("button", name="Save").click()
    await expect(page.get_by_role("alert")).to_contain_text("Nothing was overwritten")
    await expect(page.get_by_role("alert")).to_contain_text("The gate opens at seven.")
    await expect(page.get_by_label("What is to be remembered?")).to_have_value("The gate opens at nine.")
    assert (await world.service.read.get(await world.caller("wukong"), memory.id)).content == "The gate opens at seven."
    await page.get_by_role("button", name="Save").click()
    await expect(card(page, "The gate opens at nine.")).to_contain_text("Saved.")


async def test_what_was_put_away_is_found_by_its_state_and_taken_back(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    await house.world.write("wukong", "The old mill is for sale.")
    page = visitor.page
    await visitor.sign_in(house.world.keys["wukong"])
    await choose(card(page, "old mill"), "Put away")
    await expect(card(page, "old mill")).to_contain_text("It is not recalled any more")
    await page.get_by_label("State").select_option("archived")
    await expect(page.get_by_text("It is not recalled any more")).to_have_count(0)
    await expect(page.locator(".shelf .card.archived")).to_contain_text("old mill")
    await choose(card(page, "old mill"), "Bring back")
    await expect(card(page, "old mill")).to_contain_text("It is current again.")


async def test_what_was_given_has_no_control_but_to_look(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong")
    await world.agents("scout", role=AgentRole.SUB, parent="wukong")
    memory = await world.write("wukong", "The tunnel begins under the chapel.")
    await world.service.inject(await world.caller("wukong"), Gift("scout", "find the tunnel", memory_ids=(memory.id,)))
    await visitor.sign_in(world.keys["scout"])
    given = card(page, "under the chapel")
    await expect(given.locator(".mark.injected")).to_have_text("Given")
    for control in ("Edit", "Publish…"):
        await expect(given.get_by_text(control)).to_have_count(0)
    await expect(given.locator("form")).to_have_count(0)
    await page.get_by_label("Whose").select_option("mine")
    await expect(page.get_by_text("Nothing that you may know fits these filters.")).to_be_visible()
    await page.get_by_label("Whose").select_option("given")
    await expect(given).to_be_visible()
    copy = await given.locator(".card").get_attribute("data-memory")
    visitor.forgive.append("403")
    await visitor.open(f"/memory/{copy}/edit")
    await expect(page.locator(".fault")).to_contain_text("may_not_change")


async def test_the_filters_narrow_and_more_is_loaded_where_there_is_more(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong")
    for n in range(27):
        await world.write("wukong", f"Note number {n} of the long list.", tags=("list",))
    await world.write("wukong", "The cellar floods in spring.", category=Category.RISK)
    await visitor.sign_in(world.keys["wukong"])
    await expect(page.locator(".kept")).to_have_count(25)
    await page.get_by_role("button", name="Show more").click()
    await expect(page.locator(".kept")).to_have_count(28)
    await expect(page.get_by_role("button", name="Show more")).to_have_count(0)
    await page.get_by_label("Kind").select_option("risk")
    await expect(page.locator(".kept")).to_have_count(1)
    await expect(card(page, "cellar floods")).to_be_visible()
    await page.get_by_label("Tag").fill("nothing-like-it")
    await page.get_by_label("Tag").press("Enter")
    await page.get_by_role("button", name="Show all").click()
    await expect(page.locator(".kept")).to_have_count(25)
    await page.get_by_label("Tag").fill("list")
    await page.get_by_label("Tag").press("Enter")
    await expect(card(page, "cellar floods")).to_have_count(0)
    await expect(page.locator(".kept")).to_have_count(25)


async def test_a_question_brings_what_answers_it_or_the_spaces_that_were_searched(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong", "maomao")
    await world.team("crew", wukong="reader")
    await world.write("wukong", "The night train leaves at ten from platform four.", source="url:https://example.org/t")
    await world.write("wukong", "Onions are stored in the cellar.")
    await world.write("maomao", "The night train is where the courier sleeps.")
    await visitor.sign_in(world.keys["wukong"])
    before = page.url
    await page.get_by_label("Ask").fill("When does the night train leave, and from which platform?")
    await page.get_by_role("button", name="Find").click()
    await expect(page.get_by_role("heading", name="1 found")).to_be_visible()
    await expect(page.locator(".kept")).to_contain_text("platform four")
    await expect(page.locator(".kept")).to_contain_text("https://example.org/t")
    await page.get_by_label("Ask").fill("xylophone quasar")
    await page.get_by_label("Ask").press("Enter")
    nothing = page.locator(".empty")
    await expect(nothing).to_contain_text("Nothing that you may know answers this")
    await expect(nothing.locator(".badge")).to_have_text(["wukong", "crew", "everyone"])
    assert page.url == before  # no question in an address
    await page.get_by_role("button", name="Show all").click()
    await expect(page.locator(".kept")).to_have_count(2)


async def test_what_the_gate_made_of_it_is_told_and_a_refusal_keeps_what_was_typed(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong")
    await world.team("press", GateLevel.SOURCED, wukong="writer")
    await world.team("board-of-editors", GateLevel.REVIEWED, wukong="writer")
    await visitor.sign_in(world.keys["wukong"])
    visitor.forgive.append("422")
    await write(page, "The paper appears on Thursdays.", "team:press")
    await expect(page.locator("#notices")).to_contain_text("refused_by_gate")
    await expect(page.get_by_label("What is to be remembered?")).to_have_value("The paper appears on Thursdays.")
    await page.get_by_label("For whom").select_option("me")
    await page.get_by_role("button", name="Remember").click()
    await told(page, "Remembered.")
    await write(page, "The paper appears on Thursdays.")
    await told(page, "This was known already.")
    await write(page, "The paper has eight pages.", "team:board-of-editors")
    await told(page, "It waits for a reviewer.")
    await write(page, "The editor is Ada.", subject="paper.editor")
    await told(page, "Remembered.")
    await write(page, "The editor is Grace.", subject="paper.editor")
    await told(page, "It replaces the older statement")
    await expect(card(page, "The editor is Grace.").locator(".overturned")).to_contain_text("The editor is Ada.")


async def test_a_key_that_acts_as_nobody_is_shown_the_way_on(house: House, visitor: Visitor) -> None:
    await visitor.sign_in(house.world.installation.new_key or "")
    await visitor.open("/memory")
    await expect(visitor.page.locator(".empty")).to_contain_text("reads nobody's")
    await expect(visitor.page.get_by_role("link", name="To administration")).to_have_attribute("href", "/console/admin")


async def test_hostile_texts_are_shown_and_do_nothing(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong")
    texts = [
        "<script>document.title='taken'</script>",
        '"><img src=x onerror="document.title=\'taken\'">',
        "{{ 7 * 7 }} {% raw %} ${7*7}",
        "</textarea></form><form action=//evil.example><button>Save</button></form>",
        "javascript:alert(1) \u202e gnp.exe \u0301" + "a\u0301" * 40,
    ]
    memories = [await world.write("wukong", t, title=t[:200], tags=(t[:100],), subject=t[:100]) for t in texts]
    await visitor.sign_in(world.keys["wukong"])
    for text in texts:
        assert await page.locator(".statement").filter(has_text=text[:20]).count() >= 1
    for memory, text in zip(memories, texts, strict=True):
        await visitor.open(f"/memory/{memory.id}")
        assert await page.locator(".card .statement").inner_text() == text
        await page.get_by_role("link", name="Edit").click()
        await expect(page.get_by_label("What is to be remembered?")).to_have_value(text)
    assert "taken" not in await page.title()
    assert await page.locator("main img, main script").count() == 0


async def test_with_the_eyes_of_another_one_only_looks(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong", "maomao")
    await world.team("crew", wukong="reader", maomao="reader")
    await world.write("maomao", "The cat knows the way.")
    await visitor.sign_in(await world.key("wukong", permissions=[Permission.INSPECT]))
    await page.locator("summary").filter(has_text="See as …").click()
    await page.locator("header.top").get_by_role("button", name="maomao").click()
    await expect(card(page, "The cat knows")).to_be_visible()
    await expect(page.get_by_role("link", name="New memory")).to_have_count(0)
    await expect(page.locator(".kept form")).to_have_count(0)
    await expect(page.locator(".kept").get_by_text("Edit")).to_have_count(0)


async def test_a_phone_shows_one_shelf_at_a_time_and_nothing_sticks_out(house: House, browser: Browser) -> None:
    world = house.world
    await world.agents("wukong")
    await world.write("wukong", "The general thing.", tags=("a-very-long-tag-" * 10,))
    await world.write("wukong", "The thing of the project. " + "unbreakable" * 30, project_id="harbour")
    async with visiting(browser, house.url, language="zh", theme="dark", width=390) as visitor:
        page = visitor.page
        await visitor.sign_in(world.keys["wukong"])
        await page.get_by_label("项目", exact=True).fill("harbour")
        await page.get_by_role("button", name="打开", exact=True).click()
        await expect(card(page, "The thing of the project.")).to_be_visible()
        await expect(card(page, "The general thing.")).to_be_hidden()
        await page.locator(".sections").get_by_role("link", name="通用记忆").click()
        await expect(card(page, "The general thing.")).to_be_visible()
        await expect(card(page, "The thing of the project.")).to_be_hidden()
        wide = await page.evaluate("document.documentElement.scrollWidth")
        assert wide <= 390
        assert await visitor.faults_of_access() == []


async def test_the_page_is_worked_by_the_keyboard_and_by_a_screen_reader(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    await house.world.write("wukong", "The harbour freezes in January.")
    page = visitor.page
    await visitor.sign_in(house.world.keys["wukong"])
    assert await visitor.faults_of_access() == []
    await page.get_by_role("link", name="New memory").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_label("What is to be remembered?")).to_be_focused()
    await page.keyboard.type("The harbour thaws in March.")
    assert await visitor.faults_of_access() == []
    await page.get_by_role("button", name="Remember").press("Enter")
    await expect(card(page, "thaws in March")).to_be_visible()
    more = card(page, "thaws in March").locator(".menu > summary")
    await more.press("Enter")
    assert await visitor.faults_of_access() == []
    await page.keyboard.press("Escape")
    await expect(more).to_be_focused()
    await more.press("Enter")
    await card(page, "thaws in March").get_by_role("button", name="Put away").press("Enter")
    await expect(card(page, "thaws in March")).to_contain_text("It is not recalled any more")
    assert await page.evaluate("document.activeElement.closest('.kept').innerText.includes('thaws in March')")
    assert re.search("Memory", await page.title())
