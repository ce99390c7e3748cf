"""A sub-agent of a real program gets a brief about the project, and nothing of it becomes a memory."""

from harness.desk import Desk
from harness.model_apis import Calls
from whoknows.domain.harness import Program, Stage

DECIDED = "Decision: boss keeps its invoices in PostgreSQL and not in files."
TASK = "Count the tables of the schema and tell me their number."


def test_a_sub_agent_of_claude_code_gets_the_brief_of_its_project(desk: Desk) -> None:
    folder = desk.folder("boss")
    desk.connect(Program.CLAUDE_CODE, folder, "boss")
    desk.stage("boss", Stage.GOVERNED)
    desk.remembers(DECIDED, project_id="boss", category="decision")
    desk.model.will(Calls("Agent", {"description": "count tables", "prompt": TASK, "subagent_type": "general-purpose"}))
    desk.asks(Program.CLAUDE_CODE, "Have somebody count the tables, please.", folder)
    turns = [t for t in desk.model.turns if TASK in t.read and "count the tables, please" not in t.read]
    assert turns
    assert DECIDED in turns[0].read
    assert 'for="sub-agent"' in turns[0].read
    desk.until_heard("boss", 1)
    assert [m["content"] for m in desk.memories()] == [DECIDED]
