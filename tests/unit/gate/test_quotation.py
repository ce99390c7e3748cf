"""A quotation of a claim is not the claim."""

import pytest

from whoknows.gate.quotation import is_quotation


@pytest.mark.parametrize(
    "text",
    [
        "> the port is 5433\n> and stays so",
        "“端口是 5433”",
        '"The port is 5433."',
        "「端口改了」。",
        "Alice said that the port is 5433",
        "The vendor claims: twice as fast",
        "According to the old wiki the port is 5433",
        "reportedly the port moved",
        "I heard from Bob that it is slow",
        "据说端口改了",
        "听同事说端口改了",
        "老王说：端口是 5433",
        "文档写道“端口是 5433”",
    ],
)
def test_what_is_only_quoted_or_reported(text: str) -> None:
    assert is_quotation(text)


@pytest.mark.parametrize(
    "text",
    [
        "the port is 5433",
        "端口是 5433",
        'the flag "fast" is set, and "slow" is not',
        '"fast" and "slow"',
        "> as the wiki had it\nbut the port is 5433 now",
        "we said no to Redis; the cache is Memcached",
        "说明文档在 wiki 上",
        "",
        "   ",
        '"',
    ],
)
def test_what_is_said_oneself(text: str) -> None:
    assert not is_quotation(text)
