"""Programs at a real browser: a stage set and taken back, a directory routed no more, and the same without scripts."""

from typing import Any

import pytest_asyncio
from playwright.async_api import Browser, expect

from browser.conftest import House
from browser.visiting import Visitor, visiting
from whoknows.domain.harness import Program, Stage

DIRECTORY, MACHINE = "/srv/code/boss", "quay"
KNOWN = "The lighthouse flashes every four seconds."
ASKED = "How often does the lighthouse flash?"


@pytest_asyncio.fixture(loop_scope="session")
async def connected(house: House) -> House:
    """ana's agent works for `boss` and asked its program once about a lighthouse."""
    world = house.world
    await world.members("ana")
    await world.agents("claude", account="ana")
    await world.write("claude", KNOWN, project_id="boss", account="ana")
    caller, service = await world.caller("claude"), world.service
    await service.workplaces.register(caller, Program.CLAUDE_CODE, MACHINE, DIRECTORY, "boss")
    await service.stages.set(caller, "boss", Stage.READ_ONLY)
    event: dict[str, Any] = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt_id": "p", "cwd": DIRECTORY}
    hooked = await service.hook(caller, Program.CLAUDE_CODE, MACHINE, event | {"prompt": ASKED})
    assert KNOWN in hooked.context
    await service.hook.note(caller, hooked)
    return house


async def test_a_stage_is_set_with_a_reason_and_taken_back_and_a_told_memory_is_opened(
    connected: House, visitor: Visitor
) -> None:
    page = visitor.page
    await visitor.sign_in(connected.world.keys["claude"])
    await page.get_by_role("link", name="Programs").click()
    await page.locator("summary", has_text="Go on to governed").click()
    await expect(page.locator(".needs li")).to_have_count(3)
    await page.get_by_label("Reason").locator("visible=true").fill("no wrong recall in two weeks")
    await page.get_by_role("button", name="Set it to governed").click()
    await expect(page.locator(".notice")).to_contain_text("The stage is set.")
    await expect(page.locator(".ladder [aria-current=step]")).to_contain_text("governed")
    await page.locator("summary", has_text="History").click()
    await expect(page.locator(".entry", has_text="no wrong recall in two weeks")).to_be_visible()
    assert await visitor.faults_of_access() == []
    await page.get_by_role("button", name="Take this back, to read-only").click()
    await expect(page.locator(".ladder [aria-current=step]")).to_contain_text("read-only")
    await page.locator(".turn").get_by_role("link", name=KNOWN).click()
    await expect(page.locator("main")).to_contain_text(KNOWN)


async def test_an_unregistered_directory_can_be_undone_for_ten_seconds_and_then_is_routed_no_more(
    connected: House, visitor: Visitor
) -> None:
    page = visitor.page
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.clock.install()
    await visitor.sign_in(connected.world.keys["member:ana"])
    await visitor.open("/programs")
    place = page.locator(".place", has_text=DIRECTORY)
    await place.get_by_role("button", name="Unregister").click()
    await expect(page.locator(".undo")).to_contain_text(f"{DIRECTORY} is not routed any more")
    await page.locator(".undo").get_by_role("button", name="Undo").click()
    await expect(place).to_be_visible()
    await place.get_by_role("button", name="Unregister").click()
    await page.clock.run_for(11_000)
    await expect(page.locator(".notice")).to_contain_text("The directory is not routed any more.")
    await expect(place).to_have_count(0)
    assert list(await connected.world.service.workplaces.all(await connected.world.caller("claude"))) == []
    await page.get_by_role("button", name="Copy whoknows connect").click()
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == "whoknows connect claude-code --project ."


async def test_without_scripts_the_page_is_read_on_a_phone_and_a_stage_goes_back(browser: Browser, connected: House) -> None:
    async with visiting(browser, connected.url, width=390, language="zh", scripts=False) as plain:
        await plain.sign_in(connected.world.keys["member:ana"])
        await plain.open("/programs")
        await expect(plain.page.locator(".told li")).to_contain_text(KNOWN)
        await plain.page.locator("summary", has_text="退回").click()
        await plain.page.get_by_role("button", name="退回").click()
        await expect(plain.page.locator(".ladder [aria-current=step]")).to_contain_text("关闭")


async def test_names_and_reasons_of_any_length_stay_within_a_phone(browser: Browser, connected: House) -> None:
    service, caller = connected.world.service, await connected.world.caller("claude")
    await service.workplaces.register(caller, Program.CODEX, "m" * 255, f"/srv/{'d' * 250}", "boss")
    await service.stages.set(caller, "boss", Stage.GOVERNED, "r" * 1000)
    async with visiting(browser, connected.url, width=390) as phone:
        await phone.sign_in(connected.world.keys["member:ana"])
        await phone.open("/programs")
        width = "document.documentElement.scrollWidth"
        assert await phone.page.evaluate(width) <= 390
        await phone.page.locator(".place", has_text="ddd").get_by_role("button", name="Unregister").click()
        await expect(phone.page.locator(".undo")).to_contain_text("ddd")
        assert await phone.page.evaluate(width) <= 390
