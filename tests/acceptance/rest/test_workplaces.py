"""Workplaces over HTTP: only what its owner registered is routed, by whole components, and nobody sees those of others."""

import asyncio
from typing import Any

import httpx
import pytest
import pytest_asyncio

from made_up import github_token
from whoknows.domain.credential import Permission
from whoknows.domain.principal import AgentRole, Clearance

from .conftest import Edge, problem
from .shared import founded, founder, world

__all__ = ["founder", "world"]
pytestmark = pytest.mark.asyncio(loop_scope="session")

HERE = "ana-laptop"


def _at(directory: str, program: str | None = "codex", machine: str = HERE) -> dict[str, str]:
    return {"directory": directory, "machine": machine, **({} if program is None else {"program": program})}


async def _put(client: httpx.AsyncClient, directory: str, project: str, program: str = "codex", machine: str = HERE) -> Any:
    body = {**_at(directory, program, machine), "project_id": project}
    done = await client.put("/workplaces", json=body)
    assert done.status_code == 200, done.text
    return done.json()


async def _routed(client: httpx.AsyncClient, directory: str, **where: Any) -> str | None:
    done = await client.get("/workplaces/route", params=_at(directory, **where))
    return None if done.status_code == 404 else done.json()["project_id"]


@pytest_asyncio.fixture(loop_scope="session")
async def office(edge: Edge) -> Edge:
    """ana with two main agents and a sub-agent, ben with one, a lone agent L, N who needs to know."""
    await edge.world.members("ana", "ben")
    await edge.world.agents("claude", "codex", account="ana")
    await edge.world.agents("S", role=AgentRole.SUB, parent="claude")
    await edge.world.agents("bens", account="ben")
    await edge.world.agents("L")
    await edge.world.agents("N", account="ana", clearance=Clearance.NEED_TO_KNOW)
    return edge


async def test_a_directory_is_routed_once_it_is_registered_and_no_longer_once_it_is_not(office: Edge) -> None:
    async with office.as_("claude") as claude:
        nowhere = await claude.get("/workplaces/route", params=_at("/home/ana/code/boss"))
        assert (await problem(nowhere, 404, "not_found"))["field"] == "directory"
        assert "whoknows connect" in nowhere.json()["detail"]
        made = await _put(claude, "/home/ana/code//boss/./", "boss")
        assert made["directory"] == "/home/ana/code/boss"
        again = await _put(claude, "/home/ana/code/boss", "boss")
        assert again == made
        told = (await claude.get("/workplaces/route", params=_at("/home/ana/code/boss/src"))).json()
        assert told == {
            "project_id": "boss",
            "directory": "/home/ana/code/boss",
            "stage": "off",
            "team_id": None,
            "account": "ana",
        }
        gone = await claude.delete("/workplaces", params=_at("/home/ana/code/boss/"))
        assert gone.json() == {"deleted": 1}
        await problem(await claude.delete("/workplaces", params=_at("/home/ana/code/boss")), 404, "not_found")
        assert await _routed(claude, "/home/ana/code/boss") is None


async def test_the_longest_directory_wins_and_part_of_a_name_is_no_directory(office: Edge) -> None:
    async with office.as_("claude") as claude:
        await _put(claude, "/srv/code", "all")
        await _put(claude, "/srv/code/boss", "boss")
        await _put(claude, "/srv/code/boss/vendor/lib", "lib")
        for directory, project in {
            "/srv/code": "all",
            "/srv/code/other": "all",
            "/srv/code/boss": "boss",
            "/srv/code/boss/vendor": "boss",
            "/srv/code/boss/vendor/lib/deep": "lib",
            "/srv/code/bossier": "all",
            "/srv/code/Boss": "all",
            "/srv/workshop": None,
            "/srv": None,
            "/": None,
        }.items():
            assert await _routed(claude, directory) == project, directory


async def test_each_program_and_each_machine_has_its_own(office: Edge) -> None:
    async with office.as_("claude") as claude:
        await _put(claude, "/srv/a", "one")
        await _put(claude, "/srv/a", "two", machine="ana-desk")
        assert await _routed(claude, "/srv/a") == "one"
        assert await _routed(claude, "/srv/a", machine="ana-desk") == "two"
        assert await _routed(claude, "/srv/a", machine="ANA-LAPTOP") is None
        assert await _routed(claude, "/srv/a", program="pi") is None
        assert await _routed(claude, "/srv/a", program=None) == "one"
        await _put(claude, "/srv/a", "three", program="pi")
        told = await claude.get("/workplaces/route", params=_at("/srv/a", None))
        assert "'one'" in (await problem(told, 409, "conflict"))["detail"]
        assert await _routed(claude, "/srv/a", program="pi") == "three"
        await _put(claude, "/srv/a", "one", program="pi")
        assert await _routed(claude, "/srv/a", program=None) == "one"


async def test_a_directory_moves_to_another_project_and_the_trail_says_so_without_the_path(office: Edge) -> None:
    async with office.as_("claude") as claude, office.as_("member:ana") as ana, office.admin as admin:
        await _put(claude, "/srv/moving", "one")
        await _put(claude, "/srv/moving", "two")
        assert await _routed(claude, "/srv/moving/x") == "two"
        listed = (await claude.get("/workplaces")).json()["items"]
        assert [(w["directory"], w["project_id"]) for w in listed] == [("/srv/moving", "two")]
        await claude.delete("/workplaces", params=_at("/srv/moving"))
        for eyes in (admin, ana):
            audit = (await eyes.get("/audit")).json()["items"]
            mine = [(r["action"], r["target"], r["concerns"]) for r in audit if r["action"].startswith("workplace.")]
            assert mine == [
                ("workplace.unregister", "two", "member:ana"),
                ("workplace.register", "two", "member:ana"),
                ("workplace.register", "one", "member:ana"),
            ]
            assert "/srv/moving" not in str(audit)


async def test_the_account_is_the_owner_whichever_of_its_keys_registers(office: Edge) -> None:
    async with office.as_("claude") as claude, office.as_("codex") as codex, office.as_("member:ana") as ana:
        await _put(claude, "/srv/shared", "boss")
        for client in (codex, ana):
            assert await _routed(client, "/srv/shared") == "boss"
            assert len((await client.get("/workplaces")).json()["items"]) == 1
        assert (await ana.delete("/workplaces", params=_at("/srv/shared"))).status_code == 200
        assert (await claude.get("/workplaces")).json()["items"] == []


async def test_nobody_else_sees_them_or_takes_them_away(office: Edge) -> None:
    async with office.as_("claude") as claude:
        await _put(claude, "/srv/secret", "boss")
        for who in ("bens", "L", "N", "S"):
            async with office.as_(who) as other:
                hidden = await other.get("/workplaces/route", params=_at("/srv/secret"))
                absent = await other.get("/workplaces/route", params=_at("/srv/nothing"))
                assert (await problem(hidden, 404, "not_found"))["detail"] == absent.json()["detail"], who
                assert (await other.get("/workplaces")).json()["items"] == []
                if who != "S":
                    await problem(await other.delete("/workplaces", params=_at("/srv/secret")), 404, "not_found")
                    await _put(other, "/srv/secret", f"of {who}")
                    assert await _routed(other, "/srv/secret") == f"of {who}"
        async with office.admin as admin:
            assert (await admin.get("/workplaces")).status_code == 403
        assert await _routed(claude, "/srv/secret") == "boss"


async def test_a_sub_agent_and_a_key_for_a_task_have_none(office: Edge) -> None:
    async with office.as_("claude") as claude:
        await _put(claude, "/srv/task", "boss")
        opened = await claude.post("/tasks", json={"task_id": "t1", "agents": ["S"]})
        token = opened.json()["tokens"]["S"]
        own = await office.world.key("claude", task="t2")
    for key in ("S", token, own):
        async with office.as_(key) as client:
            body = {**_at("/srv/task"), "project_id": "boss"}
            await problem(await client.put("/workplaces", json=body), 403, "no_workplaces")
            await problem(await client.delete("/workplaces", params=_at("/srv/task")), 403, "no_workplaces")
            await problem(await client.put("/projects/boss/stage", json={"stage": "read-only"}), 403, "no_workplaces")
            assert await _routed(client, "/srv/task") is None
            assert (await client.get("/projects/boss/stage")).json()["history"] == []


async def test_what_holds_everything_is_refused_and_what_is_no_path_too(office: Edge) -> None:
    refused = [
        "/", "//", "/.", "/home", "/home/", "/home/ana", "/home/ana/.", "/root", "/Users/ana", "/tmp", "C:\\", "c:/Users/ana",
        "/mnt/c/Users/ana", "/c/Users/ana", "\\\\server\\share", "/srv/../etc", "work/boss", "~/boss", ".", "C:boss", "C:",
        "/srv/" + "x/" * 128 + "y", "/srv/" + "中" * 1400,
    ]  # fmt: skip
    async with office.as_("claude") as claude:
        for directory in refused:
            done = await claude.put("/workplaces", json={**_at(directory), "project_id": "boss"})
            assert (await problem(done, 422, "invalid"))["field"] == "directory", directory
        for field, value in (
            ("directory", "/srv/a\0b"), ("directory", ""), ("directory", "/srv/a\nb"), ("directory", "/" + "x" * 5000),
            ("machine", ""), ("machine", "a\nb"), ("machine", "m" * 256), ("program", "emacs"), ("project_id", ""),
            ("project_id", "p" * 201),
        ):  # fmt: skip
            body = {**_at("/srv/boss"), "project_id": "boss", field: value}
            assert (await claude.put("/workplaces", json=body)).status_code == 422, (field, value)
        secret = github_token()
        for field in ("directory", "machine", "project_id"):
            body = {**_at("/srv/boss"), "project_id": "boss", field: f"/srv/{secret}"}
            await problem(await claude.put("/workplaces", json=body), 422, "refused_by_gate")
        assert (await claude.get("/workplaces")).json()["items"] == []


KINDS = [
    ("/home/ana/项目/老板", "/home/ana/项目/老板/源码", "/home/ana/项目/老"),
    ("/srv/" + "x" * 4000, "/srv/" + "x" * 4000 + "/y", "/srv/" + "x" * 3999),
    ("/srv/100%_a", "/srv/100%_a/b", "/srv/100xya/b"),
    ("/srv/caf\u00e9", "/srv/caf\u00e9/x", "/srv/cafe\u0301/x"),
    ("C:\\Users\\ana\\Code", "c:/users/ANA/code/src", "D:\\Users\\ana\\Code"),
    ("\\\\?\\C:\\Code\\a", "C:\\code\\A\\b", "C:\\code"),
    ("\\\\box\\share\\code", "\\\\BOX\\share\\code\\b", "\\\\box\\other\\code"),
]
"""Registered, inside, beside."""


async def test_paths_of_every_kind(office: Edge) -> None:
    async with office.as_("claude") as claude:
        for registered, inside, beside in KINDS:
            await _put(claude, registered, "boss")
            assert await _routed(claude, registered) == "boss", registered
            assert await _routed(claude, inside) == "boss", registered
            assert await _routed(claude, beside) is None, registered
            assert (await claude.delete("/workplaces", params=_at(registered))).status_code == 200


async def test_many_at_once_end_as_one(office: Edge) -> None:
    async with office.as_("claude") as claude, office.as_("codex") as codex:
        bodies = [{**_at("/srv/busy"), "project_id": f"p{n}"} for n in range(12)]
        done = await asyncio.gather(*((claude, codex)[n % 2].put("/workplaces", json=b) for n, b in enumerate(bodies)))
        assert {d.status_code for d in done} == {200}
        (one,) = (await claude.get("/workplaces")).json()["items"]
        assert one["project_id"] in {b["project_id"] for b in bodies}
        gone = await asyncio.gather(*(claude.delete("/workplaces", params=_at("/srv/busy")) for _ in range(6)))
        assert sorted(d.status_code for d in gone) == [200, *[404] * 5]


async def test_with_the_eyes_of_another_one_looks_and_changes_nothing(office: Edge) -> None:
    operator = await office.world.key("L", permissions=[Permission.INSPECT])
    async with office.as_("claude") as claude, office.as_(operator, X_Seen_As="member:ana") as eyes:
        await _put(claude, "/srv/seen", "boss")
        assert await _routed(eyes, "/srv/seen") == "boss"
        body = {**_at("/srv/other"), "project_id": "boss"}
        await problem(await eyes.put("/workplaces", json=body), 403, "seen_as_reads_only")
        await problem(await eyes.delete("/workplaces", params=_at("/srv/seen")), 403, "seen_as_reads_only")


async def test_another_tenant_with_the_same_names_has_its_own(office: Edge, founder: Any) -> None:
    other = await founded(founder)
    await other.members("ana")
    async with office.as_("member:ana") as ana, office.as_(other.keys["member:ana"]) as stranger:
        await _put(ana, "/srv/wall", "boss")
        assert await _routed(stranger, "/srv/wall") is None
        await _put(stranger, "/srv/wall", "theirs")
        assert await _routed(ana, "/srv/wall") == "boss"
