"""Which project a note is of: what was registered or said, and never a guess."""

import json
from pathlib import Path

import pytest

from whoknows.migration.claude import folder_name, is_folder_of
from whoknows.migration.homes import Native
from whoknows.migration.places import InProject, Places, Registered, Unplaced, place_of_folder
from whoknows.migration.statements import GENERAL, Place

SHOP = Registered("claude-code", "/srv/shop", "shop")
DEEP = Registered("claude-code", "/srv/shop/admin", "admin")


def claude(*registered: Registered, **mapped: str) -> Places:
    return Places(Native.CLAUDE_CODE, registered, mapped)


@pytest.mark.parametrize(
    ("directory", "name"),
    [("/home/ana/proj", "-home-ana-proj"), ("/srv/a_b.c", "-srv-a-b-c"), ("/srv/商店", "-srv---"), ("/srv/😀", "-srv---")],
)
def test_a_folder_is_named_as_the_program_does(directory: str, name: str) -> None:
    assert folder_name(directory) == name
    assert is_folder_of(name, directory)


def test_a_long_name_is_known_by_its_beginning() -> None:
    directory = "/srv/" + "x" * 300
    assert is_folder_of(folder_name(directory)[:200] + "-a1b2c3", directory)
    assert not is_folder_of(folder_name(directory)[:199] + "-a1b2c3", directory)


def test_the_longest_registered_directory_decides_in_whole_components() -> None:
    assert claude(SHOP, DEEP).of(Place("k", ("/srv/shop/admin/x",))) == InProject("admin")
    assert claude(SHOP, DEEP).of(Place("k", ("/srv/shop/administration",))) == InProject("shop")
    assert isinstance(claude(SHOP).of(Place("k", ("/srv/shopping",))), Unplaced)


def test_two_directories_of_one_name_and_two_projects_wait_until_somebody_says_which() -> None:
    both = Place("-srv-a-b", ("/srv/a-b", "/srv/a/b"))
    places = claude(Registered("claude-code", "/srv/a-b", "one"), Registered("claude-code", "/srv/a/b", "two"))
    waits = places.of(both)
    assert isinstance(waits, Unplaced)
    assert waits.code == "project_ambiguous"
    said = Places(Native.CLAUDE_CODE, places.registered, {"-srv-a-b": "two"})
    assert said.of(both) == InProject("two")


def test_a_map_names_a_directory_a_folder_or_what_lies_above() -> None:
    folder = Place("-srv-gone")
    for key in ("-srv-gone", "/srv/gone"):
        assert Places(Native.CLAUDE_CODE, (), {key: "x"}).of(folder) == InProject("x")
    deep = Place("/srv/gone/deep", ("/srv/gone/deep",))
    assert Places(Native.CODEX, (), {"/srv/gone": "x", "/srv": "y"}).of(deep) == InProject("x")
    assert Places(Native.CODEX, (), {"/srv/gone": "*"}).of(deep) == InProject(None)
    left = Places(Native.CODEX, (SHOP,), {"/srv/gone": "-"}).of(deep)
    assert isinstance(left, Unplaced)
    assert left.code == "left_out"


def test_notes_of_several_directories_need_one_project_for_all_of_them() -> None:
    several = Place("/srv/shop and /srv/gone", ("/srv/shop", "/srv/gone"))
    waits = Places(Native.CODEX, (SHOP,), {}).of(several)
    assert isinstance(waits, Unplaced)
    assert "/srv/gone" in waits.why


def test_what_is_about_the_person_is_of_no_project_whatever_is_registered() -> None:
    assert claude(SHOP).of(GENERAL) == InProject(None)


def test_a_transcript_beside_the_memories_says_the_directory_and_only_one_of_that_name(tmp_path: Path) -> None:
    lines = [b"{broken", b'{"cwd": 7}', b"[" * 5000, json.dumps({"cwd": "/srv/a/b"}).encode(), b'{"cwd": "/etc"}']
    (tmp_path / "s.jsonl").write_bytes(b"\n".join(lines))
    (tmp_path / "t.jsonl").symlink_to("/etc/passwd")
    assert place_of_folder("-srv-a-b", tmp_path, ["/srv/a.b", "/srv/c"]).directories == ("/srv/a.b", "/srv/a/b")
    assert place_of_folder("-srv-a-b", tmp_path / "absent", []).directories == ()
