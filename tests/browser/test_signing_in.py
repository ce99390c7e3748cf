"""The door of the console: keys, sessions, forms, and what the browser keeps."""

from playwright.async_api import expect

from browser.conftest import House
from browser.visiting import Visitor
from whoknows.domain.credential import Permission


async def test_a_key_opens_the_console_and_is_nowhere_in_the_browser_afterwards(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    key = house.world.keys["wukong"]
    await visitor.sign_in(key)
    kept = await visitor.page.context.storage_state(indexed_db=True)
    assert key not in str(kept)
    assert key not in await visitor.page.content()
    assert key not in visitor.page.url
    [cookie] = [c for c in kept["cookies"] if c["name"] == "whoknows_session"]
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Strict"


async def test_a_wrong_key_is_refused_and_says_so(visitor: Visitor) -> None:
    visitor.forgive.append("401")
    await visitor.open("/sign-in")
    await visitor.page.get_by_label("Your key").fill("nothing")
    await visitor.page.get_by_role("button", name="Enter").click()
    await expect(visitor.page.get_by_role("alert")).to_contain_text("No valid key")


async def test_signing_out_ends_the_session_on_the_server(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    await visitor.sign_in(house.world.keys["wukong"])
    before = await visitor.page.context.cookies()
    await visitor.page.get_by_role("button", name="Sign out").click()
    await expect(visitor.page.get_by_label("Your key")).to_be_visible()
    await visitor.page.context.add_cookies(before)  # the old cookie, as a thief would bring it
    await visitor.open("/")
    await expect(visitor.page.get_by_label("Your key")).to_be_visible()


async def test_seeing_with_the_eyes_of_another_is_told_on_every_page(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong", "maomao")
    await visitor.sign_in(await house.world.key("wukong", permissions=[Permission.INSPECT]))
    await visitor.page.locator("summary", has_text="See as …").click()
    await visitor.page.get_by_label("Somebody who is not listed").fill("agent:maomao")
    await visitor.page.get_by_role("button", name="Look").click()
    await expect(visitor.page.locator(".looking")).to_contain_text("maomao")
    await visitor.page.get_by_role("button", name="Be myself again").click()
    await expect(visitor.page.locator(".looking")).to_have_count(0)
