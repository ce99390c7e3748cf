"""What the tests of proposals share: a real repository, a member who owns it, and a look at everything in it."""

import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from whoknows.bootstrap import Installation, assemble
from whoknows.domain.memory import Category, Memory
from whoknows.domain.source import LocationKind
from whoknows.flows.keep_sources import NewSource
from whoknows.flows.limits import Limits
from whoknows.flows.propose import Listed, To
from whoknows.sources.git import GitReader
from whoknows.sources.git_branch import GitRuleWriter
from whoknows.sources.mirrors import Mirrors
from whoknows.sources.reader import Reader
from whoknows.sources.roots import Roots
from whoknows.sources.tree import TreeReader
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from worlds import HashEmbedder, World

LEARNED = (
    "Rebuild the search index before every release or results stay old",
    "Before every release rebuild the search index or results stay old",
)
ALLOWED = ("docs/rules/", "AGENTS.md")


def git(repository: Path, *arguments: str) -> str:
    who = ["-c", "user.name=T", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", "-C", repository, *who, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def a_repository(folder: Path) -> Path:
    """One commit, a file that is staged, one that is not, and a hook that would leave a trace."""
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "docs" / "rules").mkdir(parents=True)
    (folder / "docs" / "rules" / "release.md").write_text("# Release\n\nBe kind.\n")
    (folder / "src").mkdir()
    (folder / "src" / "a.py").write_text("1\n")
    (folder / "docs" / "rules" / "link.md").symlink_to("../../src/a.py")
    (folder / "docs" / "rules" / "away").symlink_to("../../src")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    (folder / "src" / "a.py").write_text("2\n")
    git(folder, "add", "src/a.py")
    (folder / "src" / "b.py").write_text("not added\n")
    hook = folder / ".git" / "hooks" / "reference-transaction"
    hook.write_text(f"#!/bin/sh\ntouch {folder / 'hooked'}\n")
    hook.chmod(0o755)
    return folder


def everything(repository: Path) -> dict[str, str]:
    """Every file of the repository and its work tree but Git's objects: path → hash, or where a link leads."""
    found: dict[str, str] = {}
    for file in sorted(repository.rglob("*")):
        name = str(file.relative_to(repository))
        if file.is_symlink():
            found[name] = f"-> {file.readlink()}"
        elif file.is_file() and not name.startswith(".git/objects/"):
            found[name] = hashlib.sha256(file.read_bytes()).hexdigest()
    return found


@dataclass
class Ruling:
    world: World
    repository: Path

    async def learn(self, who: str, text: str, project: str, **fields: object) -> Memory:
        fields.setdefault("category", Category.EXPERIENCE)
        return await self.world.write(who, text, project_id=project, team_id="T", **fields)

    async def waiting(self, who: str = "member:m") -> list[Listed]:
        return list(await self.world.service.propose.list(await self.world.caller(who)))

    async def confirm(
        self, proposal: Listed, who: str = "member:m", path: str = "docs/rules/release.md", **more: str
    ) -> Listed:
        to = To(more.get("repository", "handbook"), path, more.get("branch"))
        return await self.world.service.propose.confirm(await self.world.caller(who), proposal.id, to)

    async def reject(self, proposal: Listed, who: str = "member:m", reason: str | None = None) -> Listed:
        return await self.world.service.propose.reject(await self.world.caller(who), proposal.id, reason)


async def a_ruling(installation: Installation, folder: Path) -> Ruling:
    """A and B write for T, m owns T and its repository `handbook`, n is on T and owns nothing, X is a stranger."""
    repository = a_repository(folder / "handbook")
    store = PostgresStore(Database(installation.dsn, size=8, timeout=10))
    await store.open()
    roots = Roots([folder])
    reader = Reader(GitReader(roots, Mirrors(folder / "mirrors")), TreeReader(roots))
    writer = GitRuleWriter(roots, ALLOWED)
    world = World(assemble(store, HashEmbedder(), Limits(), source_reader=reader, rule_writer=writer), installation)
    await world.members("m", "n", "x")
    await world.agents("A", "B", "X")
    await world.team("T", A="writer", B="writer", **{"member:m": "owner", "member:n": "reader"})
    new = NewSource(LocationKind.GIT, str(repository), "handbook", "team:T")
    await world.service.keep_sources.register(await world.caller("member:m"), new)
    return Ruling(world, repository)
