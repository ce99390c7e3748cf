"""A correction that is made in one program is recalled in the others as knowledge that was overturned."""

from harness.desk import Desk
from harness.model_apis import Calls
from whoknows.domain.harness import Program, Stage

OLD = "The billing database of boss is MySQL 5.7."
NEW = "The billing database of boss is PostgreSQL 17 since the move of November."
WHY = "The move to PostgreSQL was carried out on 12 November."
CORRECTED = "Correction: the release branch of boss is not called stable any more, it is called main now."
ASKED = "Which database does billing of boss use?"


def test_a_correction_by_a_tool_is_overturned_knowledge_in_the_other_programs(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    for each in Program:
        desk.connect(each, folder, "boss")
    old = desk.remembers(OLD, project_id="boss")
    desk.model.will(Calls("remember", {"content": NEW, "supersedes": old["id"], "reason": WHY, "project_id": "boss"}))
    desk.asks(program, "Please note that billing was moved.", folder)
    assert old["id"] in desk.results()
    for other in Program:
        desk.asks(other, ASKED, folder)
        read = desk.beside()
        assert NEW in read
        assert f"“{OLD}”" in read
        assert "overturned" in read
        assert WHY in read


def test_a_correction_that_a_person_makes_in_a_session_is_overturned_knowledge_in_the_others(desk: Desk) -> None:
    folder = desk.folder("boss")
    for each in Program:
        desk.connect(each, folder, "boss")
    desk.stage("boss", Stage.GOVERNED)
    desk.model.will("Understood.")
    desk.asks(Program.CLAUDE_CODE, "From now on the release branch of boss is called stable.", folder)
    desk.until_heard("boss", 1)
    desk.model.will("Understood.")
    desk.asks(
        Program.CLAUDE_CODE,
        "Correction: the release branch of boss is not called stable any more, it is called main now.",
        folder,
    )
    desk.until_heard("boss", 2)
    for other in (Program.CODEX, Program.PI):
        desk.asks(other, "What is the release branch of boss called?", folder)
        read = desk.beside()
        assert "called main now" in read, read
        assert "overturned" in read, read
