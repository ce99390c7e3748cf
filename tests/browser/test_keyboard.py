"""Everything can be done by keyboard: each control is reached, is seen while it has the focus, and gives it on when it goes."""

from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from acceptance.rest.shared import founded
from browser.conftest import House
from browser.test_every_page import act_as, signed_in_as_lin
from browser.visiting import Visitor, visiting
from console.scene import Scene, furnish
from worlds import World

MOST = 400
CONTROLS = """() => {
    const all = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
    const open = all.filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.disabled && e.tabIndex >= 0);
    window.missed = new Set(open.filter((e) => e.type !== 'radio' && e.type !== 'hidden'));
    return window.missed.size;
}"""
FOCUSED = """() => {
    // Lies over a picture, and only its thumb takes the mouse.
    const floats = (e, box) => e.type === 'range' && box.top >= 0 && box.bottom <= innerHeight;
    const e = document.activeElement;
    if (e === document.body) return null;
    window.missed.delete(e);
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    const x = Math.max(0, Math.min(innerWidth - 1, box.left + box.width / 2));
    const y = Math.max(0, Math.min(innerHeight - 1, box.top + Math.min(box.height / 2, 12)));
    const over = document.elementFromPoint(x, y);
    return {
        what: e.outerHTML.slice(0, 120),
        marked: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0,
        seen: over !== null && [over, over.closest('label')].some((o) => o?.contains(e) || e.contains(o)) || floats(e, box),
    };
}"""
MISSED = "() => [...window.missed].filter((e) => e.isConnected && e.checkVisibility()).map((e) => e.outerHTML.slice(0, 120))"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def scene(founder: World, address: str) -> Scene:
    return await furnish(address, (await founded(founder)).installation.new_key or "")


async def walked(page: Page) -> list[str]:
    """Tab from the top to the end; answers what was not reached, not marked, or not to be seen when it had the focus."""
    await page.evaluate("() => { document.activeElement.blur(); getSelection().removeAllRanges(); scrollTo(0, 0); }")
    await page.evaluate(CONTROLS)
    faults: list[str] = []
    for _ in range(MOST):
        await page.keyboard.press("Tab")
        at: dict[str, Any] | None = await page.evaluate(FOCUSED)
        if at is None:
            return [*faults, *(f"never reached: {e}" for e in await page.evaluate(MISSED))]
        faults += [f"not {how}: {at['what']}" for how in ("marked", "seen") if not at[how]]
    return [*faults, "the end is never reached"]


@pytest.mark.parametrize("width", [1280, pytest.param(390, marks=pytest.mark.slow)])
async def test_tab_goes_through_every_control_of_a_page_and_each_is_seen(
    browser: Browser, address: str, scene: Scene, width: int
) -> None:
    async with visiting(browser, address, width=width) as visitor:
        await signed_in_as_lin(visitor, scene)
        faults: list[str] = []
        for path in ("/prompts", "/gate/corrections", "/sources", "/admin/teams", "/bureau/cases", "/knows/two"):
            await visitor.open(path)
            faults += [f"{path}: {f}" for f in await walked(visitor.page)]
        await act_as(visitor, "agent:ada")
        for path in ("/memory", f"/memory/{scene.memory}", "/knows", f"/knows/inspector?trace={scene.trace}"):
            await visitor.open(path)
            faults += [f"{path}: {f}" for f in await walked(visitor.page)]
        assert not faults, "\n".join(faults)


async def test_the_first_tab_leads_past_the_frame_to_the_content(browser: Browser, address: str, scene: Scene) -> None:
    async with visiting(browser, address) as visitor:
        await signed_in_as_lin(visitor, scene)
        await visitor.open("/gate")
        await visitor.page.keyboard.press("Tab")
        await expect(visitor.page.locator(".skip")).to_be_focused()
        await visitor.page.keyboard.press("Enter")
        await expect(visitor.page.locator("main")).to_be_focused()


async def test_a_menu_is_opened_and_left_by_keyboard_and_gives_the_focus_back(
    browser: Browser, address: str, scene: Scene
) -> None:
    async with visiting(browser, address) as visitor:
        await signed_in_as_lin(visitor, scene)
        await visitor.open("/memory")
        summary = visitor.page.locator("header.top .menu > summary").first
        await summary.focus()
        await visitor.page.keyboard.press("Enter")
        await visitor.page.keyboard.press("Tab")
        await expect(visitor.page.locator("header.top .menu .sheet button").first).to_be_focused()
        await visitor.page.keyboard.press("Escape")
        await expect(summary).to_be_focused()
        await expect(visitor.page.locator("header.top .menu[open]")).to_have_count(0)


async def test_what_is_deleted_by_keyboard_hands_the_focus_to_undo_and_then_to_what_follows(
    house: House, visitor: Visitor
) -> None:
    await house.world.agents("ada")
    for text in ("The first one stays", "The second one goes"):
        await house.world.write("ada", text)
    page = visitor.page
    await page.clock.install()
    await visitor.sign_in(house.world.keys["ada"])
    await visitor.open("/memory")
    going = page.locator(".kept").filter(has_text="second one goes")

    async def delete() -> None:
        await going.locator(".menu > summary").focus()
        await page.keyboard.press("Enter")
        await going.get_by_role("button", name="Delete").focus()
        await page.keyboard.press("Enter")
        await expect(page.locator(".undo button")).to_be_focused()

    await delete()
    await page.keyboard.press("Enter")
    await expect(going.locator(".card")).to_be_visible()
    assert await page.evaluate("() => document.activeElement.closest('.kept') !== null")
    await delete()
    await page.clock.run_for(11_000)
    await expect(going).to_have_count(0)
    assert await page.evaluate("() => document.activeElement.closest('.kept')?.textContent.includes('first one stays')")
