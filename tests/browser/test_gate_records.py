"""The ledger, observations, proposals and corrections at a real browser."""

import re
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

import made_up
from browser.conftest import House
from browser.governed import HOSTILE, Governed, governed, governed_founder, roots
from browser.visiting import Visitor, visiting
from postgres.observing import OTHER, SAME
from postgres.ruling import LEARNED, everything, git
from whoknows.domain.memory import Memory, Patch
from whoknows.domain.observation import Observation
from whoknows.domain.principal import GateLevel
from whoknows.errors import RefusedByGate
from whoknows.flows.observe import Asked

founder = governed_founder
__all__ = ["founder", "roots"]


@pytest_asyncio.fixture(loop_scope="session")
async def g(house: House, roots: Path) -> Governed:
    return await governed(house, roots, GateLevel.OPEN)


async def at(visitor: Visitor, g: Governed, who: str, page: str) -> None:
    await visitor.sign_in(g.world.keys[who])
    await visitor.open(f"/gate/{page}")


async def refused(g: Governed, who: str, quote: str | None) -> None:
    try:
        await g.sourced("Something", quote, who=who) if quote else await g.draft("Anything", who)  # type: ignore[arg-type]
    except RefusedByGate:
        return
    raise AssertionError("it went in")


async def agreeing(g: Governed) -> list[Memory]:
    return [await g.draft(text, who) for who, text in zip(("writer", "scout", "writer"), SAME, strict=True)]


async def observations(g: Governed) -> list[Observation]:
    return list((await g.world.service.observe.list(await g.world.caller("writer"))).items)


async def test_the_ledger_shows_ones_own_refused_writes_newest_first_with_the_findings_in_words(
    g: Governed, visitor: Visitor
) -> None:
    await g.gate(GateLevel.VERIFIED)
    await refused(g, "writer", "nowhere to be found in here")
    await refused(g, "writer", None)
    await refused(g, "scout", "nor is this to be found in here")
    await at(visitor, g, "writer", "ledger")
    entries = visitor.page.locator(".entry")
    await expect(entries).to_have_count(2)
    await expect(entries.nth(0)).to_contain_text("No source is named")
    await expect(entries.nth(1)).to_contain_text("The quote does not stand in the source")
    await expect(entries.nth(1).locator("time")).to_be_visible()
    assert "nowhere to be found" not in await visitor.page.content()
    await visitor.open("/gate/ledger?after=ffffffff-ffff-ffff-ffff-ffffffffffff")
    await expect(entries).to_have_count(2)
    assert await visitor.faults_of_access() == []


async def test_an_observation_fades_when_a_memory_that_it_rests_on_changes_and_is_computed_anew(
    g: Governed, visitor: Visitor
) -> None:
    memories = await agreeing(g)
    w = g.world
    await w.service.observe.make(await w.caller("writer"), Asked([m.id for m in memories]))
    await at(visitor, g, "writer", "observations")
    card = visitor.page.locator(".observation")
    await expect(card).to_have_count(1)
    await expect(card).not_to_have_class(re.compile("stale"))
    await card.locator("summary").click()
    await expect(card.locator(".rests li")).to_have_count(3)
    await expect(card.locator(".rests li").first).to_contain_text("lent its words")
    patch = Patch(content="Nobody rebuilds an index by hand any more", named=frozenset({"content"}))
    await w.service.change.edit(await w.caller("scout"), memories[1].id, memories[1].version, patch)
    await visitor.open("/gate/observations?stale=true")
    await expect(card).to_have_class(re.compile("stale"))
    await expect(card.locator("li.changed")).to_contain_text("was edited since")
    await expect(card.locator("li.changed blockquote")).to_have_text(SAME[1])
    assert await visitor.faults_of_access() == []
    await card.get_by_role("button", name="Compute anew").click()
    await expect(visitor.page.locator("#notices")).to_contain_text("rests on what its memories say today")
    await expect(card).not_to_have_class(re.compile("stale"))
    await visitor.page.reload()
    await expect(visitor.page.locator(".empty")).to_contain_text("Nothing is stale")


async def test_consolidating_tells_how_far_it_is_and_shows_what_it_made(g: Governed, visitor: Visitor) -> None:
    await agreeing(g)
    await g.draft(OTHER)
    await at(visitor, g, "writer", "observations")
    await expect(visitor.page.locator(".empty")).to_contain_text("Nothing is stated yet")
    await visitor.page.get_by_role("combobox", name="In").select_option("T")
    await visitor.page.get_by_role("button", name="Consolidate now").click()
    told = visitor.page.locator("#consolidating")
    await expect(told).to_contain_text("Done. Looked at 4 memories; 1 made or grown.")
    await told.get_by_role("link", name="Show them").click()
    await expect(visitor.page.locator(".observation")).to_contain_text("the search index must be rebuilt by hand")
    await visitor.page.get_by_role("combobox", name="In").select_option("T")
    await visitor.page.get_by_role("button", name="Consolidate now").click()
    await expect(told).to_contain_text("nothing new says the same twice")


async def test_deleting_an_observation_waits_can_be_undone_and_leaves_what_it_rests_on(g: Governed, visitor: Visitor) -> None:
    memories = await agreeing(g)
    await g.world.service.observe.make(await g.world.caller("writer"), Asked([m.id for m in memories]))
    await visitor.page.clock.install()
    await at(visitor, g, "writer", "observations")
    card, undo = visitor.page.locator(".observation"), visitor.page.locator(".undo")
    await card.get_by_role("button", name="Delete").click()
    await expect(undo).to_contain_text("deleted in 10 s. What it rests on stays")
    await undo.get_by_role("button", name="Undo").click()
    await visitor.page.clock.run_for(11_000)
    await expect(card).to_be_visible()
    assert len(await observations(g)) == 1
    await card.get_by_role("button", name="Delete").click()
    await visitor.page.clock.run_for(11_000)
    await expect(visitor.page.locator(".notice")).to_contain_text("Deleted. What it rested on stays.")
    assert await observations(g) == []
    for memory in memories:
        await g.world.service.read.get(await g.world.caller("writer"), memory.id)


async def test_c14_a_person_reads_the_very_lines_confirms_them_and_the_commit_has_them(g: Governed, visitor: Visitor) -> None:
    await g.learned()
    before, head = everything(g.path), git(g.path, "rev-parse", "HEAD")
    await at(visitor, g, "member:o", "proposals")
    await expect(visitor.page.locator(".card.proposal")).to_contain_text("2 projects: shop, wiki")
    await visitor.page.get_by_role("link", name="Read the lines").click()
    await visitor.page.get_by_label("File", exact=True).fill("docs/rules/release.md")
    await visitor.page.get_by_role("button", name="Show the lines").click()
    lines = visitor.page.locator("table.difference")
    await expect(lines.locator("tr.plus").first).to_have_text(re.compile(r"^\s*\+"))
    await expect(lines.locator("tr.minus")).to_have_count(0)
    await expect(lines).to_contain_text("Be kind.")
    shown = [line.rstrip() for line in await lines.locator("tr.plus code").all_text_contents()]
    await expect(visitor.page.get_by_text("No other branch and no file of the work tree changes")).to_be_visible()
    assert await visitor.faults_of_access() == []
    assert everything(g.path) == before, "looking writes nothing"
    await visitor.page.get_by_role("button", name="Commit this rule").click()
    await expect(visitor.page.locator(".notice")).to_contain_text("Committed.")
    branch = await visitor.page.locator("dd code").nth(0).inner_text()
    diff = git(g.path, "show", "--format=", "-U0", branch)
    added = [line[1:].rstrip() for line in diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert added == shown
    assert git(g.path, "rev-parse", "HEAD") == head
    await visitor.open("/gate/proposals")
    await expect(visitor.page.locator(".card.proposal")).to_contain_text("In Git")


async def test_a_place_that_takes_no_rule_is_said_beside_the_form_and_nothing_is_written(g: Governed, visitor: Visitor) -> None:
    await g.learned()
    git(g.path, "branch", "whoknows/mine")
    before = everything(g.path)
    await at(visitor, g, "member:o", "proposals")
    await visitor.page.get_by_role("link", name="Read the lines").click()
    for path, branch, fault in (
        ("src/main.py", "", "Markdown"),
        ("docs/other.md", "", "docs/rules/"),
        ("docs/rules/a.md", "whoknows/mine", "already"),
        ("docs/rules/a.md", "main", "begin with whoknows/"),
    ):
        await visitor.page.get_by_label("File", exact=True).fill(path)
        await visitor.page.get_by_label("Branch").fill(branch)
        await visitor.page.get_by_role("button", name="Show the lines").click()
        await expect(visitor.page.locator(".notice.fault")).to_contain_text(fault)
        await expect(visitor.page.get_by_role("button", name="Commit this rule")).to_have_count(0)
    assert everything(g.path) == before


async def test_a_proposal_is_turned_down_with_a_reason_and_does_not_come_back(g: Governed, visitor: Visitor) -> None:
    await g.learned()
    await at(visitor, g, "member:o", "proposals")
    await visitor.page.get_by_role("link", name="Read the lines").click()
    await visitor.page.locator("summary", has_text="Turn it down").click()
    await visitor.page.get_by_label("Reason").fill("That is a habit, no rule")
    await visitor.page.get_by_role("button", name="Turn this proposal down").click()
    await expect(visitor.page.locator(".empty")).to_contain_text("Nothing has been learned twice")
    decided = visitor.page.locator(".card.proposal")
    await expect(decided).to_contain_text("Turned down")
    await expect(decided).to_contain_text("That is a habit, no rule")


async def test_an_agent_sees_a_proposal_and_is_offered_no_decision(g: Governed, visitor: Visitor) -> None:
    await g.learned()
    await at(visitor, g, "writer", "proposals")
    await visitor.page.get_by_role("link", name="Read the lines").click()
    await expect(visitor.page.locator("main")).to_contain_text(LEARNED[0])
    await expect(visitor.page.locator("main")).to_contain_text("A person decides what becomes a rule")
    await expect(visitor.page.locator("main form")).to_have_count(0)


async def test_c28_corrections_stand_over_weeks_and_what_was_corrected_twice_comes_first(g: Governed, visitor: Visitor) -> None:
    await g.correct("writer", "Names are written in full", 1, "names", "T")
    await g.correct("writer", "Staging is on 5433", 2, "staging.port", "T")
    await g.correct("scout", "Staging moved to 5433", 5, "staging.port", "T")
    await g.correct("writer", HOSTILE, 5, None, "T")
    await at(visitor, g, "member:o", "corrections")
    await expect(visitor.page.locator(".sum")).to_contain_text("4 corrections of 3 things. Corrected more than once: 1.")
    await expect(visitor.page.locator("svg .once")).to_have_count(3)
    await expect(visitor.page.locator("svg .again")).to_have_count(2)
    await expect(visitor.page.locator(".repeated")).to_contain_text("2 times")
    await expect(visitor.page.locator(".repeated .statement")).to_have_text("Staging is on 5433")
    await visitor.page.get_by_text("The same as a table").click()
    rows = visitor.page.locator("tbody tr")
    assert [await r.locator("td").all_text_contents() for r in await rows.all()] == [["2", "1"], ["1", "1"], ["1", "0"]]
    assert await visitor.page.locator("#corrections img, #corrections script").count() == 0
    assert await visitor.faults_of_access() == []
    await visitor.page.get_by_role("link", name="4 weeks").click()
    await expect(visitor.page.locator(".sum")).to_contain_text("2 corrections of 2 things.")
    await expect(visitor.page.locator("main")).to_contain_text("Nothing had to be put right twice")


async def test_a_correction_is_recorded_and_what_was_wrong_gives_way(g: Governed, visitor: Visitor) -> None:
    wrong = await g.draft("The port is 5432", who="writer")
    await at(visitor, g, "writer", f"corrections?about={wrong.id}")
    await visitor.page.get_by_label("What is right").fill("The port is 5433")
    await visitor.page.get_by_label("Whose correction").select_option("T")
    await visitor.page.get_by_label("What was wrong gives way to this").check()
    await visitor.page.get_by_role("button", name="Record it").click()
    await expect(visitor.page.locator(".notice")).to_contain_text("what was wrong has given way")
    card = visitor.page.locator(".correction")
    await expect(card).to_contain_text("The port is 5433")
    after = await g.world.service.read.get(await g.world.caller("writer"), wrong.id)
    assert after.superseded_by is not None
    await expect(card.get_by_role("link", name="What came instead")).to_have_attribute(
        "href", f"/console/memory/{after.superseded_by}"
    )


async def test_what_is_refused_is_a_notice_and_what_was_typed_stays(g: Governed, visitor: Visitor) -> None:
    visitor.forgive.append("403|404|422")
    await at(visitor, g, "writer", "corrections")
    await visitor.page.locator("summary", has_text="Record a correction").click()
    await visitor.page.get_by_label("What is right").fill("The port is 5433")
    await visitor.page.get_by_label("The memory that was wrong").fill("0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55")
    await visitor.page.get_by_role("button", name="Record it").click()
    await expect(visitor.page.locator("#notices .fault")).to_contain_text("there is no such memory")
    await expect(visitor.page.get_by_label("What is right")).to_have_value("The port is 5433")


async def test_what_a_gate_refuses_is_told_in_words_and_shown_in_the_text(g: Governed, visitor: Visitor) -> None:
    visitor.forgive.append("422")
    secret = made_up.github_token()
    await at(visitor, g, "writer", "corrections")
    await visitor.page.locator("summary", has_text="Record a correction").click()
    await visitor.page.get_by_label("What is right").fill("The port is 5433")
    await visitor.page.get_by_label("Project").fill(f"shop {secret}")
    await visitor.page.get_by_role("button", name="Record it").click()
    notice = visitor.page.locator("#notices .fault")
    await expect(notice).to_contain_text("It holds a secret")
    assert secret not in await notice.inner_text()
    await notice.get_by_role("button", name="Show it in the text").click()
    selected = "() => { const f = document.activeElement; return f.value.slice(f.selectionStart, f.selectionEnd); }"
    assert await visitor.page.evaluate(selected) == secret


@pytest.mark.slow
async def test_pages_with_an_id_are_open_to_everybody_in_chinese_on_a_phone_in_the_dark(
    g: Governed, browser: Browser, house: House
) -> None:
    await g.learned()
    caller = await g.world.caller("member:o")
    await g.world.service.index_source(caller, g.source.id)
    (proposal,) = await g.world.service.propose.list(caller)
    await g.gate(GateLevel.REVIEWED)
    draft = await g.sourced()
    async with visiting(browser, house.url, language="zh", theme="dark", width=390) as visitor:
        await visitor.sign_in(g.world.keys["member:o"])
        for path, words in (
            (f"/gate/review/{draft.id}", "原文已找到"),
            (f"/gate/proposals/{proposal.id}", "将要提交的内容"),
            (f"/sources/{g.source.id}", "立即同步"),
        ):
            await visitor.open(path)
            assert words in await visitor.page.content()
            assert await visitor.page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), path
            assert await visitor.faults_of_access() == []


async def test_a_correction_is_removed_after_ten_seconds_in_which_it_can_be_undone(g: Governed, visitor: Visitor) -> None:
    await g.correct("writer", "Names are written in full", 1)
    await visitor.page.clock.install()
    await at(visitor, g, "writer", "corrections")
    card = visitor.page.locator(".correction")
    await card.get_by_role("button", name="Remove").click()
    await visitor.page.locator(".undo").get_by_role("button", name="Undo").click()
    await expect(card).to_be_visible()
    await card.get_by_role("button", name="Remove").click()
    await visitor.page.clock.run_for(11_000)
    await expect(visitor.page.locator(".notice")).to_contain_text("Removed.")
    await expect(visitor.page.locator(".empty")).to_contain_text("Nothing was corrected yet")
