"""The console as a web application that somebody attacks: forms of strangers, cookies in wrong places, headers that lie."""

import asyncio
from collections.abc import AsyncIterator

import httpx
import pytest
from fastapi import FastAPI

from acceptance.console.conftest import SignedIn, browser
from console.routes import all_routes
from whoknows.console import app as console_app
from whoknows.console.guard import FORM_BYTES, Guarded
from whoknows.console.paths import within
from whoknows.console.viewer import csrf_of
from whoknows.domain.script import Language
from worlds import World

pytestmark = pytest.mark.asyncio(loop_scope="session")
OPEN_FORMS = sorted(
    r.path
    for page in console_app.PAGES
    for r in all_routes(page.router)
    if "POST" in (r.methods or ()) and not issubclass(type(r), Guarded)
)
FOREIGN: list[dict[str, str]] = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Origin": "http://evil.example"},
    {"Origin": "http://127.0.0.1:9999"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1", "Sec-Fetch-Site": "cross-site"},
]


@pytest.mark.parametrize("path", OPEN_FORMS)
async def test_no_page_of_a_stranger_sends_a_form_that_needs_no_session(
    world: World, stranger: httpx.AsyncClient, path: str
) -> None:
    """Else it could sign the reader in with a key of its own, and read what is written from then on."""
    await world.agents("wukong")
    for headers in FOREIGN:
        answer = await stranger.post(f"/console{path}", data={"key": world.keys["wukong"]}, headers=headers)
        assert (answer.status_code, "set-cookie" in answer.headers) == (403, False), headers
        assert "stale_form" in answer.text
    for headers in ({"Origin": "http://127.0.0.1"}, {"Sec-Fetch-Site": "same-origin", "Origin": "null"}, {}):
        answer = await stranger.post(f"/console{path}", data={"key": "nothing", "language": "en"}, headers=headers)
        assert answer.status_code != 403, headers


async def test_no_page_of_a_stranger_sends_a_form_of_a_session(world: World, signed_in: SignedIn) -> None:
    """Whatever token it knows."""
    await world.agents("wukong")
    async with signed_in(world.keys["wukong"]) as client:
        for headers in FOREIGN:
            answer = await client.post("/console/project", data={"project": "x"}, headers=headers)
            assert answer.status_code == 403, headers


@pytest.mark.parametrize(
    "kind", ["application/json", "text/plain", "multipart/form-data; boundary=x", "multipart/form-data", ""]
)
async def test_a_form_of_another_kind_is_no_form(world: World, signed_in: SignedIn, kind: str) -> None:
    await world.agents("wukong")
    async with signed_in(world.keys["wukong"]) as client:
        token = client.headers.pop("X-CSRF-Token")
        body = f'{{"csrf": "{token}", "project": "x"}}' if "multipart" not in kind else "--x\r\nbroken"
        answer = await client.post("/console/project", content=body, headers={"Content-Type": kind} if kind else {})
        assert answer.status_code in (400, 403, 422), (kind, answer.status_code)
        for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"):
            other = await client.request(method, "/console/project", headers={"X-CSRF-Token": token})
            assert other.status_code == 405, method
        overridden = await client.get("/console/project?_method=POST", headers={"X-HTTP-Method-Override": "POST"})
        assert overridden.status_code == 405


@pytest.mark.parametrize("path", OPEN_FORMS)
async def test_a_form_that_needs_no_session_has_its_limit_too(stranger: httpx.AsyncClient, path: str) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        yield b"key=x"

    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    long = await stranger.post(f"/console{path}", content=b"key=" + b"x" * FORM_BYTES, headers=kind)
    assert long.status_code == 413
    chunked = await stranger.post(f"/console{path}", content=pieces(), headers=kind)
    assert chunked.status_code == 413
    lying = await stranger.post(f"/console{path}", content=b"key=x", headers={**kind, "Content-Length": "-1"})
    assert lying.status_code == 413


async def test_whoever_tries_many_keys_at_once_gets_no_more_of_them(stranger: httpx.AsyncClient) -> None:
    answers = await asyncio.gather(*(stranger.post("/console/sign-in", data={"key": f"wk_{n}"}) for n in range(40)))
    assert [a.status_code for a in answers].count(401) == 10


async def test_keys_that_open_count_against_nobody(world: World, stranger: httpx.AsyncClient) -> None:
    await world.agents("wukong")
    for _ in range(25):
        assert (await stranger.post("/console/sign-in", data={"key": world.keys["wukong"]})).status_code == 303


async def test_signing_in_again_ends_the_session_that_was_there(world: World, signed_in: SignedIn, app: FastAPI) -> None:
    await world.agents("wukong", "maomao")
    async with signed_in(world.keys["wukong"]) as client:
        former = client.cookies["whoknows_session"]
        await client.post("/console/sign-in", data={"key": world.keys["maomao"]})
        assert client.cookies["whoknows_session"] != former
        assert "maomao" in (await client.get("/console/memory")).text
        assert (await client.post("/console/project", data={"project": "x"})).status_code == 403  # a page of the former one
    async with browser(app) as late:
        late.cookies.set("whoknows_session", former)
        assert (await late.get("/console/memory")).headers["location"] == "/console/sign-in"


async def test_a_token_that_somebody_chose_is_no_session(world: World, app: FastAPI) -> None:
    await world.agents("wukong")
    async with browser(app) as client:
        client.cookies.set("whoknows_session", "chosen-by-a-stranger", domain="127.0.0.1", path="/console")
        answer = await client.post("/console/sign-in", data={"key": world.keys["wukong"]})
        assert "chosen-by-a-stranger" not in answer.headers["set-cookie"]
        flags = answer.headers["set-cookie"].lower()
        assert all(flag in flags for flag in ("httponly", "samesite=strict", "path=/console"))


@pytest.mark.parametrize(
    "back", ["/console/../api/v1/agents", "/console/%2e%2e/api", "/console/.%2E/api", "/console/x/..", "/console/./../api"]
)
async def test_no_form_leads_out_of_the_console_by_a_way_back(back: str) -> None:
    assert within(back) == "/console/"


@pytest.mark.parametrize(
    "here", ["http://[", "http://[x]/console/memory", "javascript:alert(1)", "//evil.example/console", "\\"]
)
async def test_a_page_that_lies_about_where_it_is_breaks_nothing(world: World, signed_in: SignedIn, here: str) -> None:
    await world.agents("wukong", "maomao")
    key = await world.key("agent:wukong", "agent:maomao")
    async with signed_in(key) as client:
        answer = await client.get("/console/admin/guide", headers={"HX-Current-URL": here, "HX-Request": "true"})
        assert answer.status_code == 200
        assert "evil" not in answer.text
        assert "javascript" not in answer.text


async def test_a_session_opens_no_other_door_than_its_own(founder: World, world: World, app: FastAPI) -> None:
    """Whatever cookie it is put into: a key that shows plays no part at the table, and nobody's key does who is of no case."""
    await world.agents("wukong")
    admin = await founder.admin()
    made = await founder.service.cases.open(admin, founder.service.cases.scripts.all()[0].id, Language.EN)
    operator = await founder.service.authenticate(made.secret)
    shows = await founder.service.cases.show_key(operator, operator.tenant, None)
    before = await founder.service.cases.look(operator, operator.tenant, "test")
    sign_in = founder.service.sign_in
    for secret in (shows.secret, world.keys["wukong"]):
        token, _ = await sign_in.open(secret)
        for cookie in ("whoknows_case", "whoknows_session", "whoknows_stage"):
            async with browser(app) as client:
                client.cookies.set(cookie, token)
                client.headers["X-CSRF-Token"] = csrf_of(token)
                for path, form in (
                    ("ask", {"role": before.roles[0].role.id, "text": "Who?"}),
                    ("whisper", {"role": before.roles[0].role.id, "text": "Me."}),
                    ("step", {"number": "0"}),
                    ("show-key", {"hours": "0"}),
                    ("reset", {}),
                    ("close", {}),
                ):
                    answer = await client.post(f"/console/bureau/{path}", data=form)
                    assert answer.status_code in (303, 403, 404), (cookie, path, answer.status_code)
                    led = answer.headers.get("location", "/console/sign-in")
                    assert led in ("/console/bureau/cases", "/console/sign-in"), (cookie, path)
                table = await client.get("/console/bureau")
                assert table.status_code in (303, 403, 404), cookie
                if secret != shows.secret:
                    stage = await client.get("/console/bureau/stage")
                    assert 'id="board"' not in stage.text, cookie
    assert await founder.service.cases.look(operator, operator.tenant, "test") == before
