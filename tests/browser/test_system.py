"""The system page: to each as much as is for it to know."""

from playwright.async_api import expect

from browser.conftest import House
from browser.visiting import Visitor
from whoknows.domain.credential import Permission
from worlds import World


async def test_an_agent_is_told_that_it_is_well_and_what_of_its_own_waits(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    await visitor.sign_in(house.world.keys["wukong"])
    await visitor.open("/sources/system")
    main = visitor.page.locator("main")
    await expect(main).to_contain_text("It is well")
    await expect(main).to_contain_text("evidence mode")
    await expect(main).to_contain_text("that still wait for their vectors")
    for hidden in ("PostgreSQL", "Newest migration", "What waits", "MiB", "KiB"):
        await expect(main).not_to_contain_text(hidden)


async def test_an_administrator_is_told_how_it_is_built_and_no_size(house: House, visitor: Visitor) -> None:
    await visitor.sign_in(house.world.installation.new_key or "")
    await visitor.open("/sources/system")
    main = visitor.page.locator("main")
    await expect(main).to_contain_text("PostgreSQL")
    await expect(main).to_contain_text("Newest migration")
    await expect(main).to_contain_text("told to the installation key alone")
    for hidden in ("MiB", "KiB", "Vectors of texts"):
        await expect(main).not_to_contain_text(hidden)


async def test_who_runs_it_is_told_sizes_and_what_waits(founder: World, house: House, visitor: Visitor) -> None:
    assert house.world is not founder
    await visitor.sign_in(founder.installation.new_key or "")
    await visitor.open("/sources/system")
    main = visitor.page.locator("main")
    await expect(main).to_contain_text("MiB")
    await expect(main.get_by_role("table").filter(has_text="memories")).to_be_visible()
    await expect(main).to_contain_text("Vectors of texts")
    assert await visitor.faults_of_access() == []


async def test_with_the_eyes_of_another_nothing_of_the_installation_is_told(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong", "maomao")
    await visitor.sign_in(await house.world.key("wukong", permissions=[Permission.INSPECT, Permission.ADMIN]))
    await visitor.page.locator("summary").filter(has_text="See as …").click()
    await visitor.page.get_by_role("button", name="maomao").click()
    await visitor.open("/sources/system")
    await expect(visitor.page.locator("main")).to_contain_text("It is well")
    await expect(visitor.page.locator("main")).not_to_contain_text("PostgreSQL")
