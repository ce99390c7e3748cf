"""What each program gets: the hook command in a place of its own, and the shipped package, made for this machine."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files as resources
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, cast

from whoknows.connect import files
from whoknows.connect.faults import ConnectFault
from whoknows.connect.files import as_text
from whoknows.connect.json_text import found, value_of
from whoknows.connect.pieces import MARK, Hooks, Piece, Tables, WholeFile, naming, places_of_ours
from whoknows.connect.places import Places
from whoknows.connect.servers import Servers, beside_hook
from whoknows.connect.toml_text import Keys, value_at
from whoknows.domain.harness import Program
from whoknows.hooks import install
from whoknows.hooks.pins import FOLDER
from whoknows.machine import DEFAULT_URL

_NO_MARKETPLACE = ("skills-dir", "inline", "synced")
"""Where Claude Code says a plugin comes from that comes from a folder: ours, for one."""
TOLD = ("WHOKNOWS_URL", "WHOKNOWS_KEY", "WHOKNOWS_AGENT", "XDG_STATE_HOME")
"""What is handed on by name: Codex gives commands of servers hardly anything of its environment, Claude Code not always all."""
SERVER = "whoknows"
"""What the MCP server is called in every program."""


@dataclass(frozen=True, slots=True)
class Wiring:
    """How one program is to be connected. ``trust``: tables of Codex that its person agreed to. ``alone``: to ``url`` and to
    no server that it was connected to before.
    """

    places: Places
    url: str = DEFAULT_URL
    agent: str | None = None
    trust: Mapping[Keys, Mapping[str, Any]] = field(default_factory=dict[Keys, Mapping[str, Any]])
    alone: bool = False

    def pieces(self, program: Program) -> list[Piece]:
        launcher = install.launcher(self.places.data)
        if not _is_text(str(launcher)):
            raise ConnectFault(
                "not_utf8", f"{str(launcher)!r} cannot stand in a file of settings: choose another XDG_DATA_HOME"
            )
        plugin = marketplace_plugin(program, self.places) is not None
        match program:
            case Program.CLAUDE_CODE:
                return [self._servers(program), *self._command(), *([] if plugin else self._claude_code())]
            case Program.CODEX:
                return [self._servers(program), *self._command(), *([] if plugin else self._codex())]
            case Program.PI:
                return [self._servers(program), *self._copied("pi", self.places.pi / "extensions" / SERVER)]

    def command(self, program: Program) -> str:
        """What stands in the hook files. It is the same in every release: Codex asks for trust again where it changes."""
        return install.command(program, self.places.data)

    def servers(self, program: Program) -> Path:
        """Where it is noted which servers ``program`` was connected to: beside what sends the key, out of any environment's
        reach."""
        if program is Program.PI:
            return self.places.pi / "extensions" / SERVER / FOLDER
        return beside_hook(self.places.data, program)

    def _servers(self, program: Program) -> Piece:
        return Servers(self.servers(program), self.url, self.alone)

    def _command(self) -> list[Piece]:
        launcher = install.launcher(self.places.data)
        made = install.files(self.places.data)
        return [WholeFile(p, content, 0o755 if p == launcher else 0o644) for p, content in made.items()]

    def _claude_code(self) -> list[Piece]:
        pieces = self._copied("claude-code", self.places.claude / "skills" / SERVER)
        return [self._for_this_machine(p) for p in pieces]

    def _for_this_machine(self, piece: WholeFile) -> WholeFile:
        """A plugin that is shipped finds the command by the environment; a copy here says where it is, and needs no shell."""
        match piece.path.name:
            case "hooks.json":
                made = json.loads(piece.content)
                launcher = str(install.launcher(self.places.data))
                for groups in made["hooks"].values():
                    for hook in (h for g in groups for h in g["hooks"]):
                        hook.update({"command": launcher, "args": [str(Program.CLAUDE_CODE)]})
            case ".mcp.json":
                made = json.loads(piece.content)
                made["mcpServers"][SERVER] |= self.tools(Program.CLAUDE_CODE)
            case _:
                return piece
        return WholeFile(piece.path, (json.dumps(made, ensure_ascii=False, indent=2) + "\n").encode(), piece.mode)

    def _codex(self) -> list[Piece]:
        hooks = json.loads((_package("codex") / "hooks" / "hooks.json").read_bytes())["hooks"]
        for hook in (h for groups in hooks.values() for g in groups for h in g["hooks"]):
            hook["command"] = self.command(Program.CODEX)
        server = {**self.tools(Program.CODEX), "env_vars": list(TOLD), "startup_timeout_sec": 5, "tool_timeout_sec": 30}
        path = self.places.codex / "hooks.json"
        return [
            Hooks(path, {event: groups[0] for event, groups in hooks.items()}),
            Tables(
                self.places.codex / "config.toml",
                {("mcp_servers", SERVER): server, **self.trust},
                also=[] if self.trust else _trust_keys(path),
            ),
        ]

    def tools(self, program: Program) -> dict[str, Any]:
        """The tools over standard input and output: a program waits for an address at its start, and for this it need not."""
        arguments = ["mcp", str(program), "--url", self.url, *(["--agent", self.agent] if self.agent else [])]
        return {"command": str(install.launcher(self.places.data)), "args": arguments}

    def _copied(self, package: str, to: Path) -> list[Any]:
        return [WholeFile(to / name, file.read_bytes()) for name, file in _shipped(_package(package))]


def marketplace_plugin(program: Program, places: Places) -> str | None:
    """The name under which a program has our plugin from a marketplace: then a copy of ours would do everything twice."""
    match program:
        case Program.CLAUDE_CODE:
            named = _claude_settings(places, "enabledPlugins")
            enabled = [n for n, on in cast(dict[str, Any], named).items() if on] if isinstance(named, dict) else []
        case Program.CODEX:
            named = _codex_settings(places, "plugins")
            enabled = [n for n, said in named.items() if said.get("enabled") is not False]
        case Program.PI:
            enabled = []
    return next((n for n in enabled if n.split("@")[0] == SERVER and n.split("@")[-1] not in _NO_MARKETPLACE), None)


def plugin_disabled(places: Places) -> bool:
    """Whether somebody switched off in Claude Code the copy of the plugin that we put there."""
    named = _claude_settings(places, "enabledPlugins")
    return isinstance(named, dict) and cast(dict[str, Any], named).get(f"{SERVER}@skills-dir") is False


def codex_has_hooks_in_config(places: Places) -> bool:
    """Whether somebody wrote hooks into ``config.toml``; what Codex notes about trust is none."""
    return any(name != "state" for name in _codex_settings(places, "hooks"))


def claude_hooks_disabled(places: Places) -> bool:
    return _claude_settings(places, "disableAllHooks") is True


def _claude_settings(places: Places, name: str) -> Any:
    path = places.claude / "settings.json"
    with naming(path):
        text = as_text(path, files.read(path))[1]
        node = found(text, (name,))
        return None if node is None else value_of(text, node)


def _codex_settings(places: Places, name: str) -> dict[str, Any]:
    path = places.codex / "config.toml"
    with naming(path):
        value = value_at(as_text(path, files.read(path))[1], (name,))
        return cast(dict[str, Any], value) if isinstance(value, dict) else {}


def _trust_keys(hooks: Path) -> list[Keys]:
    """Where Codex notes that it trusts our hooks, as they are counted in ``hooks`` now."""
    content = files.read(hooks)
    if content is None or MARK.encode() not in content:
        return []
    with naming(hooks):
        ours = places_of_ours(content.decode("utf-8", "replace").removeprefix("\ufeff"))
    names = [f"{path}:{_snake(event)}:{g}:{h}" for path in {hooks, hooks.resolve()} for event, g, h in ours]
    return [("hooks", "state", name) for name in names]


def _is_text(path: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in path)


def _snake(event: str) -> str:
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in event).lstrip("_")


def _package(name: str) -> Traversable:
    return resources("whoknows.connect") / "packages" / name


def _shipped(folder: Traversable, under: str = "") -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.is_dir():
            if entry.name not in _LEFT_OUT:
                found += _shipped(entry, f"{under}{entry.name}/")
        else:
            found.append((under + entry.name, entry))
    return found


_LEFT_OUT = frozenset({"node_modules", "test", "tests", "dist"})
"""What stands in a package for those who work on it."""
