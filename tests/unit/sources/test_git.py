"""Git repositories as sources, hostile ones among them: nothing is run, nothing outside is read, and nobody is asked."""

import os
from pathlib import Path

import pytest

from repositories import Repository, repository
from whoknows.domain.source import LocationKind, SourceLocation
from whoknows.errors import SourceUnreadable
from whoknows.sources.documents import MOST_BYTES
from whoknows.sources.git import GitReader
from whoknows.sources.mirrors import Mirrors, locator_fault
from whoknows.sources.roots import Roots


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    return tmp_path / "root"


@pytest.fixture
def reader(tmp_path: Path, root: Path) -> GitReader:
    return GitReader(Roots([root]), Mirrors(tmp_path / "mirrors"))


@pytest.fixture
def repo(root: Path) -> Repository:
    return repository(root / "repo", {"a.md": "# A\n\nFirst.\n", "docs/b.md": "# B\n\nSecond.\n", "x.py": "code\n"})


def at(path: Path | str) -> SourceLocation:
    return SourceLocation(LocationKind.GIT, str(path))


async def paths(reader: GitReader, where: Path) -> dict[str, str | None]:
    revision = await reader.revision(at(where), None)
    assert revision is not None
    return {f.path: f.fault for f in await reader.files(at(where), revision)}


async def test_the_documents_of_a_commit_are_read_as_they_were(reader: GitReader, repo: Repository) -> None:
    first = repo("rev-parse", "HEAD")
    second = repo.commit({"a.md": "# A\n\nChanged.\n"})
    where = at(repo.path)
    assert await reader.revision(where, None) == second
    assert await reader.revision(where, "HEAD~1") == first
    assert await reader.revision(where, first[:10]) == first
    assert await reader.revision(where, "main") == second
    assert [f.path for f in await reader.files(where, first)] == ["a.md", "docs/b.md"]
    assert await reader.read(where, first, "a.md") == "# A\n\nFirst.\n"
    assert await reader.read(where, second, "a.md") == "# A\n\nChanged.\n"
    listed = await reader.files(where, second)
    assert await reader.texts(where, second, listed) == {"a.md": "# A\n\nChanged.\n", "docs/b.md": "# B\n\nSecond.\n"}
    repo("mv", "docs/b.md", "docs/c.md")
    third = repo.commit({"docs/c.md": "# B\n\nSecond.\n\nMore.\n"})
    assert await reader.renames(where, second, third) == {"docs/c.md": "docs/b.md"}


async def test_what_is_no_revision_and_no_path_is_absent(reader: GitReader, repo: Repository) -> None:
    where = at(repo.path)
    head = await reader.revision(where, None)
    assert head is not None
    for name in (
        "-h",
        "--all",
        "absent",
        "HEAD:a.md",
        "HEAD..main",
        ":/First",
        "HEAD^{/First}",
        "a b",
        "",
        "@{-1}",
        "main\n",
        "x" * 300,
    ):
        assert await reader.revision(where, name) is None, name
    for path in (
        "../a.md",
        "/a.md",
        "./a.md",
        "docs",
        "docs/",
        "",
        ":(glob)**",
        "*.md",
        "-a.md",
        "absent.md",
        "a.md\0",
        "docs/../a.md",
    ):
        assert await reader.read(where, head, path) is None, path
    for revision in ("HEAD", "main", "0" * 40, head[:12], "--all"):
        assert await reader.read(where, revision, "a.md") is None, revision
        assert await reader.files(where, revision) == [], revision


async def test_bare_and_packed_repositories_and_worktrees_are_read_like_others(reader: GitReader, repo: Repository) -> None:
    head = repo("rev-parse", "HEAD")
    bare = repo.path.parent / "bare.git"
    repo("clone", "--quiet", "--bare", "--no-local", str(repo.path), str(bare))
    repo("gc", "--quiet")
    repo("pack-refs", "--all")
    tree = repo.path.parent / "tree"
    repo("worktree", "add", "--quiet", str(tree), "-b", "other")
    for place in (bare, repo.path, tree):
        assert await reader.locate(at(place)) is not None
        assert await reader.revision(at(place), None) == head
        assert await reader.read(at(place), head, "docs/b.md") == "# B\n\nSecond.\n"


async def test_links_submodules_and_huge_and_broken_files_are_no_documents(reader: GitReader, repo: Repository) -> None:
    (repo.path / "link.md").symlink_to("/etc/passwd")
    (repo.path / "inside.md").symlink_to("a.md")
    other = repository(repo.path / "sub.md", {"s.md": "sub\n"})
    del other
    repo("-c", "advice.addEmbeddedRepo=false", "add", "sub.md")
    weird = os.fsencode(repo.path) + b"/caf\xe9.md"
    Path(os.fsdecode(weird)).write_text("latin name")  # noqa: ASYNC240 - a file of a test
    (repo.path / "new\nline.md").write_text("a name of two lines")
    (repo.path / ".hidden").mkdir()
    repo.commit({
        "huge.md": b"x" * (MOST_BYTES + 1), "latin.md": b"caf\xe9\n", "nul.md": b"a\0b\n",
        "bom.md": b"\xef\xbb\xbfbom\r\nline\r\n", ".hidden/h.md": "hidden\n",
    })  # fmt: skip
    found = await paths(reader, repo.path)
    faults = {p for p, fault in found.items() if fault}
    assert faults == {"huge.md", "new\\nline.md", "caf\\xe9.md"}
    assert set(found) - faults == {"a.md", "docs/b.md", "latin.md", "nul.md", "bom.md"}
    head = await reader.revision(at(repo.path), None)
    assert head is not None
    texts = await reader.texts(at(repo.path), head, await reader.files(at(repo.path), head))
    assert (texts["latin.md"], texts["nul.md"], texts["bom.md"]) == (None, None, "bom\nline\n")
    for path in ("link.md", "inside.md", "sub.md", "huge.md", "new\nline.md"):
        assert await reader.read(at(repo.path), head, path) is None, path


async def test_nothing_that_a_repository_says_is_run(reader: GitReader, repo: Repository, tmp_path: Path) -> None:
    marked = tmp_path / "run"
    program = tmp_path / "evil.sh"
    program.write_text(f"#!/bin/sh\ntouch {marked}\n")
    program.chmod(0o755)
    blob = repo("rev-parse", "HEAD:a.md")
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.alternateRefsCommand", "diff.external",
                "credential.helper", "uploadpack.packObjectsHook", "core.askPass", "gpg.program"):  # fmt: skip
        repo("config", key, str(program))
    repo("config", "diff.md.textconv", str(program))
    repo("config", "filter.md.smudge", str(program))
    repo("config", "protocol.ext.allow", "always")
    repo("config", "remote.origin.url", f"ext::{program}")
    repo("config", "remote.origin.promisor", "true")
    repo("config", "extensions.partialClone", "origin")
    (repo.path / ".git" / "info" / "attributes").write_text("*.md diff=md filter=md\n")
    for hook in ("post-checkout", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"):
        (repo.path / ".git" / "hooks").mkdir(exist_ok=True)
        (repo.path / ".git" / "hooks" / hook).write_text(program.read_text())
        (repo.path / ".git" / "hooks" / hook).chmod(0o755)
    (repo.path / ".git" / "objects" / blob[:2] / blob[2:]).unlink()  # a lazy fetch would ask the promisor for it
    where = at(repo.path)
    head = await reader.revision(where, None)
    assert head is not None
    listed = await reader.files(where, head)
    assert (await reader.texts(where, head, listed))["a.md"] is None
    assert await reader.read(where, head, "docs/b.md") == "# B\n\nSecond.\n"
    await reader.renames(where, head, head)
    assert not marked.exists()


async def test_nothing_outside_of_the_roots_is_reached(reader: GitReader, repo: Repository, root: Path, tmp_path: Path) -> None:
    outside = repository(tmp_path / "outside", {"secret.md": "# Secret\n\nNot yours.\n"})
    secret = outside("rev-parse", "HEAD")
    (root / "link").symlink_to(outside.path)
    pointer = root / "pointer"
    pointer.mkdir()
    (pointer / ".git").write_text(f"gitdir: {outside.path / '.git'}\n")
    for place in (outside.path, root / "link", pointer, root / ".." / "outside", root / "absent", root, "relative", "/", "\0"):
        assert await reader.locate(at(place)) is None, place
        assert await reader.revision(at(place), None) is None, place
        assert await reader.read(at(place), secret, "secret.md") is None, place
    alternates = repo.path / ".git" / "objects" / "info" / "alternates"
    alternates.write_text(f"{outside.path}/.git/objects\n")
    assert await reader.read(at(repo.path), secret, "secret.md") is None
    assert await reader.locate(at(repo.path)) is None
    alternates.unlink()
    assert await reader.locate(at(repo.path)) is not None
    inner = repository(root / "inner", {"i.md": "inner\n"})
    shared = inner("rev-parse", "HEAD")
    alternates.write_text(f"{inner.path}/.git/objects\n")
    assert await reader.read(at(repo.path), shared, "i.md") == "inner\n"
    alternates.unlink()
    alternates.symlink_to(outside.path / ".git" / "HEAD")
    assert await reader.locate(at(repo.path)) is None
    alternates.unlink()
    packed = repo.path / ".git" / "objects" / "pack"
    packed.rmdir()
    packed.symlink_to(outside.path / ".git" / "objects" / "pack")
    assert await reader.locate(at(repo.path)) is None
    packed.unlink()
    (repo.path / ".git" / "commondir").write_text(f"{outside.path}/.git\n")
    assert await reader.locate(at(repo.path)) is None


async def test_without_roots_nothing_is_read(tmp_path: Path, repo: Repository) -> None:
    reader = GitReader(Roots([]), Mirrors(tmp_path / "mirrors"))
    assert await reader.locate(at(repo.path)) is None
    assert await reader.revision(at(repo.path), None) is None


async def test_a_remote_is_fetched_into_a_mirror_and_followed(tmp_path: Path, repo: Repository) -> None:
    """There is no server on a public address here: `file` stands for https, and is never allowed in the product."""
    reader = GitReader(Roots([]), Mirrors(tmp_path / "mirrors", protocol="file"))
    where = at(f"file://{repo.path}")
    first = repo("rev-parse", "HEAD")
    assert await reader.locate(where) == where
    assert await reader.revision(where, None) == first
    assert await reader.read(where, first, "a.md") == "# A\n\nFirst.\n"
    second = repo.commit({"a.md": "# A\n\nNewer.\n"})
    assert await reader.revision(where, "main") == first  # it was looked at a moment ago
    assert await reader.revision(where, None) == second
    assert await reader.revision(where, first) == first
    assert await reader.read(where, second, "a.md") == "# A\n\nNewer.\n"
    with pytest.raises(SourceUnreadable):
        await reader.revision(at(f"file://{tmp_path}/absent"), None)


async def test_remotes_are_public_https_addresses_without_credentials(tmp_path: Path) -> None:
    reader = GitReader(Roots([]), Mirrors(tmp_path / "mirrors"))
    for locator in ("https://u:p@example.org/x.git", "https://u@example.org/x", "http://example.org/x", "ssh://example.org/x",
                    "git://example.org/x", "ext::sh -c id", "file:///etc", "https://", "https://e.org/x?y",
                    "https://exa mple.org/x", "-uhttps://example.org", "https://e.org:0/x", "https://[::1/x"):  # fmt: skip
        assert locator_fault(locator) is not None, locator
        assert await reader.locate(at(locator)) is None, locator
    assert locator_fault("https://example.org/team/records.git") is None
    for inside in ("https://127.0.0.1/x.git", "https://localhost/x.git", "https://[::1]/x.git", "https://10.0.0.1/x",
                   "https://169.254.169.254/latest", "https://[::ffff:127.0.0.1]/x"):  # fmt: skip
        with pytest.raises(SourceUnreadable):
            await reader.revision(at(inside), None)


async def test_a_repository_that_says_too_much_or_takes_too_long_is_given_up(repo: Repository) -> None:
    from whoknows.sources.git_program import git

    place = repo.path / ".git"
    with pytest.raises(SourceUnreadable):
        await git(place, ["ls-tree", "-r", "HEAD"], most_bytes=10)
    with pytest.raises(SourceUnreadable):
        await git(place, ["cat-file", "--batch"], given=b"", seconds=0.0)
    assert repo("status", "--short") == ""
