"""A program's own memory: off only when everything of it is safe and accounted for, and on again as it was."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from whoknows.connect import native_memory
from whoknows.connect.faults import ConnectFault
from whoknows.connect.places import Places
from whoknows.domain.harness import Program, Stage

from .test_carrying_out import connect, disconnect, places_in, tree

BOTH = (Program.CLAUDE_CODE, Program.CODEX)
SETTINGS = {
    Program.CLAUDE_CODE: (".claude/settings.json", b'{\n\t"model": "opus"\n}'),
    Program.CODEX: (".codex/config.toml", b'model = "x"\r\n[features]\r\nmemories = true # mine\r\n'),
}


@pytest.fixture
def places(tmp_path: Path) -> Places:
    for name, content in SETTINGS.values():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(content)
    return places_in(tmp_path)


def migrated(places: Places, program: Program, reconciled: str = "clean") -> Path:
    archive = places.state / "backups" / f"{program}.tar"
    archive.parent.mkdir(parents=True, exist_ok=True)
    archive.write_bytes(b"a backup")
    sha = hashlib.sha256(b"a backup").hexdigest()
    said: dict[str, Any] = {
        "form": 1,
        "program": program,
        "reconciled": reconciled,
        "backup": {"path": str(archive), "sha256": sha},
    }
    (places.state / "migrations").mkdir(parents=True, exist_ok=True)
    (places.state / "migrations" / f"{program}.json").write_text(json.dumps(said))
    return archive


def follow(places: Places, stage: Stage, program: Program, still_governed: bool = False) -> native_memory.Followed:
    foreseen = native_memory.foreseen(stage, still_governed, [program], places)
    (done,) = native_memory.follow(stage, still_governed, [program], places)
    assert [f.did for f in foreseen] == [done.did] if foreseen else done.did == "left"
    return done


@pytest.mark.parametrize("program", BOTH)
def test_it_stays_on_until_it_was_migrated(places: Places, program: Program) -> None:
    before = tree(places.claude.parent)
    done = follow(places, Stage.GOVERNED, program)
    assert (done.did, "whoknows migrate" in done.detail) == ("left", True)
    migrated(places, program, "not")
    assert "not clean" in follow(places, Stage.GOVERNED, program).detail
    migrated(places, program).write_bytes(b"another")
    assert "gone or was changed" in follow(places, Stage.TEAM, program).detail
    (places.state / "migrations" / f"{program}.json").write_text('{"form": 2}')
    assert "cannot be read" in follow(places, Stage.TEAM, program).detail
    assert tree(places.claude.parent) == before
    assert native_memory.state(program, places).switched_on


@pytest.mark.parametrize("program", BOTH)
def test_it_goes_off_after_a_clean_migration_and_comes_back_to_the_byte(places: Places, program: Program) -> None:
    before = tree(places.claude.parent)
    archive = migrated(places, program)
    assert follow(places, Stage.GOVERNED, program).did == "off"
    assert native_memory.state(program, places) == native_memory.Native(program, switched_on=False, by_us=True)
    assert follow(places, Stage.TEAM, program).did == "left", "it is off already"
    back = follow(places, Stage.READ_ONLY, program)
    assert back.did == "on"
    assert f"migrate {program} --restore {archive}" in back.detail
    assert tree(places.claude.parent) == before
    assert native_memory.state(program, places) == native_memory.Native(program, switched_on=True, by_us=False)


@pytest.mark.parametrize("program", BOTH)
def test_one_memory_for_all_projects_stays_off_while_another_is_governed(places: Places, program: Program) -> None:
    migrated(places, program)
    follow(places, Stage.GOVERNED, program)
    assert follow(places, Stage.OFF, program, still_governed=True).did == "left"
    assert not native_memory.state(program, places).switched_on


@pytest.mark.parametrize("program", BOTH)
def test_who_switched_it_off_before_us_is_not_overruled(places: Places, program: Program) -> None:
    name, _ = SETTINGS[program]
    settings = places.claude.parent / name
    settings.write_text('{"autoMemoryEnabled": false}' if program is Program.CLAUDE_CODE else "[features]\nmemories = false\n")
    before = settings.read_bytes()
    migrated(places, program)
    assert follow(places, Stage.GOVERNED, program).did == "left"
    assert follow(places, Stage.OFF, program).did == "left"
    assert settings.read_bytes() == before


@pytest.mark.parametrize("program", BOTH)
def test_what_was_changed_meanwhile_stays_when_it_comes_back(places: Places, program: Program) -> None:
    migrated(places, program)
    follow(places, Stage.GOVERNED, program)
    settings = places.claude.parent / SETTINGS[program][0]
    if program is Program.CLAUDE_CODE:
        settings.write_bytes(settings.read_bytes().replace(b'"opus"', b'"other"'))
        wanted = SETTINGS[program][1].replace(b'"opus"', b'"other"')
    else:
        settings.write_bytes(settings.read_bytes() + b"[tui]\r\n")
        wanted = SETTINGS[program][1] + b"[tui]\r\n"
    assert follow(places, Stage.OFF, program).did == "on"
    assert settings.read_bytes() == wanted


def test_it_goes_off_where_there_are_no_settings_yet_and_the_file_goes_again(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    migrated(places, Program.CLAUDE_CODE)
    assert follow(places, Stage.GOVERNED, Program.CLAUDE_CODE).did == "off"
    settings = places.claude / "settings.json"
    assert json.loads(settings.read_bytes()) == {"autoMemoryEnabled": False}
    assert follow(places, Stage.OFF, Program.CLAUDE_CODE).did == "on"
    assert not settings.exists()


def test_it_and_the_connection_share_a_file_and_each_goes_by_itself(places: Places) -> None:
    before = tree(places.claude.parent)
    migrated(places, Program.CODEX)
    connect(places)
    follow(places, Stage.GOVERNED, Program.CODEX)
    assert not connect(places), "a connection is not disturbed by it"
    follow(places, Stage.OFF, Program.CODEX)
    disconnect(places)
    assert tree(places.claude.parent) == before
    follow(places, Stage.GOVERNED, Program.CODEX)
    connect(places)
    follow(places, Stage.OFF, Program.CODEX)
    disconnect(places)
    assert tree(places.claude.parent) == before


def test_without_names_those_that_are_connected_here_follow(places: Places) -> None:
    assert native_memory.follow(Stage.GOVERNED, False, places=places) == []
    connect(places)
    assert [f.program for f in native_memory.follow(Stage.GOVERNED, False, places=places)] == [Program.CODEX]


def test_broken_settings_are_named_and_left(places: Places) -> None:
    migrated(places, Program.CODEX)
    (places.codex / "config.toml").write_bytes(b"a =")
    with pytest.raises(ConnectFault, match=r"config\.toml"):
        follow(places, Stage.GOVERNED, Program.CODEX)
    assert (places.codex / "config.toml").read_bytes() == b"a ="
