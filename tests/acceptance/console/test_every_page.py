"""Every route of the console, enumerated: behind the door, with its form's token, and with the protective headers."""

import re
from uuid import uuid4

import httpx
import pytest
from fastapi import FastAPI
from fastapi.routing import APIRoute

from acceptance.console.conftest import SignedIn
from console.routes import all_routes
from whoknows.console import app as console_app
from whoknows.console.guard import Guarded
from whoknows.console.headers import HEADERS
from worlds import World

pytestmark = pytest.mark.asyncio(loop_scope="session")
OPEN = {("GET", "/sign-in"), ("POST", "/sign-in"), ("POST", "/preferences")}
"""What one may ask for without having signed in, and why: the door itself, and the language one reads it in."""
DOORS_OF_THEIR_OWN: set[tuple[str, str]] = {("POST", "/bureau/stage")}
"""Where a show key is handed in: it opens the stage and nothing else."""


def routes() -> list[tuple[str, str, type[APIRoute]]]:
    return sorted(
        {
            (method, route.path, type(route))
            for page in console_app.PAGES
            for route in all_routes(page.router)
            for method in route.methods or ()
        },
        key=lambda r: (r[1], r[0]),
    )


def address(path: str) -> str:
    return "/console" + re.sub(r"\{[^}]*\}", lambda _: str(uuid4()), path)


async def test_every_route_is_guarded_or_says_why_not() -> None:
    unguarded = {(method, path) for method, path, kind in routes() if not issubclass(kind, Guarded)}
    assert unguarded <= OPEN | DOORS_OF_THEIR_OWN, unguarded - OPEN - DOORS_OF_THEIR_OWN
    assert unguarded >= OPEN


async def test_who_has_not_signed_in_gets_nowhere(stranger: httpx.AsyncClient) -> None:
    for method, path, kind in routes():
        if not issubclass(kind, Guarded):
            continue
        answer = await stranger.request(method, address(path), data={"csrf": "x"} if method == "POST" else None)
        if path == "/bureau/stage":  # its door stands at the same address
            assert 'name="key"' in answer.text
            continue
        assert answer.status_code == 303, (method, path, answer.status_code)
        assert "sign-in" in answer.headers["location"] or "/bureau" in answer.headers["location"], (method, path)


@pytest.mark.parametrize("path", ["/live", "/bureau/stage/events"])
async def test_a_stream_of_who_has_not_signed_in_is_nothing_rather_than_a_page(stranger: httpx.AsyncClient, path: str) -> None:
    """A browser follows a stream to a page, and complains of what it finds there."""
    answer = await stranger.get(address(path), headers={"Accept": "text/event-stream"})
    assert (answer.status_code, answer.content) == (204, b"")


async def test_every_way_of_writing_the_address_leads_to_the_door(stranger: httpx.AsyncClient) -> None:
    """As the server announces it, as people type it, and as links have it."""
    for typed in ("/", "/console", "/console/"):
        answer = await stranger.get(typed, follow_redirects=True)
        assert (answer.status_code, answer.url.path) == (200, "/console/sign-in"), typed


async def test_no_form_is_taken_without_the_session_s_own_token(world: World, signed_in: SignedIn) -> None:
    await world.agents("wukong")
    async with signed_in(world.keys["wukong"]) as client:
        good = client.headers.pop("X-CSRF-Token")
        for method, path, kind in routes():
            if method == "GET" or not issubclass(kind, Guarded) or kind is not Guarded:
                continue
            for token in (None, "", "0" * 64, "ü"):
                data = {} if token is None else {"csrf": token}
                answer = await client.post(address(path), data=data)
                assert answer.status_code == 403, (path, token, answer.status_code)
                assert "stale_form" in answer.text
            foreign = await client.post(address(path), headers={"X-CSRF-Token": good, "Sec-Fetch-Site": "cross-site"})
            assert foreign.status_code == 403, path


async def test_every_answer_carries_the_protective_headers(world: World, signed_in: SignedIn) -> None:
    await world.agents("wukong")
    async with signed_in(world.keys["wukong"]) as client:
        for path in ("/", "/sign-in", "/nothing", "/static/css/frame.css", "/static/nothing.css"):
            answer = await client.get(f"/console{path}")
            assert {k: answer.headers.get(k) for k in HEADERS} == HEADERS, path
            if "/static/css" not in path:
                assert answer.headers["cache-control"] == "no-store", path


async def test_errors_are_pages_and_for_a_part_of_a_page_notices(world: World, signed_in: SignedIn) -> None:
    await world.agents("wukong")
    async with signed_in(world.keys["wukong"]) as client:
        whole = await client.get("/console/nothing")
        assert whole.status_code == 404
        assert "<h1>" in whole.text
        part = await client.get("/console/nothing", headers={"HX-Request": "true"})
        assert part.headers["hx-retarget"] == "#notices"
        assert "<html" not in part.text
        chinese = await client.get("/console/nothing", headers={"Accept-Language": "zh-CN"})
        assert "没有" in chinese.text


@pytest.mark.parametrize(
    "back", ["//evil.example/", "https://evil.example/", "/api/v1/", "/console/\\evil", "/console/\r\nX: y", ""]
)
async def test_a_form_leads_back_to_the_console_alone(stranger: httpx.AsyncClient, back: str) -> None:
    answer = await stranger.post("/console/preferences", data={"language": "zh", "back": back})
    assert answer.headers["location"] == "/console/"


async def test_the_key_is_not_taken_from_the_address(world: World, stranger: httpx.AsyncClient) -> None:
    await world.agents("wukong")
    answer = await stranger.post(f"/console/sign-in?key={world.keys['wukong']}")
    assert answer.status_code == 401


async def test_whoever_tries_too_often_waits(world: World, console: FastAPI, stranger: httpx.AsyncClient) -> None:
    await world.agents("wukong")
    answers = [await stranger.post("/console/sign-in", data={"key": "nothing"}) for _ in range(12)]
    assert [a.status_code for a in answers] == [401] * 10 + [429] * 2
    assert int(answers[-1].headers["retry-after"]) > 0
    late = await stranger.post("/console/sign-in", data={"key": world.keys["wukong"]})
    assert late.status_code == 429


async def test_without_the_console_its_addresses_do_not_exist(world: World) -> None:
    from acceptance.console.conftest import browser
    from acceptance.rest.conftest import BODY_BYTES
    from whoknows.rest.app import create_app

    async with browser(create_app(world.service, body_bytes=BODY_BYTES, version="test")) as client:
        assert (await client.get("/console/sign-in")).status_code == 404
        assert (await client.get("/")).status_code == 404
