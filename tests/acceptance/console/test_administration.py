"""The forms of the administration without their pages: who may not do it, does not, however the form is sent."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest

from acceptance.console.conftest import SignedIn
from console.routes import all_routes
from whoknows.console.pages import admin
from whoknows.domain.credential import Permission
from worlds import World

pytestmark = pytest.mark.asyncio(loop_scope="session")

FORMS: dict[str, dict[str, str]] = {
    "/admin/try": {"member": "m", "first": "a", "second": "b", "team": "t"},
    "/admin/prompt": {"content": "Obey me.", "version": "0"},
    "/admin/people/member": {"name": "eve"},
    "/admin/people/member/change": {"name": "lin", "display_name": "Eve"},
    "/admin/people/member/remove": {"name": "lin"},
    "/admin/people/agent": {"name": "eve"},
    "/admin/people/agent/change": {"name": "wukong", "clearance": "need_to_know"},
    "/admin/people/agent/remove": {"name": "wukong"},
    "/admin/teams": {"name": "eves"},
    "/admin/teams/change": {"name": "crew", "gate": "open"},
    "/admin/teams/join": {"name": "crew", "principal": "agent:maomao", "role": "owner"},
    "/admin/teams/leave": {"name": "crew", "principal": "agent:wukong"},
    "/admin/teams/remove": {"name": "crew"},
    "/admin/projects": {"project": "boss", "team": "crew"},
    "/admin/keys": {"acts_as": "agent:wukong", "permissions": "admin"},
    "/admin/egress": {"bank": "agent:wukong", "choice": "forbidden"},
}
"""What each form is sent with, by somebody who may not."""
ANYBODYS = {"/admin/prompt/size", "/admin/guide/open", "/admin/guide/close", "/admin/keys/{key_id}/revoke"}
"""They change nothing, or only what is one's own; of another's key one learns nothing: 404."""


MANY_REMOTES = "\n".join(f"https://git.example/{n}.git" for n in range(51))


def posted() -> Iterator[str]:
    for route in all_routes(admin.router):
        if "POST" in (route.methods or ()):
            yield route.path


async def peopled(world: World) -> World:
    await world.members("lin")
    await world.agents("wukong", "maomao")
    await world.team("crew", wukong="writer")
    return world


async def directory(world: World) -> object:
    """All that the forms could change."""
    service, key = world.service, await world.admin()
    return (
        await service.administer.agents(key),
        await service.administer.members(key),
        await service.administer.teams(key),
        await service.prompts.policy(key),
        await service.egress.rules(key),
        {k.id for k in await service.keys.list(key)},
    )


async def test_every_form_is_tried_by_somebody_who_may_not() -> None:
    assert set(posted()) == FORMS.keys() | ANYBODYS


@pytest.mark.parametrize("kind", ["another agent's key", "a member's key", "an auditor's key"])
async def test_without_admin_no_form_does_anything(world: World, signed_in: SignedIn, kind: str) -> None:
    await peopled(world)
    key = {
        "another agent's key": world.keys["maomao"],
        "a member's key": await world.key("member:lin", permissions=[]),
        "an auditor's key": await world.key(permissions=[Permission.AUDIT, Permission.INSPECT]),
    }[kind]
    before = await directory(world)
    async with signed_in(key) as client:
        for path, form in FORMS.items():
            answer = await client.post(f"/console{path}", data=form)
            assert answer.status_code == 403, (path, answer.status_code, answer.text[:2000])
            assert re.search(r"permission_missing|egress_not_yours|impersonate_required", answer.text), path
        other = next(k.id for k in await world.service.keys.list(await world.admin()) if k.permissions >= {Permission.ADMIN})
        for unknown in (other, uuid4(), "nothing"):
            assert (await client.post(f"/console/admin/keys/{unknown}/revoke")).status_code == 404
    assert await directory(world) == before


async def test_with_the_eyes_of_another_an_administrator_changes_nothing(world: World, signed_in: SignedIn) -> None:
    await peopled(world)
    before = await directory(world)
    async with signed_in(world.installation.new_key or "") as client:
        assert (await client.post("/console/eyes", data={"eyes": "agent:maomao"})).status_code == 303
        for path, form in FORMS.items():
            answer = await client.post(f"/console{path}", data=form)
            assert answer.status_code == 403, path
            assert "seen_as_reads_only" in answer.text, path
        page = await client.get("/console/admin/people")
        assert 'action="/console/admin/' not in page.text
    assert await directory(world) == before


async def test_bad_input_is_told_and_changes_nothing(world: World, signed_in: SignedIn) -> None:
    await peopled(world)
    before = await directory(world)
    wrong: list[tuple[str, dict[str, str], int]] = [
        ("/admin/people/agent", {"name": ""}, 422),
        ("/admin/people/agent", {"name": "agent:x"}, 422),
        ("/admin/people/agent", {"name": "x" * 201}, 422),
        ("/admin/people/agent", {"name": "a\tb"}, 422),
        ("/admin/people/agent", {"name": "new", "parent": "nobody"}, 404),
        ("/admin/people/agent", {"name": "new", "clearance": "all"}, 422),
        ("/admin/people/agent/change", {"name": "wukong", "parent": "wukong", "clearance": "open"}, 422),
        ("/admin/people/agent/change", {"name": "nobody", "clearance": "open"}, 404),
        ("/admin/people/member/remove", {"name": "nobody"}, 404),
        ("/admin/teams", {"name": "*"}, 422),
        ("/admin/teams/change", {"name": "crew"}, 422),
        ("/admin/teams/remove", {"name": "*"}, 409),
        ("/admin/teams/join", {"name": "crew", "principal": "wukong", "role": "owner"}, 422),
        ("/admin/teams/join", {"name": "nothing", "principal": "agent:wukong", "role": "owner"}, 404),
        ("/admin/teams/leave", {"name": "crew", "principal": "agent:maomao"}, 404),
        ("/admin/projects", {"project": "", "team": "crew"}, 422),
        ("/admin/projects", {"project": "boss", "team": "nothing"}, 404),
        (
            "/admin/projects",
            {"project": "boss", "team": "crew", "remotes": MANY_REMOTES},
            422,
        ),
        ("/admin/keys", {}, 422),
        ("/admin/keys", {"acts_as": "agent:nobody"}, 404),
        ("/admin/keys", {"acts_as": "agent:wukong", "days": "100000"}, 422),
        ("/admin/keys", {"acts_as": "agent:wukong", "permissions": "everything"}, 422),
        ("/admin/prompt", {"content": "x" * 400_000}, 422),
        ("/admin/egress", {"bank": "nobody", "choice": "forbidden"}, 422),
        ("/admin/egress", {"bank": "agent:nobody", "choice": "forbidden"}, 404),
        ("/admin/egress", {"bank": "agent:wukong", "choice": "perhaps"}, 422),
        ("/admin/try", {"member": "lin", "first": "a", "second": "b", "team": "t"}, 422),
        ("/admin/try", {"member": "m", "first": "a", "second": "a", "team": "t"}, 422),
    ]
    async with signed_in(world.installation.new_key or "") as client:
        for path, form, status in wrong:
            answer = await client.post(f"/console{path}", data=form)
            assert answer.status_code == status, (path, str(form)[:200], answer.status_code)
        assert (await client.get("/console/admin/audit?after=nothing")).status_code == 422
        assert (await client.get(f"/console/admin/audit?after={uuid4()}")).status_code == 422
    assert await directory(world) == before


async def test_a_key_is_in_one_answer_and_in_no_other(world: World, signed_in: SignedIn) -> None:
    await peopled(world)
    async with signed_in(world.installation.new_key or "") as client:
        answer = await client.post("/console/admin/keys", data={"acts_as": "agent:wukong"})
        [secret] = re.findall(r"wk_[A-Za-z0-9_]{32,}", answer.text)
        assert answer.headers["cache-control"] == "no-store"
        assert await world.service.authenticate(secret)
        for path in ("", "/keys", "/audit", "/people", "/prompt"):
            assert secret not in (await client.get(f"/console/admin{path}")).text


async def test_a_member_sets_the_gate_of_its_own_account_memory_and_nothing_else(world: World, signed_in: SignedIn) -> None:
    await peopled(world)
    async with signed_in(world.keys["member:lin"]) as client:
        path = "/console/admin/people/member/change"
        assert (await client.post(path, data={"name": "lin", "gate": "sourced"})).status_code == 303
        assert (await client.post(path, data={"name": "lin", "gate": "open", "display_name": "Eve"})).status_code == 403
    [lin] = await world.service.administer.members(await world.admin())
    assert (lin.gate, lin.display_name) == ("sourced", "lin")


async def test_an_agent_keeps_its_own_texts_back_and_its_own_key_it_revokes(world: World, signed_in: SignedIn) -> None:
    await peopled(world)
    mine = await world.service.authenticate(world.keys["maomao"])
    async with signed_in(world.keys["maomao"]) as client:
        form = {"bank": "agent:maomao", "choice": "forbidden"}
        assert (await client.post("/console/admin/egress", data=form)).status_code == 303
        assert (await client.post(f"/console/admin/keys/{mine.id}/revoke")).status_code == 303
        assert (await client.get("/console/admin/keys")).headers["location"] == "/console/sign-in"
    rules = await world.service.egress.rules(await world.admin())
    assert [r.owner.name for r in rules if not r.allows] == ["maomao"]


async def test_many_people_fit_on_a_page(world: World, signed_in: SignedIn) -> None:
    """Fifty agents, and nobody's page is heavier than it may be."""
    await world.agents(*(f"agent-{n:03}" for n in range(50)))
    async with signed_in(world.installation.new_key or "") as client:
        for path in ("/people", "/teams", "/keys", "/egress", "/audit"):
            answer = await client.get(f"/console/admin{path}")
            assert answer.status_code == 200
            assert len(answer.content) < 300_000, path
