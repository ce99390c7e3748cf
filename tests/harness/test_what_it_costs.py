"""What memory costs a prompt in the real programs: a figure, and no limit, for a machine that is busy says nothing."""

import os
from statistics import median

from harness.bad_servers import BAD, bad_server
from harness.desk import OPENED, Desk
from whoknows.domain.harness import Program

RUNS = int(os.environ.get("WHOKNOWS_HARNESS_RUNS", "10"))
PORT = "The billing database of boss listens on port 5433."
ASKED = "Which port does the billing database listen on?"


def test_a_prompt_with_memory_and_one_without(desk: Desk, program: Program, figures: list[str]) -> None:
    """In turn, so that both meet the same machine."""
    connected, plain = desk.folder("boss"), desk.at("elsewhere")
    folder = plain.folder("boss")
    desk.connect(program, connected, "boss")
    desk.remembers(PORT, project_id="boss")
    plain.asks(program, ASKED, folder)
    desk.asks(program, ASKED, connected)
    with_memory, without = [], []
    for _ in range(RUNS):
        without.append(plain.asks(program, ASKED, folder).seconds)
        assert OPENED not in desk.turn.read
        with_memory.append(desk.asks(program, ASKED, connected).seconds)
        assert PORT in desk.beside()
    a, b = median(without) * 1000, median(with_memory) * 1000
    figures.append(
        f"{program}: a run of one prompt {a:.0f} ms without, {b:.0f} ms with memory: +{b - a:.0f} ms (medians of {RUNS})"
    )


def test_a_prompt_with_a_server_that_is_ill(desk: Desk, program: Program, figures: list[str]) -> None:
    folder = desk.folder("boss")
    plain = desk.at("elsewhere")
    desk.connect(program, folder, "boss")
    desk.asks(program, ASKED, folder)  # the first time a program translates what it was given
    without = median(plain.asks(program, ASKED, plain.folder("boss")).seconds for _ in range(3)) * 1000
    for how in BAD:
        with bad_server(how) as url, desk.pointing_at(url):
            desk.forget_faults()
            ran = desk.asks(program, ASKED, folder, WHOKNOWS_URL=url)
        assert OPENED not in desk.turn.read
        figures.append(
            f"{program}: a server that {how}: +{ran.seconds * 1000 - without:.0f} ms for a whole run, its tools included"
        )
