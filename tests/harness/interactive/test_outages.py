"""The server goes away while somebody works, and comes back."""

import time
from itertools import count

from harness.desk import OPENED, Desk
from harness.interactive.doorway import Doorway
from harness.interactive.sitting import sits
from harness.programs import PATIENCE
from whoknows.domain.harness import Program

PORT = "The billing database of boss listens on port 5433."
ASKED = "Which port does the billing database listen on?"
ONE_LINE = "WhoKnows: memory is off for now"


def test_prompts_go_through_without_the_server_and_memory_comes_back_with_it(
    desk: Desk, door: Doorway, program: Program
) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers(PORT, project_id="boss", category="fact")
    with sits(desk, door, program, folder) as sitting:
        sitting.expects_faults = True
        sitting.asks("What is a hedgehog?")
        door.shut()
        number = count(1)
        for _ in range(3):
            assert OPENED not in sitting.asks(f"{next(number)}. {ASKED}").read
        door.opens()
        until = time.monotonic() + 2 * PATIENCE
        while PORT not in sitting.asks(f"{next(number)}. {ASKED}").read:  # until the pause is over
            assert time.monotonic() < until, desk.noted()
        sitting.leaves()
        assert sitting.terminal.shown.count(ONE_LINE) <= 1
        assert [line for line in sitting.noise() if ONE_LINE not in line and not line.endswith("hook.log")] == []


def test_who_leaves_waits_for_no_server(desk: Desk, door: Doorway, program: Program, figures: list[str]) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    with sits(desk, door, program, folder) as sitting:
        sitting.expects_faults = True
        sitting.asks("What is a hedgehog?")
        door.falls_silent()
        begun = time.monotonic()
        sitting.leaves()
        figures.append(f"{program} was left with a silent server in {time.monotonic() - begun:.1f} s")
        assert sitting.noise() == []
