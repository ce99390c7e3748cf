"""The second source's criteria and known failures of others, with the distiller as it is shipped and no language model."""

from collections.abc import AsyncIterator
from typing import Any

import httpx
import psycopg
import pytest
import pytest_asyncio

from made_up import aws_key_id, github_token, letters, password, private_key

from .conftest import Edge
from .distilling import MEMORIES, distil, memories, said, two_members, whys
from .with_the_model import with_the_model

pytestmark = pytest.mark.asyncio(loop_scope="module")
DECISION = "定了：boss 项目的数据库用 PostgreSQL，不用 MySQL。"
PREFERENCE = "以后回答我都用中文，尽量简短，我不喜欢长篇大论。"
RISK = "风险：证书月底到期，可能会导致登录失败。"
BLOCK = "现在卡住了，在等供应商给接口文档，没有它支付这块没法继续。"
PROGRESS = "里程碑：导入功能昨天已经全部完成并上线了。"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shipped(server: str) -> AsyncIterator[Edge]:
    async with with_the_model(server, "distill_cases") as edge:
        yield edge


@pytest_asyncio.fixture(loop_scope="module")
async def edge(shipped: Edge) -> Edge:
    return await two_members(shipped)


async def test_acceptance_5_what_was_kept_by_itself_stands_on_the_page_of_memories_with_its_message(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        answer = (await mira.post("/master-agent/chat", json={"projectId": "boss", "message": DECISION})).json()
        while await edge.world.service.distill_turns.some():
            pass
        (memory,) = (await memories(mira)).values()
        assert memory["sourceMessageId"] == answer["messageId"]
        assert memory["distilled"] is not None
        edited = await mira.post(f"{MEMORIES}/{memory['memoryId']}", json={"content": "数据库用 PostgreSQL"})
        assert edited.json()["content"] == "数据库用 PostgreSQL"
        assert (await mira.delete(f"{MEMORIES}/{memory['memoryId']}")).json()["deleted"] == 1


async def test_acceptance_6_progress_decisions_risks_and_blocks_hang_on_the_project(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        await distil(mira, said(DECISION, RISK, BLOCK, PROGRESS))
        kept = await memories(mira)
        assert {m["memoryType"] for m in kept.values()} == {"decision", "risk", "blocking_issue", "project_progress"}
        assert {(m["scope"], m["projectId"]) for m in kept.values()} == {("project", "boss")}
        assert await memories(mira, scope="project", projectId="other") == {}
        assert await memories(mira, scope="global") == {}


async def test_acceptance_7_a_users_lasting_preferences_hang_on_the_user_everywhere(edge: Edge) -> None:
    async with edge.as_("member:mira") as mira:
        await distil(mira, said(PREFERENCE), project="boss")
        (kept,) = (await memories(mira, scope="global")).values()
        assert (kept["memoryType"], kept["projectId"]) == ("user_preference", None)
        context = (await mira.post("/master-agent/context", json={"projectId": "another", "message": "你好"})).json()
        assert kept["content"] in context["composed"]


async def test_what_the_source_excludes_is_not_kept(edge: Edge) -> None:
    talk = (
        "早上好！",
        "好的，收到",
        "我这会儿在开会，五分钟后回来",
        "可能是缓存的问题吧，我猜的",
        "快点快点，怎么还没好？",
        "帮我跑一下测试",
    )
    async with edge.as_("member:mira") as mira:
        answer = await distil(mira, said(*talk))
        assert answer["kept"] == []
        assert [m for m, _ in whys(answer)] == [f"m{n}" for n in range(1, 7)]
        assert await memories(mira) == {}


async def turn(client: httpx.AsyncClient, n: int, message: str, reply: str) -> list[dict[str, Any]]:
    """A prompt as a harness builds it: the memory block, a reminder, a beat of the heart, and then what was said."""
    block = (await client.post("/master-agent/context", json={"projectId": "boss", "message": message})).json()["composed"]
    reminder = "<system-reminder>\nYou are a helpful agent. The database of boss is PostgreSQL, always.\n</system-reminder>"
    prompt = f"{reminder}\n{block.removesuffix(message)}HEARTBEAT_OK\n\n{message}"
    return [
        {"id": f"u{n}", "role": "user", "content": prompt},
        {"id": f"a{n}", "role": "assistant", "content": reply},
    ]


async def test_b22_fifty_turns_with_everything_injected_and_two_new_facts_leave_two_memories(edge: Edge) -> None:
    news = {7: DECISION, 31: PREFERENCE}
    async with edge.as_("member:mira") as mira:
        transcript: list[list[dict[str, Any]]] = []
        for n in range(50):
            said_now = await turn(mira, n, news.get(n, "HEARTBEAT_OK" if n % 2 else "还在吗？"), "HEARTBEAT_OK")
            transcript.append(said_now)
            await distil(mira, said_now)
        kept = await memories(mira)
        assert len(kept) == 2, list(kept)
        assert {m["sourceMessageId"] for m in kept.values()} == {"u7", "u31"}
        again = await distil(mira, [m for t in transcript for m in t])
        assert again["kept"] == []
        # Nor as one transcript under other ids.
        whole = [{**m, "id": f"x{n}"} for n, m in enumerate(m for t in transcript for m in t)]
        assert (await distil(mira, whole))["kept"] == []
        assert len(await memories(mira)) == 2


async def test_b30_no_secret_of_a_transcript_is_anywhere_afterwards(edge: Edge) -> None:
    secrets = {name: make() for name, make in (
        ("ssh", password), ("aws", aws_key_id), ("github", github_token),
        ("db", lambda: letters(12)), ("word", lambda: letters(10)),
    )}  # fmt: skip
    pem = private_key()
    messages = said(
        f"{DECISION}连接用 sshpass -p '{secrets['ssh']}' ssh root@db",
        f"部署账号的 key 定了固定用 {secrets['aws']}，不再更换",
        f"we settled that the CI always uses {secrets['github']}",
        f"记住：以后都用这个证书\n{pem}",
        f"decision: the service connects to postgres://app:{secrets['db']}@db/prod from now on",
        f"定了，服务器固定用 srv-4，密码：{secrets['word']}",
    )
    async with edge.as_("member:mira") as mira:
        answer = await distil(mira, messages)
        assert "PostgreSQL" in str(answer["kept"])
    hidden = [*secrets.values(), pem.splitlines()[2]]
    for secret in hidden:
        assert secret not in str(answer)
        assert everywhere(edge, secret) == []


def everywhere(edge: Edge, words: str) -> list[str]:
    with psycopg.connect(edge.world.installation.dsn, autocommit=True) as connection:
        tables = connection.execute(
            "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables "
            "WHERE table_schema IN ('whoknows', 'procrastinate') AND table_type = 'BASE TABLE'"
        ).fetchall()
        assert len(tables) > 20
        found = "SELECT FROM {} t WHERE t::text LIKE %s"
        return [t for (t,) in tables if connection.execute(found.format(t).encode(), (f"%{words}%",)).fetchone() is not None]
