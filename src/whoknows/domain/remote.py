"""Git remotes in one normal form, ``host/path``: the same repository by ssh and by https is one."""

import re
from urllib.parse import urlsplit

from whoknows.errors import Invalid

REMOTE_LIMIT = 400
"""Longest remote in characters, as it is given."""
_SCHEMES = {"https": 443, "http": 80, "ssh": 22, "git": 9418, "git+ssh": 22}
"""Ways to a repository on a host, and the port that need not be said."""
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*|\[[0-9a-f:.]+\]")
_NORMAL = re.compile(
    r"(?P<host>\[[^\]]+\]|[^/:@\s]+\.[^/:@\s]+)(?::(?P<port>\d{1,5}))?/(?P<path>.+)"
    r"|(?P<short>[^/:@\s]{2,}):(?P<its_port>\d{1,5})/(?P<rest>.+)"
)
_SCP = re.compile(r"(?:[^@/\s:]+@)?(?P<host>[^/:@\s]{2,}|\[[^\]]+\]):(?P<path>.+)")


def normal_remote(text: str) -> str:
    """``git@github.com:acme/infra.git`` and ``https://github.com/acme/infra/`` → ``github.com/acme/infra``; ``host:path``
    where the host is one word.

    User names and passwords are dropped, the case of the path is kept: two paths that differ in it may be two repositories.
    What is normal already stays. Raises Invalid for what names no repository on a host.
    """
    given = text.strip()
    if not given or len(given) > REMOTE_LIMIT:
        raise _fault(f"a remote has 1 to {REMOTE_LIMIT} characters")
    if given.startswith("-") or any(c.isspace() or not c.isprintable() for c in given):
        raise _fault("a remote does not begin with '-' and holds neither white space nor control characters")
    host, port, path = _parts(given)
    if not _HOST.fullmatch(host):
        raise _fault("a remote names a host: https://host/path, ssh://host/path or host:path")
    steps = [s for s in path.removesuffix("/").removesuffix(".git").split("/") if s]
    if not steps or any(s in (".", "..") for s in steps) or any(c in path for c in "?#\\"):
        raise _fault("a remote names a repository on its host, without '.', '..', '?', '#' and '\\'")
    where = "/".join(steps)
    if port is None:  # "infra/x" could be a path: a host of one word is told by its colon
        return f"{host}/{where}" if "." in host or ":" in host else f"{host}:{where}"
    return f"{host}:{port}/{where}"


def _parts(given: str) -> tuple[str, int | None, str]:
    """Host in its wire form, the port that must be said, and the path."""
    if "://" in given:
        try:
            url = urlsplit(given)
            port = url.port
        except ValueError:
            raise _fault("this is no address of a repository") from None
        if url.scheme not in _SCHEMES or url.query or url.fragment:
            raise _fault(f"a remote is reached by {', '.join(sorted(_SCHEMES))}, and has no query")
        host = url.hostname or ""
        said = None if port in (None, _SCHEMES[url.scheme]) else port
        return _wire(f"[{host}]" if ":" in host else host), said, url.path
    found = _NORMAL.fullmatch(given)
    if found is not None:
        port = found["port"] or found["its_port"]
        return _wire(found["host"] or found["short"]), None if port is None else int(port), found["path"] or found["rest"]
    found = _SCP.fullmatch(given)
    if found is None:
        raise _fault("a remote names a host: https://host/path, ssh://host/path or host:path")
    return _wire(found["host"]), None, found["path"]


def _wire(host: str) -> str:
    plain = host.lower().rstrip(".")
    try:
        return plain if plain.isascii() else plain.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def _fault(why: str) -> Invalid:
    return Invalid(why, field="git_remotes")
