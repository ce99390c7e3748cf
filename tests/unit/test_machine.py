"""This machine: every part of WhoKnows looks for its files in the same folders, and writes them whole."""

import os
from pathlib import Path

import pytest

from whoknows import machine
from whoknows.connect.places import Places
from whoknows.domain.harness import Program
from whoknows.hooks import caller, install, state
from whoknows.migration.homes import Native, program_folder
from whoknows.migration.state import shelf_of


@pytest.mark.parametrize("named", ["/elsewhere", "relative", ""])
def test_all_look_in_the_same_folders(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {
        "HOME": "/home/ana",
        "XDG_DATA_HOME": named and f"{named}/data",
        "XDG_STATE_HOME": named and f"{named}/state",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    places, shelf = Places.of(environment), shelf_of(Native.CODEX, environment)
    assert str(places.state) == state.folder()
    assert install.folder(places.data) == install.folder()
    assert shelf.state == places.state / "migrations" / f"{Program.CODEX}.json"
    assert shelf.backups == places.state / "backups"


@pytest.mark.parametrize("named", ["", "/elsewhere", " ~/else "])
def test_all_find_the_folders_of_programs_at_the_same_place(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable, value in (("HOME", "/home/ana"), ("CLAUDE_CONFIG_DIR", named), ("CODEX_HOME", named)):
        monkeypatch.setenv(variable, value)
    places = Places.of(os.environ)
    assert program_folder(Native.CLAUDE_CODE, None) == places.claude
    assert program_folder(Native.CODEX, None) == places.codex


def test_the_hook_which_imports_nothing_looks_for_the_same_server() -> None:
    assert caller.DEFAULT_URL == machine.DEFAULT_URL


def test_a_file_is_written_whole_or_left_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    machine.write_whole(path, b"one", 0o640)
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"one", 0o640)

    def full(_: int) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        machine.write_whole(path, b"two", 0o600)
    assert path.read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["file"]
