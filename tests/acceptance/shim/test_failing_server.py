"""A server that fails in any way: the prompt goes on, nothing is injected, standard error is silent, the log has it."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from hook_process import Home, Said, ended
from hooks.faulty import CASES, Case, failing

AT_ONCE = 20


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, tuple[Home, Said]]]:
    """Every case once; those that wait for a second do so at the same time."""
    with ExitStack() as stack:
        waiting = {}
        done = {}
        for case in sorted(CASES, key=lambda c: "timeout" not in c.codes):
            home = Home(tmp_path_factory.mktemp("home"))
            process = home.start(stack.enter_context(failing(case)))
            if "timeout" in case.codes:
                waiting[case.name] = home, process
            else:
                done[case.name] = home, ended(process)
        yield done | {name: (home, ended(process)) for name, (home, process) in waiting.items()}


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_a_prompt_goes_on_without_memory(case: Case, outcomes: dict[str, tuple[Home, Said]]) -> None:
    home, said = outcomes[case.name]
    assert (said.code, said.err) == (0, b"")
    (code,) = home.codes()
    assert code in case.codes
    notice = said.json
    assert isinstance(notice, dict)
    assert list(notice) == ["systemMessage"]
    assert code in notice["systemMessage"]


def test_of_the_events_of_one_turn_only_the_first_waits_for_a_silent_server(tmp_path: Path) -> None:
    home = Home(tmp_path)
    silent = next(c for c in CASES if c.codes == ("timeout",))
    with failing(silent) as url:
        said = [home.run(url) for _ in range(3)]
    assert {(s.code, s.err) for s in said} == {(0, b"")}
    assert home.codes() == ["timeout", "resting", "resting"]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_twenty_prompts_at_once_go_on_without_memory(case: Case, tmp_path: Path) -> None:
    home = Home(tmp_path)
    with failing(case) as url:
        said = [ended(p) for p in [home.start(url) for _ in range(AT_ONCE)]]
    assert {(s.code, s.err) for s in said} == {(0, b"")}
    assert sum(bool(s.out) for s in said) == 1, "one of them says that memory is off"
    assert len(home.log()) == AT_ONCE
    # On a busy machine the second is over before twenty have started.
    assert set(home.codes()) <= {*case.codes, "resting", "timeout", "input_timeout"}
