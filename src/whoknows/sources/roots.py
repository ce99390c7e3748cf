"""The roots under which sources may lie; without any, none may."""

from collections.abc import Sequence
from pathlib import Path


class Roots:
    """Paths are compared with all their links resolved: a link that leads out leads nowhere."""

    def __init__(self, roots: Sequence[Path]) -> None:
        self._roots = tuple(r.expanduser() for r in roots)

    def inside(self, path: str | Path) -> Path | None:
        """``path`` with its links resolved, if it exists under a root; else None."""
        try:
            resolved = Path(path).resolve(strict=True)
            return resolved if any(resolved.is_relative_to(r.resolve()) for r in self._roots) else None
        except (OSError, RuntimeError, ValueError):  # absent, forbidden, a circle of links, a NUL
            return None
