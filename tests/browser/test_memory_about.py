"""A memory's own page: who may know it and why, where it comes from, its history, and what was made of it for others."""

from uuid import uuid4

from playwright.async_api import expect

from browser.conftest import House
from browser.memory_page import card, choose
from browser.visiting import Visitor
from whoknows.domain.memory import Patch
from whoknows.domain.principal import AgentRole
from whoknows.flows.inject import Gift


async def test_a_share_is_given_and_taken_back(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong", "maomao")
    memory = await world.write("wukong", "The well is deeper than it looks.")
    await visitor.sign_in(world.keys["wukong"])
    await choose(card(page, "The well"), "Share with an agent…")
    await page.get_by_label("Agent").fill("maomao")
    await page.get_by_role("button", name="Share", exact=True).click()
    await expect(card(page, "The well").locator(".whereto")).to_contain_text("shared with maomao")
    assert (await world.service.read.get(await world.caller("maomao"), memory.id)).id == memory.id

    await visitor.open(f"/memory/{memory.id}")
    await expect(page.locator("#who tr").filter(has_text="maomao")).to_contain_text("its author shared it")
    await page.get_by_role("button", name="Take the share back from maomao").click()
    await expect(page.locator("#who tr").filter(has_text="maomao")).to_have_count(0)
    assert await world.recalled("maomao", "The well is deeper than it looks.") == []


async def test_a_copy_is_published_brought_up_to_date_and_withdrawn(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong", "maomao")
    await world.team("*", wukong="writer")
    memory = await world.write("wukong", "The museum is free on Sundays.")
    await visitor.sign_in(world.keys["wukong"])
    await visitor.open(f"/memory/{memory.id}")
    await page.get_by_role("button", name="Publish to the board").click()
    copies = page.get_by_role("region", name="Copies for teams").first
    await expect(copies).to_contain_text("published")
    assert await world.recalled("maomao", "museum free Sundays") == ["The museum is free on Sundays."]

    patch = Patch(content="The museum is free on Saturdays.", named=frozenset({"content"}))
    await world.service.change.edit(await world.caller("wukong"), memory.id, 1, patch)
    await page.reload()
    await expect(copies).to_contain_text("The original has changed since.")
    await page.get_by_role("button", name="Publish again").click()
    await expect(page.get_by_text("The original has changed since.")).to_have_count(0)
    assert await world.recalled("maomao", "museum free Saturdays") == ["The museum is free on Saturdays."]

    await page.get_by_role("button", name="Withdraw").click()
    await expect(copies).to_contain_text("withdrawn")
    assert await world.recalled("maomao", "museum free Saturdays") == []


async def test_deleting_says_what_goes_with_it_and_takes_it_along(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong", "maomao")
    await world.agents("scout", role=AgentRole.SUB, parent="wukong")
    await world.team("crew", wukong="writer", maomao="reader")
    memory = await world.write("wukong", "The vault is behind the bakery.")
    caller = await world.caller("wukong")
    await world.service.publish(caller, memory.id, "crew")
    await world.service.inject(caller, Gift("scout", "look at the vault", memory_ids=(memory.id,)))
    await page.clock.install()
    await visitor.sign_in(world.keys["wukong"])
    original = card(page, "behind the bakery").filter(has_text="Private")
    await original.locator(".menu > summary").click()
    await expect(original.locator(".danger-row")).to_have_text("Delete and 2 copies with it")
    await original.locator(".danger-row").click()
    told_of = page.locator(".undo").get_by_text("Deleted in 10 s, and with it 2 copies that you published or gave")
    await expect(told_of.last).to_be_visible()
    await page.clock.run_for(11_000)
    await expect(original).to_have_count(0)
    for reader in ("wukong", "maomao", "scout"):
        assert await world.recalled(reader, "vault behind the bakery") == []


async def test_what_was_given_for_a_task_is_taken_back_by_its_giver(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong")
    await world.agents("scout", role=AgentRole.SUB, parent="wukong")
    memory = await world.write("wukong", "The password of the day is heron.")
    await world.service.inject(await world.caller("wukong"), Gift("scout", "guard the door", memory_ids=(memory.id,)))
    await visitor.sign_in(world.keys["wukong"])
    await visitor.open(f"/memory/{memory.id}")
    given = page.get_by_role("region", name="Given for a task")
    await expect(given).to_contain_text("scout")
    await given.get_by_role("button", name="Take back").click()
    await expect(given).to_have_count(0)
    assert await world.recalled("scout", "password of the day") == []


async def test_the_way_back_the_versions_and_the_chain_are_all_there(house: House, visitor: Visitor) -> None:
    world, page = house.world, visitor.page
    await world.agents("wukong")
    source = await world.write("wukong", "Minutes: the harbour closes at nine. Ada objected.")
    old = await world.write("wukong", "The harbour closes at ten.", subject="harbour.hours")
    new = await world.write(
        "wukong",
        "The harbour closes at nine.",
        subject="harbour.hours",
        source=f"memory:{source.id}",
        quote="the harbour closes at nine",
        reason="the minutes say so",
    )
    caller = await world.caller("wukong")
    patch = Patch(content="The harbour closes at nine sharp.", reason="to be clear", named=frozenset({"content", "reason"}))
    await world.service.change.edit(caller, new.id, 1, patch)
    async with world.service.store.write(caller) as tx:
        await tx.context.use([new.id])
    await visitor.sign_in(world.keys["wukong"])
    await expect(card(page, "nine sharp").locator(".used")).to_contain_text("last used")

    await visitor.open(f"/memory/{new.id}")
    back = page.get_by_role("region", name="Back to the original")
    await expect(back).to_contain_text("The source says so today.")
    await expect(back.locator(".quoted")).to_contain_text("the harbour closes at nine")
    history = page.get_by_role("region", name="History")
    await expect(history.locator("ins")).to_have_text(" sharp")
    await expect(history).to_contain_text("Because: to be clear")
    chain = page.get_by_role("region", name="What replaced what")
    await expect(chain.locator("[aria-current]")).to_contain_text("nine sharp")
    assert await visitor.faults_of_access() == []
    await chain.get_by_role("link", name="The harbour closes at ten.").click()
    await expect(page).to_have_url(f"{house.url}/console/memory/{old.id}")
    await expect(page.locator(".card.superseded")).to_be_visible()


async def test_hidden_and_absent_are_the_same_page(house: House, visitor: Visitor) -> None:
    world = house.world
    await world.agents("wukong", "maomao")
    hidden = await world.write("maomao", "Only maomao knows.")
    await visitor.sign_in(world.keys["wukong"])
    visitor.forgive.append("404")
    for path in ("", "/edit", "/publish", "/share"):
        pages: list[str] = []
        for memory in (hidden.id, uuid4()):
            await visitor.open(f"/memory/{memory}{path}")
            text = await visitor.page.content()
            pages.append(text.replace(str(memory), "…"))
        assert pages[0] == pages[1], path
        assert "Only maomao" not in pages[0]


async def test_without_scripts_a_memory_is_written_edited_and_deleted_by_plain_forms(house: House, visitor: Visitor) -> None:
    world = house.world
    await world.agents("wukong")
    for n in range(26):
        await world.write("wukong", f"Filler number {n}.", tags=("filler",), project_id="fill")
    await visitor.sign_in(world.keys["wukong"])
    page = visitor.page
    await page.route("**/*.js?*", lambda route: route.fulfill(body="", content_type="text/javascript"))
    await visitor.open("/memory")
    await page.get_by_role("link", name="New memory").click()
    await expect(page).to_have_url(f"{house.url}/console/memory/new")
    await page.get_by_label("What is to be remembered?").fill("The plain page works.")
    await page.get_by_role("button", name="Remember").click()
    await expect(page.locator(".became")).to_contain_text("Remembered.")
    await page.get_by_role("link", name="Edit").click()
    await page.get_by_label("What is to be remembered?").fill("The plain page works well.")
    await page.get_by_role("button", name="Save").click()
    await expect(page.locator(".card .statement")).to_have_text("The plain page works well.")
    await choose(page.locator(".kept"), "Delete")
    await expect(page).to_have_url(f"{house.url}/console/memory")
    await expect(page.get_by_text("Nothing is here yet")).to_be_visible()
    await page.get_by_label("Project", exact=True).fill("fill")
    await page.get_by_role("button", name="Open", exact=True).click()
    await page.get_by_label("Tag").fill("filler")
    await page.get_by_role("button", name="Find").click()
    await page.get_by_role("button", name="Show more").click()
    await expect(page.locator(".kept")).to_have_count(1)
    await expect(page.locator(".kept")).to_contain_text("Filler number 0.")
    await expect(page.locator("header.top")).to_be_visible()
