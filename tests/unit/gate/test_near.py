"""What two texts have in common, and what keeps them apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whoknows.gate.near import alike, differs

APART = [
    ("部署窗口是周二", "部署窗口是周四", "numbers"),
    ("The port is 5432.", "The port is 5433.", "numbers"),
    ("a retry after 1.5 seconds", "a retry after 15 seconds", "numbers"),
    ("we meet on Tuesday", "we meet on Thursday", "numbers"),
    ("备份保留三天", "备份保留七天", "numbers"),
    ("We use Redis as the cache.", "We use Memcached as the cache.", "names"),
    ("张三负责支付", "李四负责支付", "names"),
    ("set max_connections first", "set min_connections first", "names"),
    ("上线要审批", "上线不要审批", "negation"),
    ("Deploy on Fridays is allowed, so do it", "Deploy on Fridays is not allowed, so do it", "negation"),
    ("never push to main", "push to main", "negation"),
    ("the flag is disabled", "the flag is set", "negation"),
]


@pytest.mark.parametrize(("one", "other", "why"), APART)
def test_numbers_names_and_negation_keep_texts_apart(one: str, other: str, why: str) -> None:
    assert differs(one, other) == why
    assert differs(other, one) == why


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("三个节点", "3个节点"),
        ("留十二天", "留12天"),
        ("第二十版", "第20版"),
        ("he did not never say it", "he said it"),
        ("不但快，而且稳", "快，而且稳"),
        ("Ｐｏｒｔ 5432", "Port 5432"),
        ("Backups run at night.", "At night backups run."),
    ],
)
def test_what_is_only_said_otherwise_is_not_kept_apart(one: str, other: str) -> None:
    assert differs(one, other) is None


def test_words_in_common_are_counted_in_both_scripts() -> None:
    assert alike("备份每晚运行", "备份每晚运行") == 1.0
    assert alike("备份每晚运行", "备份每天晚上运行") > 0.4
    assert alike("The backup runs at night", "the BACKUP runs at night!") == 1.0
    assert alike("backup", "restore") == alike("", "") == alike("！", "?") == 0.0


@given(st.text(max_size=200), st.text(max_size=200))
def test_likeness_is_between_none_and_all_and_the_same_both_ways(one: str, other: str) -> None:
    assert 0.0 <= alike(one, other) <= 1.0
    assert alike(one, other) == alike(other, one)
    assert differs(one, other) == differs(other, one)
    assert differs(one, one) is None
