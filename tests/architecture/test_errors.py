"""Every deliberate error says what went wrong, and has a name on the wire that is its own."""

import inspect
import re

import pytest

from whoknows import errors
from whoknows.errors import Finding, Forbidden, RefusedByGate, WhoKnowsError

ALL = [e for _, e in inspect.getmembers(errors, inspect.isclass) if issubclass(e, WhoKnowsError)]


@pytest.mark.parametrize("error", ALL, ids=lambda e: e.__name__)
def test_its_docstring_is_a_sentence_for_the_caller(error: type[WhoKnowsError]) -> None:
    said = error.__dict__.get("__doc__")
    assert said, "no docstring: it is the message"
    assert said.strip().endswith(".")
    assert error().detail == said.strip().splitlines()[0]


@pytest.mark.parametrize("error", ALL, ids=lambda e: e.__name__)
def test_its_code_is_its_own_and_fit_for_the_wire(error: type[WhoKnowsError]) -> None:
    assert "code" in error.__dict__, "it has the code of its parent"
    assert re.fullmatch(r"[a-z][a-z_]+", error.code)


def test_no_two_errors_share_a_code() -> None:
    codes = [e.code for e in ALL]
    assert len(codes) == len(set(codes))


def test_an_error_says_what_it_was_told_to_say() -> None:
    assert str(Forbidden("because", reason_code="why", field="f")) == "because"
    assert Forbidden("because", reason_code="why").reason_code == "why"
    assert Forbidden().reason_code == "forbidden"
    assert RefusedByGate([Finding("c", "one"), Finding("c", "two")]).detail == "one; two"
