"""What the model reads beside a prompt that somebody typed or pasted, and what that person sees of it: nothing."""

from harness.desk import OPENED, Desk
from harness.interactive.doorway import Doorway
from harness.interactive.sitting import sits
from whoknows.domain.harness import Program

PORT = "The billing database of boss listens on port 5433."
ASKED = "Which port does the billing database listen on?"


def test_a_typed_prompt_brings_its_memory_once_and_nothing_is_seen_of_it(desk: Desk, door: Doorway, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers(PORT, project_id="boss", category="fact")
    with sits(desk, door, program, folder) as sitting:
        assert sitting.asks(ASKED).read.count(PORT) == 1
        assert PORT in desk.beside()
        again = sitting.asks("Once more, please: which port does that billing database use?")
        assert again.read.count(PORT) == 1  # where it stands since the first prompt
        beat = sitting.asks("HEARTBEAT: which port does the billing database listen on?")
        assert beat.read.count(OPENED) == 1
        sitting.leaves()
        assert sitting.noise() == []


def test_chinese_and_what_was_pasted_are_asked_by_as_well(desk: Desk, door: Doorway, program: Program) -> None:
    folder = desk.folder("账务")
    desk.connect(program, folder, "账务")
    port, day = "账务数据库监听 5433 端口。", "The gateway is deployed on Tuesdays only."
    host = "The staging server of the warehouse is called heron."
    for known in (port, day, host):
        desk.remembers(known, project_id="账务", category="fact")
    with sits(desk, door, program, folder) as sitting:
        sitting.project = "账务"
        assert port in sitting.asks("账务数据库监听哪个端口？").read
        lines = "I would like to know this:\nOn which day is the gateway deployed?\nThank you."
        several = sitting.asks(lines, shown="On which day is the gateway deployed?")
        assert lines in several.read
        assert day in desk.beside()
        log = "".join(f"12:00:{n % 60:02} worker {n} has packed a parcel and gone to lunch\n" for n in range(3700))
        long = sitting.asks(f"{log}What is the staging server of the warehouse called?", shown=sitting.keyboard.pasted)
        assert len(log) > 200_000
        assert "worker 3699 has packed" in long.read
        assert host in desk.beside()
        sitting.leaves()
        assert sitting.noise() == []
