"""Where a local repository keeps its objects, and that all of it lies under the roots."""

from collections.abc import Iterator
from pathlib import Path

from whoknows.sources.roots import Roots

_SMALL = 64 * 1024
"""More than this no pointer to another place says, in bytes."""
_PARTS = ("HEAD", "config", "config.worktree", "packed-refs", "refs", "shallow", "objects", "objects/info", "objects/pack")
_DEPTH = 5
"""As deep as git itself follows alternates."""


def git_dir(roots: Roots, locator: str) -> Path | None:
    """The directory of the repository at ``locator``: bare, ``.git`` in it, or where a ``.git`` file points.

    None where it, or anything that it borrows objects from, lies outside of the roots.
    """
    place = roots.inside(locator)
    if place is None or not place.is_dir():
        return None
    found = _repository(roots, place)
    if found is None:
        return None
    shared = _pointed(roots, found, found / "commondir", "") if (found / "commondir").exists() else found
    if shared is None or not (shared / "objects").is_dir():
        return None
    lies_inside = all(roots.inside(p) is not None for p in (*_parts(found), *_parts(shared)) if p.exists() or p.is_symlink())
    return found if lies_inside and _borrows_inside(roots, shared / "objects", _DEPTH) else None


def _repository(roots: Roots, place: Path) -> Path | None:
    if (place / "HEAD").is_file() and (place / "objects").is_dir():
        return place
    inner = place / ".git"
    if inner.is_dir():
        return roots.inside(inner)
    return _pointed(roots, place, inner, "gitdir:") if inner.is_file() else None


def _pointed(roots: Roots, base: Path, pointer: Path, prefix: str) -> Path | None:
    """The place that the one line of ``pointer`` names, if it lies inside."""
    line = _line(pointer)
    if line is None or not line.startswith(prefix):
        return None
    return roots.inside(base / line.removeprefix(prefix).strip())


def _parts(directory: Path) -> Iterator[Path]:
    for name in _PARTS:
        yield directory / name
    yield from (directory / "objects" / "pack").glob("*")


def _borrows_inside(roots: Roots, objects: Path, depth: int) -> bool:
    """Alternates: directories of objects elsewhere, which may borrow from others in turn."""
    if depth == 0:
        return False
    listed = objects / "info" / "alternates"
    if not listed.exists() and not listed.is_symlink():
        return True
    text = _text(listed)
    if text is None:
        return False
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    places = [roots.inside(objects / line) for line in lines if not line.startswith('"')]
    return len(places) == len(lines) and all(p is not None and _borrows_inside(roots, p, depth - 1) for p in places)


def _line(file: Path) -> str | None:
    text = _text(file)
    return None if text is None else text.strip().partition("\n")[0]


def _text(file: Path) -> str | None:
    try:
        with file.open("rb") as opened:
            raw = opened.read(_SMALL + 1)
        return None if len(raw) > _SMALL else raw.decode()
    except (OSError, UnicodeDecodeError):
        return None
