"""What an exchange in a real program leaves behind: what is new in it, once, and nothing else."""

from harness.desk import Desk
from made_up import github_token
from whoknows.domain.harness import Program, Stage

NEW = "From now on we deploy boss on Thursdays only, because the support team is complete then."


def test_an_exchange_that_says_something_new_becomes_one_memory_and_a_second_run_none(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.stage("boss", Stage.GOVERNED)
    desk.model.will("Understood, only on Thursdays.")
    desk.asks(program, NEW, folder)
    desk.until_heard("boss", 1)
    kept = desk.memories()
    assert len(kept) == 1, kept
    assert "Thursdays" in kept[0]["content"]
    assert kept[0]["project_id"] == "boss"
    desk.model.will("Understood, only on Thursdays.")
    desk.asks(program, NEW, folder, resume=True)
    desk.model.will("Understood, only on Thursdays.")
    desk.asks(program, NEW, folder)
    desk.until_heard("boss", 3)
    assert [m["id"] for m in desk.memories()] == [kept[0]["id"]]


def test_below_governed_nothing_is_kept(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.stage("boss", Stage.READ_ONLY)
    desk.asks(program, NEW, folder)
    desk.stage("boss", Stage.GOVERNED)
    desk.asks(program, "Explain to me why the sky is blue in the daytime.", folder)
    desk.until_heard("boss", 1)
    assert desk.memories() == []


def test_a_secret_in_a_prompt_is_nowhere(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.stage("boss", Stage.GOVERNED)
    secret = github_token()
    desk.asks(program, f"{NEW} The key of the deployment is {secret} and stays that.", folder)
    desk.until_heard("boss", 1)
    kept = desk.memories()
    assert any("Thursdays" in m["content"] for m in kept)
    assert secret not in str(kept)
    stored = desk.stored()
    assert "on Thursdays only" in stored
    assert secret not in stored
