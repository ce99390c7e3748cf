"""What the model of a real program reads beside a prompt, and what it does not."""

import json
import re
import shutil

from harness.desk import OPENED, Desk
from whoknows.domain.harness import Program, Stage

PORT = "The billing database of boss listens on port 5433."
ASKED = "Which port does the billing database listen on?"
OFF_TOPIC = "Draw me a hedgehog in a purple hat, please."


def test_what_is_remembered_is_in_the_request_that_the_model_gets(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers(PORT, project_id="boss")
    desk.asks(program, ASKED, folder)
    assert PORT in desk.beside()
    assert 'project="boss"' in desk.beside()


def test_it_is_in_chinese_as_well(desk: Desk, program: Program) -> None:
    folder = desk.folder("账务")
    desk.connect(program, folder, "账务")
    desk.remembers("账务数据库监听 5433 端口。", project_id="账务")
    desk.asks(program, "账务数据库监听哪个端口？", folder)
    assert "账务数据库监听 5433 端口。" in desk.beside()


def test_below_the_floor_the_request_is_the_one_without_memory(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.asks(program, OFF_TOPIC, folder)
    before = desk.turn.body
    desk.remembers(PORT, project_id="boss", category="fact")
    desk.asks(program, OFF_TOPIC, folder)
    assert PORT not in desk.turn.read
    assert _steady(desk.turn.body) == _steady(before)


def test_a_prompt_in_one_project_never_carries_memory_of_another(desk: Desk, program: Program) -> None:
    boss, heron = desk.folder("boss"), desk.folder("heron")
    desk.connect(program, boss, "boss")
    desk.connect(program, heron, "heron")
    desk.remembers(PORT, project_id="boss")
    desk.remembers("Everybody here writes dates as 2026-01-31.")
    desk.asks(program, ASKED, heron)
    assert "5433" not in desk.turn.read
    desk.asks(program, "How are dates written by everybody here?", heron)
    assert "2026-01-31." in desk.beside()
    desk.asks(program, ASKED, boss)
    assert PORT in desk.beside()


def test_a_clone_with_the_same_remote_gets_nothing_until_it_is_connected(desk: Desk, program: Program) -> None:
    boss = desk.folder("boss")
    desk.git(boss, "init", "-q")
    desk.git(boss, "remote", "add", "origin", "https://git.example/ana/boss.git")
    desk.connect(program, boss, "boss")
    desk.remembers(PORT, project_id="boss")
    clone = desk.home / "work" / "clone"
    shutil.copytree(boss, clone)
    desk.asks(program, ASKED, clone)
    assert OPENED not in desk.turn.read
    deeper = boss / "src" / "billing"
    deeper.mkdir(parents=True)
    desk.asks(program, ASKED, deeper)
    assert PORT in desk.beside()


def test_a_project_that_is_off_gets_nothing(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers(PORT, project_id="boss")
    desk.stage("boss", Stage.OFF)
    desk.asks(program, ASKED, folder)
    assert OPENED not in desk.turn.read
    desk.stage("boss", Stage.READ_ONLY)
    desk.asks(program, ASKED, folder)
    assert PORT in desk.beside()


def test_the_team_is_heard_at_its_own_stage_only(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.team("backend", "boss", "The backend team deploys the gateway on Tuesdays.")
    for stage, heard in ((Stage.READ_ONLY, False), (Stage.GOVERNED, False), (Stage.TEAM, True)):
        desk.stage("boss", stage)
        desk.asks(program, "When does the backend team deploy the gateway?", folder)
        assert ("on Tuesdays" in desk.turn.read) is heard, stage


def test_what_another_person_keeps_for_themselves_is_never_heard(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.team("backend", "boss", "The backend team deploys the gateway on Tuesdays.")
    desk.stage("boss", Stage.TEAM)
    desk.other("ben", PORT, team="backend", project_id="boss")
    desk.asks(program, ASKED, folder)
    assert "5433" not in desk.turn.read


def test_it_is_said_once_in_a_session(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers(PORT, project_id="boss")
    desk.asks(program, ASKED, folder)
    desk.asks(program, f"Once more: {ASKED}", folder, resume=True)
    assert desk.turn.read.count(PORT) == 1  # it stands in the session, and was not said again
    desk.asks(program, ASKED, folder)
    assert PORT in desk.beside()


def _steady(body: dict[str, object]) -> str:
    """The request without what differs from run to run: ids, times, and keys of caches."""
    text = json.dumps(body, sort_keys=True, ensure_ascii=False)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<id>", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d[:-]\d\d[:-]\d\d[-.\dZ]*", "<time>", text)
    text = re.sub(r"\b1\d{12}\b", "<milliseconds>", text)
    text = re.sub(r"cch=[0-9a-f]+|cc_version=[0-9a-f.]+", "<build>", text)
    return re.sub(r"[0-9a-f]{32,64}", "<hash>", text)
