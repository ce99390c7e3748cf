"""Bad input: each kind gets a clear error by its code, and nothing is written."""

import json

import httpx
import pytest

from worlds import World

from .conftest import BODY_BYTES, Edge, problem

JSON = {"Content-Type": "application/json"}


@pytest.fixture
async def client(world: World, edge: Edge) -> httpx.AsyncClient:
    await world.agents("A")
    return edge.as_("A")


async def nothing_was_written(client: httpx.AsyncClient) -> None:
    for state in ("active", "held", "archived"):
        assert (await client.get("/memories", params={"state": state})).json()["items"] == []


BODIES: dict[str, tuple[bytes, int, str]] = {
    "nothing": (b"", 422, "invalid"),
    "broken": (b'{"content": ', 400, "invalid_json"),
    "trailing": (b'{"content": "x"} {}', 400, "invalid_json"),
    "single quotes": (b"{'content': 'x'}", 400, "invalid_json"),
    "invalid UTF-8": (b'{"content": "\xff\xfe"}', 400, "invalid_json"),
    "overlong UTF-8": (b'{"content": "\xc0\x80"}', 400, "invalid_json"),
    "UTF-16": ('{"content": "x"}'.encode("utf-16"), 400, "invalid_json"),
    "lone surrogate": (b'{"content": "\\ud800"}', 400, "invalid_json"),
    "surrogates the wrong way round": (b'{"content": "\\udc00\\ud800"}', 400, "invalid_json"),
    "surrogate in UTF-8": (b'{"content": "\xed\xa0\x80"}', 400, "invalid_json"),
    "raw NUL": (b'{"content": "a\x00b"}', 400, "invalid_json"),
    "escaped NUL": (b'{"content": "a\\u0000b"}', 422, "invalid"),
    "NUL in a tag": (b'{"content": "x", "tags": ["\\u0000"]}', 422, "invalid"),
    "NaN": (b'{"content": NaN}', 400, "invalid_json"),
    "infinity": (b'{"content": "x", "expires_in": Infinity}', 400, "invalid_json"),
    "deep nesting": (b'{"content": ' + b"[" * 100_000, 400, "invalid_json"),
    "deep objects": (b'{"a":' * 50_000, 400, "invalid_json"),
    "huge number": (b'{"content": "x", "expires_in": ' + b"9" * 10_000 + b"}", 400, "invalid_json"),
    "large number": (b'{"content": "x", "expires_in": 99999999999999999999999999}', 422, "invalid"),
    "a list": (b"[]", 422, "invalid"),
    "a string": (b'"x"', 422, "invalid"),
    "null": (b"null", 422, "invalid"),
}


async def test_a_body_that_is_no_request(client: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    for kind, (body, status, code) in BODIES.items():
        with subtests.test(kind):
            await problem(await client.post("/capture", content=body, headers=JSON), status, code)
    await nothing_was_written(client)


FIELDS: dict[str, tuple[dict[str, object], str]] = {
    "empty": ({"content": ""}, "content"),
    "blank": ({"content": " \t\n　"}, "content"),
    "zero-width only": ({"content": "\u200b\u200d\ufeff\u2060"}, "content"),
    "bidirectional marks only": ({"content": "\u202e\u2066\u2069"}, "content"),
    "absent": ({"title": "x"}, "content"),
    "a number": ({"content": 5}, "content"),
    "a boolean": ({"content": True}, "content"),
    "a list": ({"content": ["x"]}, "content"),
    "an object": ({"content": {"text": "x"}}, "content"),
    "null": ({"content": None}, "content"),
    "unknown field": ({"content": "x", "importance": 3}, "importance"),
    "unknown layer": ({"content": "x", "memory_type": "public"}, "memory_type"),
    "injected": ({"content": "x", "memory_type": "injected"}, "memory_type"),
    "unknown category": ({"content": "x", "category": "billing"}, "category"),
    "unknown isolation": ({"content": "x", "isolation": "none"}, "isolation"),
    "empty team": ({"content": "x", "memory_type": "team", "team_id": ""}, "team_id"),
    "empty agent": ({"content": "x", "agent_id": ""}, "agent_id"),
    "empty project": ({"content": "x", "project_id": ""}, "project_id"),
    "blank project": ({"content": "x", "project_id": " "}, "project_id"),
    "long project": ({"content": "x", "project_id": "p" * 201}, "project_id"),
    "empty tag": ({"content": "x", "tags": [""]}, "tags.0"),
    "tags as a string": ({"content": "x", "tags": "a,b"}, "tags"),
    "too many tags": ({"content": "x", "tags": [str(n) for n in range(51)]}, "tags"),
    "for everyone": ({"content": "x", "visible_to": ["*"]}, "visible_to"),
    "no identifier": ({"content": "x", "supersedes": "0"}, "supersedes"),
    "negative life": ({"content": "x", "expires_in": -1}, "expires_in"),
    "no life": ({"content": "x", "expires_in": 0}, "expires_in"),
    "life as a string": ({"content": "x", "expires_in": "60"}, "expires_in"),
    "life as a fraction": ({"content": "x", "expires_in": 1.5}, "expires_in"),
    "life as a boolean": ({"content": "x", "expires_in": True}, "expires_in"),
    "endless life": ({"content": "x", "expires_in": 2**40}, "expires_in"),
    "time without offset": ({"content": "x", "expires_at": "2099-01-01T00:00:00"}, "expires_at"),
    "time as a number": ({"content": "x", "expires_at": 4070908800}, "expires_at"),
    "time as a word": ({"content": "x", "expires_at": "tomorrow"}, "expires_at"),
    "no such day": ({"content": "x", "expires_at": "2099-02-30T00:00:00Z"}, "expires_at"),
    "time beyond time": ({"content": "x", "expires_at": "9999-12-31T23:59:59-14:00"}, "expires_at"),
    "time that has passed": ({"content": "x", "expires_at": "2001-01-01T00:00:00Z"}, "expires_at"),
    "long title": ({"content": "x", "title": "t" * 501}, "title"),
    "quote without source": ({"content": "x", "quote": "q"}, "quote"),
    "session without id": ({"content": "x", "isolation": "session"}, "session_id"),
}


async def test_a_field_that_is_wrong_is_named(client: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    for kind, (body, field) in FIELDS.items():
        with subtests.test(kind):
            await problem(await client.post("/capture", json=body), 422, "invalid", field)
    await nothing_was_written(client)


async def test_a_text_may_be_as_long_as_the_limit_and_no_longer(client: httpx.AsyncClient) -> None:
    limit = 32 * 1024
    fits = "长" * (limit // 3) + "a" * (limit % 3)
    assert (await client.post("/capture", json={"content": fits})).status_code == 201
    await problem(await client.post("/capture", json={"content": fits + "a"}), 422, "text_too_long", "content")
    assert len((await client.get("/memories")).json()["items"]) == 1


async def test_harmless_oddities_are_kept_as_they_are(client: httpx.AsyncClient) -> None:
    for text in (
        "a\u200bb\u202ec\u202d",
        "👩‍👩‍👧‍👦 \U0001f600",
        "é vs e\u0301",
        "'; DROP TABLE memories; --",
        "<script>",
        "\\u0000",
    ):
        stored = await client.post("/capture", json={"content": text, "title": ""})
        assert stored.status_code == 201
        got = await client.get(f"/memories/{stored.json()['memory']['id']}")
        assert got.json()["content"] == text


QUERIES = [
    ("", "query"),
    ("query=", "query"),
    ("query=x&limit=0", "limit"),
    ("query=x&limit=-1", "limit"),
    ("query=x&limit=101", "limit"),
    ("query=x&limit=99999999999999999999", "limit"),
    ("query=x&limit=ten", "limit"),
    ("query=x&limit=", "limit"),
    ("query=x&min_score=-0.1", "min_score"),
    ("query=x&min_score=1.1", "min_score"),
    ("query=x&min_score=nan", "min_score"),
    ("query=x&min_score=inf", "min_score"),
    ("query=x&min_score=1e999", "min_score"),
    ("query=x&include=everything", "include.0"),
    ("query=x&include=", "include.0"),
    ("query=x&category=billing", "category"),
    ("query=x&team_id=", "team_id"),
    ("query=x&project_id=", "project_id"),
    ("query=x&agent_id=", "agent_id"),
    ("query=x&tags=", "tags.0"),
    ("query=x&query=y", "query"),
    ("query=x&api_key=y", "api_key"),
    ("query=x&X-Agent=y", "X-Agent"),
    ("query=%FF", "query string"),
    ("query=a%00b", "query"),
    ("query=%20%E3%80%80", "query"),
    ("query=x&team_id=%00", "team_id"),
]


async def test_a_query_that_is_wrong(client: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    for query, field in QUERIES:
        with subtests.test(query):
            await problem(await client.get(f"/recall?{query}"), 422, "invalid", field)


QUESTIONS: list[tuple[dict[str, object], str]] = [
    ({"query": "x", "limit": "5"}, "limit"),
    ({"query": "x", "limit": True}, "limit"),
    ({"query": "x", "limit": 2.0}, "limit"),
    ({"query": "x", "min_score": "0.5"}, "min_score"),
    ({"query": "x", "min_score": True}, "min_score"),
    ({"query": "x", "min_score": 10**400}, "min_score"),
    ({"query": "x", "include": ["trace", 1]}, "include.1"),
    ({"query": "x", "include": {"trace": True}}, "include"),
    ({"query": ["x"]}, "query"),
    ({"query": "长" * 8192}, "query"),
]


async def test_a_question_that_is_wrong(client: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    for n, (body, field) in enumerate(QUESTIONS):
        with subtests.test(f"question {n}"):
            code = "text_too_long" if len(str(body["query"])) > 1000 else "invalid"
            await problem(await client.post("/recall", json=body), 422, code, field)


async def test_a_body_of_another_kind(client: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    for kind in ("text/plain", "application/xml", "application/json; charset=latin-1", "multipart/form-data", "", "json"):
        with subtests.test(kind):
            response = await client.post("/capture", content=b'{"content": "x"}', headers={"Content-Type": kind})
            await problem(response, 415, "unsupported_media_type")
    await nothing_was_written(client)


async def test_unknown_paths_and_methods(client: httpx.AsyncClient) -> None:
    await problem(await client.get("/nowhere"), 404, "not_found")
    response = await client.put("/capture", json={"content": "x"})
    await problem(response, 405, "method_not_allowed")
    assert response.headers["allow"] == "POST"


NO_IDS = [
    "0", "x", "%00", "%FF", "..%2f..", "%E2%80%AE", "' or 1=1", "019 7f3a1", "{00000000-0000-7000-8000-000000000000}",
    "00000000-0000-7000-8000-000000000000", "urn:uuid:00000000-0000-7000-8000-000000000000", "a" * 5000,
]  # fmt: skip
VERBS: list[tuple[str, str, dict[str, object] | None]] = [
    ("GET", "", None), ("DELETE", "", None), ("PATCH", "", {"version": 1, "content": "x"}), ("GET", "/history", None),
    ("POST", "/archive", None), ("POST", "/restore", None), ("PUT", "/shares/A", None), ("DELETE", "/shares/A", None),
    ("GET", "/why", None),
]  # fmt: skip


async def test_an_id_that_is_none_is_absent_like_a_hidden_one(world: World, edge: Edge, subtests: pytest.Subtests) -> None:
    await world.agents("A", "B")
    hidden = await world.write("A", "nobody else sees this")
    async with edge.as_("B") as client:
        for method, tail, body in VERBS:
            told: list[dict[str, object]] = []
            for name in (str(hidden.id), *NO_IDS):
                with subtests.test(f"{method} {name[:40]}{tail}"):
                    response = await client.request(method, f"/memories/{name}{tail}", json=body)
                    told.append(await problem(response, 404, "not_found"))
                    told[-1].pop("request_id")
                    assert told[-1] == told[0]


async def test_a_body_over_the_limit_is_not_read_to_its_end(world: World, wire: Edge) -> None:
    """Over a real connection: announced by its length, and in chunks that announce nothing."""
    await world.agents("A")
    async with wire.as_("A") as client:
        large = json.dumps({"content": "x" * BODY_BYTES}).encode()
        await problem(await client.post("/capture", content=large, headers=JSON), 413, "too_large")

        async def chunks():
            for _ in range(2 * BODY_BYTES // 65536):
                yield b"x" * 65536

        await problem(await client.post("/capture", content=chunks(), headers=JSON), 413, "too_large")

        async def small():
            for part in (b'{"con', b'tent": "in ', b'parts"}'):
                yield part

        assert (await client.post("/capture", content=small(), headers=JSON)).status_code == 201
        await problem(await client.post("/capture/batch", json={"items": [{"content": "x"}] * 1001}), 422, "invalid", "items")
        assert [m["content"] for m in (await client.get("/memories")).json()["items"]] == ["in parts"]


async def test_an_error_never_repeats_the_text(client: httpx.AsyncClient) -> None:
    secret = "sesame-" + "x" * 30
    for response in (
        await client.post("/capture", json={"content": 5, "memory_type": secret, "tags": secret, "expires_at": secret}),
        await client.post("/capture", content=f'{{"content": "{secret}'.encode(), headers=JSON),
        await client.get("/recall", params={"query": "x", "limit": secret, "min_score": secret}),
    ):
        assert response.status_code in (400, 422)
        assert "sesame" not in response.text
