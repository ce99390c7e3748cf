"""Skipping: which events get nothing, and why, in a word."""

import re

from whoknows.harness.events import Prompted, Stopped, SubagentStarted

LEAST = 6
"""What a prompt must weigh to be a question, an ideograph as two letters: "go on" and "继续" ask for nothing."""
_ENOUGH = 200
"""Characters after which a prompt is long in any case."""
_PEOPLE = ("user", "sdk")
"""Origins of what somebody wants. The others are wake-ups, polls and the program itself."""
_COMMAND = re.compile(r"/[A-Za-z][\w:.-]*(?:\s|$)")
_SHELL = re.compile(r"!\s*[\w./~$-]", re.ASCII)
_NOTICE = re.compile(r"\s*<\s*task[-_]notification\b", re.IGNORECASE)
_BEAT = re.compile(r"\s*(?:read\s+)?HEARTBEAT(?:\.md|_OK)?\b", re.IGNORECASE)
_SUMMARY = re.compile(r"\s*This session is being continued from a previous conversation\b")
_WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")


def why_unheard(event: Prompted, own: str) -> str | None:
    """Why nobody said this prompt, or None. What nobody said is neither answered from memory nor learned from.

    ``own``: its own words (`without_own`).
    """
    text = event.prompt
    if event.origin is not None and event.origin not in _PEOPLE:
        return "synthetic"
    if _NOTICE.match(text):
        return "notification"
    if event.agent is not None:
        return "sub_agent"
    if not text.strip():
        return "empty"
    if not own.strip():
        return "own_text"
    if _BEAT.match(own):
        return "heartbeat"
    if _SUMMARY.match(own):
        return "summary"
    if _COMMAND.match(own):
        return "command"
    if _SHELL.match(own):
        return "shell"
    return None


def why_unasked(event: Prompted, own: str) -> str | None:
    """Why nothing is recalled for this prompt, or None."""
    return why_unheard(event, own) or ("short" if weight(own[:_ENOUGH]) < LEAST else None)


def why_unbriefed(event: SubagentStarted) -> str | None:
    """Why a sub-agent is told nothing, or None."""
    return None if event.kind.strip() else "internal"


UNHEARD = frozenset({"synthetic", "notification", "sub_agent", "empty", "own_text", "heartbeat", "summary", "command", "shell"})
"""What `why_unheard` says."""


def why_unkept(event: Stopped) -> str | None:
    """Why an answer is nobody's to learn from, or None."""
    if event.agent is not None:
        return "sub_agent"
    return None if event.answer and event.answer.strip() else "no_answer"


def weight(text: str) -> int:
    """Letters and figures, an ideograph as two."""
    return sum(2 if _WIDE.match(c) else 1 for c in text if c.isalnum())
