"""Rules in Git: one commit on a new branch, by plumbing commands. HEAD, index, work tree and other refs stay as they are."""

import asyncio
import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from whoknows.domain.proposal import ProposalId
from whoknows.domain.source import LocationKind, SourceLocation
from whoknows.errors import BranchTaken, Invalid, SourceUnreadable
from whoknows.ports.rules import RuleChange, RuleCommit
from whoknows.sources.git_objects import HASH, commit_of
from whoknows.sources.git_place import git_dir
from whoknows.sources.git_program import Ended, git
from whoknows.sources.roots import Roots

_PART = re.compile(r"[\w.][\w .+@-]*", re.ASCII)
_GITS_OWN = (".git", "git~")
"""What Git, on some file system, takes for its own."""
_FILE, _TREE = "100644", "040000"
_Entry = tuple[str, str, str, bytes]
"""(mode, kind, hash, name) in a tree."""
_NO_LOG = ("core.logAllRefUpdates=false",)
MOST_BYTES = 1024 * 1024
"""Of the file that a section is appended to."""
MOST_PATH = 200
TRAILER = "WhoKnows-Proposal"


class GitRuleWriter:
    def __init__(self, roots: Roots, allowed: Sequence[str]) -> None:
        self._roots = roots
        self._allowed = tuple(allowed)

    @property
    def allowed(self) -> Sequence[str]:
        return self._allowed

    def path_fault(self, path: str) -> str | None:
        parts = path.split("/")
        if len(path) > MOST_PATH or not all(_is_plain(p) for p in parts):
            return "a path is made of plain names, such as docs/rules/release.md"
        if not path.lower().endswith(".md"):
            return "rules are written to Markdown files (.md)"
        if any(path == a or (a.endswith("/") and path.startswith(a)) for a in self._allowed):
            return None
        return f"rules are written to {', '.join(self._allowed) or 'nowhere'} (WHOKNOWS_RULE_PATHS)"

    async def written(self, where: SourceLocation, branch: str, proposal: ProposalId) -> str | None:
        place = await self._place(where)
        found = await commit_of(place, f"refs/heads/{branch}")
        if found is None:
            return None
        ended = await git(place, ["cat-file", "commit", found], most_bytes=MOST_BYTES)
        return found if f"\n{TRAILER}: {proposal}\n".encode() in ended.out + b"\n" else None

    async def preview(self, where: SourceLocation, commit: RuleCommit) -> RuleChange:
        place, before = await self._ready(where, commit)
        there = await commit_of(place, f"refs/heads/{commit.branch}")
        if there is not None and await self.written(where, commit.branch, commit.proposal) is None:
            raise _taken(commit.branch)
        blob = await _blob_at(place, f"{before}^{{tree}}", commit.path.split("/"))
        now = None if blob is None else await _blob_text(place, blob)
        after = await _appended(place, blob, commit.section)
        return RuleChange(
            commit.path, commit.branch, None if now is None else now.decode(errors="replace"), after.decode(errors="replace")
        )

    async def write(self, where: SourceLocation, commit: RuleCommit) -> str:
        place, before = await self._ready(where, commit)
        tree = await self._tree(place, f"{before}^{{tree}}", commit.path.split("/"), commit.section)
        made = await _made(place, "commit", _commit_bytes(tree, before, commit))
        ended = await git(place, ["update-ref", f"refs/heads/{commit.branch}", made, "0" * len(made)], settings=_NO_LOG)
        if ended.code == 0:
            return made
        there = await self.written(where, commit.branch, commit.proposal)
        if there is None:
            raise _taken(commit.branch)
        return there

    async def _ready(self, where: SourceLocation, commit: RuleCommit) -> tuple[Path, str]:
        """(the repository, the commit that the new one follows)."""
        fault = self.path_fault(commit.path)
        if fault is not None:
            raise Invalid(fault, field="path")
        place = await self._place(where)
        await self._check_branch(place, commit.branch)
        before = await commit_of(place, "HEAD")
        if before is None:
            raise SourceUnreadable("the repository has no commit yet: make its first one, then confirm again")
        return place, before

    async def _place(self, where: SourceLocation) -> Path:
        found = None
        if where.kind is LocationKind.GIT and not where.is_remote:
            found = await asyncio.to_thread(git_dir, self._roots, where.locator)
        if found is None:
            raise Invalid("rules are written to local Git repositories under WHOKNOWS_SOURCE_ROOTS", field="repository")
        return found

    async def _check_branch(self, place: Path, branch: str) -> None:
        ended = await git(place, ["check-ref-format", f"refs/heads/{branch}"])
        if ended.code != 0:
            raise Invalid("Git takes no branch of that name", field="branch")

    async def _tree(self, place: Path, tree: str | None, parts: Sequence[str], section: str) -> str:
        """``tree`` with the section at the end of one file: new objects from there up, all others as they are."""
        name = parts[0]
        entries = [] if tree is None else await _entries(place, tree)
        there = _entry(entries, parts)
        if len(parts) > 1:
            made = (
                _TREE,
                "tree",
                await self._tree(place, None if there is None else there[2], parts[1:], section),
                name.encode(),
            )
        else:
            text = await _appended(place, None if there is None else there[2], section)
            made = (_FILE if there is None else there[0], "blob", await _made(place, "blob", text), name.encode())
        listed = b"".join(b"%s %s %s\t%s\0" % (m.encode(), k.encode(), h.encode(), n) for m, k, h, n in [
            *(e for e in entries if e is not there), made])  # fmt: skip
        return _hash(await git(place, ["mktree", "-z"], given=listed))


def _entry(entries: Sequence[_Entry], parts: Sequence[str]) -> _Entry | None:
    """The one that a path begins with; Invalid where it leads elsewhere in the repository."""
    name = parts[0]
    there = next((e for e in entries if e[3] == name.encode()), None)
    if there is not None and len(parts) > 1 and there[0] != _TREE:
        raise Invalid(f"{name} is no folder of the repository, but a file, a link or another repository", field="path")
    if there is not None and len(parts) == 1 and there[0] not in (_FILE, "100755"):
        raise Invalid(f"{name} is no file of the repository, but a folder, a link or another repository", field="path")
    return there


async def _blob_at(place: Path, tree: str, parts: Sequence[str]) -> str | None:
    """The hash of the file at a path, None where there is none yet."""
    there = _entry(await _entries(place, tree), parts)
    if there is None or len(parts) == 1:
        return None if there is None else there[2]
    return await _blob_at(place, there[2], parts[1:])


def _taken(branch: str) -> BranchTaken:
    return BranchTaken(f"the repository has a branch {branch!r} already: name another one", field="branch")


def _is_plain(part: str) -> bool:
    return bool(_PART.fullmatch(part)) and not part.endswith((" ", ".")) and not part.lower().startswith(_GITS_OWN)


async def _entries(place: Path, tree: str) -> list[_Entry]:
    ended = await git(place, ["ls-tree", "-z", "--full-tree", tree])
    entries: list[_Entry] = []
    for line in ended.out.split(b"\0"):
        head, tab, name = line.partition(b"\t")
        if tab:
            mode, kind, found = head.decode("ascii").split()
            entries.append((mode, kind, found, name))
    return entries


async def _appended(place: Path, blob: str | None, section: str) -> bytes:
    if blob is None:
        return section.encode()
    return (await _blob_text(place, blob)).rstrip(b"\n") + b"\n\n" + section.encode()


async def _blob_text(place: Path, blob: str) -> bytes:
    ended = await git(place, ["cat-file", "blob", blob], most_bytes=MOST_BYTES)
    if ended.code != 0:
        raise SourceUnreadable("the file could not be read")
    return ended.out


async def _made(place: Path, kind: str, content: bytes) -> str:
    return _hash(await git(place, ["hash-object", "-t", kind, "-w", "--stdin", "--no-filters"], given=content))


def _hash(ended: Ended) -> str:
    said = ended.out.decode("ascii", "replace").strip()
    if ended.code != 0 or not HASH.fullmatch(said):
        raise SourceUnreadable("the repository takes no new objects: look at its rights and at the room that is left")
    return said


def _commit_bytes(tree: str, parent: str, commit: RuleCommit) -> bytes:
    """The commit itself: the same for the same proposal at the same time, however often it is tried."""
    name = _one_line(commit.author) or "WhoKnows"
    who = f"{name} <rules@whoknows.invalid> {int(commit.at.timestamp())} +0000"
    message = f"{_one_line(commit.subject)}\n\n{TRAILER}: {commit.proposal}\n"
    return f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n{message}".encode()


def _one_line(text: str) -> str:
    plain = "".join(" " if unicodedata.category(c)[0] == "C" or c in "<>\u2028\u2029" else c for c in text)
    return " ".join(plain.split()).strip(" .,:;\"'")
