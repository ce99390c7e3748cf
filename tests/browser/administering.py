"""What a person does on the pages of the administration, in a few words."""

from playwright.async_api import Locator, Page

from browser.conftest import House
from browser.visiting import Visitor


def line(page: Page, name: str) -> Locator:
    """The entry about ``name`` on a page of the administration."""
    return page.locator("article.line").filter(has=page.locator("h2, h3").get_by_text(name, exact=True))


async def unfold(place: Page | Locator, words: str) -> None:
    await place.locator("summary").filter(has_text=words).first.click()


async def administrator(house: House, visitor: Visitor, path: str) -> Page:
    """Signed in with the tenant's first key, which acts as nobody, on ``path`` of the administration."""
    await visitor.sign_in(house.world.installation.new_key or "")
    await visitor.open(f"/admin{path}")
    return visitor.page


async def wait_out(page: Page) -> None:
    """The ten seconds before something is deleted, on a clock that ``page.clock.install`` made the test's own."""
    await page.clock.run_for(11_000)
