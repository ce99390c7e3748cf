"""The program `git`, run so that nothing in a repository can make it run another, ask, or reach out."""

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from whoknows.errors import SourceUnreadable

_QUIET = (
    "-c", "safe.directory=*",  # whose files they are does not matter: nothing in them is run
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.fsmonitor=false",
    "-c", "core.alternateRefsCommand=",
    "-c", "core.askPass=",
    "-c", "credential.helper=",
    "-c", "gc.auto=0",
    "-c", "maintenance.auto=false",
    "-c", "submodule.recurse=false",
)  # fmt: skip
_PROXIES = ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR")


@dataclass(frozen=True, slots=True)
class Ended:
    code: int
    out: bytes


async def git(
    git_dir: Path,
    arguments: Sequence[str],
    *,
    given: bytes = b"",
    seconds: float = 20,
    most_bytes: int = 64 * 1024 * 1024,
    protocol: str = "none",
    settings: Sequence[str] = (),
) -> Ended:
    """Run ``git --git-dir=… arguments`` without the environment, the settings and the hooks of anybody.

    ``protocol`` is the one way by which it may reach out. Raises SourceUnreadable where it is not there, takes longer than
    ``seconds`` or says more than ``most_bytes``.
    """
    more = [part for setting in settings for part in ("-c", setting)]
    command = ["git", "--no-pager", "--literal-pathspecs", f"--git-dir={git_dir}", *_QUIET, *more, *arguments]
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,  # it may quote what nobody asked for
            env=_environment(protocol),
            cwd="/",
            start_new_session=True,
        )
    except OSError as e:
        raise SourceUnreadable("the program `git` is not installed where the server runs") from e
    try:
        async with asyncio.timeout(seconds):
            out, _ = await asyncio.gather(_read(process, most_bytes), _write(process, given))
            return Ended(await process.wait(), out)
    except TimeoutError as e:
        raise SourceUnreadable(f"git took longer than {seconds:.0f} seconds") from e
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _read(process: asyncio.subprocess.Process, most: int) -> bytes:
    assert process.stdout is not None
    parts: list[bytes] = []
    size = 0
    while part := await process.stdout.read(1 << 16):
        size += len(part)
        if size > most:
            raise SourceUnreadable("the repository says more than is accepted")
        parts.append(part)
    return b"".join(parts)


async def _write(process: asyncio.subprocess.Process, given: bytes) -> None:
    assert process.stdin is not None
    try:
        process.stdin.write(given)
        await process.stdin.drain()
        process.stdin.close()
    except (BrokenPipeError, ConnectionResetError):
        return


def _environment(protocol: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in _PROXIES if name in os.environ and protocol != "none"}
    return kept | {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": protocol,  # whatever the repository's own settings allow
    }
