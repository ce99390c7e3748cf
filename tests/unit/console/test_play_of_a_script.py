"""How far a script was played, and whether what it suggests turned out as it expects."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from whoknows.console.pages.bureau.play import Mark, Progress, answered_as_expected, read, steps_of, written
from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.case import Answer, Case, HitCard
from whoknows.domain.ids import TraceId
from whoknows.domain.script import AskStep, Knowledge, Language, Place, Script
from whoknows.domain.trace import Trace
from whoknows.sources.scripts import ScriptFiles

CASE = Case("case-1", "heron", Language.EN, datetime(2026, 1, 31, tzinfo=UTC), None)


@pytest.fixture
def script() -> Script:
    found = ScriptFiles().get("heron")
    assert found is not None
    return found


def answer(script: Script, card: str | None, place: Place = Place.OWN) -> Answer:
    texts = {c.id: c.text.en for _, c in script.cards()}
    hits = () if card is None else (HitCard(uuid4(), texts[card], place, "agent:detective", None, 0.9),)
    trace = Trace(TraceId(uuid4()), "agent:detective", "?", CASE.founded_at, (), "lexical", 1.0)
    known = Knowledge.KNOWN if hits else Knowledge.UNKNOWN
    return Answer("detective", "…", known, AnswerMode.EVIDENCE, None, hits, trace, None)


def test_what_the_browser_keeps_comes_back_as_it_was(script: Script) -> None:
    progress = Progress().then(Mark.HELD).then(Mark.OTHERWISE).then(Mark.SKIPPED)
    assert read(written(progress, CASE), CASE, script) == progress
    assert progress.held == 1


def test_progress_of_another_case_or_from_before_a_new_beginning_is_none(script: Script) -> None:
    kept = written(Progress().then(Mark.HELD), CASE)
    assert read(kept, replace(CASE, name="case-2"), script) == Progress()
    assert read(kept, replace(CASE, reset_at=CASE.founded_at + timedelta(seconds=1)), script) == Progress()


@pytest.mark.parametrize("kept", [None, "", "case-1", "case-1.x.yyy", "case-1.1.zzz", "\0", "y" * 10_000, "案件.1.y"])
def test_what_is_no_progress_is_none(script: Script, kept: str | None) -> None:
    assert read(kept, CASE, script) == Progress()


def test_more_marks_than_steps_are_no_more_than_the_steps(script: Script) -> None:
    kept = written(Progress((Mark.HELD,) * 100), CASE)
    assert len(read(kept, CASE, script).marks) == len(script.steps)


def test_every_step_says_whose_it_is_and_what_is_expected(script: Script) -> None:
    steps = steps_of(script, Language.ZH, Progress((Mark.HELD,)))
    assert [s.number for s in steps] == list(range(len(script.steps)))
    assert (steps[0].role, steps[0].expect, steps[0].mark) == ("informant", "known_own", Mark.HELD)
    assert (steps[1].expect, steps[1].mark) == ("unknown", None)
    publishing = next(s for s in steps if s.kind == "publish")
    assert (publishing.role, publishing.expect) == ("informant", "one_copy")
    assert "4826" in publishing.text


def test_a_known_answer_is_expected_from_that_card_and_that_place(script: Script) -> None:
    step = script.steps[5]
    assert isinstance(step, AskStep)
    assert step.place is Place.BOARD
    assert answered_as_expected(step, answer(script, "safe-code", Place.BOARD), script, Language.EN)
    assert not answered_as_expected(step, answer(script, "safe-code", Place.OWN), script, Language.EN)
    assert not answered_as_expected(step, answer(script, "debt", Place.BOARD), script, Language.EN)
    assert not answered_as_expected(step, answer(script, "safe-code", Place.BOARD), script, Language.ZH)
    assert not answered_as_expected(step, answer(script, None), script, Language.EN)


def test_not_knowing_is_as_good_an_expectation(script: Script) -> None:
    step = script.steps[1]
    assert isinstance(step, AskStep)
    assert answered_as_expected(step, answer(script, None), script, Language.EN)
    assert not answered_as_expected(step, answer(script, "safe-code"), script, Language.EN)
