"""What a person does on the memory page, in a few words."""

from playwright.async_api import Locator, Page, expect


def card(page: Page, text: str) -> Locator:
    """The memory on the page whose card says ``text``."""
    return page.locator(".kept").filter(has_text=text)


async def write(page: Page, text: str, audience: str | None = None, **fields: str) -> None:
    """Fill the form of a new memory and send it; ``fields`` by their names."""
    await page.get_by_role("link", name="New memory").click()
    await page.get_by_label("What is to be remembered?").fill(text)
    if audience is not None:
        await page.get_by_label("For whom").select_option(audience)
    if fields:
        await page.get_by_text("Subject, source, expiry").click()
    for name, value in fields.items():
        await page.locator(f".writing [name={name}]").fill(value)
    await page.get_by_role("button", name="Remember").click()


async def choose(memory: Locator, verb: str) -> None:
    """One of the rarer things to do, behind the three points."""
    await memory.locator(".menu > summary").click()
    await memory.locator(".menu .sheet").get_by_text(verb, exact=True).first.click()


async def act_as(page: Page, name: str) -> None:
    await page.locator("header.top .menu").filter(has_text="Acting as").locator("summary").click()
    await page.locator("header.top").get_by_role("button", name=name).click()
    await expect(page.locator("header.top .menu > summary").filter(has_text=name)).to_be_visible()


async def told(page: Page, words: str) -> None:
    await expect(page.locator("#told")).to_contain_text(words)
