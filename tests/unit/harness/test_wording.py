"""Every code that somebody may be shown has words in both languages, and one that nobody knows is shown as it is."""

import ast
import string
from pathlib import Path

import pytest

from whoknows.domain.distillation import Became
from whoknows.domain.distilled import Skip
from whoknows.domain.harness import HookEvent, Outcome, Stage
from whoknows.domain.harness_report import Because, Missing
from whoknows.errors import Busy, DimensionMismatch, EmbedderUnavailable, RefusedByGate
from whoknows.flows import hook_exchanges
from whoknows.flows.egress import FORBIDDEN
from whoknows.harness import skipping, wording
from whoknows.harness.wording import Said, words
from whoknows.hooks import breaker
from whoknows.policy import stages

TABLES = {name: table for name, table in vars(wording).items() if name.isupper()}
HOOKS = Path(breaker.__file__).parent


def test_every_value_that_is_closed_has_words() -> None:
    for table, values in (
        (wording.STAGES, Stage), (wording.OUTCOMES, Outcome), (wording.EVENTS, HookEvent), (wording.MISSING, Missing),
        (wording.SUGGESTIONS, Because), (wording.FATES, Became), (wording.REASONS, Skip),
    ):  # fmt: skip
        assert {str(v) for v in values} <= set(table)
    assert {str(b) for b in Because} == set(wording.SUGGESTIONS), "and none that nobody says"


def test_every_reason_that_is_written_down_has_words() -> None:
    said = {c for module in (skipping, hook_exchanges) for c in _words_of(Path(str(module.__file__)), "why")}
    assert {"short", "heartbeat", "no_account", "distilling_off", "internal"} <= said
    assert said | {FORBIDDEN, DimensionMismatch.code, EmbedderUnavailable.code, RefusedByGate.code} <= set(wording.REASONS)


def test_every_need_of_a_stage_has_words() -> None:
    needed = {n.need for s in Stage for n in stages.needs(stages.Footing(s, 0, 0, False, False))}
    assert needed == set(wording.NEEDS)


def test_every_code_in_the_log_of_hooks_has_words() -> None:
    said = {c for path in HOOKS.glob("*.py") for c in _faults_of(path)}
    assert {"timeout", "other_server", "no_server"} <= said
    assert said - {"mcp"} <= set(wording.FAULTS), said - set(wording.FAULTS)


@pytest.mark.parametrize("name", sorted(TABLES))
def test_both_languages_say_it_and_name_the_same_figures(name: str) -> None:
    for code, said in TABLES[name].items():
        assert said.en.strip(), code
        assert any("\u4e00" <= c <= "\u9fff" for c in said.zh), code
        assert _fields(said.en) == _fields(said.zh), code


def test_the_language_is_that_of_a_locale_or_a_tag() -> None:
    said = Said("one {n}", "一 {n}")
    assert [said.of(tag, n=1) for tag in ("zh", "zh_CN.UTF-8", "ZH-Hant", "en", "", "C.UTF-8")] == ["一 1"] * 3 + ["one 1"] * 3
    assert words({"a": said}, "b", "zh") == "b", "what a newer server says"
    assert Busy.code not in wording.REASONS


def _fields(text: str) -> set[str | None]:
    return {field for _, field, _, _ in string.Formatter().parse(text) if field is not None}


def _words_of(path: Path, variable: str) -> set[str]:
    """The texts that functions of a module return, and those that are put into ``variable``."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        value = node.value if isinstance(node, ast.Return) else None
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == variable for t in node.targets):
            value = node.value
        found |= (
            {n.value for n in ast.walk(value) if isinstance(n, ast.Constant) and isinstance(n.value, str)} if value else set()
        )
    return {w for w in found if w and w.replace("_", "").isalpha() and w.islower()}


def _faults_of(path: Path) -> set[str]:
    calls = (n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call))
    return {
        c.args[0].value
        for c in calls
        if isinstance(c.func, ast.Name) and c.func.id == "Fault" and c.args
        if isinstance(c.args[0], ast.Constant) and isinstance(c.args[0].value, str)
    }
