"""Whatever happens to the server, a program answers its prompt, soon, and is told nothing."""

import pytest

from harness.bad_servers import BAD, bad_server
from harness.desk import OPENED, Desk
from harness.model_apis import SAID, Calls
from whoknows.domain.harness import Program

ASKED = "Which port does the billing database listen on?"


@pytest.mark.parametrize("how", BAD)
def test_a_prompt_is_answered_although_the_server(desk: Desk, program: Program, how: str) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers("The billing database of boss listens on port 5433.", project_id="boss")
    with bad_server(how) as url, desk.pointing_at(url):
        ran = desk.asks(program, ASKED, folder, WHOKNOWS_URL=url)
    assert SAID in ran.out
    assert OPENED not in desk.turn.read
    assert "whoknows-hook" not in ran.err
    assert desk.noted()
    assert all("5433" not in line and ASKED not in line and desk.key(program) not in line for line in desk.noted())


@pytest.mark.parametrize("program", [Program.CLAUDE_CODE, Program.CODEX], ids=str)
def test_a_model_that_calls_a_tool_of_a_server_that_is_away_is_told_what_to_do(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.model.will(Calls("recall", {"query": ASKED}), "Then I go on without.")
    with bad_server("is away") as url, desk.pointing_at(url):
        ran = desk.asks(program, ASKED, folder, WHOKNOWS_URL=url)
    assert "Then I go on without." in ran.out
    assert "server_unreachable" in desk.results()
    assert "Nothing was sent. Go on without memory" in desk.results()


def test_a_key_that_was_revoked_is_a_fault_like_the_others(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    ran = desk.asks(program, ASKED, folder, WHOKNOWS_KEY=f"wk_{'0' * 40}")
    assert SAID in ran.out
    assert OPENED not in desk.turn.read


def test_without_a_key_nobody_is_asked(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers("The billing database of boss listens on port 5433.", project_id="boss")
    ran = desk.asks(program, ASKED, folder, WHOKNOWS_KEY="")
    assert SAID in ran.out
    assert OPENED not in desk.turn.read
