"""What leaked in public memory systems, as the smallest input and the right outcome: who sees what (B01-B18, B36-B40)."""

import asyncio
from uuid import uuid4

import psycopg
import pytest

from whoknows.domain.ids import MemoryId, new_memory_id
from whoknows.domain.memory import Draft, Filters, Isolation, Memory, Patch, State
from whoknows.errors import Forbidden, Invalid, NotFound
from whoknows.flows.prepare import term_hash
from whoknows.policy.standing import scope_for
from whoknows.recall.tokens import text_terms
from worlds import World

SECRET = "发布口令是蓝鲸计划"


async def test_b01_a_private_memory_is_nowhere_for_another(world: World) -> None:
    await world.agents("A", "B")
    mine = await world.write("A", SECRET)
    b = await world.caller("B")
    assert await world.recalled("A", "发布口令是什么") == [SECRET]
    assert await world.recalled("B", "发布口令是什么") == []
    told = await world.ask("B", "发布口令是什么", min_score=0.0)
    assert (told.outcome, told.trace.body["visible"]) == ("no_match", 0)
    assert await surfaces(world, "B") == []
    for verb in (world.service.read.get, world.service.read.history, world.service.forget):
        with pytest.raises(NotFound) as hidden:
            await verb(b, mine.id)
        with pytest.raises(NotFound) as absent:
            await verb(b, MemoryId(uuid4()))
        assert (hidden.value.code, hidden.value.detail) == (absent.value.code, absent.value.detail)


async def test_b02_a_team_s_memory_reaches_every_member_and_nobody_else(world: World) -> None:
    """By every path, owning nothing, naming no scope. A leak test alone would pass where nobody sees anything."""
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="reader")
    text = "预发环境数据库端口是 5433"
    await world.write("A", text, team_id="T")
    assert await world.recalled("B", "预发 数据库 端口") == [text]
    assert [m.content for m in await surfaces(world, "B")] == [text]
    assert await world.recalled("B", "预发 数据库 端口", filters=Filters(team_id="T")) == [text]
    assert await world.recalled("C", "预发 数据库 端口") == []
    assert await surfaces(world, "C") == []


async def test_b06_two_identities_that_join_to_one_key_share_nothing(world: World) -> None:
    await world.agents("x", "x&run_id=z", "x|z", "x=z")
    first, second = ("x", "y&run_id=z"), ("x&run_id=z", "y")
    for agent, session in (first, second, ("x|z", "y"), ("x=z", "y")):
        await world.write(agent, f"said by {agent} in {session}", isolation=Isolation.SESSION, session_id=session)
    for agent, session in (first, second, ("x|z", "y"), ("x=z", "y")):
        seen = await world.recalled(agent, "said", filters=Filters(session_id=session))
        assert seen == [f"said by {agent} in {session}"]
    assert await world.recalled("x", "said", filters=Filters(session_id="y")) == []
    assert await world.recalled("x", "said", filters=Filters(session_id="z")) == []


async def test_b07_an_edit_moves_no_memory_to_another_scope(world: World) -> None:
    await world.agents("A", "C")
    await world.team("U", C="writer")
    mine = await world.write("A", "x")
    a = await world.caller("A")
    assert {"content", "category", "tags", "title", "subject", "expires_at", "reason", "named"} == set(Patch.__slots__)
    patch = Patch(tags=("owner:C", "agent_id=C", "team:U"), subject="visibility=team", named=frozenset({"tags", "subject"}))
    after = await world.service.change.edit(a, mine.id, 1, patch)
    assert (after.audience, after.author) == (mine.audience, mine.author)
    assert await surfaces(world, "C") == []
    assert [m.id for m in await surfaces(world, "A")] == [mine.id]


async def test_b11_every_arm_shows_the_same_set(world: World) -> None:
    await world.agents("A", "B")
    old = await world.write("A", "部署 端口 5432 旧")
    current = await world.write("A", "部署 端口 5433 新", supersedes=old.id)
    gone = await world.write("A", "部署 端口 5434 删")
    kept = await world.write("A", "部署 端口 5435 存")
    await world.write("B", "部署 端口 5436 别人")
    a = await world.caller("A")
    await world.service.forget(a, gone.id)
    await world.service.change.archive(a, kept.id)
    question = "部署 端口"
    from whoknows.recall.tokens import question_terms

    vector = (await world.service.aim(question)).vector
    async with world.service.store.read(a) as tx:
        scope = scope_for(await tx.directory.standing())
        words = await tx.arms.search(scope, question_terms(question), None, Filters(), 100)
        near = await tx.arms.search(scope, (), vector, Filters(), 100)
    assert words.lexical is not None
    assert near.dense is not None
    assert {h.memory for h in words.lexical.hits} == {h.memory for h in near.dense} == {current.id}
    assert [m.id for m in (await world.service.read.list(a, Filters(), 200, None)).items] == [current.id]
    fused = (await world.ask("A", question, min_score=0.0)).memories
    assert [m.memory.id for m in fused] == [current.id]
    assert [o.content for o in fused[0].memory.overturned] == ["部署 端口 5432 旧"]


async def test_b13_one_s_write_leaves_another_s_memory_as_it_was(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="reader", B="writer")
    before = await world.write("A", "部署窗口是周二")
    b = await world.caller("B")
    written = [
        await world.service.capture(b, Draft("部署窗口是周四", layer="team", team_id="T")),
        await world.service.capture(b, Draft("部署窗口是周二")),
        await world.service.capture(b, Draft("部署窗口是周二", layer="team", team_id="T")),
    ]
    for answer in written:
        assert (answer.outcome, answer.findings, answer.memory.author.name) == ("stored", (), "B")
        assert before.id not in (answer.memory.id, answer.memory.supersedes)
    with pytest.raises(NotFound):
        await world.service.capture(b, Draft("部署窗口是周五", supersedes=before.id))
    assert await world.service.read.get(await world.caller("A"), before.id) == before


async def test_b16_all_of_a_layer_goes_at_once_however_many(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer")
    a = await world.caller("A")
    await world.service.capture.batch(a, [Draft(f"note {n}") for n in range(250)])
    await world.write("A", "the team's", team_id="T")
    await world.write("B", "another's")
    assert (await world.service.forget.all_of(a, Filters(layer="private"))).deleted == 250
    assert [m.content for m in await surfaces(world, "A")] == ["the team's"]
    assert (await world.service.forget.all_of(a, Filters(layer="private"))).deleted == 0
    assert len(await surfaces(world, "B")) == 1


async def test_b18_equal_texts_in_several_scopes_live_and_die_apart(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    text = "发布流程：先备份，再回滚"
    mine = await world.write("A", text)
    await world.write("B", text)
    await world.write("A", text, team_id="T")
    assert len(await world.recalled("B", "备份 回滚")) == 2
    await world.service.forget(await world.caller("A"), mine.id)
    assert await world.recalled("A", "备份 回滚") == [text]
    assert await world.recalled("B", "备份 回滚") == [text, text]
    assert len(await surfaces(world, "B")) == 2


async def test_b18_the_last_of_nineteen_equal_cards_is_still_found(world: World) -> None:
    names = [f"a{n}" for n in range(19)]
    await world.agents(*names)
    cards = [await world.write(n, "同一张卡片") for n in names]
    for name, card in zip(names[:-1], cards, strict=False):
        await world.service.forget(await world.caller(name), card.id)
    assert await world.recalled(names[-1], "卡片") == ["同一张卡片"]


async def test_b36_what_was_said_in_one_task_is_silent_in_the_next(world: World) -> None:
    await world.agents("A")
    first, second = [await world.caller("A", await world.key("A", task=k)) for k in ("k1", "k2")]
    await world.service.capture(first, Draft("先不要提交代码", isolation=Isolation.TASK))
    from whoknows.flows.recall import Question

    def asked() -> Question:
        return Question("提交代码", min_score=0.0)

    assert [a.memory.task_id for a in (await world.service.recall(first, asked())).memories] == ["k1"]
    assert (await world.service.recall(second, asked())).memories == []
    assert (await world.service.recall(await world.caller("A"), asked())).memories == []
    with pytest.raises(Forbidden):
        await world.service.recall(second, Question("提交代码", filters=Filters(task_id="k1")))


async def test_b38_nothing_of_a_deleted_text_remains_in_any_table(world: World) -> None:
    await world.agents("A", "B")
    a = await world.caller("A")
    written = await world.service.capture(
        a,
        Draft(
            "琥珀色的长颈鹿 zanzibar",
            title="quokka",
            source="message:7",
            quote="narwhal",
            visible_to=("B",),
            tags=("okapi",),
            reason="tapir",
        ),
    )
    await world.service.change.edit(
        a, written.memory.id, 1, Patch(content="琥珀色的长颈鹿 zanzibar 改", named=frozenset({"content"}))
    )
    assert len(await world.recalled("B", "长颈鹿")) == 1
    await world.service.forget(a, written.memory.id)
    words = ["琥珀", "zanzibar", "quokka", "narwhal", "okapi", "tapir"]
    with psycopg.connect(world.installation.dsn) as connection:
        tables = connection.execute(
            "SELECT format('%I.%I', table_schema, table_name) FROM information_schema.tables "
            "WHERE table_schema IN ('whoknows', 'procrastinate') AND table_type = 'BASE TABLE'"
        ).fetchall()
        for (table,) in tables:
            rows = connection.execute(f"SELECT t::text FROM {table} t".encode()).fetchall()
            assert not [w for (row,) in rows for w in words if w in row], table
        hashes = [term_hash(t) for t in text_terms("琥珀色的长颈鹿 zanzibar quokka")]
        for table in ("postings", "documents", "passages"):
            (left,) = connection.execute(f"SELECT count(*) FROM whoknows.{table}".encode()).fetchone() or (None,)
            assert left == 0, table
        assert connection.execute("SELECT count(*) FROM whoknows.postings WHERE term = ANY (%s)", (hashes,)).fetchone() == (0,)
        (stone,) = connection.execute(
            "SELECT count(*) FROM whoknows.tombstones WHERE memory_id = %s", (written.memory.id,)
        ).fetchone() or (0,)
        assert stone == 1


async def test_b38_a_job_that_ends_after_the_delete_brings_nothing_back(world: World) -> None:
    """The text was read, then deleted, then its vectors came: they are thrown away."""
    await world.agents("A")
    a = await world.caller("A")
    long = "很长的一段话，关于长颈鹿和斑马。" * 60
    memory = (await world.service.capture(a, Draft(long))).memory
    assert memory.embedding_pending
    async with world.service.store.jobs() as jobs:
        pending = await jobs.pending(memory.id)
    assert pending is not None
    await world.service.forget(a, memory.id)
    vectors = await world.service.embedder.embed_passages([pending.content])
    async with world.service.store.jobs() as jobs:
        assert not await jobs.complete(memory.id, pending.version, vectors)
        assert await jobs.pending(memory.id) is None
    with psycopg.connect(world.installation.dsn) as connection:
        assert connection.execute("SELECT count(*) FROM whoknows.passages").fetchone() == (0,)


async def test_b40_secondary_surfaces_show_what_the_list_shows(world: World) -> None:
    """The matrix, export, counts, events and audit are scoped like the list."""
    await world.agents("A", "B")
    await world.team("T", A="writer", B="reader")
    hidden = await world.write("A", SECRET)
    await world.write("A", "for the team", team_id="T")
    b = await world.caller("B")
    assert [m.content for m in await surfaces(world, "B")] == ["for the team"]
    matrix = await world.service.explain.knows(b, Filters(), 200, None)
    assert {v.memory for row in matrix.rows for v in row.verdicts} == {m.id for m in await surfaces(world, "B")}
    audit = await world.service.oversee.audit(b.credential, 200, None)
    assert str(hidden.id) not in repr(audit.items)
    assert "蓝鲸" not in repr(audit.items)


async def test_b40_pending_work_is_counted_for_its_author_alone(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="writer")
    await world.service.capture(await world.caller("A"), Draft("很长的一段话，关于端口。" * 80, layer="team", team_id="T"))
    assert await world.service.oversee.pending(await world.caller("A")) == 1
    assert await world.service.oversee.pending(await world.caller("B")) == 0


async def test_a_cursor_tells_nothing_of_hidden_memories(world: World) -> None:
    """A hidden id, and one that never was, are places in the order of time and nothing else."""
    await world.agents("A", "B")
    await world.write("B", "mine")
    hidden = await world.write("A", SECRET)
    b = await world.caller("B")
    for cursor in (str(hidden.id), str(new_memory_id())):
        page = await world.service.read.list(b, Filters(), 10, cursor)
        assert ([m.content for m in page.items], page.next_cursor) == (["mine"], None)
    with pytest.raises(Invalid):
        await world.service.read.list(b, Filters(), 10, "no cursor at all")


async def test_a_page_goes_on_behind_a_memory_that_was_deleted(world: World) -> None:
    await world.agents("A")
    written = [await world.write("A", f"note {n}") for n in range(5)]
    a = await world.caller("A")
    page = await world.service.read.list(a, Filters(), 2, None)
    await world.service.forget(a, written[3].id)
    rest = await world.service.read.list(a, Filters(), 10, page.next_cursor)
    assert [m.content for m in (*page.items, *rest.items)] == ["note 4", "note 3", "note 2", "note 1", "note 0"]


async def test_a_trace_forgets_what_its_reader_may_no_longer_see(world: World) -> None:
    """Neighbours in a conversation too: one of the two turns is taken back, and its id goes from the trace."""
    await world.agents("A", "B")
    a = await world.caller("A")
    first = (await world.service.capture(a, Draft("什么时候 画 的 日出", visible_to=("B",), session_id="s"))).memory
    second = (await world.service.capture(a, Draft("去年 画 的 日出", visible_to=("B",), session_id="s"))).memory
    asked = await world.ask("B", "什么时候 画 日出", min_score=0.0)
    assert len(asked.memories) == 2
    await world.service.change.share(a, first.id, "B", False)
    trace = await world.service.follow.trace(await world.caller("B"), asked.trace.id)
    assert str(first.id) not in repr(trace.body)
    assert str(second.id) in repr(trace.body)


async def surfaces(world: World, who: str) -> list[Memory]:
    """What the list shows; the export, the matrix and the events must agree with it, and do before this answers."""
    caller = await world.caller(who)
    listed = (await world.service.read.list(caller, Filters(), 200, None)).items
    every = [m for s in State for m in (await world.service.read.list(caller, Filters(state=s), 200, None)).items]
    exported = [m async for m in world.service.export(caller)]
    assert {m.id for m in exported} == {m.id for m in every}
    matrix = await world.service.explain.knows(caller, Filters(), 200, None)
    assert [row.memory.id for row in matrix.rows] == [m.id for m in listed]
    deadline = asyncio.get_running_loop().time() + 5
    while True:
        async with world.service.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
            events = await tx.records.events_after(scope, (0, 0), 1000)
        alive = {e.memory_id for e in events} - {e.memory_id for e in events if e.kind == "memory.deleted"}
        assert alive <= {m.id for m in every}
        if alive == {m.id for m in every} or asyncio.get_running_loop().time() > deadline:
            break
        await asyncio.sleep(0.05)
    assert alive == {m.id for m in every}
    return list(listed)
