"""Which statements are members of a series: by what stands in the place of the subject, and what may correct all the same."""

import pytest

from whoknows.distill.series import another_subject, head


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Server B listens on port 1", "server A listens on port 1"),
        ("On day 4 we do the tests", "On day 3 we do the rollout"),
        ("On Friday the cellar is swept", "On Monday the roof is checked"),
        ("2026-12-03 is for the audit", "2026-12-02 is for the rehearsal"),
        ("Room 12 belongs to sales", "Room 11 belongs to support"),
        ("db2 keeps the archive", "db1 keeps the orders"),
        ("Bob likes tea", "Alice likes tea"),
        ("乙组负责测试", "甲组负责开发"),
        ("小张负责浇水", "小王负责采购"),
        ("张伟负责采购", "王芳负责签字"),
        ("B机房在二楼", "A机房在三楼"),
        ("12月3日开庭", "12月2日递交材料"),
        ("另外，服务器B监听端口 2", "服务器A监听端口 1"),
    ],
)
def test_another_thing_is_another_subject(text: str, known: str) -> None:
    assert another_subject(text, known, corrects=False)
    assert another_subject(known, text, corrects=False)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Server A listens on port 2", "Server A listens on port 1"),
        ("The licence covers 60 seats now", "The licence covers 50 seats"),
        ("We deploy on 4 servers", "We deploy on 3 servers"),
        ("We deploy on Thursday", "We deploy on Tuesday"),
        ("On day 4 we do the tests", "On day 3 we do the tests"),
        ("On Tuesday we start at 5", "On Monday we start at 4"),
        ("Redis is our cache now", "Valkey is our cache"),
        ("The room is B", "The room is A"),
        ("周报周四发", "周报周三发"),
        ("第4天做测试", "第3天做测试"),
        ("结账服务用 MySQL", "结账服务用 PostgreSQL"),
        ("3 天内回复", "5 天内回复"),
        ("小组负责测试", "老板负责测试"),
        ("", "Server A listens on port 1"),
        ("服务器", "服务器A监听端口 1"),
    ],
)
def test_another_value_of_the_same_thing_is_none(text: str, known: str) -> None:
    assert not another_subject(text, known, corrects=False)
    assert not another_subject(known, text, corrects=False)


@pytest.mark.parametrize(
    ("text", "known", "still"),
    [
        ("Server B listens on port 2 instead of 5", "Server A listens on port 1", True),
        ("Server B is the primary", "Server A is the primary", False),
        ("Day 4 is for the tests", "Day 3 is for the release", False),
        ("Bob signs the invoices", "Alice signs the orders", False),
    ],
)
def test_beside_a_word_that_corrects_only_what_is_plainly_another_thing_is_one(text: str, known: str, still: bool) -> None:
    assert another_subject(text, known, corrects=False)
    assert another_subject(text, known, corrects=True) is still


@pytest.mark.parametrize(
    "text", ["It has ended", "What is it", "A server listens", "server", "no", "。", "9" * 5000, "服务器" * 2000]
)
def test_where_nobody_can_tell_there_is_no_subject(text: str) -> None:
    assert head(text) is None
