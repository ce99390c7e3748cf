"""Verdicts in the reader's language: the rule, why it says so, and the facts behind it."""

from whoknows.console.words import Words
from whoknows.domain.trace import Saying, Verdict


def why(t: Words, verdict: Verdict) -> str:
    """The sentence of a verdict."""
    return t(key(verdict.why.key), **verdict.why.names)


def fact(t: Words, saying: Saying) -> str:
    """One of the facts that a verdict rests on; what is a word of the interface in it, is said in the language too."""
    names = {name: t(f"reasons.{name}_{_plain(value)}") if name in _WORDS else value for name, value in saying.names.items()}
    return t(f"reasons.fact_{_plain(saying.key)}", **names)


def rule(t: Words, verdict: Verdict) -> str:
    """What the rule is called, for people."""
    return t(f"reasons.rule_{_plain(verdict.rule.partition(' ')[2])}")


def space(t: Words, reason: str) -> str:
    """Why a space is searched."""
    return t(f"reasons.why_{_plain(reason)}")


def key(reason: str) -> str:
    return f"reasons.{_plain(reason)}"


_WORDS = ("layer", "why")


def _plain(name: str) -> str:
    return name.replace(" ", "_")
