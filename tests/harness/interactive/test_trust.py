"""What a program asks its person first: before a yes nothing of ours runs, afterwards it does."""

import json

from harness.desk import OPENED, Desk
from harness.interactive.doorway import Doorway
from harness.interactive.keyboards import Dialog
from harness.interactive.sitting import sits, starts
from whoknows.domain.harness import Program

PORT = "The billing database of boss listens on port 5433."
ASKED = "Which port does the billing database listen on?"
REVIEW = "Hooks need review"
TRUST = Dialog(REVIEW, ("down",), "› 2. Trust all and continue")
NOT_NOW = Dialog(REVIEW, ("down", "down"), "› 3. Continue without trusting")


def test_claude_code_runs_nothing_in_a_folder_that_nobody_trusts(desk: Desk, door: Doorway) -> None:
    folder = desk.folder("boss")
    desk.connect(Program.CLAUDE_CODE, folder, "boss")
    desk.remembers(PORT, project_id="boss", category="fact")
    with starts(desk, Program.CLAUDE_CODE, folder) as terminal:
        terminal.until("No, exit")
        terminal.rests()
        terminal.press("enter")
        terminal.ended()
    assert door.heard == []
    with sits(desk, door, Program.CLAUDE_CODE, folder) as sitting:
        assert PORT in sitting.asks(ASKED).read
        sitting.leaves()


def test_hooks_run_once_they_are_trusted_by_hand_and_are_asked_about_again_when_they_change(desk: Desk, door: Doorway) -> None:
    folder = desk.folder("boss")
    desk.connect(Program.CODEX, folder, "boss", trust=False)
    desk.remembers(PORT, project_id="boss", category="fact")
    with sits(desk, door, Program.CODEX, folder, saying=(NOT_NOW,)) as sitting:
        assert OPENED not in sitting.asks(ASKED).read
        sitting.leaves()
    assert door.heard == []
    told = desk.whoknows(Program.CODEX, "doctor", "codex").stdout
    assert "/hooks" in told
    with sits(desk, door, Program.CODEX, folder, saying=(TRUST,)) as sitting:
        assert PORT in sitting.asks(ASKED).read
        sitting.leaves()
        assert sitting.noise() == []
    assert "/hooks" not in desk.whoknows(Program.CODEX, "doctor", "codex").stdout
    with sits(desk, door, Program.CODEX, folder) as sitting:
        assert PORT in sitting.asks(ASKED).read
        sitting.leaves()
        assert REVIEW not in sitting.terminal.seen
    hooks = desk.home / ".codex" / "hooks.json"
    changed = json.loads(hooks.read_text())
    changed["hooks"]["UserPromptSubmit"][0]["hooks"][0]["timeout"] += 1
    hooks.write_text(json.dumps(changed))
    with sits(desk, door, Program.CODEX, folder, saying=(NOT_NOW,)) as sitting:
        assert 'for="prompt"' not in sitting.asks(ASKED).read
        sitting.leaves()
    assert "/hooks" in desk.whoknows(Program.CODEX, "doctor", "codex").stdout
