"""The copy of the hook at a place that never changes, so that what stands in the files of a program never changes either."""

import os
import shlex
import sys
from pathlib import Path

from whoknows.hooks.caller import PROGRAMS
from whoknows.hooks.described import SHIPPED

NAME = "whoknows-hook"
PARTS = (
    "__init__",
    "answers",
    "breaker",
    "caller",
    "calls",
    "command",
    "described",
    "events",
    "exchange",
    "faults",
    "lines",
    "log",
    "notice",
    "parsing",
    "pins",
    "plain_json",
    "relay",
    "rpc",
    "state",
    "told",
)
"""The modules of the copy. This one is none of them."""
_ELSEWHERE = ("/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3", "python3")
"""Where the interpreter is looked for when the one that installed is gone. A ``python3`` of a version manager, which is a shell
script that takes more than twice as long, is the last."""
_LAUNCHER = """\
#!/bin/sh
# Written by WhoKnows. Hands an event over to the hook, or does nothing: whatever is wrong, it may never stop a prompt.
[ "${{WHOKNOWS_HOOKS_DISABLED:-}}" != 1 ] || [ "${{1:-}}" = mcp ] || exit 0
exec 2>/dev/null
read -r began rest </proc/uptime
for python in {interpreters}; do
    if command -v "$python" >/dev/null; then
        exec "$python" -I -S -c '
import os
try:
    import sys
    sys.path.insert(0, sys.argv.pop(1))
    from whoknows_hook.command import run
    run(sys.argv.pop(1))
finally:
    os._exit(0)
' "${{0%/*}}" "$began" "$@"
    fi
done
exit 0
"""
_FOR_PLUGINS = (
    'case "$XDG_DATA_HOME" in /*) h="$XDG_DATA_HOME";; *) h="$HOME/.local/share";; esac; '
    'h="$h/whoknows/hook/whoknows-hook"; [ ! -x "$h" ] || exec "$h" '
)


def folder(data: Path | None = None) -> Path:
    """The folder of the copy, all of which is ours. ``data``: instead of ``$XDG_DATA_HOME/whoknows``."""
    if data is None:
        chosen = os.environ.get("XDG_DATA_HOME", "")
        data = (Path(chosen) if os.path.isabs(chosen) else Path.home() / ".local" / "share") / "whoknows"
    return data / "hook"


def launcher(data: Path | None = None) -> Path:
    return folder(data) / NAME


def command(program: str, data: Path | None = None) -> str:
    """The command for the files of ``program``, for any shell; the same for all releases."""
    assert program in PROGRAMS, program
    return f"{shlex.quote(str(launcher(data)))} {program}"


def plugin_command(program: str) -> str:
    """The same for a file that is shipped: it finds the copy by the environment, and is silent where there is none."""
    assert program in PROGRAMS, program
    return f"/bin/sh -c {shlex.quote(_FOR_PLUGINS + program)}"


def plugin_tools(program: str) -> list[str]:
    """The command of the tools for such a file, in words."""
    assert program in PROGRAMS, program
    return ["/bin/sh", "-c", f"{_FOR_PLUGINS}mcp {program}"]


def files(data: Path | None = None, interpreter: str | None = None) -> dict[Path, bytes]:
    """What stands in the folder of the copy, the launcher last: it is to be executable."""
    place = folder(data)
    first = interpreter or os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    interpreters = " ".join(shlex.quote(i) for i in dict.fromkeys((first, *_ELSEWHERE)))
    here = Path(__file__).parent
    return {
        **{place / "whoknows_hook" / name: (here / name).read_bytes() for name in (*(f"{part}.py" for part in PARTS), SHIPPED)},
        place / NAME: _LAUNCHER.format(interpreters=interpreters).encode(),
    }
