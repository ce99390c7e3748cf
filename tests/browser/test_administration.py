"""Administration: every action, by mouse and keyboard, and what it changes."""

import re

from playwright.async_api import Browser, expect

from browser.administering import administrator, line, unfold, wait_out
from browser.conftest import House
from browser.visiting import Visitor, visiting
from whoknows.domain.credential import Permission
from whoknows.domain.principal import EVERYONE
from whoknows.errors import Unauthenticated

HOSTILE = "\"><img src=x onerror=alert(1)>'{{ 7*7 }}"


async def test_people_are_added_changed_and_deleted_with_a_pause(house: House, visitor: Visitor) -> None:
    page = await administrator(house, visitor, "/people")
    await page.clock.install()
    await unfold(page, "Add a member")
    await page.get_by_label("Name").first.fill("lin")
    await page.get_by_label("Shown as").first.fill(HOSTILE)
    await page.get_by_role("button", name="Add a member").click()
    await expect(line(page, "lin")).to_contain_text(HOSTILE)

    for name, parent in (("wukong", ""), ("runner", "wukong")):
        form = page.locator("section").filter(has=page.get_by_role("heading", name="Agents")).locator("> details")
        await form.locator("summary").click()
        await form.get_by_label("Name").fill(name)
        await form.get_by_label("Parent").fill(parent)
        await form.get_by_role("button", name="Add an agent").click()
        await expect(line(page, name)).to_be_visible()
    await expect(line(page, "runner")).to_contain_text("sub-agent")
    await expect(line(page, "runner")).to_have_class(re.compile(r"\bd1\b"))

    await unfold(line(page, "wukong"), "Change")
    await expect(line(page, "wukong")).to_contain_text("cannot be deleted while others are below it: runner")
    await line(page, "wukong").get_by_label("Works for").fill("lin")
    await line(page, "wukong").get_by_role("button", name="Save").click()
    await expect(line(page, "wukong").locator("p .badge")).to_have_text("lin")

    await unfold(line(page, "runner"), "Change")
    await line(page, "runner").get_by_label("What it may know").select_option("need_to_know")
    await line(page, "runner").get_by_role("button", name="Save").click()
    await expect(line(page, "runner")).to_contain_text("need to know")

    await unfold(line(page, "runner"), "Change")
    await expect(line(page, "runner")).to_contain_text("deleted after 30 days")
    await line(page, "runner").get_by_role("button", name="Delete this agent").click()
    await page.get_by_role("button", name="Undo").click()
    await wait_out(page)
    await expect(line(page, "runner")).to_be_visible()
    await line(page, "runner").get_by_role("button", name="Delete this agent").click()
    await expect(page.locator(".undo")).to_contain_text("“runner” is deleted in 10 seconds")
    await wait_out(page)
    await expect(line(page, "runner")).to_have_count(0)
    world = house.world
    assert [a.principal.name for a in await world.service.administer.agents(await world.admin())] == ["wukong"]


async def test_a_taken_name_is_told_and_what_was_typed_stays(house: House, visitor: Visitor) -> None:
    visitor.forgive.append("409")
    await house.world.agents("wukong")
    page = await administrator(house, visitor, "/people")
    form = page.locator("section").filter(has=page.get_by_role("heading", name="Agents")).locator("> details")
    await form.locator("summary").click()
    await form.get_by_label("Name").fill("wukong")
    await form.get_by_role("button", name="Add an agent").click()
    await expect(page.get_by_role("alert")).to_contain_text("never given out again")
    await expect(form.get_by_label("Name")).to_have_value("wukong")


async def test_a_team_has_a_gate_members_and_an_end(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    page = await administrator(house, visitor, "/teams")
    await page.clock.install()
    await unfold(page, "Add a team")
    await page.get_by_label("Name").first.fill("crew")
    await page.get_by_label("Verified").first.check()
    await page.get_by_role("button", name="Add a team").click()
    crew = line(page, "crew")
    await expect(crew).to_contain_text("the quote must be found in the source")
    await expect(crew).to_contain_text("for those on it alone")

    await crew.get_by_label("Who", exact=True).fill("agent:wukong")
    await crew.get_by_label("Role").select_option("owner")
    await crew.get_by_role("button", name="Put on the team").click()
    await expect(crew.get_by_role("list")).to_contain_text("wukong owner")

    await unfold(crew, "Change")
    await crew.get_by_label("Open").check()
    await crew.get_by_label("May be given to sub-agents").check()
    await crew.get_by_role("button", name="Save").click()
    await expect(crew).to_contain_text("may be given to sub-agents that are not on it")
    world = house.world
    [team] = [t for t in await world.service.administer.teams(await world.admin()) if t.principal.name == "crew"]
    assert (team.gate, team.share_with_subagents, team.display_name) == ("open", True, "crew")

    await crew.get_by_role("button", name="Take off").click()
    await expect(crew.locator(".undo")).to_contain_text("taken off")
    await wait_out(page)
    await expect(crew).to_contain_text("Nobody is on it yet")

    await unfold(crew, "Change")
    await crew.get_by_role("button", name="Delete this team").click()
    await wait_out(page)
    await expect(line(page, "crew")).to_have_count(0)
    await expect(line(page, EVERYONE).get_by_role("button", name="Delete this team")).to_have_count(0)


async def test_a_project_is_routed_and_its_remote_belongs_to_it_alone(house: House, visitor: Visitor) -> None:
    visitor.forgive.append("409")
    await house.world.team("crew")
    page = await administrator(house, visitor, "/projects")
    await page.clock.install()
    for project, taken in (("boss", False), ("other", True)):
        if taken:
            await unfold(page, "Route a project")
        await page.get_by_label("Project").first.fill(project)
        await page.get_by_label("Goes to the team").first.select_option("crew")
        await page.get_by_label("Git remotes").first.fill("https://git.example/boss.git\n\n")
        await page.get_by_role("button", name="Route it", exact=True).click()
        await expect(page.get_by_role("alert") if taken else line(page, "boss")).to_be_visible()
    await expect(page.get_by_role("alert")).to_contain_text("belongs to the project 'boss'")
    await expect(line(page, "boss")).to_contain_text("git.example/boss")

    await unfold(line(page, "boss"), "Change")
    await line(page, "boss").get_by_role("button", name="Route it nowhere").click()
    await wait_out(page)
    await expect(page.locator(".empty")).to_contain_text("No project is routed")


async def test_a_key_is_shown_once_works_and_is_revoked(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    page = await administrator(house, visitor, "/keys")
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.clock.install()
    await unfold(page, "Make a key")
    await page.locator("[name=acts_as][value='agent:wukong']").check()
    await page.locator("[name=permissions][value=inspect]").check()
    await page.get_by_label("Ends").select_option("7")
    await page.get_by_role("button", name="Make a key").click()
    secret = await page.locator("#secret").text_content() or ""
    await page.get_by_role("button", name="Copy the key").click()
    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == secret
    made = await house.world.service.authenticate(secret)
    assert [p.space for p in made.acts_as] == ["agent:wukong"]
    assert made.permissions == {Permission.INSPECT}
    assert made.expires_at is not None

    for path in ("/admin/keys", "/admin/audit", "/admin"):
        await visitor.open(path)
        assert secret not in await page.content()
        assert secret not in page.url
    assert secret not in str(await page.context.storage_state(indexed_db=True))

    await visitor.open("/admin/keys")
    entry = page.locator("article.line").filter(has_text=str(made.id))
    await entry.get_by_role("button", name="Revoke").click()
    await expect(page.locator(".undo")).to_contain_text("out at once")
    await wait_out(page)
    await expect(page.locator("summary").filter(has_text="Ended keys (1)")).to_be_visible()
    try:
        await house.world.service.authenticate(secret)
    except Unauthenticated:
        return
    raise AssertionError("a revoked key opens nothing")


async def test_who_may_not_make_a_further_key_is_not_offered_one(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    await house.world.service.administer.make_member(await house.world.admin(), "lin", None)
    await visitor.sign_in(await house.world.key(permissions=[Permission.ADMIN]))
    await visitor.open("/admin/keys")
    page = visitor.page
    await unfold(page, "Make a key")
    await expect(page.locator("[name=acts_as][value='agent:wukong']")).to_be_disabled()
    await expect(page.locator("[name=acts_as][value='member:lin']")).to_be_enabled()
    await expect(page.locator("[name=permissions]")).to_have_count(1)


async def test_the_global_prompt_is_saved_counted_and_read_by_all(house: House, visitor: Visitor, browser: Browser) -> None:
    visitor.forgive.append("409")
    await house.world.agents("wukong")
    page = await administrator(house, visitor, "/prompt")
    await page.get_by_label("Text").fill("Answer in one sentence.")
    await expect(page.locator("#size")).not_to_contain_text("0 tokens of")
    await page.get_by_role("button", name="Save the global prompt").click()
    await expect(page.get_by_text("version 1")).to_be_visible()

    async with visiting(browser, house.url, language="zh") as other:
        await other.sign_in(house.world.keys["wukong"])
        await other.open("/admin/prompt")
        await expect(other.page.locator("pre")).to_have_text("Answer in one sentence.")
        await expect(other.page.locator("textarea")).to_have_count(0)

    await house.world.service.prompts.set_policy(await house.world.admin(), "Another was quicker.")
    await page.get_by_label("Text").fill("I did not see that.")
    await page.get_by_role("button", name="Save the global prompt").click()
    await expect(page.get_by_role("alert")).to_contain_text("changed meanwhile")
    await expect(page.get_by_label("Text")).to_have_value("I did not see that.")
    assert (await house.world.service.prompts.policy(await house.world.admin())).content == "Another was quicker."


async def test_what_may_leave_is_forbidden_and_allowed_again(house: House, visitor: Visitor) -> None:
    await house.world.agents("wukong")
    page = await administrator(house, visitor, "/egress")
    await expect(page.locator("main")).to_contain_text("Nothing leaves this machine")
    entry = line(page, "wukong")
    await entry.get_by_role("button", name="Keep it here").click()
    await expect(entry).to_contain_text("stays here · said an administrator")
    await entry.get_by_role("button", name="Let it leave").click()
    await expect(entry).to_contain_text("may leave")


async def test_the_audit_trail_names_who_did_what_and_goes_on(house: House, visitor: Visitor) -> None:
    world = house.world
    await world.agents("wukong", "maomao")
    await world.team("crew", wukong="writer")
    for _ in range(60):
        await world.service.egress.forbid(await world.admin(), "agent:maomao", True)
    page = await administrator(house, visitor, "/audit")
    rows = page.locator(".trail > li:not(.more)")
    await expect(rows).to_have_count(50)
    await page.get_by_role("link", name="Older entries").click()
    await expect(rows.filter(has_text="put somebody on a team")).to_contain_text("crew")
    await expect(rows.filter(has_text="made an agent").first).to_contain_text("maomao")
    assert await rows.count() > 60


async def test_an_agent_s_key_sees_its_own_corner_and_is_told_whom_to_ask(house: House, visitor: Visitor) -> None:
    world = house.world
    await world.agents("wukong", "maomao")
    await world.team("crew", wukong="writer")
    await world.team("far-away", maomao="writer")
    await visitor.sign_in(world.keys["wukong"])
    page = visitor.page
    await visitor.open("/admin")
    await expect(page.locator("dl.facts")).to_contain_text("crew · writer")
    await expect(page.locator("main")).to_contain_text("Ask whoever gave you yours")
    for path in ("/people", "/teams", "/projects", "/keys", "/audit", "/egress", "/prompt"):
        await visitor.open(f"/admin{path}")
        text = await page.locator("main").inner_text()
        assert "far-away" not in text, path
        assert "maomao" not in text, path
    for path in ("/people", "/teams", "/projects", "/prompt"):
        await visitor.open(f"/admin{path}")
        await expect(page.locator("main form")).to_have_count(0)
    await visitor.open("/admin/egress")
    await expect(page.get_by_role("button", name="Keep it here")).to_have_count(1)


async def test_names_of_any_kind_are_shown_as_they_are(house: House, visitor: Visitor) -> None:
    world = house.world
    await world.agents(HOSTILE)
    await world.agents("瑞秋/%2F_", parent=None)
    await world.team(HOSTILE + "t", **{HOSTILE: "owner"})
    page = await administrator(house, visitor, "/people")
    for path in ("/people", "/teams", "/keys", "/audit", "/egress"):
        await visitor.open(f"/admin{path}")
        assert HOSTILE in await page.locator("main").inner_text()
        assert await page.locator("main img").count() == 0
    assert await visitor.faults_of_access() == []
