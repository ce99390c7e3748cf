"""The Bureau: cases as walls, whispers, questions, the board, the way back to the beginning."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import psycopg
import pytest

from own_database import installation, world
from whoknows.domain.egress import Purpose
from whoknows.domain.script import Language
from whoknows.errors import Conflict, StoreUnavailable
from whoknows.flows.egress import Egress
from whoknows.policy.egress import endpoint_at
from worlds import HashEmbedder, World

from .casework import CODE, SAFE, Casework, hits, ok, opened, searched, tells_the_code, told
from .conftest import Edge, problem

__all__ = ["installation", "world"]

BOARD = "*"


async def test_a_case_begins_with_locked_cards_and_an_empty_board(edge: Edge) -> None:
    async with opened(edge) as case:
        look = await case.look()
        assert look["board"] == []
        assert [r["role"] for r in look["roles"]] == ["detective", "informant", "suspect"]
        assert [r["name"] for r in look["roles"]] == ["侦探", "线人", "嫌疑人"]
        assert {c["card"] for c in look["roles"][1]["cards"]} == {"safe-code", "buyer", "rumour-boat"}
        assert all(c["locked"] and c["published_as"] is None for r in look["roles"] for c in r["cards"])
        assert look["steps"][0] == {
            "kind": "ask",
            "role": "informant",
            "text": SAFE["zh"],
            "card": "safe-code",
            "expect": "known",
            "place": "own",
        }
    async with opened(edge, language="en") as case:
        look = await case.look()
        assert [r["name"] for r in look["roles"]] == ["Detective", "Informant", "Suspect"]
        assert tells_the_code(look["roles"])
        assert CODE in look["roles"][1]["cards"][0]["content"]
        assert look["title"] == "The Vanished Heron"


async def test_the_operators_key_acts_as_the_roles_and_looks_and_no_more(edge: Edge) -> None:
    async with opened(edge) as case:
        whoami = ok(await case.client.get("/whoami"))
        assert whoami["tenant"] == case.name
        assert sorted(whoami["acts_as"]) == ["agent:detective", "agent:informant", "agent:suspect"]
        assert whoami["permissions"] == ["audit", "inspect"]
        for path, body in (
            ("/agents", {"agent_id": "new", "role": "main"}),
            ("/tenants", {"tenant_id": "new"}),
            ("/bureau/cases", {"script": "heron"}),
            ("/keys", {"permissions": ["audit"]}),
        ):
            await problem(await case.client.post(path, json=body), 403, "permission_missing")


async def test_opening_needs_the_permission_and_a_script_that_there_is(world: World, edge: Edge) -> None:
    await world.agents("A")
    async with edge.as_("A") as a:
        await problem(await a.post("/bureau/cases", json={"script": "heron"}), 403, "permission_missing")
        assert {s["id"] for s in ok(await a.get("/bureau/scripts"))["items"]} == {"heron", "night-train", "greenhouse"}
    async with edge.admin as admin:
        await problem(await admin.post("/bureau/cases", json={"script": "nothing"}), 404, "not_found", "script")
        await problem(await admin.post("/bureau/cases", json={"script": "../heron"}), 404, "not_found", "script")
        await problem(await admin.post("/bureau/cases", json={"script": "heron", "language": "fr"}), 422, "invalid", "language")
        await problem(await admin.post("/bureau/cases", json={"script": "heron", "key": "x"}), 422, "invalid", "key")


async def test_the_list_of_scripts_tells_no_secret(edge: Edge) -> None:
    async with edge.admin as admin:
        listed = told(ok(await admin.get("/bureau/scripts")))
    assert "失踪的《苍鹭》" in listed
    assert not tells_the_code(listed)
    assert "六号码头" not in listed


async def test_another_case_is_absent_like_none(edge: Edge) -> None:
    async with opened(edge) as a, opened(edge) as b:
        card = (await a.cards())["safe-code"]["id"]
        calls: list[tuple[str, str, Any]] = [
            ("GET", "", None),
            ("POST", "/ask", {"role": "informant", "question": SAFE["zh"]}),
            ("POST", "/whisper", {"role": "informant", "content": "x"}),
            ("POST", "/publish", {"memory_id": card}),
            ("POST", "/reset", None),
            ("POST", "/show-key", {}),
            ("GET", "/stage", None),
            ("GET", "/events", None),
            ("DELETE", "", None),
        ]
        for method, verb, body in calls:
            bodies: list[Any] = []
            for name in (a.name, "case-of-nobody", "default", "%00", "a%2Fb"):
                answer = await b.client.request(method, f"/bureau/cases/{name}{verb}", json=body)
                shown = await problem(answer, 404, "not_found")
                bodies.append({k: v for k, v in shown.items() if k not in ("request_id", "detail")})
            assert bodies.count(bodies[0]) == len(bodies)
        assert len(await a.cards()) == 9


async def test_a_whisper_is_heard_by_one_role_alone_and_audited_as_the_operators(edge: Edge) -> None:
    async with opened(edge) as case:
        heard = await case.whisper("informant", "密道的入口在钟楼的第三级台阶下")
        assert hits(await case.ask("informant", "密道的入口在哪里？")) == ["密道的入口在钟楼的第三级台阶下"]
        for other in ("detective", "suspect"):
            answer = await case.ask(other, "密道的入口在哪里？")
            assert answer["outcome"] == "unknown"
            assert "钟楼" not in told(answer)
            hidden = await case.client.get(f"/memories/{heard['id']}", params={"agent_id": other})
            await problem(hidden, 404, "not_found")
        assert (await case.look())["board"] == []
        (row,) = [r for r in ok(await case.client.get("/audit"))["items"] if r["action"] == "case.whisper"]
        assert (row["target"], row["concerns"]) == (heard["id"], "agent:informant")
        (key,) = ok(await case.client.get("/keys"))["items"]
        assert row["credential_id"] == key["id"]


async def test_exactly_the_own_space_and_the_board_are_searched_even_where_more_could_be_read(edge: Edge) -> None:
    async with opened(edge) as case:
        card = (await case.cards())["safe-code"]["id"]
        shared = await case.client.put(f"/memories/{card}/shares/detective", params={"agent_id": "informant"})
        ok(shared)
        recalled = ok(await case.client.post("/recall", json={"query": SAFE["zh"], "agent_id": "detective"}))
        assert "agent:informant" in [s["space"] for s in recalled["searched"]]  # the share itself works
        answer = await case.ask("detective", SAFE["zh"])
        assert searched(answer) == ["agent:detective", BOARD]
        assert answer["outcome"] == "unknown"
        assert not tells_the_code(answer)


async def test_a_question_is_answered_by_evidence_in_the_language_of_the_case(edge: Edge) -> None:
    async with opened(edge) as case:
        answer = await case.ask("informant", SAFE["zh"])
        assert (answer["mode"], answer["reason"], answer["outcome"]) == ("evidence", "no_model", "known")
        assert "“裱画店保险箱的密码是 4826，要先向左转两圈再输入。”（来自我自己的记忆）" in answer["answer"]
        assert answer["trace"]["hits"][0]["space"] == "agent:informant"
        assert answer["trace"]["took_ms"] > 0
        assert (await case.ask("detective", SAFE["zh"]))["answer"].startswith("我不知道")
        await case.publish_card("safe-code")
        assert "来自公告板，由线人公开" in (await case.ask("detective", SAFE["zh"]))["answer"]
        trace = ok(await case.client.get(f"/traces/{answer['trace']['trace_id']}", params={"agent_id": "informant"}))
        assert [h["id"] for h in trace["hits"]] == [h["id"] for h in answer["trace"]["hits"]]
    async with opened(edge, language="en") as case:
        assert "(from my own memory)" in (await case.ask("informant", SAFE["en"]))["answer"]
        assert (await case.ask("detective", SAFE["en"]))["answer"].startswith("I do not know")


async def test_the_role_must_be_one_of_the_case_and_the_question_must_say_something(edge: Edge) -> None:
    async with opened(edge) as case:
        for role in ("nobody", "*", "agent:", "informant\u200b", "Detective"):
            answer = await case.client.post(f"{case.path}/ask", json={"role": role, "question": "x"})
            await problem(answer, 403, "not_your_agent", "role")
        for verb, body in (("ask", {"question": " "}), ("whisper", {"content": "\u200b"}), ("ask", {"question": "a\u0000b"})):
            answer = await case.client.post(f"{case.path}/{verb}", json={"role": "detective", **body})
            await problem(answer, 422, "invalid", next(iter(body)))
        huge = await case.client.post(f"{case.path}/whisper", json={"role": "detective", "content": "字" * 20_000})
        await problem(huge, 422, "text_too_long", "content")
        huge = await case.client.post(f"{case.path}/ask", json={"role": "detective", "question": "字" * 20_000})
        await problem(huge, 422, "text_too_long", "question")
        for extra in ("spaces", "scope", "agent_id", "searched"):
            answer = await case.client.post(
                f"{case.path}/ask", json={"role": "detective", "question": "x", extra: ["informant"]}
            )
            await problem(answer, 422, "invalid", extra)


async def test_a_published_card_stays_locked_and_its_copy_tells_whence_it_came(edge: Edge) -> None:
    async with opened(edge) as case:
        original = (await case.cards())["safe-code"]
        copy = ok(await case.publish(original["id"]), 201)["memory"]
        after = (await case.cards())["safe-code"]
        assert (after["locked"], after["published_as"], after["version"]) == (True, copy["id"], original["version"])
        (on_board,) = (await case.look())["board"]
        assert on_board["id"] == copy["id"] != original["id"]
        assert on_board["origin"]["agent_id"] == "informant"
        assert on_board["origin"]["memory_id"] == original["id"]  # the operator acts as the informant, who reads the original
        seen = ok(await case.client.get(f"/memories/{copy['id']}", params={"agent_id": "detective"}))
        assert set(seen["origin"]) == {"agent_id", "published_at"}
        hidden = await case.client.get(f"/memories/{original['id']}", params={"agent_id": "detective"})
        await problem(hidden, 404, "not_found")
        rows = [r for r in ok(await case.client.get("/audit"))["items"] if r["action"] == "case.publish"]
        assert [r["concerns"] for r in rows] == ["agent:informant"]


async def test_what_is_no_private_card_is_not_published(edge: Edge) -> None:
    async with opened(edge) as case:
        copy = await case.publish_card("safe-code")
        refused = await case.publish(copy["id"])
        assert refused.status_code in (403, 422), refused.text
        await problem(await case.publish("0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"), 404, "not_found")
        assert len((await case.look())["board"]) == 1


async def test_a_reset_goes_back_to_the_beginning_and_leaves_nothing_else(world: World, edge: Edge) -> None:
    async with opened(edge) as case:
        before = await case.cards()
        show = await case.show_key()
        long = await case.whisper("suspect", "钟楼上有人。" * 200)  # its vectors wait for a job
        await case.publish_card("safe-code")
        asked = await case.ask("detective", SAFE["zh"])
        await _use_everything_else(case)
        await case.reset()
        after = await case.cards()
        assert {n: c["content"] for n, c in after.items()} == {n: c["content"] for n, c in before.items()}
        assert not {c["id"] for c in after.values()} & {c["id"] for c in before.values()}
        assert (await case.look())["board"] == []
        assert (await case.ask("detective", SAFE["zh"]))["outcome"] == "unknown"
        assert (await case.ask("informant", SAFE["zh"]))["outcome"] == "known"
        gone = await case.client.get(f"/traces/{asked['trace']['trace_id']}", params={"agent_id": "detective"})
        await problem(gone, 404, "not_found")
        assert ok(await case.client.get("/publications", params={"agent_id": "informant"}))["items"] == []
        assert ok(await case.client.get("/jobs/pending", params={"agent_id": "suspect"}))["embedding"] == 0
        with psycopg.connect(world.installation.dsn) as connection:
            left = connection.execute(
                "SELECT count(*) FROM procrastinate.procrastinate_jobs WHERE args ->> 'memory_id' = %s", (long["id"],)
            ).fetchone()
        assert left == (0,)
        async with edge.as_(show) as screen:  # the big screen stays on
            assert ok(await screen.get(f"{case.path}/stage"))["board"] == []
        assert "case.whisper" in [r["action"] for r in ok(await case.client.get("/audit"))["items"]]  # the trail stays


async def _use_everything_else(case: Casework) -> None:
    """What the operator's key can leave behind on other ways than the Bureau's: a reset knows of none of them."""
    as_role = {"X-Agent": "detective"}
    shared = (await case.cards())["buyer"]["id"]
    ok(await case.client.put(f"/memories/{shared}/shares/suspect", params={"agent_id": "informant"}))
    body = {"content": "写给所有人的话", "memory_type": "team", "source": "message:1", "quote": "所有人"}
    written = await case.client.post("/capture", json=body, headers={**as_role, "Idempotency-Key": "once"})
    ok(written, 201)
    session = {"content": "只在这次谈话里", "isolation": "session", "session_id": "s"}
    ok(await case.client.post("/capture", json=session, headers=as_role), 201)
    task = await case.client.post("/tasks", json={"task_id": "t", "agents": []}, headers=as_role)
    chat = await case.client.post("/master-agent/chat", json={"projectId": "p", "message": "你好"}, headers=as_role)
    controls = await case.client.post("/projects/p/agent-controls", json={"promptOverride": "简短些"}, headers=as_role)
    assert all(r.status_code < 500 for r in (task, chat, controls))


async def test_resets_and_whispers_at_once_leave_a_whole_case(edge: Edge) -> None:
    async with opened(edge) as case:
        card = (await case.cards())["safe-code"]["id"]

        async def whisper(n: int) -> None:
            await case.client.post(f"{case.path}/whisper", json={"role": "suspect", "content": f"耳语第 {n} 句"})

        async def publish() -> None:
            await case.publish(card)

        await asyncio.gather(*(case.reset() for _ in range(3)), *(whisper(n) for n in range(6)), *(publish() for _ in range(3)))
        cards = await case.cards()
        script = [c for c in cards.values() if c["card"]]
        assert len(script) == 9
        assert len({c["content"] for c in script}) == 9
        whispers = [c["content"] for c in cards.values() if not c["card"]]
        assert len(whispers) == len(set(whispers)) <= 6
        await case.reset()
        assert len(await case.cards()) == 9
        assert (await case.look())["board"] == []


async def test_a_closed_case_is_gone_with_its_texts_and_keys(world: World, edge: Edge) -> None:
    async with opened(edge) as case, opened(edge) as other:
        show = await case.show_key()
        await case.whisper("suspect", "蓝鲸在六号码头浮上来")
        await case.publish_card("safe-code")
        ok(await case.client.delete(case.path))
        await problem(await case.client.get(case.path), 401, "unauthenticated")
        async with edge.as_(show) as screen:
            await problem(await screen.get(f"{case.path}/stage"), 401, "unauthenticated")
        assert len(await other.cards()) == 9
        with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows") as connection:
            tenant = connection.execute("SELECT tenant_id FROM tenants WHERE name = %s", (case.name,)).fetchone()
            for table in ("memories", "versions", "documents", "passages", "postings", "traces", "events", "stage_events"):
                assert connection.execute(f"SELECT count(*) FROM {table} WHERE tenant_id = %s", tenant).fetchone() == (0,), (
                    table
                )


async def test_a_case_that_cannot_be_laid_in_full_is_not_there(world: World, edge: Edge) -> None:
    """The embedder fails, and then the database just before the commit: no tenant, no role, no key is left."""
    broken: list[str] = []

    class Away(HashEmbedder):
        async def embed_passages(self, texts: Any) -> Any:
            broken.append("embedder")
            raise StoreUnavailable("away")

    before = _tenants(world)
    admin = await world.admin()
    files = world.service.cases
    for failing in (replace(files, embedder=Away()), replace(files, store=_DiesBeforeTheCommit(files.store))):
        try:
            await failing.open(admin, "heron", Language.ZH)
        except StoreUnavailable:
            broken.append("told")
    assert broken == ["embedder", "told", "told"]
    assert _tenants(world) == before
    async with opened(edge):
        assert len(_tenants(world)) == len(before) + 1


class _DiesBeforeTheCommit:
    """The store, whose database goes away when everything has been written and nothing is committed."""

    def __init__(self, store: Any) -> None:
        self._store = store

    def write(self, caller: Any) -> Any:
        @asynccontextmanager
        async def dying() -> Any:
            async with self._store.write(caller) as tx:
                yield tx
                raise StoreUnavailable("away")

        return dying()


def _tenants(world: World) -> list[str]:
    with psycopg.connect(world.installation.dsn, options="-c search_path=whoknows") as connection:
        return [n for (n,) in connection.execute("SELECT name FROM tenants ORDER BY name")]


async def test_cases_have_names_that_nobody_guesses(edge: Edge) -> None:
    async with opened(edge) as a, opened(edge) as b:
        assert a.name != b.name
        assert a.name.startswith("case-")
        assert len(a.name) >= 25


async def test_a_key_for_one_role_sees_and_plays_that_role_alone(edge: Edge) -> None:
    async with opened(edge) as case:
        key = ok(await case.client.post("/keys", json={"acts_as": ["detective"], "permissions": ["inspect"]}), 201)["key"]
        async with edge.as_(key) as client:
            part = Casework(case.name, key, client)
            assert [r["role"] for r in (await part.look())["roles"]] == ["detective"]
            assert not tells_the_code(await part.look())
            refused = await client.post(f"{case.path}/ask", json={"role": "informant", "question": SAFE["zh"]})
            await problem(refused, 403, "not_your_agent", "role")


class _Slow:
    """A double of a speaker: while a role speaks, the case is taken back to its beginning."""

    def __init__(self, case: Casework) -> None:
        self._case = case

    async def speak(self, *_: Any) -> str:
        await self._case.reset()
        return f"it is {CODE}"


async def test_what_was_asked_before_the_case_began_again_is_neither_answered_nor_on_the_stage(
    world: World, edge: Edge
) -> None:
    async with opened(edge) as case:
        endpoint = endpoint_at(Purpose.BUREAU, "http://127.0.0.1", "double")
        egress = Egress(world.service.store, (endpoint,))
        play = replace(world.service.play, speaker=_Slow(case), egress=egress)
        with pytest.raises(Conflict, match="began again"):
            await play.ask(await world.service.authenticate(case.key), case.name, "informant", SAFE["zh"])
        assert [r["last"] for r in (await case.stage())["roles"]] == [None, None, None]
