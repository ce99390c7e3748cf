"""Workplaces: whose they are, which directories can be one, and which hold a directory, in whole components."""

import pytest
from cast import A, M, S, standing

from whoknows.domain.principal import AgentRole
from whoknows.policy.workplaces import (
    MOST_BYTES,
    MOST_PARTS,
    Directory,
    NoDirectory,
    directory_of,
    holders,
    registrable,
    workplace_owner,
)


def _text(path: str) -> str | None:
    found = directory_of(path)
    return None if isinstance(found, NoDirectory) else found.text


def _directory(path: str) -> Directory:
    found = directory_of(path)
    assert isinstance(found, Directory), path
    return found


def test_the_owner_is_the_account_behind_the_caller_else_the_caller_itself() -> None:
    for reader, owner in (
        (standing(M), M),
        (standing(A, account=M), M),
        (standing(A), A),
        (standing(A, account=M, strict=True), A),
        (standing(S, role=AgentRole.SUB, account=M), None),
        (standing(S, role=AgentRole.SUB), None),
        (standing(A, account=M, task="t#1"), None),
        (standing(M, task="t#1"), None),
    ):
        assert workplace_owner(reader) == owner


@pytest.mark.parametrize(
    ("given", "normal"),
    [
        ("/", "/"),
        ("//", "/"),
        ("/srv/boss", "/srv/boss"),
        ("/srv//boss/", "/srv/boss"),
        ("/srv/./boss/.", "/srv/boss"),
        ("/srv/项目/ 老 板 ", "/srv/项目/ 老 板 "),
        ("/srv/...", "/srv/..."),
        ("/srv/a\\b", "/srv/a\\b"),
        ("c:/code//boss\\", "C:\\code\\boss"),
        ("C:\\", "C:\\"),
        ("\\\\?\\C:\\code", "C:\\code"),
        ("\\\\?\\UNC\\box\\share\\code", "\\\\box\\share\\code"),
        ("//?/unc/box/share", "/?/unc/box/share"),
        ("\\\\box\\share\\code\\.", "\\\\box\\share\\code"),
        ("\\\\box\\share", "\\\\box\\share\\"),
    ],
)
def test_a_path_has_one_normal_form(given: str, normal: str) -> None:
    assert _text(given) == normal
    assert _text(normal) == normal


@pytest.mark.parametrize(
    "given",
    [
        "", ".", "work", "./code", "~/code", "~", "/srv/../etc", "C:\\code\\..", "C:work", "C:", "1:\\code", "é:\\code",
        "\\code", "\\\\", "\\\\box", "\\\\box\\", "\\\\.\\pipe\\x", "\\\\box\\..\\code", "/srv/a\nb", "/srv/a\0b", "/srv/\x7f",
        "/srv/\udc80", "/" + "x" * MOST_BYTES, "/" + "中" * (MOST_BYTES // 3 + 1), "file:///srv",
    ],
)  # fmt: skip
def test_what_is_no_absolute_path_is_none(given: str) -> None:
    found = directory_of(given)
    assert isinstance(found, NoDirectory)
    assert found.reason


def test_the_longest_path_is_one() -> None:
    assert _text("/" + "x" * (MOST_BYTES - 1)) is not None


@pytest.mark.parametrize(
    "path",
    [
        "/", "/home", "/home/ana", "/Users", "/Users/ana", "/root", "/tmp", "/var/tmp", "/private/tmp", "/mnt", "/mnt/c",
        "/mnt/c/Users/ana", "/c", "/c/Users/ana", "C:\\", "C:\\Users", "C:\\Users\\ana", "\\\\box\\share",
        "/" + "d/" * (MOST_PARTS + 1),
    ],
)  # fmt: skip
def test_what_holds_everything_is_no_workplace(path: str) -> None:
    assert registrable(_directory(path)) is not None


@pytest.mark.parametrize(
    "path",
    [
        "/srv", "/builds", *(f"{home}/code" for home in ("/home/ana", "/root", "/Users/ana")), "/tmp/run",
        "/mnt/data", "/mnt/c/code",
        "/mnt/c/Users/ana/code", "/c/code", "/data/home/ana", "C:\\code", "C:\\Users\\ana\\code", "\\\\box\\share\\code",
        "/homework", "/" + "d/" * MOST_PARTS,
    ],
)  # fmt: skip
def test_the_directory_of_one_project_is_one(path: str) -> None:
    assert registrable(_directory(path)) is None


def test_the_holders_of_a_directory_are_itself_and_those_above_it_but_for_the_whole() -> None:
    assert [h.text for h in holders(_directory("/srv/code/boss"))] == ["/srv/code/boss", "/srv/code", "/srv"]
    assert [h.text for h in holders(_directory("C:\\code\\boss"))] == ["C:\\code\\boss", "C:\\code"]
    assert holders(_directory("/")) == []


def test_a_directory_that_is_deeper_than_any_workplace_is_held_by_those_above() -> None:
    found = holders(_directory("/" + "d/" * (MOST_PARTS + 50)))
    assert len(found) == MOST_PARTS
    assert registrable(found[0]) is None


def test_only_windows_does_not_tell_upper_from_lower_case() -> None:
    assert _directory("C:\\Code\\Boss").key == _directory("c:/CODE/boss").key
    assert _directory("/Code/Boss").key != _directory("/code/boss").key
    assert _directory("/srv/caf\u00e9").key != _directory("/srv/cafe\u0301").key
