"""Backups: the same files give the same archive, it restores them to the last bit, and none reaches beyond its folders."""

import errno
import hashlib
import io
import json
import os
import resource
import signal
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from native_homes import codex_home, tree
from whoknows.migration.archive import Archive, read_archive, write_backup
from whoknows.migration.faults import MigrationFault
from whoknows.migration.homes import Native, roots_of
from whoknows.migration.restoring import restoration_of, restore
from whoknows.migration.snapshot import LARGEST, Entry, Snapshot, snapshot_of
from whoknows.migration.state import one_at_a_time, shelf_of

NAME = st.sampled_from(["a.md", "b.md", "笔记.md", "with space.md", "d", "e", "-x", "ü", "f\\g", ".hidden", "line\nbreak"])
CONTENT = st.one_of(st.binary(max_size=40), st.just(b""), st.just(b"x" * 70_000))
NODE = st.one_of(
    st.tuples(st.just("file"), CONTENT, st.sampled_from([0o600, 0o644, 0o755, 0o400])),
    st.tuples(st.just("link"), st.sampled_from(["a.md", "../out", "/etc/hosts", "nowhere", "."]), st.just(0)),
)
TREE = st.dictionaries(st.lists(NAME, min_size=1, max_size=3).map("/".join), NODE, max_size=8)


def taken(home: Path) -> Snapshot:
    return snapshot_of(roots_of(Native.CODEX, home, []))


def planted(home: Path, nodes: dict[str, tuple[str, Any, int]]) -> None:
    memories = home / ".codex/memories"
    memories.mkdir(parents=True, exist_ok=True)
    for n, (name, (kind, content, mode)) in enumerate(nodes.items()):
        path = memories / name
        if any(p.is_symlink() or p.is_file() for p in (path, *path.parents) if p.is_relative_to(memories)) or path.exists():
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        if kind == "link":
            path.symlink_to(content)
        else:
            path.write_bytes(content)
            path.chmod(mode)
        os.utime(path, ns=(10**18 + n * 1_000_000_007, 10**18 + n * 1_000_000_007), follow_symlinks=False)


@settings(max_examples=25, deadline=None)
@given(TREE, TREE)
def test_any_tree_comes_back_as_it_was_whatever_was_done_to_it(
    tmp_path_factory: pytest.TempPathFactory, was: Any, now: Any
) -> None:
    home, shelf = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("shelf")
    planted(home, was)
    before = tree(home / ".codex")
    first = write_backup(taken(home), Native.CODEX, shelf)
    assert write_backup(taken(home), Native.CODEX, shelf) == first
    archive, digest = read_archive(first.path, Native.CODEX)
    assert digest == first.sha256
    for path in sorted((home / ".codex/memories").rglob("*"), key=lambda p: -len(p.parts)):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    planted(home, now)
    others = tree(home / ".codex")
    with suppress(MigrationFault):
        restore(restoration_of(archive, home, [], known=True))
        others["restored"] = ()
    if "restored" not in others:  # a folder stood where a file was, or the other way round
        assert tree(home / ".codex") == others
        assert in_the_way(before, others)
        return
    del others["restored"]
    after = tree(home / ".codex")
    assert {k: after[k] for k in before} == before
    assert {k: after[k][2] for k in set(after) - set(before)} == {k: others[k][2] for k in set(others) - set(before)}


def in_the_way(before: dict[str, Any], now: dict[str, Any]) -> bool:
    """Whether something is a folder in one of the two, and none in the other."""
    return any(k in now and ("0o4" in now[k][0][:3]) != ("0o4" in before[k][0][:3]) for k in before)


def packed(path: Path, change: Callable[[dict[str, Any], list[tuple[tarfile.TarInfo, bytes]]], None]) -> Path:
    """The archive at ``path`` with its manifest and members changed by somebody."""
    with tarfile.open(path) as tar:
        members = [(m, (tar.extractfile(m) or io.BytesIO()).read() if m.isreg() else b"") for m in tar]
    manifest = json.loads(members.pop(0)[1])
    change(manifest, members)
    made = path.with_name("made.tar")
    with tarfile.open(made, "w", format=tarfile.PAX_FORMAT) as tar:
        said = json.dumps(manifest).encode()
        head = tarfile.TarInfo("manifest.json")
        head.size = len(said)
        tar.addfile(head, io.BytesIO(said))
        for member, content in members:
            tar.addfile(member, io.BytesIO(content) if member.isreg() else None)
    return made


def moved(to: str) -> Callable[[dict[str, Any], list[tuple[tarfile.TarInfo, bytes]]], None]:
    """One file of the archive is called ``to``, in the manifest and in the tar."""

    def change(manifest: dict[str, Any], members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
        entry = next(e for e in manifest["entries"] if e["kind"] == "file")
        member = next(m for m, _ in members if m.name.endswith(entry["path"]))
        entry["path"] = to
        member.name = f"files/0/{to}"

    return change


def linked(path: str, target: str) -> Callable[[dict[str, Any], list[tuple[tarfile.TarInfo, bytes]]], None]:
    def change(manifest: dict[str, Any], members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
        manifest["entries"].append({"root": 0, "path": path, "kind": "link", "mode": 0o777, "mtime_ns": 1, "target": target})
        member = tarfile.TarInfo(f"files/0/{path}")
        member.type, member.linkname = tarfile.SYMTYPE, target
        members.append((member, b""))

    return change


def through_a_link(manifest: dict[str, Any], members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    linked("memories/away", "..")(manifest, members)
    moved("memories/away/config.toml")(manifest, members)


def as_device(_: dict[str, Any], members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    next(m for m, _ in members if m.isreg()).type = tarfile.CHRTYPE


def as_hard_link(_: dict[str, Any], members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    member = next(m for m, _ in members if m.isreg())
    member.type, member.linkname, member.size = tarfile.LNKTYPE, "/etc/hosts", 0


def other_words(_: dict[str, Any], members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    n = next(n for n, (m, content) in enumerate(members) if content)
    members[n] = (members[n][0], bytes(reversed(members[n][1])))


def one_more(_: dict[str, Any], members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    member = tarfile.TarInfo("files/0/memories/smuggled.md")
    member.size = 3
    members.append((member, b"abc"))


def root_elsewhere(manifest: dict[str, Any], members: list[tuple[tarfile.TarInfo, bytes]]) -> None:
    manifest["roots"].append("/etc")
    manifest["entries"].append({"root": 1, "path": "memories", "kind": "folder", "mode": 0o755, "mtime_ns": 1})
    member = tarfile.TarInfo("files/1/memories")
    member.type = tarfile.DIRTYPE
    members.append((member, b""))


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    codex_home(tmp_path / "home")
    return write_backup(taken(tmp_path / "home"), Native.CODEX, tmp_path / "shelf").path


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (moved("../../outside.md"), "archive_unsafe"),
        (moved("memories/../../outside.md"), "archive_unsafe"),
        (moved("/etc/cron.d/outside"), "archive_unsafe"),
        (moved("config.toml"), "archive_unsafe"),
        (moved("memories//x.md"), "archive_unsafe"),
        (moved("memories/x\0.md"), "archive_unsafe"),
        (linked("memories/link.md", "/etc/hosts"), "archive_unsafe"),
        (linked("memories/link.md", "../config.toml"), "archive_unsafe"),
        (through_a_link, "archive_unsafe"),
        (root_elsewhere, "archive_unsafe"),
        (as_device, "archive_broken"),
        (as_hard_link, "archive_broken"),
        (other_words, "archive_broken"),
        (one_more, "archive_broken"),
        (lambda manifest, _: manifest.update(form=2), "archive_broken"),
        (lambda manifest, _: manifest.pop("entries"), "archive_broken"),
        (lambda manifest, _: manifest["entries"].append(manifest["entries"][0]), "archive_broken"),
        (lambda manifest, members: members.pop(), "archive_broken"),
        (lambda manifest, _: manifest.update(program="claude-code"), "archive_"),
        (lambda manifest, _: manifest["entries"][0].update(mtime_ns=10**40), "archive_broken"),
    ],
)
def test_an_archive_that_is_broken_or_leads_out_is_refused_before_anything_is_written(
    backup: Path, tmp_path: Path, change: Any, code: str
) -> None:
    made = packed(backup, change)
    home = tmp_path / "new"
    home.mkdir()
    with pytest.raises(MigrationFault) as refused:
        restoration_of(read_archive(made, Native.CODEX)[0], home, [], known=False)
    assert refused.value.code.startswith(code)
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("made", ["deep", "chained"])
def test_an_archive_that_is_nested_without_end_is_refused_as_broken(tmp_path: Path, made: str) -> None:
    head = tarfile.TarInfo("manifest.json")
    head.size = 1 << 18
    link = tarfile.TarInfo("././@LongLink")
    link.type = tarfile.GNUTYPE_LONGNAME
    nested = {"deep": head.tobuf() + b"[" * head.size, "chained": link.tobuf(tarfile.GNU_FORMAT) * 3000}
    (tmp_path / "made.tar").write_bytes(nested[made])
    with pytest.raises(MigrationFault) as refused:
        read_archive(tmp_path / "made.tar", Native.CODEX)
    assert refused.value.code == "archive_broken"


@pytest.mark.parametrize("cut", [0, 1, 511, 512, 5000, -1])
def test_a_cut_off_archive_is_refused(backup: Path, cut: int) -> None:
    whole = backup.read_bytes()
    backup.write_bytes(whole[:cut] if cut >= 0 else whole[: len(whole) // 2])
    with pytest.raises(MigrationFault) as refused:
        read_archive(backup, Native.CODEX)
    assert refused.value.code == "archive_broken"


def test_an_archive_that_was_made_here_may_bring_its_links_back(backup: Path, tmp_path: Path) -> None:
    memories = tmp_path / "home/.codex/memories"
    (memories / "out.md").symlink_to("/etc/hosts")
    made = write_backup(taken(tmp_path / "home"), Native.CODEX, tmp_path / "shelf")
    archive, digest = read_archive(made.path, Native.CODEX)
    assert digest == hashlib.sha256(made.path.read_bytes()).hexdigest()
    (memories / "out.md").unlink()
    restore(restoration_of(archive, tmp_path / "home", [], known=True))
    assert os.readlink(memories / "out.md") == "/etc/hosts"


def test_nothing_is_written_through_a_link_that_stands_there_now(backup: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    home = tmp_path / "new"
    (home / ".codex").mkdir(parents=True)
    (home / ".codex/memories").symlink_to(elsewhere)
    with pytest.raises(MigrationFault) as refused:
        restoration_of(read_archive(backup, Native.CODEX)[0], home, [], known=True)
    assert refused.value.code == "in_the_way"
    assert list(elsewhere.iterdir()) == []


def test_a_restoration_that_fails_on_the_way_takes_back_what_it_wrote(backup: Path, tmp_path: Path) -> None:
    archive: Archive = read_archive(backup, Native.CODEX)[0]
    home = tmp_path / "home"
    (home / ".codex/memories/MEMORY.md").write_text("changed since\n")
    (home / ".codex/memories/raw_memories.md").unlink()
    before = tree(home / ".codex")
    plan = restoration_of(archive, home, [], known=True)
    seen: list[Entry] = []

    def full(entry: Entry) -> None:
        seen.append(entry)
        if len(seen) == len(plan.written):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "x")

    with pytest.raises(MigrationFault) as failed:
        restore(plan, full)
    assert failed.value.code == "restore_failed"
    contents = {k: (mode, content) for k, (mode, _, content) in tree(home / ".codex").items()}
    assert contents == {k: (mode, content) for k, (mode, _, content) in before.items()}


def test_a_full_disk_leaves_no_half_backup(tmp_path: Path) -> None:
    codex_home(tmp_path / "home")
    shelf = tmp_path / "shelf"
    with (
        patch("os.fsync", side_effect=OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))),
        pytest.raises(MigrationFault) as failed,
    ):
        write_backup(taken(tmp_path / "home"), Native.CODEX, shelf)
    assert failed.value.code == "backup_failed"
    assert "No space left" in failed.value.detail
    assert list(shelf.iterdir()) == []


def test_what_no_backup_can_hold_is_never_written_over(backup: Path, tmp_path: Path) -> None:
    note = tmp_path / "home/.codex/memories/MEMORY.md"
    with note.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(MigrationFault) as refused:
        restoration_of(read_archive(backup, Native.CODEX)[0], tmp_path / "home", [], known=True)
    assert refused.value.code == "in_the_way"
    assert note.stat().st_size == LARGEST + 1


def test_a_disk_that_fills_up_in_a_restoration_changes_nothing(tmp_path: Path) -> None:
    planted(tmp_path / "home", {"a.md": ("file", b"short", 0o600), "b.md": ("file", b"x" * 9000, 0o600)})
    backup = write_backup(taken(tmp_path / "home"), Native.CODEX, tmp_path / "shelf").path
    for name in ("a.md", "b.md"):
        (tmp_path / "home/.codex/memories" / name).write_bytes(b"written since, and long\n" * 400)
    before = tree(tmp_path / "home/.codex")
    plan = restoration_of(read_archive(backup, Native.CODEX)[0], tmp_path / "home", [], known=True)
    with only_files_of(4096), pytest.raises(MigrationFault) as failed:
        restore(plan)
    assert "as it was before" in failed.value.detail
    contents = {k: (mode, content) for k, (mode, _, content) in tree(tmp_path / "home/.codex").items()}
    assert contents == {k: (mode, content) for k, (mode, _, content) in before.items()}


@contextmanager
def only_files_of(size: int) -> Iterator[None]:
    """Nothing longer can be written, not even to take something back."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    was = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, was)


def test_what_a_killed_restoration_left_goes_with_the_next_one(backup: Path, tmp_path: Path) -> None:
    memories = tmp_path / "home/.codex/memories"
    before = tree(memories)
    (memories / f".restoring-{'a' * 16}").write_text("half of")
    (memories / "MEMORY.md").unlink()
    plan = restoration_of(read_archive(backup, Native.CODEX)[0], tmp_path / "home", [], known=True)
    assert plan.extra == []
    restore(plan)
    assert tree(memories) == before


def test_two_restorations_do_not_write_at_once(tmp_path: Path) -> None:
    shelf = shelf_of(Native.CODEX, {"HOME": str(tmp_path)})
    with one_at_a_time(shelf), pytest.raises(MigrationFault) as fault, one_at_a_time(shelf):
        pass
    assert fault.value.code == "busy"
    with one_at_a_time(shelf):
        assert shelf.states.is_dir()
