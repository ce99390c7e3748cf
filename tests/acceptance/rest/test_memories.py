"""Memories over REST: what is written, read, edited, shared and deleted, and by whom."""

from datetime import UTC, datetime, timedelta

import httpx

from worlds import World

from .conftest import Edge, problem


async def captured(client: httpx.AsyncClient, content: str, **fields: object) -> dict[str, object]:
    response = await client.post("/capture", json={"content": content, **fields})
    assert response.status_code == 201, response.text
    return response.json()["memory"]


async def recalled(client: httpx.AsyncClient, query: str, **fields: object) -> list[str]:
    response = await client.post("/recall", json={"query": query, "min_score": 0, **fields})
    assert response.status_code == 200, response.text
    return [m["content"] for m in response.json()["memories"]]


async def test_a_memory_has_every_field_of_the_interface(world: World, edge: Edge) -> None:
    await world.agents("maomao")
    await world.team("backend", maomao="writer")
    async with edge.as_("maomao") as client:
        response = await client.post(
            "/capture",
            json={
                "content": "预发环境数据库端口是 5433", "memory_type": "team", "team_id": "backend", "category": "decision",
                "title": "Port", "tags": ["staging", "staging"], "project_id": "infra", "session_id": "s1", "subject": "port",
                "source": "git:infra@3f2c1a9:docs/staging.md", "quote": "port: 5433", "expires_in": 3600,
            },
        )  # fmt: skip
    assert response.status_code == 201
    told = response.json()
    assert told["outcome"] == "stored"
    assert [f["check"] for f in told["findings"]] == ["source_unreadable"]  # no such repository is registered
    memory = told["memory"]
    evidence = memory.pop("evidence")
    assert [(e["source_kind"], e["locator"], e["revision"], e["quote"], e["verified"]) for e in evidence] == [
        ("git", "infra:docs/staging.md", "3f2c1a9", "port: 5433", False)
    ]
    assert [a["author"] for a in memory.pop("authors")] == ["agent:maomao"]
    created, expires = (datetime.fromisoformat(memory.pop(f)) for f in ("created_at", "expires_at"))
    assert timedelta(seconds=3500) < expires - created < timedelta(seconds=3700)
    assert datetime.fromisoformat(memory.pop("updated_at")) == created
    assert len(memory.pop("content_hash")) == 64
    assert len(memory.pop("id")) == 36
    assert memory == {
        "content": "预发环境数据库端口是 5433", "memory_type": "team", "category": "decision", "agent_id": "maomao",
        "author": "agent:maomao", "account": None, "team_id": "backend", "visible_to": ["team:backend"], "injected_by": None,
        "title": "Port", "subject": "port", "tags": ["staging"], "project_id": "infra", "session_id": "s1", "task_id": None,
        "isolation": "agent", "scope": "project", "state": "active", "version": 1, "supersedes": None, "superseded_by": None,
        "reason": None, "origin": None, "overturned": [], "embedding_pending": False,
        "part_of": None, "indexed": False, "distilled": None, "stale": None,
    }  # fmt: skip


async def test_the_team_recalls_what_one_of_it_wrote_and_a_stranger_gets_nothing(world: World, edge: Edge) -> None:
    """B02, with the scope named and not named, by GET and by POST."""
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    async with edge.as_("A") as a, edge.as_("B") as b, edge.as_("C") as c:
        memory = await captured(a, "预发环境数据库端口是 5433", memory_type="team", team_id="T")
        assert await recalled(b, "预发 数据库 端口") == ["预发环境数据库端口是 5433"]
        assert await recalled(b, "预发 数据库 端口", team_id="T") == ["预发环境数据库端口是 5433"]
        by_get = await b.get("/recall", params={"query": "预发 数据库 端口", "min_score": 0})
        assert [m["id"] for m in by_get.json()["memories"]] == [memory["id"]]
        assert [s["space"] for s in by_get.json()["searched"]] == ["agent:B", "team:T", "*"]
        assert (await b.get(f"/memories/{memory['id']}")).status_code == 200
        assert [m["id"] for m in (await b.get("/memories")).json()["items"]] == [memory["id"]]
        assert await recalled(c, "预发 数据库 端口") == []
        assert (await c.get("/memories")).json() == {"items": [], "next_cursor": None}
        await problem(await c.get("/recall", params={"query": "预发", "team_id": "T"}), 404, "not_found", "team_id")


async def test_an_unknown_scope_is_refused_before_any_search(world: World, edge: Edge) -> None:
    """B04."""
    await world.agents("A")
    async with edge.as_("A") as client:
        await problem(await client.post("/recall", json={"query": "q", "team_name": "T"}), 422, "invalid", "team_name")
        await problem(await client.post("/recall", json={"query": "q", "teams": ["T", "U"]}), 422, "invalid", "teams")
        await problem(await client.get("/recall", params={"query": "q", "team_name": "T"}), 422, "invalid", "team_name")
        await problem(await client.get("/recall", params={"query": "q", "team_id": "T-typo"}), 404, "not_found", "team_id")
        await problem(await client.get("/recall", params={"query": "q", "team_id": ["T", "U"]}), 422, "invalid", "team_id")


async def test_writing_to_a_team_that_does_not_exist_stores_nothing(world: World, edge: Edge) -> None:
    """B32."""
    await world.agents("A")
    async with edge.as_("A") as client:
        body = {"content": "x", "memory_type": "team", "team_id": "T-typo"}
        await problem(await client.post("/capture", json=body), 404, "not_found", "team_id")
        assert (await client.get("/memories")).json()["items"] == []


async def test_no_two_identities_share_a_space_however_their_names_are_joined(world: World, edge: Edge) -> None:
    """B06: names that look like joined keys, in every place where a name stands."""
    hostile = ["x", "x&agent=y", "x/y", "x%2Fy", "x|y", "x=y", "..", "x.y", "x_y", "x\\y", "%", " x"]
    await world.agents(*hostile)
    for n, name in enumerate(hostile):
        async with edge.as_(name) as client:
            await captured(client, f"the secret number {n}", session_id="y&run=z", project_id=name)
    for n, name in enumerate(hostile):
        async with edge.as_(name) as client:
            assert await recalled(client, "the secret number") == [f"the secret number {n}"]


async def test_an_edit_never_moves_a_memory(world: World, edge: Edge) -> None:
    """B07: identity and scope are refused as fields of an edit."""
    await world.agents("A", "C")
    async with edge.as_("A") as client, edge.as_("C") as other:
        memory = await captured(client, "x is so")
        for field, value in {
            "agent_id": "C", "owner": "C", "team_id": "U", "memory_type": "team", "visible_to": ["C"], "author": "agent:C",
            "account": "C", "metadata": {"user_id": "C"}, "state": "archived", "id": "0",
        }.items():  # fmt: skip
            body = {"version": 1, "content": "y", field: value}
            await problem(await client.patch(f"/memories/{memory['id']}", json=body), 422, "invalid", field)
        assert (await client.get(f"/memories/{memory['id']}")).json() == memory
        assert await recalled(other, "x is so") == []


async def test_filters_narrow_and_unknown_operators_are_refused(world: World, edge: Edge) -> None:
    """B09."""
    await world.agents("A")
    async with edge.as_("A") as client:
        await captured(client, "the invoice is due", category="decision", tags=["a", "b"])
        await captured(client, "the invoice was paid", category="risk", tags=["a"])
        assert await recalled(client, "invoice", category="decision") == ["the invoice is due"]
        assert await recalled(client, "invoice", tags=["a", "b"]) == ["the invoice is due"]
        assert len(await recalled(client, "invoice", tags=["a"])) == 2
        listed = await client.get("/memories", params={"tags": ["a", "b"], "category": "decision"})
        assert [m["content"] for m in listed.json()["items"]] == ["the invoice is due"]
        for wrong in ({"category": "billing"}, {"category": {"in": ["risk"]}}, {"tags": "a"}, {"NOT": {"category": "risk"}}):
            response = await client.post("/recall", json={"query": "invoice", **wrong})
            await problem(response, 422, "invalid", next(iter(wrong)))


async def test_the_same_words_elsewhere_are_neither_merged_nor_hinted_at(world: World, edge: Edge) -> None:
    """B13."""
    await world.agents("A", "B")
    await world.team("T", A="reader", B="writer")
    async with edge.as_("A") as a, edge.as_("B") as b:
        private = await captured(a, "部署窗口是周二")
        other = await b.post("/capture", json={"content": "部署窗口是周四", "memory_type": "team", "team_id": "T"})
        same = await b.post("/capture", json={"content": "部署窗口是周二"})
        assert [other.json()["outcome"], same.json()["outcome"]] == ["stored", "stored"]
        assert str(private["id"]) not in other.text + same.text
        assert (await a.get(f"/memories/{private['id']}")).json() == private
        missing = await b.post("/capture", json={"content": "x", "supersedes": private["id"]})
        await problem(missing, 404, "not_found", "supersedes")


async def test_delete_of_a_layer_takes_all_of_it_and_says_how_many(world: World, edge: Edge) -> None:
    """B16."""
    await world.agents("A")
    async with edge.as_("A") as client:
        batch = await client.post("/capture/batch", json={"items": [{"content": f"note {n}"} for n in range(250)]})
        assert {r["outcome"] for r in batch.json()["results"]} == {"stored"}
        await problem(await client.delete("/memories"), 422, "invalid", "layer")
        await problem(await client.delete("/memories", params={"layer": "all"}), 422, "invalid", "layer")
        assert (await client.delete("/memories", params={"layer": "private"})).json() == {
            "deleted": 250,
            "released": 0,
            "copied": 0,
        }
        assert (await client.get("/memories")).json()["items"] == []
        assert (await client.delete("/memories", params={"layer": "private"})).json() == {
            "deleted": 0,
            "released": 0,
            "copied": 0,
        }


async def test_one_deleted_copy_of_a_sentence_leaves_the_others(world: World, edge: Edge) -> None:
    """B18."""
    await world.agents("A", "B")
    await world.team("T", A="writer")
    async with edge.as_("A") as a, edge.as_("B") as b:
        one = await captured(a, "the gateway has three replicas")
        await captured(a, "the gateway has three replicas", memory_type="team", team_id="T")
        await captured(b, "the gateway has three replicas")
        assert len(await recalled(a, "gateway replicas")) == 2
        assert (await a.delete(f"/memories/{one['id']}")).json() == {"deleted": 1, "released": 0, "copied": 0}
        assert len(await recalled(a, "gateway replicas")) == 1
        assert len(await recalled(b, "gateway replicas")) == 1
        await problem(await a.get(f"/memories/{one['id']}"), 404, "not_found")


async def test_the_same_words_are_one_row(world: World, edge: Edge) -> None:
    """B24."""
    await world.agents("A")
    async with edge.as_("A") as client:
        said = ["DGIA！", "ＤＧＩＡ!", " dgia! ", "DGIA!\n", "DGIA!"]
        outcomes = [(await client.post("/capture", json={"content": text})).json() for text in said]
        assert [o["outcome"] for o in outcomes] == ["stored", *["merged"] * 4]
        assert len({o["memory"]["id"] for o in outcomes}) == 1
        assert len((await client.get("/memories")).json()["items"]) == 1


async def test_an_edit_names_its_version_or_changes_nothing(world: World, edge: Edge) -> None:
    """B43, the precondition: in the body, or by If-Match, plain, quoted or weak."""
    await world.agents("A")
    async with edge.as_("A") as client:
        memory = await captured(client, "发布流程")
        at = f"/memories/{memory['id']}"
        await problem(await client.patch(at, json={"content": "x"}), 428, "version_required")
        for n, header in enumerate(("1", '"2"', 'W/"3"')):
            edited = await client.patch(at, json={"content": f"发布流程 {n}"}, headers={"If-Match": header})
            assert edited.status_code == 200, edited.text
            assert edited.headers["etag"] == f'"{n + 2}"'
        await problem(await client.patch(at, json={"version": 1, "content": "y"}), 409, "version_conflict")
        for header in ("*", '"a"', "1, 2", "0", "99999999999", ""):
            response = await client.patch(at, json={"content": "y"}, headers={"If-Match": header})
            await problem(response, 422, "invalid", "If-Match")
        both = await client.patch(at, json={"version": 4, "content": "y"}, headers={"If-Match": "3"})
        await problem(both, 422, "invalid", "version")
        await problem(await client.delete(at, headers={"If-Match": '"1"'}), 409, "version_conflict")
        now = await client.get(at)
        assert now.json()["content"] == "发布流程 2"
        assert now.headers["etag"] == '"4"'
        assert (await client.delete(at, headers={"If-Match": now.headers["etag"]})).status_code == 200


async def test_an_edit_clears_what_is_named_as_null_and_keeps_the_rest(world: World, edge: Edge) -> None:
    await world.agents("A")
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    async with edge.as_("A") as client:
        memory = await captured(client, "text", title="T", subject="s", tags=["t"], expires_at=later, category="risk")
        at = f"/memories/{memory['id']}"
        kept = (await client.patch(at, json={"version": 1, "tags": []})).json()
        assert (kept["title"], kept["subject"], kept["tags"], kept["category"]) == ("T", "s", [], "risk")
        cleared = await client.patch(at, json={"version": 2, "title": "", "subject": None, "expires_at": None})
        assert [cleared.json()[f] for f in ("title", "subject", "expires_at")] == [None, None, None]
        await problem(await client.patch(at, json={"version": 3}), 422, "invalid")
        for field in ("content", "category", "tags"):
            await problem(await client.patch(at, json={"version": 3, field: None}), 422, "invalid", field)


async def test_archive_restore_share_and_history(world: World, edge: Edge) -> None:
    await world.agents("A", "a/b %")
    async with edge.as_("A") as a, edge.as_("a/b %") as b:
        memory = await captured(a, "the key is under the mat")
        at = f"/memories/{memory['id']}"
        await problem(await b.get(at), 404, "not_found")
        shared = await a.put(f"{at}/shares/a%2Fb%20%25")
        assert shared.json()["visible_to"] == ["agent:A", "agent:a/b %"]
        assert (await b.get(at)).json()["content"] == "the key is under the mat"
        await problem(await b.delete(at), 403, "not_the_author")
        await problem(await b.patch(at, json={"version": 1, "content": "no"}), 403, "not_the_author")
        await problem(await b.post(f"{at}/archive"), 403, "not_the_author")
        assert (await a.delete(f"{at}/shares/a%2Fb%20%25")).json() == {"deleted": 1}
        await problem(await b.get(at), 404, "not_found")
        assert (await a.post(f"{at}/archive")).json()["state"] == "archived"
        assert await recalled(a, "key mat") == []
        assert len((await a.get("/memories", params={"state": "archived"})).json()["items"]) == 1
        assert (await a.post(f"{at}/restore")).json()["state"] == "active"
        successor = await a.post(
            "/capture", json={"content": "the key is in the pot", "supersedes": memory["id"], "reason": "r"}
        )
        assert successor.json()["outcome"] == "superseding"
        assert [o["id"] for o in successor.json()["memory"]["overturned"]] == [memory["id"]]
        await problem(await a.post("/capture", json={"content": "z", "supersedes": memory["id"]}), 409, "already_superseded")
        history = (await a.get(f"{at}/history")).json()
        assert [m["content"] for m in history["chain"]] == ["the key is in the pot", "the key is under the mat"]
        assert history["versions"][-1]["change"] == "captured"
        asked = await a.get("/recall", params={"query": "key", "min_score": 0, "include": "history,trace"})
        assert len(asked.json()["memories"][0]["history"]) == 2
        assert asked.json()["trace"]["trace_id"] == asked.json()["trace_id"]
