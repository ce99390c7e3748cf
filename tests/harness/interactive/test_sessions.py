"""Leaving and coming back, beginning anew, and a compaction, as a person does them."""

import json

from harness.desk import Desk
from harness.interactive.doorway import Doorway
from harness.interactive.sitting import sits
from whoknows.domain.harness import Program

PORT = "The billing database of boss listens on port 5433."
ASKED = "Which port does the billing database listen on?"
BRIEF = 'for="compaction"'


def test_who_comes_back_is_not_told_again_what_stands_in_the_session(desk: Desk, door: Doorway, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers(PORT, project_id="boss", category="fact")
    with sits(desk, door, program, folder) as sitting:
        assert PORT in sitting.asks(ASKED).read
        sitting.leaves()
    with sits(desk, door, program, folder, resume=True) as sitting:
        assert sitting.asks(f"Once more: {ASKED}").read.count(PORT) == 1
        sitting.leaves()
        assert sitting.noise() == []


def test_after_a_compaction_the_brief_and_after_a_clear_all_of_it(desk: Desk, door: Doorway, program: Program) -> None:
    pi = desk.home / ".pi" / "agent" / "settings.json"
    pi.parent.mkdir(parents=True)
    pi.write_text(json.dumps({"compaction": {"keepRecentTokens": 1}}))
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers(PORT, project_id="boss", category="fact")
    with sits(desk, door, program, folder) as sitting:
        assert PORT in sitting.asks(ASKED).read
        assert BRIEF not in sitting.asks("And what is a hedgehog?").read
        sitting.compacts()
        after = sitting.asks("Go on, please.")
        assert BRIEF in after.read
        assert PORT in after.read
        sitting.clears()
        anew = sitting.asks(ASKED)
        assert BRIEF not in anew.read
        assert PORT in anew.read
        assert 'for="prompt"' in anew.read
        sitting.leaves()
        assert sitting.noise() == []
