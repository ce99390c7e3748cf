"""Review at a real browser: what waits is read beside its source, and admitted, reworded or refused, by keys and by buttons."""

import re
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, expect

from browser.conftest import House
from browser.governed import HOSTILE, QUOTE, Governed, governed, governed_founder, roots
from browser.visiting import Visitor
from whoknows.domain.memory import Memory, Patch, State
from whoknows.domain.principal import GateLevel
from whoknows.errors import NotFound

founder = governed_founder
__all__ = ["founder", "roots"]


@pytest_asyncio.fixture(loop_scope="session")
async def g(house: House, roots: Path) -> Governed:
    return await governed(house, roots)


async def at_review(g: Governed, visitor: Visitor, who: str = "member:o") -> Locator:
    """The document that is looked at, for a reviewer who has signed in."""
    await visitor.sign_in(g.world.keys[who])
    await visitor.open("/gate")
    return visitor.page.locator("#document")


async def now(g: Governed, memory: Memory, who: str = "writer") -> Memory:
    return await g.world.service.read.get(await g.world.caller(who), memory.id)


def waiting(visitor: Visitor) -> Locator:
    return visitor.page.locator(".queue li")


def said(visitor: Visitor) -> Locator:
    return visitor.page.locator(".said-room .notice")


async def test_a_key_admits_what_is_looked_at_and_the_next_one_is_selected(g: Governed, visitor: Visitor) -> None:
    first, second, third = [await g.draft(t) for t in ("Lunch is at noon", "Doors close at nine", "Rain stops play")]
    document = await at_review(g, visitor)
    await expect(document).to_contain_text("Lunch is at noon")
    await visitor.page.keyboard.press("j")
    await expect(document).to_contain_text("Doors close at nine")
    await visitor.page.keyboard.press("a")
    await expect(document).to_contain_text("Rain stops play")
    await expect(said(visitor)).to_contain_text("Admitted.")
    await expect(waiting(visitor)).to_have_count(2)
    assert (await now(g, second)).state is State.ACTIVE
    await visitor.page.keyboard.press("k")
    await expect(document).to_contain_text("Lunch is at noon")
    await visitor.page.get_by_role("button", name="Admit").click()
    await expect(document).to_contain_text("Rain stops play")
    await visitor.page.keyboard.press("a")
    await expect(visitor.page.locator(".empty")).to_contain_text("Nothing waits for you")
    await expect(said(visitor)).to_contain_text("Admitted.")
    assert {(await now(g, m)).state for m in (first, third)} == {State.ACTIVE}


async def test_refusing_asks_for_a_reason_which_the_author_finds_in_its_ledger_without_the_text(
    g: Governed, visitor: Visitor
) -> None:
    draft = await g.draft("Lunch is at noon")
    await at_review(g, visitor)
    await visitor.page.keyboard.press("r")
    reason = visitor.page.get_by_label("Reason")
    await expect(reason).to_be_focused()
    await visitor.page.get_by_role("button", name="Refuse and delete").click()  # the browser itself asks for the reason
    await expect(waiting(visitor)).to_have_count(1)
    await reason.fill("It moved to one o'clock")
    await visitor.page.get_by_role("button", name="Refuse and delete").click()
    await expect(said(visitor)).to_contain_text("Refused.")
    with pytest.raises(NotFound):
        await now(g, draft)
    await visitor.page.get_by_role("button", name="Sign out").click()
    await visitor.sign_in(g.world.keys["writer"])
    await visitor.open("/gate/ledger")
    entry = visitor.page.locator(".entry")
    await expect(entry).to_contain_text("A reviewer refused it")
    await expect(entry).to_contain_text("It moved to one o'clock")
    assert "Lunch" not in await visitor.page.content()


async def test_a_reviewer_admits_it_in_words_of_its_own_and_is_told_what_was_taken_out(g: Governed, visitor: Visitor) -> None:
    draft = await g.draft("Lunch is at noon")
    await at_review(g, visitor)
    await visitor.page.keyboard.press("e")
    words = visitor.page.get_by_label("In your words")
    await expect(words).to_be_focused()
    await expect(words).to_have_value("Lunch is at noon")
    await words.fill("Lunch is at one; call 13800138000")
    await visitor.page.get_by_role("button", name="Admit in these words").click()
    await expect(said(visitor)).to_contain_text("Admitted in your words.")
    await expect(said(visitor)).to_contain_text("Secret or personal data was taken out [phone]")
    after = await now(g, draft)
    assert (after.content, after.state) == ("Lunch is at one; call [phone]", State.ACTIVE)


async def test_the_quote_is_marked_at_its_place_among_the_numbered_lines_of_its_source(g: Governed, visitor: Visitor) -> None:
    await g.sourced()
    document = await at_review(g, visitor)
    await expect(document.locator("mark")).to_have_text(QUOTE)
    quoted = document.locator(".lines li.quoted")
    await expect(quoted).to_have_attribute("value", "8")
    await expect(quoted).to_have_text(f"{QUOTE}, and not on 5432.")
    await expect(document.locator(".lines li").first).to_have_text("# Ports")
    await expect(document.locator("figcaption")).to_contain_text("Quote found, line 8")


async def test_a_quote_that_is_not_in_its_source_is_said_so(g: Governed, visitor: Visitor) -> None:
    await g.sourced(quote="staging listens on port 6000")
    document = await at_review(g, visitor)
    await expect(document.locator(".doubtful")).to_contain_text("The quote does not stand in the source")
    await expect(document.locator("mark")).to_have_count(0)


async def test_a_quote_of_another_memory_is_marked_in_what_that_says_today(g: Governed, visitor: Visitor) -> None:
    await g.open_gate()
    source = await g.draft("Since March staging listens on port 5433, and not on 5432", who="scout")
    await g.gate(GateLevel.REVIEWED)
    await g.draft("It is 5433", source=f"memory:{source.id}", quote=QUOTE)
    document = await at_review(g, visitor)
    await expect(document.locator("mark")).to_have_text(QUOTE)
    await expect(document.locator("figcaption a")).to_have_attribute("href", f"/console/memory/{source.id}")


async def test_what_a_draft_would_overturn_stands_beside_it_with_the_reason(g: Governed, visitor: Visitor) -> None:
    await g.open_gate()
    old = await g.draft("The staging database is on 5432", who="scout")
    await g.gate(GateLevel.REVIEWED)
    await g.sourced(supersedes=old.id, reason="moved in March")
    document = await at_review(g, visitor)
    await expect(document.locator(".pair s")).to_have_text("The staging database is on 5432")
    await expect(document.locator(".pair")).to_contain_text("Because: moved in March")
    await expect(document.locator(".findings")).to_contain_text("Its author may not overturn that alone")
    await visitor.page.get_by_role("button", name="Admit").click()
    await expect(said(visitor)).to_contain_text("What it overturns has given way")
    assert (await now(g, old)).state is State.SUPERSEDED


async def test_what_others_say_on_the_subject_is_shown_and_stands(g: Governed, visitor: Visitor) -> None:
    await g.open_gate()
    other = await g.draft("Staging is on 5432", who="scout", subject="staging.port")
    await g.gate(GateLevel.REVIEWED)
    await g.draft("Staging is on 5433", subject="staging.port")
    document = await at_review(g, visitor)
    await expect(document.locator(".besides")).to_contain_text("Staging is on 5432")
    await visitor.page.get_by_role("button", name="Admit").click()
    await expect(said(visitor)).to_contain_text("Admitted.")
    assert (await now(g, other)).state is State.ACTIVE


async def test_what_another_reviewer_has_decided_meanwhile_is_said_and_the_next_one_follows(
    g: Governed, visitor: Visitor
) -> None:
    first = await g.draft("Lunch is at noon")
    await g.draft("Doors close at nine")
    document = await at_review(g, visitor)
    await g.world.service.review.reject(await g.world.caller("member:w"), first.id, "no")
    await visitor.page.keyboard.press("a")
    await expect(said(visitor)).to_contain_text("Somebody else has decided about that one meanwhile")
    await expect(document).to_contain_text("Doors close at nine")
    await expect(waiting(visitor)).to_have_count(1)


async def test_what_its_author_changed_meanwhile_is_not_admitted_unread(g: Governed, visitor: Visitor) -> None:
    draft = await g.draft("Lunch is at noon")
    document = await at_review(g, visitor)
    patch = Patch(content="Lunch is at midnight", named=frozenset({"content"}))
    await g.world.service.change.edit(await g.world.caller("writer"), draft.id, draft.version, patch)
    await visitor.page.keyboard.press("a")
    await expect(said(visitor)).to_contain_text("Nothing was admitted")
    await expect(document).to_contain_text("Lunch is at midnight")
    assert (await now(g, draft)).state is State.HELD


async def test_what_wants_to_overturn_something_that_gave_way_already_goes_on_waiting(g: Governed, visitor: Visitor) -> None:
    await g.open_gate()
    old = await g.draft("The port is 5432", subject="port")
    await g.gate(GateLevel.REVIEWED)
    one, two = [await g.draft(f"The port is {n}", subject="port") for n in (5433, 5434)]
    await at_review(g, visitor)
    await visitor.page.keyboard.press("a")
    await expect(said(visitor)).to_contain_text("given way")
    await visitor.page.keyboard.press("a")
    await expect(said(visitor)).to_contain_text("It still waits")
    assert [(await now(g, m)).state for m in (old, one, two)] == [State.SUPERSEDED, State.ACTIVE, State.HELD]


async def test_letters_are_letters_while_somebody_types_and_escape_makes_them_keys_again(g: Governed, visitor: Visitor) -> None:
    draft = await g.draft("Lunch is at noon")
    await at_review(g, visitor)
    await visitor.page.keyboard.press("r")
    await visitor.page.keyboard.type("area jk?")
    await expect(visitor.page.get_by_label("Reason")).to_have_value("area jk?")
    await expect(visitor.page.locator("dialog")).not_to_be_visible()
    assert (await now(g, draft)).state is State.HELD
    await visitor.page.keyboard.press("Escape")
    await expect(visitor.page.get_by_label("Reason")).not_to_be_visible()
    await visitor.page.keyboard.press("?")
    await expect(visitor.page.get_by_role("dialog")).to_contain_text("Refuse, with a reason")
    await visitor.page.keyboard.press("a")
    assert (await now(g, draft)).state is State.HELD, "behind an open dialog nothing is decided"
    await visitor.page.keyboard.press("Escape")
    await visitor.page.keyboard.press("a")
    await expect(said(visitor)).to_contain_text("Admitted.")


async def test_without_scripts_the_forms_do_the_same(g: Governed, browser: Browser, house: House) -> None:
    first, second = await g.draft("Lunch is at noon"), await g.draft("Doors close at nine")
    context = await browser.new_context(java_script_enabled=False, locale="en-GB")
    visitor = Visitor(await context.new_page(), house.url)
    document = await at_review(g, visitor)
    await visitor.page.get_by_role("button", name="Admit").first.click()
    await expect(document).to_contain_text("Doors close at nine")
    await expect(said(visitor)).to_contain_text("Admitted.")
    await visitor.page.locator("summary", has_text="Refuse").click()
    await visitor.page.get_by_label("Reason").fill("no")
    await visitor.page.get_by_role("button", name="Refuse and delete").click()
    await expect(said(visitor)).to_contain_text("Refused.")
    assert (await now(g, first)).state is State.ACTIVE
    with pytest.raises(NotFound):
        await now(g, second)
    await context.close()


async def test_hostile_texts_are_shown_as_they_are_and_do_nothing(g: Governed, visitor: Visitor) -> None:
    await g.draft(HOSTILE, title=HOSTILE, subject="<b>s</b>", source="message:<i>x</i>", quote="<script>alert(4)</script>")
    document = await at_review(g, visitor)
    await expect(document.locator("h2")).to_contain_text("<img src=x onerror=alert(1)>")
    await expect(document.locator("blockquote")).to_have_text("<script>alert(4)</script>")
    assert await document.locator("img, script, b, i").count() == 0
    assert "49" not in await document.locator(".statement").inner_text()


async def test_a_draft_that_is_hidden_is_absent_and_one_that_was_decided_is_passed_over(g: Governed, visitor: Visitor) -> None:
    draft, done = await g.draft("Lunch is at noon"), await g.draft("Doors close at nine")
    await g.world.service.review.admit(await g.world.caller("member:w"), done.id)
    await at_review(g, visitor)
    await visitor.open(f"/gate/review/{done.id}")
    await expect(said(visitor)).to_contain_text("Somebody else has decided")
    visitor.forgive.append("404")
    await visitor.page.get_by_role("button", name="Sign out").click()
    await visitor.sign_in(g.world.keys["member:x"])
    await visitor.open(f"/gate/review/{draft.id}")
    await expect(visitor.page.get_by_role("heading", level=1)).to_have_text("That did not work")
    assert "Lunch" not in await visitor.page.content()


async def test_agents_are_told_that_people_review_and_a_key_that_acts_as_nobody_is_shown_a_way_on(
    g: Governed, visitor: Visitor
) -> None:
    await g.draft()
    await at_review(g, visitor, "scout")
    await expect(visitor.page.locator(".empty")).to_contain_text("Reviewing is done by people")
    await visitor.page.get_by_role("button", name="Sign out").click()
    await visitor.sign_in(g.world.installation.new_key)
    for path in ("", "/ledger", "/observations", "/proposals", "/corrections"):
        await visitor.open(f"/gate{path}")
        await expect(visitor.page.locator(".empty")).to_contain_text("acts as nobody")


async def test_new_drafts_arrive_as_a_thin_line_and_nothing_moves_unasked(g: Governed, visitor: Visitor) -> None:
    await g.world.team("open", scout="writer", **{"member:o": "reader"})
    await g.draft("Lunch is at noon")
    await at_review(g, visitor)
    await g.world.write("scout", "Nothing that waits", team_id="open")
    await g.draft("Doors close at nine")
    news = visitor.page.get_by_role("button", name=re.compile("new$"))
    await expect(news).to_have_text("1 new")
    await expect(waiting(visitor)).to_have_count(1)
    await news.click()
    await expect(waiting(visitor)).to_have_count(2)


@pytest.mark.slow
async def test_the_review_is_open_to_everybody(g: Governed, visitor: Visitor) -> None:
    await g.sourced()
    await g.draft("Lunch is at noon")
    await at_review(g, visitor)
    assert await visitor.faults_of_access() == []
    await visitor.page.keyboard.press("r")
    assert await visitor.faults_of_access() == []
