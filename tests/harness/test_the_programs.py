"""The programs as they come, without WhoKnows: the ground on which the other tests stand."""

from harness.desk import OPENED, Desk
from harness.model_apis import SAID
from whoknows.domain.harness import Program


def test_a_program_answers_with_what_the_double_of_its_model_says(desk: Desk, program: Program) -> None:
    ran = desk.asks(program, "Which port does the database have?", desk.folder("boss"))
    assert SAID in ran.out
    assert "Which port does the database have?" in desk.turn.read
    assert OPENED not in desk.turn.read


def test_a_session_is_gone_on_with(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.asks(program, "The first prompt of all", folder)
    desk.asks(program, "The second one", folder, resume=True)
    assert "The first prompt of all" in desk.turn.read
    assert "The second one" in desk.turn.read
