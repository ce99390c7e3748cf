"""Codex runs no hook that its person has not trusted, and says nothing about it: `doctor` does."""

from harness.desk import OPENED, Desk
from whoknows.domain.harness import Program

PORT = "The billing database of boss listens on port 5433."
ASKED = "Which port does the billing database listen on?"


def test_hooks_that_are_not_trusted_do_nothing_and_doctor_says_so(desk: Desk) -> None:
    folder = desk.folder("boss")
    desk.connect(Program.CODEX, folder, "boss", trust=False)
    desk.remembers(PORT, project_id="boss")
    desk.asks(Program.CODEX, ASKED, folder)
    assert OPENED not in desk.turn.read
    told = desk.whoknows(Program.CODEX, "doctor", "codex")
    assert "trust" in told.stdout
    assert "/hooks" in told.stdout


def test_hooks_that_are_trusted_run_and_doctor_is_content(desk: Desk) -> None:
    folder = desk.folder("boss")
    desk.connect(Program.CODEX, folder, "boss", trust=False)
    desk.remembers(PORT, project_id="boss")
    desk.connect(Program.CODEX, folder, "boss")
    desk.asks(Program.CODEX, ASKED, folder)
    assert PORT in desk.beside()
    assert "/hooks" not in desk.whoknows(Program.CODEX, "doctor", "codex").stdout
