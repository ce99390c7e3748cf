"""What a server that fails costs a prompt: each way of failing, one hook alone and twenty at once."""

from pathlib import Path

from hooks.faulty import CASES, failing
from hooks.started import Ran, hook
from speed.figures import Figure, quantile

AT_ONCE = 20
MOST = 1200
"""Milliseconds by which a prompt may be delayed."""
_EVENT: dict[str, object] = {"hook_event_name": "UserPromptSubmit", "session_id": "s-1", "cwd": "/srv/boss", "prompt": "hello"}


def failures(folder: Path, rounds: int) -> list[Figure]:
    """Wall time of the process, and what must not be: another exit code, a word on standard error, context, lines too few."""
    one = hook(folder)
    figures: list[Figure] = []
    wrong = missing = 0
    for case in CASES:
        part = f"server fails: {case.name}"
        with failing(case) as url:
            alone: list[Ran] = []
            for _ in range(rounds):
                one.forget()
                alone.append(one.run(url, "wk_of-a-benchmark", _EVENT))
                missing += 1 - _lines(one.log)
            one.forget()
            many = one.at_once(AT_ONCE, url, "wk_of-a-benchmark", _EVENT)
            missing += AT_ONCE - _lines(one.log)
        wrong += sum(r.code != 0 or r.err != b"" or b"additionalContext" in r.out for r in [*alone, *many])
        wrong += sum(bool(r.out) for r in many) != 1
        figures += [*_figures(part, "alone", alone), *_figures(part, f"{AT_ONCE} at once", many)]
    part = f"all {len(CASES)} ways of failing"
    figures.append(Figure(part, "exit codes, words on standard error, context, second notices", wrong, at_most=0))
    figures.append(Figure(part, "lines that the log does not have", missing, at_most=0))
    return figures


def _figures(part: str, how: str, ran: list[Ran]) -> list[Figure]:
    took = [1000 * r.seconds for r in ran]
    return [Figure(part, f"{how}, p50", quantile(took, 0.5), "ms"), Figure(part, f"{how}, longest", max(took), "ms", MOST)]


def _lines(log: Path) -> int:
    return log.read_bytes().count(b"\n") if log.exists() else 0
