"""Which directory is meant where somebody says `.`, what its project is called, and under which names a program knows it."""

from pathlib import Path


def root_of(path: Path) -> Path:
    """The top of the Git work tree that holds ``path``, else ``path``: absolute, as it was typed, links and all."""
    typed = Path(path.absolute().as_posix().rstrip("/") or "/")
    return next((p for p in (typed, *typed.parents) if (p / ".git").exists()), typed)


def project_of(root: Path) -> str:
    """The name of its folder; of a further work tree of a repository that of the repository."""
    try:
        said = (root / ".git").read_text("utf-8")
        main = Path(said.removeprefix("gitdir:").strip())
        if main.parent.name == "worktrees" and main.parent.parent.name == ".git":
            return main.parent.parent.parent.name
    except (OSError, UnicodeDecodeError):
        pass
    return root.resolve().name or root.name


def names_of(root: Path) -> list[str]:
    """As it was typed, and as it is without links: programs say the one or the other."""
    return list(dict.fromkeys([str(_normal(root)), str(root.resolve())]))


def _normal(path: Path) -> Path:
    """Without ``.`` and ``..``; a ``..`` behind a link is followed, as the system does."""
    return path.resolve() if ".." in path.parts else path
