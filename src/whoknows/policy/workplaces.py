"""Workplaces: whose they are, which directories can be one, and which of them hold a directory."""

from collections.abc import Sequence
from dataclasses import dataclass

from whoknows.domain.principal import AgentRole, Kind, Principal
from whoknows.policy.routing import personal_bank
from whoknows.policy.standing import Standing

MOST_BYTES = 4096
"""The longest path of Linux in bytes; Windows and macOS take less."""
MOST_PARTS = 128
"""The deepest directory that can be registered. One that is deeper is in the workplace that holds it."""

_SHARED = frozenset({"/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/mnt", "/media", "/Volumes"})  # noqa: S108 - named so as to refuse them


@dataclass(frozen=True, slots=True)
class Directory:
    """An absolute directory in its normal form: no ``.``, ``..``, double or last separator.

    ``parts`` are its components under ``root`` (``/``, ``C:\\`` or ``\\\\server\\share\\``).
    """

    root: str
    parts: tuple[str, ...]

    @property
    def windows(self) -> bool:
        return "\\" in self.root

    @property
    def text(self) -> str:
        return self.root + ("\\" if self.windows else "/").join(self.parts)

    @property
    def key(self) -> str:
        """What it is compared by: Windows does not tell upper from lower case."""
        return self.text.lower() if self.windows else self.text


@dataclass(frozen=True, slots=True)
class NoDirectory:
    reason: str


def workplace_owner(standing: Standing) -> Principal | None:
    """The account behind a member's or a main agent's key, else the agent itself. A sub-agent and work on a task have none."""
    if standing.task is not None:
        return None
    if standing.reader.kind is Kind.MEMBER or standing.role is AgentRole.MAIN:
        return personal_bank(standing)
    return None


def directory_of(path: str) -> Directory | NoDirectory:
    """``path`` in its normal form, as Linux, macOS or Windows write it. Letters stay as they are: the file system's own."""
    if len(path.encode(errors="surrogatepass")) > MOST_BYTES:
        return NoDirectory(f"a path may have {MOST_BYTES} bytes at most")
    if any(ord(c) < 0x20 or c == "\x7f" or 0xD800 <= ord(c) <= 0xDFFF for c in path):
        return NoDirectory("a path may not hold control characters")
    if path.startswith("/"):
        return _normal("/", path.split("/"))
    plain = path.replace("/", "\\")
    if plain.startswith("\\\\?\\"):  # how Windows writes long paths
        plain = plain[4:] if plain[4:8].upper() != "UNC\\" else "\\\\" + plain[8:]
    if plain[1:3] == ":\\" and plain[0].isascii() and plain[0].isalpha():
        return _normal(plain[0].upper() + ":\\", plain[3:].split("\\"))
    if plain.startswith("\\\\"):
        return _network(plain[2:].split("\\"))
    return NoDirectory("the path must be absolute: it begins with /, or with a drive such as C:\\")


def registrable(directory: Directory) -> NoDirectory | None:
    """Why ``directory`` can be no workplace, or None: it holds everything that somebody has, not one project."""
    if not directory.parts:
        return NoDirectory("that is the whole file system, not the directory of a project")
    if len(directory.parts) > MOST_PARTS:
        return NoDirectory(f"a workplace may be {MOST_PARTS} directories deep at most")
    if directory.text in _SHARED:
        return NoDirectory("that holds what anybody puts there, not one project")
    if _is_home(directory):
        return NoDirectory("that is a home directory, or holds them: register the directory of the project in it")
    return None


def holders(directory: Directory) -> list[Directory]:
    """``directory`` and those above it that could be a workplace, the longest first; whole components, never parts of one."""
    deepest = min(len(directory.parts), MOST_PARTS)
    return [Directory(directory.root, directory.parts[:n]) for n in range(deepest, 0, -1)]


def _normal(root: str, given: Sequence[str]) -> Directory | NoDirectory:
    parts: list[str] = []
    for part in given:
        if part in ("", "."):
            continue
        if part == "..":
            # Where a link is on the way, what is meant is not what stands here.
            return NoDirectory("the path may not hold `..`: say where it really is")
        parts.append(part)
    return Directory(root, tuple(parts))


def _network(given: Sequence[str]) -> Directory | NoDirectory:
    server, share, *rest = (*given, "", "")
    if server in ("", ".", "?", "..") or share in ("", ".", ".."):
        return NoDirectory("a network path names a server and a share")
    return _normal(f"\\\\{server}\\{share}\\", rest)


def _is_home(directory: Directory) -> bool:
    """``/home``, ``/home/ana``, ``/root``, ``/Users/ana``, ``C:\\Users\\ana``, and how shells on Windows write the last."""
    under = directory.parts if directory.windows else _under_drive(directory.parts)
    match under:
        case ():
            return True  # a whole drive
        case ("root",):
            return True
        case (("home" | "Users" | "users"), *rest):
            return len(rest) < 2
        case _:
            return False


def _under_drive(parts: tuple[str, ...]) -> tuple[str, ...]:
    """Without ``/mnt/c`` and ``/c``, by which a drive of Windows is reached from its Linux and from Git's shell."""
    match parts:
        case ("mnt", drive, *rest) if len(drive) == 1:
            return tuple(rest)
        case (drive, *rest) if len(drive) == 1:
            return tuple(rest)
        case _:
            return parts
