"""A person who has never seen it: five minutes from the installation key to why the other agent knows it now."""

import pytest
from playwright.async_api import Browser, Page, expect

from browser.administering import administrator
from browser.conftest import House
from browser.memory_page import card, write
from browser.visiting import Visitor, visiting
from whoknows.domain.credential import Permission


async def done(page: Page, steps: int) -> None:
    """So many of the guide's steps are marked, the first ones."""
    await expect(page.locator("#guide li.done")).to_have_count(steps)


async def become(page: Page, name: str) -> None:
    """As the guide offers it."""
    await page.locator("#guide").get_by_role("button", name=f"Become {name}").click()
    await expect(page.locator("header.top .menu > summary").filter(has_text=name)).to_be_visible()


async def ask(page: Page, question: str) -> None:
    await page.get_by_role("searchbox").fill(question)
    await page.get_by_role("button", name="Find", exact=True).click()


async def test_a_newcomer_sees_in_five_minutes_who_knows_what_and_why(house: House, visitor: Visitor) -> None:
    administering = house.world.installation.new_key or ""
    await visitor.sign_in(administering)
    page = visitor.page
    await expect(page).to_have_url(f"{house.url}/console/admin")
    before = await page.context.cookies()
    await page.get_by_role("button", name="Make this team and try it").click()
    secret = await page.locator("#secret").text_content() or ""
    key = await house.world.service.authenticate(secret)
    assert {p.space for p in key.acts_as} == {"agent:ada", "agent:ben", "member:me"}
    await page.get_by_role("link", name="Begin as the first agent").click()
    assert secret not in await page.content()

    await done(page, 0)
    await write(page, "The greenhouse key hangs behind the blue pot.")
    await expect(card(page, "blue pot")).to_be_visible()
    await done(page, 1)
    await become(page, "ben")
    await ask(page, "The greenhouse key hangs behind the blue pot.")
    await expect(page.locator("#shelves")).to_contain_text("Nothing that you may know answers this")
    await expect(page.locator("#shelves .empty")).to_contain_text("everyone")  # not the sign that rules write for it
    await expect(page.locator("#shelves .empty")).not_to_contain_text("*")
    await expect(page.get_by_role("link", name="How it was looked for")).to_be_visible()
    await done(page, 2)
    await become(page, "ada")
    await card(page, "blue pot").get_by_role("link", name="Publish").click()
    await page.get_by_role("button", name="Publish to workshop").click()
    await done(page, 3)
    await become(page, "ben")
    await ask(page, "The greenhouse key hangs behind the blue pot.")
    await expect(card(page, "blue pot")).to_contain_text("from")
    await done(page, 4)
    await become(page, "ada")
    await expect(page).to_have_url(f"{house.url}/console/knows")
    await expect(page.get_by_text("2 memories · 3 readers")).to_be_visible()
    await done(page, 4)  # being there is not yet reading why
    await page.locator("td.n").first.click()
    await expect(page.locator("#why")).to_contain_text("the reader is not in the audience")
    await done(page, 5)
    await expect(page.locator("#guide")).to_contain_text("You have seen it all")
    await expect(page.locator("#guide")).to_contain_text("sign in with the key you came with")
    await page.get_by_role("button", name="Close the guide").click()
    await expect(page.locator("#guide")).to_have_count(0)

    await page.context.clear_cookies()
    await page.context.add_cookies(before)  # the session that made the team is over
    await visitor.open("/admin")
    await expect(page.get_by_label("Your key")).to_be_visible()


async def test_a_taken_name_is_marked_and_the_rest_stays_as_it_was_typed(house: House, visitor: Visitor) -> None:
    visitor.forgive.append("422")
    await house.world.agents("ada")
    page = await administrator(house, visitor, "")
    await page.get_by_label("Second agent").fill("<i>ben</i>")
    await page.get_by_role("button", name="Make this team and try it").click()
    await expect(page.get_by_role("alert")).to_contain_text("never given out again")
    await expect(page.get_by_label("First agent")).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_label("Second agent")).to_have_value("<i>ben</i>")
    await page.get_by_label("First agent").fill("eve")
    await page.get_by_role("button", name="Make this team and try it").click()
    await expect(page.locator("#secret")).to_be_visible()


async def test_in_chinese_the_names_are_chinese_and_the_page_is_within_reach_of_all(browser: Browser, house: House) -> None:
    async with visiting(browser, house.url, language="zh", theme="dark", width=390) as visitor:
        page = await administrator(house, visitor, "")
        await expect(page.get_by_label("第一个智能体")).to_have_value("悟空")
        assert await visitor.faults_of_access() == []
        await page.get_by_role("button", name="建这个团队，开始试").click()
        assert await visitor.faults_of_access() == []
        await page.get_by_role("link", name="以第一个智能体开始").click()
        await expect(page.locator("#guide")).to_contain_text("以悟空的身份写一条私有记忆")
        assert await visitor.faults_of_access() == []
        assert await page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize(
    ("permissions", "leads"),
    [([Permission.ADMIN], "admin"), ([Permission.AUDIT], "admin/audit"), ([Permission.ADMIN, Permission.AUDIT], "admin")],
)
async def test_a_key_that_acts_as_nobody_begins_where_it_may_do_something(
    house: House, visitor: Visitor, permissions: list[Permission], leads: str
) -> None:
    await visitor.sign_in(await house.world.key(permissions=permissions))
    await expect(visitor.page).to_have_url(f"{house.url}/console/{leads}")


async def test_an_agent_begins_with_its_memory_and_is_not_asked_to_try(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    await visitor.sign_in(house.world.keys["wukong"])
    await expect(visitor.page).to_have_url(f"{house.url}/console/memory")
    await expect(visitor.page.locator("#guide")).to_have_count(0)
    await visitor.open("/admin")
    await expect(visitor.page.get_by_role("button", name="Make this team and try it")).to_have_count(0)


async def test_loading_the_page_with_the_new_key_again_goes_on_instead_of_sending_the_form_twice(
    house: House, visitor: Visitor
) -> None:
    await visitor.sign_in(house.world.installation.new_key or "")
    page = visitor.page
    await page.get_by_role("button", name="Make this team and try it").click()
    await expect(page.locator("#secret")).to_be_visible()
    await page.reload()
    await expect(page).to_have_url(f"{house.url}/console/memory")
    await expect(page.locator("#guide")).to_contain_text("As ada: write something private.")


async def test_changing_the_language_beside_the_new_key_leads_to_a_page_that_is_there(house: House, visitor: Visitor) -> None:
    await visitor.sign_in(house.world.installation.new_key or "")
    page = visitor.page
    await page.get_by_role("button", name="Make this team and try it").click()
    await expect(page.locator("#secret")).to_be_visible()
    await page.get_by_role("button", name="中文").click()
    await expect(page).to_have_url(f"{house.url}/console/admin")
    await expect(page.get_by_role("heading", name="管理")).to_be_visible()


async def test_on_a_phone_a_long_text_leaves_room_for_the_other_readers(browser: Browser, house: House) -> None:
    await house.world.agents("wukong", "bajie", "shaseng")
    await house.world.team("crew", wukong="writer", bajie="writer", shaseng="writer")
    await house.world.write("wukong", "The greenhouse key hangs behind the blue pot of the second shelf.", team_id="crew")
    async with visiting(browser, house.url, width=390) as visitor:
        await visitor.sign_in(house.world.keys["wukong"])
        await visitor.open("/knows")
        for reader in ("wukong", "bajie", "shaseng"):
            await expect(visitor.page.locator(f'th[data-space="agent:{reader}"]')).to_be_in_viewport(ratio=1)
