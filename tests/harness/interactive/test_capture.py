"""What a session leaves behind in which a person interrupts a turn and goes on."""

from harness.desk import Desk
from harness.interactive.doorway import Doorway
from harness.interactive.sitting import sits
from whoknows.domain.harness import Program, Stage

BROKEN = "From now on we name every branch of boss after a bird, because the numbers were mixed up."
NEW = "From now on we deploy boss on Thursdays only, because the support team is complete then."


def test_an_interrupted_turn_leaves_nothing_and_the_next_one_is_kept_once(desk: Desk, door: Doorway, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.stage("boss", Stage.GOVERNED)
    with sits(desk, door, program, folder) as sitting:
        sitting.interrupts(BROKEN, "Birds it is, and every release of boss gets a")
        sitting.asks(NEW, says="Understood, only on Thursdays.")
        desk.until_heard("boss", 1)
        sitting.asks("Explain to me why the sky is blue in the daytime.")
        desk.until_heard("boss", 2)
        sitting.leaves()
        assert sitting.noise() == []
    kept = desk.memories()
    assert len(kept) == 1, kept
    assert "Thursdays" in kept[0]["content"]
    assert not any(word in str(kept) for word in ("bird", "Birds", "release"))
    assert sum(s["captures"]["exchanges"] for s in desk.report("boss")) == 2
