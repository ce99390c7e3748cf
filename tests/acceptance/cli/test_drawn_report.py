"""The report as people read it: no code is left in it, in either language, and what it suggests comes first."""

import io
from typing import Any

import pytest
from rich.console import Console

from whoknows.cli.draw_report import report
from whoknows.domain.harness_report import Because
from whoknows.harness.wording import SUGGESTIONS

AT = "2026-11-30T18:37:36Z"
FIGURES: dict[str, Any] = {
    "stage": "governed", "first": AT, "last": AT, "sessions": 9, "events": 81, "prompts": 60, "injected": 31, "empty": 20,
    "captured": 30, "skipped": {"short": 7, "heartbeat": 2, "no_account": 1}, "failed": {},
    "degraded": {"embedder_unavailable": 2}, "programs": {"claude-code": 70, "codex": 11},
    "memories": {"total": 44, "prompt_median": 1, "prompt_p95": 3},
    "characters": {"total": 9000, "prompt_median": 200, "prompt_p95": 800},
    "tokens": {"total": 2210, "prompt_median": 41, "prompt_p95": 190},
    "scores": {"lowest": 0.2231, "median": 0.71, "highest": 0.93}, "latency": {"p50": 12.5, "p95": 31.0},
    "captures": {
        "exchanges": 30, "waiting": 1, "nothing": 12, "facts": {"stored": 5, "held": 1},
        "skipped": {"ack": 9, "refused_by_gate": 1, "of_a_newer_server": 1},
    },
}  # fmt: skip
VALUES = {
    "before": 1, "after": 3, "failed": 6, "prompts": 60, "p95": 210.0, "slow": 200.0, "enough": 50, "median": 0.3,
    "floor": 0.22, "injected": 31, "waiting": 9, "captured": 10, "kept": 4,
}  # fmt: skip


def told(because: str = "learning_works", to: str = "team") -> dict[str, Any]:
    repeated = {"subject": "staging.port", "text": None, "count": 3}
    return {
        "project_id": "boss", "since": AT, "until": AT, "stage": "governed", "stage_since": AT, "workplaces": 2, "floor": 0.22,
        "suggestion": {"stage": to, "because": because, "values": VALUES}, "stages": [FIGURES],
        "corrections": {"weeks": 2, "before": {"repeated": [repeated]}, "after": {"repeated": []}},
        "missing": [{"code": "nothing_came", "detail": ""}],
    }  # fmt: skip


def drawn(language: str, answer: dict[str, Any]) -> str:
    file = io.StringIO()
    report(Console(file=file, width=160), answer, language)
    return file.getvalue()


def test_in_english() -> None:
    shown = drawn("en", told())
    head, _, rest = shown.partition("governed  ")
    assert "suggestion: on to team (`whoknows stage boss team`): 10 exchanges were heard, 4 things kept" in head
    assert "connected in 2 places" in head
    for said in (
        "7 × too short to ask for anything; 2 × a heartbeat", "2 × the embedder did not answer in time",
        "2210 in all; to a prompt 41 in the middle, 190 at the 95th percentile",
        "0.22 to 0.93, in the middle 0.71; the floor is 0.22", "12 ms in the middle, 31 ms at the 95th percentile",
        "5 × new; 1 × waiting for a review", "1 × the gate refused it; 1 × of_a_newer_server",
        "corrected at least twice, 2 weeks before this stage began and since: before 1, since 0",
        "(the text went with a memory)",
    ):  # fmt: skip
        assert said in rest, said


def test_in_chinese() -> None:
    shown = drawn("zh", told())
    for said in (
        "boss 现在是 governed 阶段", "在 2 处接入", "建议：进到 team", "7 × 太短，没有在问什么", "门槛 0.22",
        "每次提问中位数 41，第 95 百分位 190", "5 × 新记下", "（内容已随记忆删除）", "至少更正过两次的",
    ):  # fmt: skip
        assert said in shown, said


@pytest.mark.parametrize("because", sorted(Because))
def test_every_reason_can_be_said_and_every_way_is_told(because: str) -> None:
    for language, way in (("en", ("on to", "back to", "stay at")), ("zh", ("进到", "退回", "留在"))):
        for to, word in zip(("team", "read-only", "governed"), way, strict=True):
            shown = drawn(language, told(because, to))
            assert word in shown
            assert SUGGESTIONS[because].of(language, **VALUES)[:20] in shown
