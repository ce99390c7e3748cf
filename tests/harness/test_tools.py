"""The tools of memory, as the model of a real program sees and calls them."""

import pytest

from harness.desk import Desk
from harness.model_apis import Calls
from whoknows.domain.harness import Program

TOOLS = {"recall", "remember", "get", "list", "publish", "inject_context", "why", "propose_fact", "forget"}
DECLARED = {Program.CLAUDE_CODE: {"recall", "remember"}, Program.CODEX: TOOLS, Program.PI: TOOLS}
"""Claude Code declares the two that are always loaded, and names the others in its list of what can be searched for."""
PORT = "The billing database of boss listens on port 5433."


def test_a_program_declares_them_to_its_model(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.asks(program, "hello", folder)
    declared = {t.full.rsplit("__", 1)[-1] for t in desk.turn.tools if "whoknows" in t.full}
    assert declared == DECLARED[program]
    for name in TOOLS - declared:
        assert f"whoknows__{name}" in desk.turn.read


def test_a_program_calls_them_without_asking_anybody(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers(PORT, project_id="boss")
    desk.model.will(
        Calls("remember", {"content": "Invoices of boss are kept for ten years.", "directory": str(folder)}),
        Calls("recall", {"query": "On which port does the billing database listen?", "directory": str(folder)}),
        "Done.",
    )
    ran = desk.asks(program, "Please look that up and note the other.", folder)
    assert "Done." in ran.out
    assert PORT in desk.results()
    kept = [m for m in desk.memories() if m["content"].startswith("Invoices")]
    assert [m["project_id"] for m in kept] == ["boss"]


def test_what_is_not_connected_is_said_to_be_so(desk: Desk, program: Program) -> None:
    folder, elsewhere = desk.folder("boss"), desk.folder("elsewhere")
    desk.connect(program, folder, "boss")
    desk.remembers(PORT, project_id="boss")
    desk.model.will(Calls("recall", {"query": "the port of the billing database", "directory": str(elsewhere)}))
    desk.asks(program, "Please look that up.", folder)
    assert "5433" not in desk.results()
    assert "connect" in desk.results()


@pytest.mark.parametrize("program", [Program.CODEX], ids=str)
def test_what_destroys_is_not_done_without_a_person(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    memory = desk.remembers(PORT, project_id="boss")
    desk.model.will(Calls("forget", {"memory_id": memory["id"]}))
    desk.asks(program, "Please forget that.", folder)
    assert "approval" in desk.results()
    assert [m["id"] for m in desk.memories()] == [memory["id"]]
