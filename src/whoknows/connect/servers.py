"""The file of servers beside a hook: those that its program was connected to, and the only ones that are sent a key."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whoknows.connect import files
from whoknows.connect.faults import ConnectFault
from whoknows.hooks import install, pins
from whoknows.hooks.faults import Fault


@dataclass(frozen=True, slots=True)
class Servers:
    """All of the file is ours. Connecting adds ``url``: somebody may have two installations. ``alone``: none but this stays."""

    path: Path
    url: str
    alone: bool = False
    mode: int = 0o644

    def present(self, content: bytes | None) -> bool:
        return content is not None

    def written_by_us(self, content: bytes | None) -> bool:
        return content is not None

    def added(self, content: bytes | None) -> bytes:
        known = [] if self.alone or content is None else pins.noted(content)
        return "".join(f"{a}\n" for a in dict.fromkeys([*known, address(self.url)])).encode()

    def removed(self, content: bytes, base: bytes | None) -> bytes | None:  # noqa: ARG002 - it was nobody else's
        return None


def beside_hook(data: Path, program: str) -> Path:
    return install.folder(data) / pins.FOLDER / program


def noted(path: Path) -> Sequence[str]:
    """The servers in such a file; none where there is none."""
    content = files.read(path)
    return [] if content is None else pins.noted(content)


def address(url: str) -> str:
    """``url`` as the hook compares it.

    Raises:
        ConnectFault: ``bad_url``: the hook would ask nobody.
    """
    try:
        return pins.address(url)
    except Fault:
        raise ConnectFault("bad_url", "WHOKNOWS_URL is no address that a hook asks: scheme://host:port/path") from None
