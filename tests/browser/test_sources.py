"""Sources at a real browser: registered, synchronised, looked through, and taken away."""

from pathlib import Path
from uuid import uuid4

import pytest_asyncio
from playwright.async_api import expect

from browser.conftest import House
from browser.governed import Governed, governed, governed_founder, roots
from browser.visiting import Visitor

founder = governed_founder
__all__ = ["founder", "roots"]


@pytest_asyncio.fixture(loop_scope="session")
async def g(house: House, roots: Path) -> Governed:
    return await governed(house, roots)


async def test_an_owner_registers_a_source_synchronises_it_and_comes_from_its_documents_to_their_memories(
    g: Governed, visitor: Visitor, roots: Path
) -> None:
    folder = roots / f"lessons-{uuid4().hex[:8]}"
    folder.mkdir()
    (folder / "staging.md").write_text("# Staging\n\nStaging keeps its database on port 5433.\n", "utf-8")
    (folder / "bad.md").write_bytes(b"\xff\xfe\x00")
    await visitor.sign_in(g.world.keys["member:o"])
    await visitor.open("/sources")
    await visitor.page.locator("summary", has_text="Register a source").click()
    await visitor.page.get_by_label("What lies there").select_option("folder")
    await visitor.page.get_by_label("Where").fill(str(folder))
    await visitor.page.get_by_label("Name").fill("lessons")
    assert await visitor.page.get_by_label("Who reads it").locator("option").all_text_contents() == ["team:T"]
    await visitor.page.get_by_role("button", name="Register it").click()
    await expect(visitor.page.locator(".notice")).to_contain_text("Registered.")
    card = visitor.page.locator(".source", has=visitor.page.get_by_role("link", name="lessons"))
    await expect(card).to_contain_text("never")
    assert await visitor.faults_of_access() == []
    await card.get_by_role("button", name="Synchronise now").click()
    await expect(card.locator(".outcome")).to_contain_text("1 documents: 1 new, 0 changed, 0 gone, 0 as before.")
    await expect(card).not_to_contain_text("never")
    await card.get_by_text("1 thing to look at").click()
    await expect(card).to_contain_text("bad.md")
    await card.get_by_role("link", name="lessons").click()
    document = visitor.page.locator("#documents").get_by_role("link", name="Staging")
    memory = (await document.get_attribute("href") or "").rpartition("/")[2]
    (found,) = [m for m in (await _documents(g, "lessons")) if str(m) == memory]
    assert found
    assert await visitor.faults_of_access() == []


async def _documents(g: Governed, name: str) -> list[object]:
    caller = await g.world.caller("member:o")
    keep = g.world.service.keep_sources
    (source,) = [s for s in await keep.list(caller) if s.name == name]
    return [d.memory for d in (await keep.documents(caller, source.id, 50, None))[1].items]


async def test_a_source_that_cannot_be_read_is_a_notice_and_what_was_typed_stays(g: Governed, visitor: Visitor) -> None:
    visitor.forgive.append("422")
    await visitor.sign_in(g.world.keys["member:o"])
    await visitor.open("/sources")
    await visitor.page.locator("summary", has_text="Register a source").click()
    await visitor.page.get_by_label("Where").fill("/etc")
    await visitor.page.get_by_label("Name").fill("secrets")
    await visitor.page.get_by_role("button", name="Register it").click()
    await expect(visitor.page.locator("#notices .fault")).to_contain_text("there is no such source, or it may not be read")
    await expect(visitor.page.get_by_label("Where")).to_have_value("/etc")


async def test_while_a_source_is_synchronised_a_second_time_is_told_so(g: Governed, visitor: Visitor) -> None:
    visitor.forgive.append("409")
    caller = await g.world.caller("member:o")
    async with g.world.service.store.write(caller) as tx:
        assert await tx.sources.begin(g.source.id, uuid4(), 60)
    await visitor.sign_in(g.world.keys["member:o"])
    await visitor.open("/sources")
    await visitor.page.get_by_role("button", name="Synchronise now").click()
    await expect(visitor.page.locator("#notices .fault")).to_contain_text("This source is being synchronised")
    await expect(visitor.page.get_by_role("button", name="Synchronise now")).to_be_enabled()


async def test_removing_says_what_goes_waits_and_takes_the_documents_out_of_the_index(g: Governed, visitor: Visitor) -> None:
    await g.world.service.index_source(await g.world.caller("member:o"), g.source.id)
    assert len(await _documents(g, "notes")) == 3
    await visitor.page.clock.install()
    await visitor.sign_in(g.world.keys["member:o"])
    await visitor.open("/sources")
    card = visitor.page.locator(".source")
    await card.get_by_role("button", name="Remove").click()
    await expect(visitor.page.locator(".undo")).to_contain_text("its 3 documents leave the index")
    await visitor.page.locator(".undo").get_by_role("button", name="Undo").click()
    await expect(card).to_be_visible()
    await card.get_by_role("button", name="Remove").click()
    await visitor.page.clock.run_for(11_000)
    await expect(visitor.page.locator(".notice")).to_contain_text("Nothing of its documents stays in the index")
    assert list(await g.world.service.keep_sources.list(await g.world.caller("member:o"))) == []
    assert (g.path / "README.md").exists()


async def test_who_only_reads_a_source_is_offered_nothing_else_and_strangers_do_not_see_it(
    g: Governed, visitor: Visitor
) -> None:
    await g.world.service.index_source(await g.world.caller("member:o"), g.source.id)
    await visitor.sign_in(g.world.keys["writer"])
    await visitor.open(f"/sources/{g.source.id}")
    await expect(visitor.page.locator("#documents li")).to_have_count(3)
    await expect(visitor.page.locator("main form")).to_have_count(0)
    await visitor.page.get_by_role("button", name="Sign out").click()
    await visitor.sign_in(g.world.keys["member:x"])
    await visitor.open("/sources")
    await expect(visitor.page.locator(".empty")).to_contain_text("No source is registered for you")
    visitor.forgive.append("404")
    await visitor.open(f"/sources/{g.source.id}")
    await expect(visitor.page.get_by_role("heading", level=1)).to_have_text("That did not work")


async def test_an_administrator_keeps_the_sources_of_teams_and_reads_none_of_their_documents(
    g: Governed, visitor: Visitor
) -> None:
    await visitor.sign_in(g.world.installation.new_key)
    await visitor.open("/sources")
    await visitor.page.get_by_role("button", name="Synchronise now").click()
    await expect(visitor.page.locator(".outcome")).to_contain_text("3 documents: 3 new")
    options = await visitor.page.get_by_label("Who reads it").locator("option").all_text_contents()
    assert {"team:T", "member:o", "member:w"} <= set(options)
    await visitor.page.get_by_role("link", name="notes").click()
    await expect(visitor.page.locator(".empty")).to_contain_text("you are not one of them")
