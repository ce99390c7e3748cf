"""An answer in evidence mode: marked as such, in the language of the question, with where each thing comes from."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from whoknows.context.findings import excerpt, findings
from whoknows.domain.audience import Audience, Layer
from whoknows.domain.evidence import Evidence, SourceKind
from whoknows.domain.ids import AudienceId, PrincipalId, new_memory_id
from whoknows.domain.memory import Category, Isolation, Memory, State
from whoknows.domain.principal import Kind, Principal

MIRA = Principal(PrincipalId(1), Kind.MEMBER, "mira")
QUOTE = Evidence(SourceKind.GIT, "docs/adr/0007.md", "abc123", "the port is\n5433", 0, 5, "h", True, None)


def memory(content: str, title: str | None = None, *evidence: Evidence) -> Memory:
    at = datetime(2026, 1, 31, tzinfo=UTC)
    return Memory(
        id=new_memory_id(),
        audience=Audience(AudienceId(1), Layer.PRIVATE, MIRA, (MIRA,), None, None),
        content=content,
        title=title,
        category=Category.FACT,
        subject=None,
        tags=(),
        author=MIRA,
        state=State.ACTIVE,
        isolation=Isolation.AGENT,
        project_id=None,
        session_id=None,
        task_id=None,
        version=1,
        content_hash="h",
        created_at=at,
        updated_at=at,
        expires_at=None,
        reason=None,
        supersedes=None,
        superseded_by=None,
        injected_by=None,
        origin=None,
        evidence=evidence,
    )


def test_each_finding_stands_with_its_source_and_its_id() -> None:
    first, second = memory("the port is 5433", "Ports", QUOTE), memory("端口是 5433")
    told = findings([first, second], found=2, chinese=False)
    assert told == (
        "[Evidence mode: no language model took part] What the memories say about this (2):\n\n"
        "1. Ports: the port is 5433\n"
        "   source: git:docs/adr/0007.md@abc123 “the port is 5433” (verified)\n"
        f"   memory: {first.id}\n\n"
        f"2. 端口是 5433\n   memory: {second.id}"
    )


def test_it_speaks_chinese() -> None:
    told = findings([memory("端口是 5433", None, replace(QUOTE, verified=False, revision=None))], found=1, chinese=True)
    assert told.startswith(
        "【证据模式：没有语言模型参与】记忆里与此有关的内容（1 条）：\n\n1. 端口是 5433\n   来源: git:docs/adr/0007.md “"
    )
    assert "已核实" not in told


@pytest.mark.parametrize("chinese", [False, True])
def test_nothing_found_and_nothing_left_are_told_apart_and_both_are_marked(chinese: bool) -> None:
    nothing, gone = findings([], found=0, chinese=chinese), findings([], found=3, chinese=chinese)
    assert nothing != gone
    mark = "证据模式" if chinese else "Evidence mode"
    assert mark in nothing
    assert mark in gone


def test_a_long_memory_is_shown_by_its_beginning_and_a_title_cannot_break_its_line() -> None:
    told = findings([memory("x" * 5000, "a\nb```")], found=1, chinese=False)
    assert "a b''': x" in told
    assert len(told) < 1000
    assert excerpt("abc", 3) == "abc"
    assert excerpt("abc d", 4) == "abc…"
