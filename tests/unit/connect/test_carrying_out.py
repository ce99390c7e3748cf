"""A plan on the files of a home folder: all of it or nothing, and the way back to the very bytes."""

import json
import os
import shutil
import threading
import tomllib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from whoknows.connect import carry_out, files
from whoknows.connect.faults import ConnectFault
from whoknows.connect.pieces import Piece, WholeFile
from whoknows.connect.places import Places
from whoknows.connect.plan import Change, to_connect, to_disconnect
from whoknows.connect.record import Records
from whoknows.connect.wired import Wiring
from whoknows.domain.harness import Program
from whoknows.machine import UNFINISHED

from .settings_texts import json_files, toml_files

URL = "http://127.0.0.1:8765"
Wired = Callable[[Places, Program, str], list[Piece]]
CONFIG = b'# mine\nmodel = "x"\n'


def places_in(home: Path) -> Places:
    return Places.of({"HOME": str(home)})


def pieces(places: Places, program: Program, url: str) -> list[Piece]:
    return Wiring(places, url).pieces(program)


def without_whole_files(places: Places, program: Program, url: str) -> list[Piece]:
    """Those that are put into files of others: fewer files to wait for on a disk."""
    return [p for p in Wiring(places, url).pieces(program) if not isinstance(p, WholeFile)]


def connect(places: Places, program: Program = Program.CODEX, url: str = URL, wired: Wired = pieces) -> list[Change]:
    records = Records(places)
    with records.locked():
        carry_out.undo_half(program, records)
        changes = to_connect(wired(places, program, url), records.read(program), records)
        carry_out.connect(program, url, changes, records)
    return [c for c in changes if c.does != "unchanged"]


def disconnect(places: Places, program: Program = Program.CODEX, wired: Wired = pieces) -> list[Change]:
    records = Records(places)
    with records.locked():
        carry_out.undo_half(program, records)
        changes = to_disconnect(wired(places, program, URL), records.read(program), records, records.used_by_others(program))
        carry_out.disconnect(program, changes, records)
    return [c for c in changes if c.does != "unchanged"]


def tree(home: Path) -> dict[str, object]:
    """Everything but our own folder of data: bytes and modes, links as links."""
    found: dict[str, object] = {}
    for path in sorted(home.rglob("*")):
        if ".local" in path.parts:
            continue
        kind = path.lstat().st_mode
        found[str(path)] = (kind, path.readlink() if path.is_symlink() else path.read_bytes() if path.is_file() else None)
    return found


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(json_files(), toml_files())
def test_disconnecting_gives_every_byte_back(tmp_path: Path, hooks: bytes | None, config: bytes | None) -> None:
    home = tmp_path / os.urandom(6).hex()
    codex = home / ".codex"
    codex.mkdir(parents=True)
    for name, content in (("hooks.json", hooks), ("config.toml", config)):
        if content is not None:
            (codex / name).write_bytes(content)
    before = tree(home)
    assert connect(places_in(home), wired=without_whole_files)
    assert not connect(places_in(home), wired=without_whole_files), "a second time there is nothing to do"
    assert tree(home) != before
    disconnect(places_in(home), wired=without_whole_files)
    assert tree(home) == before


@pytest.mark.parametrize("program", Program)
def test_folders_that_were_made_go_and_those_that_were_there_stay(tmp_path: Path, program: Program) -> None:
    places = places_in(tmp_path)
    folder = {Program.CLAUDE_CODE: places.claude, Program.CODEX: places.codex, Program.PI: places.pi}[program]
    connect(places, program)
    assert list(folder.rglob("*"))
    disconnect(places, program)
    assert tree(tmp_path) == {}
    assert not places.data.exists(), "the hook command is gone too"
    assert [p.name for p in places.state.iterdir()] == ["connect"], "copies stay"
    folder.mkdir(parents=True)
    connect(places, program)
    disconnect(places, program)
    assert folder.is_dir()


def test_whoever_begins_anew_by_deleting_the_data_keeps_the_way_back(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.codex.mkdir()
    (places.codex / "config.toml").write_bytes(CONFIG)
    before = tree(tmp_path)
    connect(places)
    shutil.rmtree(places.data)
    disconnect(places)
    assert tree(tmp_path) == before


def test_a_second_server_is_added_and_only_who_moves_forgets_the_first(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    connect(places)
    connect(places, url="https://Memory.example/team/")
    noted = places.data / "hook" / "servers" / "codex"
    assert noted.read_text() == f"{URL}\nhttps://memory.example/team\n"
    assert not connect(places, url="https://Memory.example/team/")
    records = Records(places)
    moving = Wiring(places, "https://memory.example/team", alone=True).pieces(Program.CODEX)
    carry_out.connect(Program.CODEX, URL, to_connect(moving, records.read(Program.CODEX), records), records)
    assert noted.read_text() == "https://memory.example/team\n"
    noted.write_text("http://by.hand\n")
    disconnect(places)
    assert not noted.parent.exists(), "what somebody wrote into it by hand is no reason to leave it"
    with pytest.raises(ConnectFault) as fault:
        connect(places, url="http://a b")
    assert fault.value.code == "bad_url"


def test_the_hook_command_stays_as_long_as_a_program_needs_it(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    connect(places, Program.CLAUDE_CODE)
    connect(places, Program.CODEX)
    command = places.data / "hook" / "whoknows-hook"
    assert command.stat().st_mode & 0o111
    (command.parent / "whoknows_hook" / "__pycache__").mkdir()
    (command.parent / "whoknows_hook" / "__pycache__" / "log.cpython-311.pyc").write_bytes(b"made by running it")
    disconnect(places, Program.CLAUDE_CODE)
    assert command.exists()
    disconnect(places, Program.CODEX)
    assert not command.parent.exists()


def test_a_link_to_dotfiles_stays_one_and_modes_stay(tmp_path: Path) -> None:
    dotfiles = tmp_path / "dotfiles" / "codex.toml"
    dotfiles.parent.mkdir()
    dotfiles.write_bytes(CONFIG)
    dotfiles.chmod(0o640)
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").symlink_to(dotfiles)
    before = tree(tmp_path)
    connect(places_in(tmp_path))
    assert (tmp_path / ".codex" / "config.toml").is_symlink()
    assert b"mcp_servers" in dotfiles.read_bytes()
    assert dotfiles.stat().st_mode & 0o777 == 0o640
    disconnect(places_in(tmp_path))
    assert tree(tmp_path) == before


def test_what_breaks_off_half_way_is_undone_at_once(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    first, records = tmp_path / "first.json", Records(places)
    first.write_bytes(b"mine")
    changes = [
        Change(first, b"mine", b"ours", b"mine", 0o644),
        Change(tmp_path / "new" / "file", None, b"ours", None, 0o644),
        Change(tmp_path / "new" / "file" / "impossible", None, b"ours", None, 0o644),
    ]
    with records.locked(), pytest.raises(ConnectFault, match="nothing was changed"):
        carry_out.connect(Program.CODEX, "http://x", changes, records)
    assert first.read_bytes() == b"mine"
    assert not (tmp_path / "new").exists()
    assert records.read(Program.CODEX) is None


def killed_between_two_files(places: Places) -> None:
    """What stands on the disk when the power went after the first of two files was written."""
    connect(places)
    (places.codex / "config.toml").write_bytes(CONFIG)
    records = Records(places)
    record = records.read(Program.CODEX)
    assert record is not None
    records.keep(replace(record, written=False))


def test_the_next_run_after_a_broken_one_finishes_or_undoes_it(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_bytes(CONFIG)
    before = tree(tmp_path)
    killed_between_two_files(places)
    disconnect(places)
    assert tree(tmp_path) == before
    killed_between_two_files(places)
    connect(places)
    assert b"mcp_servers" in (places.codex / "config.toml").read_bytes()
    disconnect(places)
    assert tree(tmp_path) == before


def test_a_second_writing_that_broke_off_leaves_the_first_one_standing(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    (tmp_path / ".codex").mkdir()
    (tmp_path / ".codex" / "config.toml").write_bytes(CONFIG)
    before = tree(tmp_path)
    connect(places)
    connect(places, url="http://other:1")
    records = Records(places)
    record = records.read(Program.CODEX)
    assert record is not None
    records.keep(replace(record, written=False))
    assert carry_out.undo_half(Program.CODEX, records)
    assert b"127.0.0.1:8765" in (places.codex / "config.toml").read_bytes()
    disconnect(places)
    assert tree(tmp_path) == before


def test_after_changes_by_others_only_ours_is_taken_out(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    connect(places)
    config, hooks = places.codex / "config.toml", places.codex / "hooks.json"
    config.write_bytes(config.read_bytes() + b'\n[projects."/x"]\ntrust_level = "trusted"\n')
    said = json.loads(hooks.read_bytes())
    said["hooks"]["Stop"].append({"hooks": [{"type": "command", "command": "mine"}]})
    hooks.write_text(json.dumps(said, indent=4))
    connect(places, url="http://other:1")
    disconnect(places)
    assert config.read_bytes() == b'\n[projects."/x"]\ntrust_level = "trusted"\n'
    assert json.loads(hooks.read_bytes()) == {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "mine"}]}]}}


def test_without_its_record_our_part_is_still_found(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    connect(places)
    Records(places).forget(Program.CODEX)
    assert not [c for c in connect(places) if c.now != c.then]
    Records(places).forget(Program.CODEX)
    disconnect(places)
    assert tree(tmp_path) == {str(places.codex): (places.codex.lstat().st_mode, None)}


def test_what_somebody_wrote_by_hand_under_our_names_comes_back_and_goes_only_with_its_record(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.codex.mkdir()
    config, hooks = places.codex / "config.toml", places.codex / "hooks.json"
    own = b"[mcp_servers.whoknows]\nurl = 'https://mine/mcp' # by hand\n[mcp_servers.whoknows.env]\nA = '1'\n"
    group = {"hooks": [{"type": "command", "command": "nice /opt/whoknows-hook codex"}]}
    config.write_bytes(own)
    hooks.write_text(json.dumps({"hooks": {"Stop": [group]}}))
    before = tree(tmp_path)
    disconnect(places)
    assert tree(tmp_path) == before
    connect(places)
    assert "https://mine" not in config.read_text()
    disconnect(places)
    disconnect(places)
    assert tree(tmp_path) == before
    connect(places)
    config.write_bytes(b"model = 'new'\n" + config.read_bytes())
    disconnect(places)
    now = tomllib.loads(config.read_text())
    assert now == {"model": "new", **tomllib.loads(own.decode())}


@pytest.mark.parametrize("then", [connect, disconnect])
def test_what_a_killed_run_had_begun_to_write_goes_with_the_next_one(tmp_path: Path, then: Callable[[Places], object]) -> None:
    places = places_in(tmp_path)
    before = tree(tmp_path)
    connect(places)
    for folder in (places.codex, places.data / "hook"):
        (folder / f"{UNFINISHED}x1").write_text("half of")
    then(places)
    assert not list(tmp_path.rglob(f"{UNFINISHED}*"))
    disconnect(places)
    assert tree(tmp_path) == before


def test_a_file_that_changes_between_the_plan_and_the_writing_is_left(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    records = Records(places)
    changes = to_connect(Wiring(places).pieces(Program.CODEX), None, records)
    places.codex.mkdir()
    (places.codex / "config.toml").write_bytes(CONFIG)
    with records.locked(), pytest.raises(ConnectFault) as fault:
        carry_out.connect(Program.CODEX, "http://x", changes, records)
    assert fault.value.code == "changed_meanwhile"
    assert (places.codex / "config.toml").read_bytes() == CONFIG


def test_two_at_once_come_to_the_same_end(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.codex.mkdir()
    (places.codex / "config.toml").write_bytes(CONFIG)
    before = tree(tmp_path)
    threads = [threading.Thread(target=connect, args=(places,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not connect(places)
    disconnect(places)
    assert tree(tmp_path) == before


def test_files_that_are_not_to_be_written_are_left_and_named(tmp_path: Path) -> None:
    def refused(path: Path) -> str:
        try:
            files.read(path)
            files.writable(path)
        except ConnectFault as fault:
            return fault.code
        return "taken"

    file = tmp_path / "config.toml"
    file.write_bytes(CONFIG)
    assert refused(file) == "taken"
    file.chmod(0o444)
    assert refused(file) == "read_only"
    (tmp_path / "dead").symlink_to(tmp_path / "nowhere")
    assert refused(tmp_path / "dead") == "dead_link"
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "pipe") == "no_file"
    assert refused(tmp_path) == "no_file"
    (tmp_path / "huge").touch()
    os.truncate(tmp_path / "huge", files.LARGEST + 1)
    assert refused(tmp_path / "huge") == "too_large"
    if os.geteuid() == 0:
        os.chown(file, 65534, -1)
        file.chmod(0o644)
        assert refused(file) == "not_yours"
    else:
        assert refused(Path("/etc/passwd")) == "not_yours"
    assert file.read_bytes() == CONFIG


def test_a_plan_shows_no_secret_that_stands_beside_what_changes(tmp_path: Path) -> None:
    secret = "sk-" + os.urandom(18).hex()
    places = places_in(tmp_path)
    places.codex.mkdir()
    (places.codex / "config.toml").write_text(f'model = "x"\napi_key = "{secret}"\n')
    changes = to_connect(Wiring(places).pieces(Program.CODEX), None, Records(places))
    shown = json.dumps([c.as_json() for c in changes])
    assert "mcp_servers" in shown
    assert secret not in shown


def test_copies_are_readable_by_their_owner_alone_and_say_what_they_are_of(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.codex.mkdir()
    (places.codex / "config.toml").write_bytes(CONFIG)
    connect(places)
    (folder,) = (places.state / "connect" / "codex").iterdir()
    listed = json.loads((folder / "manifest.json").read_bytes())
    (config,) = [c for c in listed if c["path"] == str(places.codex / "config.toml")]
    assert (folder / config["copy"]).read_bytes() == CONFIG
    assert config["sha256"] == files.sha256(CONFIG)
    assert {p.stat().st_mode & 0o077 for p in (folder.parent.parent, folder, *folder.iterdir())} == {0}


def test_a_copy_that_was_changed_is_not_put_back(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.codex.mkdir()
    (places.codex / "config.toml").write_bytes(CONFIG)
    connect(places)
    connected = (places.codex / "config.toml").read_bytes()
    for copy in (places.state / "connect" / "codex").rglob("*-config.toml"):
        copy.write_bytes(b"something else")
    with pytest.raises(ConnectFault) as fault:
        disconnect(places)
    assert fault.value.code == "copy_lost"
    assert (places.codex / "config.toml").read_bytes() == connected
