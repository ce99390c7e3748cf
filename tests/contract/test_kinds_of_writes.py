"""What went wrong in public memory systems when writing and finding (B20, B24, B26, B28, B32)."""

import asyncio
from collections.abc import Sequence

import pytest

from whoknows.domain.memory import Draft, Filters
from whoknows.domain.principal import Clearance
from whoknows.errors import AlreadySuperseded, Conflict, EmbedderUnavailable, Forbidden, NotFound, WhoKnowsError
from whoknows.flows.aim import Aim
from whoknows.flows.recall import Question, Recall
from whoknows.flows.writing import Outcome
from whoknows.ports import Vector
from worlds import World


async def test_b20_exactly_one_of_several_successors_wins(world: World) -> None:
    """Superseded once, without a circle, however many try at once and however often it is tried again."""
    await world.agents("A")
    a = await world.caller("A")
    old = (await world.service.capture(a, Draft("port 5432"))).memory
    tries = [world.service.capture(a, Draft(f"port 543{n}", supersedes=old.id)) for n in range(3, 7)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    won = [r for r in results if not isinstance(r, BaseException)]
    assert len(won) == 1
    assert all(isinstance(r, Conflict) for r in results if isinstance(r, BaseException))
    current = (await world.service.read.list(a, Filters(), 10, None)).items
    assert [m.id for m in current] == [won[0].memory.id]
    with pytest.raises(AlreadySuperseded):
        await world.service.capture(a, Draft("port 5439", supersedes=old.id))
    chain = (await world.service.read.history(a, old.id)).chain
    assert [m.id for m in chain] == [won[0].memory.id, old.id]


async def test_b20_an_old_statement_does_not_overturn_its_successor(world: World) -> None:
    await world.agents("A")
    a = await world.caller("A")
    first = (await world.service.capture(a, Draft("port 5432"))).memory
    second = (await world.service.capture(a, Draft("port 5433", supersedes=first.id))).memory
    again = (await world.service.capture(a, Draft("port 5432", supersedes=second.id))).memory
    assert again.id != first.id
    assert [m.id for m in (await world.service.read.history(a, first.id)).chain] == [again.id, second.id, first.id]
    assert [m.id for m in (await world.service.read.list(a, Filters(), 10, None)).items] == [again.id]


async def test_b24_the_same_words_five_times_are_one_row(world: World) -> None:
    await world.agents("A")
    a = await world.caller("A")
    forms = ("DGIA", "  dgia ", "ＤＧＩＡ", "D\u200bGIA", "DGIA\n")
    outcomes = [(await world.service.capture(a, Draft(f, source=f"message:{n}"))).outcome for n, f in enumerate(forms)]
    assert outcomes == ["stored", *["merged"] * 4]
    (only,) = (await world.service.read.list(a, Filters(), 10, None)).items
    assert (only.content, len(only.evidence), len(only.authors)) == ("DGIA", 5, 1)
    assert await world.recalled("A", "dgia") == ["DGIA"]


async def test_b24_concurrent_equal_writes_are_one_row(world: World) -> None:
    await world.agents("A", "B")
    await world.team("T", A="writer", B="writer")
    callers = [await world.caller(w) for w in ("A", "B") * 4]
    drafts = [Draft("部署窗口：周二", layer="team", team_id="T", source=f"message:{n}") for n in range(8)]
    results = await asyncio.gather(*(world.service.capture(c, d) for c, d in zip(callers, drafts, strict=True)))
    assert len({r.memory.id for r in results}) == 1
    (only,) = (await world.service.read.list(callers[0], Filters(), 10, None)).items
    assert {a.author.name for a in only.authors} == {"A", "B"}
    assert len(only.evidence) == 8


async def test_b24_equal_words_twice_in_one_batch_are_one_row(world: World) -> None:
    await world.agents("A")
    a = await world.caller("A")
    results = await world.service.capture.batch(a, [Draft("好，吗？"), Draft("好, 吗?"), Draft("别的")])
    assert [r.outcome for r in results if not isinstance(r, WhoKnowsError)] == ["stored", "merged", "stored"]
    assert len((await world.service.read.list(a, Filters(), 10, None)).items) == 2


TEXT = "GitHub备份脚本上传失败，原因是SSH密钥过期；支付服务已回滚。C盘满了，API配置见文档"


@pytest.mark.parametrize(
    "question", ["备份", "密钥过期", "支付服务", "GitHub", "SSH", "为什么回滚支付服务", "C盘", "API配置", "github", "文檔"]
)
async def test_b26_words_within_chinese_text_are_found_by_words_alone(world: World, question: str) -> None:
    await world.agents("A")
    await world.write("A", TEXT)
    await world.write("A", "今天天气很好，大家去公园散步")
    found = await _by_words(world, Question(question, min_score=0.0))
    assert found[0] == TEXT


async def test_b28_off_topic_is_silence_and_on_topic_is_not_in_both_modes(world: World) -> None:
    await world.agents("A")
    for text in (
        "Employees get 25 days of annual leave, requests go to the line manager.",
        "Parental leave is twelve weeks at full pay after one year of service.",
        "Expense reports are due on the fifth of each month.",
        "病假需要在三天内提交医院证明。",
    ):
        await world.write("A", text)
    a = await world.caller("A")
    for mode in (world.service.recall, _without_vectors(world)):
        off = await mode(a, Question("how do I bake sourdough?"))
        assert (off.outcome, list(off.memories)) == ("no_match", [])
        on = await mode(a, Question("how many days of annual leave do employees get?"))
        assert on.outcome == "ok"
        assert on.memories[0].memory.content.startswith("Employees get 25 days")
        assert 0 <= on.memories[0].hit.score <= 1


async def test_b28_without_the_embedder_the_words_answer_and_it_is_said(world: World) -> None:
    await world.agents("A")
    await world.write("A", TEXT)
    told = await _without_vectors(world)(await world.caller("A"), Question("支付服务 回滚", min_score=0.0))
    assert told.degraded == "embedder_unavailable"
    assert [m.memory.content for m in told.memories] == [TEXT]


@pytest.mark.parametrize("team", ["T-typo", "t", "T ", "U"])
async def test_b32_writing_to_a_team_that_is_not_there_stores_nothing(world: World, team: str) -> None:
    """Absent, and there but not one's own, are the same: one does not learn that U exists."""
    await world.agents("A", "B")
    await world.team("T", A="writer")
    await world.team("U", B="writer")
    a = await world.caller("A")
    with pytest.raises(NotFound) as fault:
        await world.service.capture(a, Draft("x", layer="team", team_id=team))
    assert (fault.value.field, fault.value.detail) == ("team_id", f"there is no team {team!r} that you are on")
    assert (await world.service.read.list(a, Filters(), 10, None)).items == []
    with pytest.raises(NotFound):
        await world.service.recall(a, Question("x", filters=Filters(team_id=team)))


async def test_a_strict_agent_s_batch_loses_only_what_it_may_not_write(world: World) -> None:
    """It could not read what it wrote to a team, so that is refused; and the rest of the batch is not."""
    await world.agents("N", clearance=Clearance.NEED_TO_KNOW)
    await world.team("T", N="writer")
    n = await world.caller("N")
    own, team = await world.service.capture.batch(n, [Draft("my own"), Draft("the team's", layer="team", team_id="T")])
    assert isinstance(own, Outcome)
    assert isinstance(team, Forbidden)
    assert team.reason_code == "need_to_know"
    assert [m.content for m in (await world.service.read.list(n, Filters(), 10, None)).items] == ["my own"]


class _Silent:
    """An embedder that does not answer."""

    name, dimensions, address = "silent", 384, None

    async def embed_question(self, text: str) -> Vector:
        raise EmbedderUnavailable

    async def embed_passages(self, texts: Sequence[str]) -> Sequence[Vector]:
        raise EmbedderUnavailable

    async def close(self) -> None:
        return None


def _without_vectors(world: World) -> Recall:
    aim = Aim(world.service.store, _Silent(), world.service.egress)
    return Recall(world.service.store, aim, world.service.limits, world.service.recall.clock)


async def _by_words(world: World, question: Question) -> list[str]:
    told = await _without_vectors(world)(await world.caller("A"), question)
    return [a.memory.content for a in told.memories]
