"""Verdicts in words: every sentence and fact of the policy, every rule and every reason to search, in both languages."""

import re

import pytest

from whoknows.console import reasons
from whoknows.console.words import Language, words
from whoknows.domain.audience import GrantKind, Layer
from whoknows.domain.ids import MemoryId, new_memory_id
from whoknows.domain.trace import Saying, Verdict
from whoknows.policy.explain import FACTS, REASONS

YES = ("own", "injected", "account", "shared", "everyone", "member", "named on the team", "owner of the team")
"""What ``standing.reason`` may say, which is why a space is searched, too."""
NO = ("expired", "task", "held", "need_to_know", "audience")
NAMES = {"owner": "team:{T}", "task": "k</code>", "layer": "private", "why": "own"}
BOTH = pytest.mark.parametrize("language", list(Language))


def said(reason: str, rule: str = "R1 self") -> Verdict:
    saying = Saying(reason, REASONS[reason].format(**NAMES), {"owner": NAMES["owner"]})
    return Verdict("agent:A", MemoryId(new_memory_id()), True, rule, saying, ())


@BOTH
@pytest.mark.parametrize("reason", REASONS)
def test_every_sentence_of_the_policy_is_said_in_both_languages_with_its_names(language: Language, reason: str) -> None:
    text = reasons.why(words(language), said(reason))
    assert ("{owner}" in REASONS[reason]) == (NAMES["owner"] in text)
    assert bool(re.search("[\u4e00-\u9fff]", text)) == (language is Language.ZH)
    if language is Language.EN:
        assert text == said(reason).reason, "the page says it as the interface does"


@BOTH
@pytest.mark.parametrize("fact", FACTS)
def test_every_fact_is_said_in_both_languages(language: Language, fact: str) -> None:
    names = {n: NAMES[n] for n in re.findall(r"\{(\w+)\}", FACTS[fact])}
    text = reasons.fact(words(language), Saying(fact, "", names))
    assert "{" not in text.replace(NAMES["owner"], "")
    if language is Language.EN:
        assert text == FACTS[fact].format(**names)


@BOTH
def test_every_rule_layer_and_reason_to_search_has_a_word(language: Language) -> None:
    t = words(language)
    for rule in (*GrantKind, *NO):
        assert reasons.rule(t, said("own", f"R1 {rule}"))
    for why in YES:
        assert reasons.space(t, why)
        assert reasons.fact(t, Saying("reader", "", {"why": why}))
    for layer in Layer:
        assert reasons.fact(t, Saying("layer", "", {"layer": str(layer), "owner": "agent:A"}))


def test_the_policy_says_nothing_that_is_not_listed_here() -> None:
    assert set(REASONS) == {*YES, "expired", "another task", "held", "need to know", "audience"}
