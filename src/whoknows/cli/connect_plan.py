"""The plan of a connection: files, directories and the stage, shown before and carried out after somebody agreed."""

import os
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from whoknows.cli.faults import CliFault, ExitCode, of_status
from whoknows.cli.following_stage import Following
from whoknows.cli.keychain import key_for, server_url
from whoknows.client import ApiError
from whoknows.connect import carry_out, codex_trust, native_memory
from whoknows.connect.faults import ConnectFault
from whoknows.connect.places import Places
from whoknows.connect.plan import Change, to_connect
from whoknows.connect.programs import TITLES, executable
from whoknows.connect.record import Records
from whoknows.connect.servers import address, noted
from whoknows.connect.wired import Wiring, codex_has_hooks_in_config, marketplace_plugin
from whoknows.domain.harness import Program, Stage
from whoknows.hooks import described
from whoknows.hooks.caller import Caller
from whoknows.hooks.faults import Fault
from whoknows.machine import DEFAULT_URL
from whoknows.policy.stages import steps

if TYPE_CHECKING:
    from whoknows.client import WhoKnows

Json = dict[str, Any]


_NO_KEY = (
    "WHOKNOWS_KEY is not set in this shell, and the hook looks nowhere else, since a keychain may ask and wait. "
    'In the start-up file of your shell: export WHOKNOWS_KEY="$(keyring get whoknows {url})"'
)


def registered(wk: "WhoKnows", program: Program, directories: list[str]) -> str | None:
    """The project that one of ``directories`` has on this machine: for ``program``, else for all others that work there."""
    machine = Places.of(os.environ).machine
    there = [w for w in wk.workplaces()["items"] if w["machine"] == machine and w["directory"] in directories]
    for projects in ({w["project_id"] for w in there if w["program"] == program}, {w["project_id"] for w in there}):
        if len(projects) == 1:
            return projects.pop()
    return None


class Connecting:
    """One run: what is registered and how far it is, then the files; if they cannot be written, nothing stays registered."""

    def __init__(
        self,
        program: Program,
        agent: str | None,
        directories: list[str],
        project: str,
        stage: Stage | None,
        trust: bool,
        moves: bool = False,
    ) -> None:
        self._program, self._directories, self._project, self._stage, self._trust = program, directories, project, stage, trust
        self._places = Places.of(os.environ)
        self._records = Records(self._places)
        self._wiring = Wiring(self._places, server_url(), agent, alone=moves)
        self._changes: list[Change] = []
        if trust and program is not Program.CODEX:
            raise CliFault("usage", "--trust is for Codex alone: other programs ask for no trust", ExitCode.USAGE)

    def plan(self, wk: "WhoKnows") -> Json:
        if self._trust and executable(Program.CODEX, os.environ) is None:
            raise CliFault("no_codex", "codex is not on the PATH: without it nobody knows what to trust", ExitCode.UNAVAILABLE)
        record = self._records.read(self._program)
        half = record is not None and not record.written
        self._changes = to_connect(self._wiring.pieces(self._program), None if half else record, self._records)
        plugin = marketplace_plugin(self._program, self._places)
        stage = self._stages(wk)
        return {
            "program": str(self._program),
            "project_id": self._project,
            "files": [c.as_json() for c in self._changes],
            "directories": self._registrations(wk),
            "stage": stage,
            "native_memory": self._native(wk, Stage(stage["from"]), Stage(stage["to"])),
            "trust": self._trust and not self._trusted_already(),
            "remarks": [
                *(["an earlier run broke off: it is undone first"] if half else []),
                *([f"the plugin {plugin} is there already: only the hook command is put in its place"] if plugin else []),
                *self._of_other_servers(),
                *self._of_the_environment(),
                *self._of_codex(),
            ],
        }

    def has_something_to_do(self, plan: Json) -> bool:
        return (
            any(f["does"] != "unchanged" for f in plan["files"])
            or any(d["is"] != "registered" for d in plan["directories"])
            or plan["stage"]["from"] != plan["stage"]["to"]
            or any(n["does"] != "left" for n in plan["native_memory"])
            or plan["trust"]
        )

    def carry_out(self, wk: "WhoKnows", plan: Json) -> Json:
        done: list[str] = []
        try:
            for d in plan["directories"]:
                if d["is"] != "registered":
                    wk.register_workplace(str(self._program), d["directory"], self._project, machine=self._places.machine)
                    done.append(d["directory"])
            with self._records.locked():
                if carry_out.undo_half(self._program, self._records):
                    record = self._records.read(self._program)
                    self._changes = to_connect(self._wiring.pieces(self._program), record, self._records)
                copies = carry_out.connect(self._program, self._wiring.url, self._changes, self._records)
        except (ConnectFault, OSError, ApiError):
            for directory, before in ((d["directory"], d["was"]) for d in plan["directories"] if d["directory"] in done):
                if before is None:
                    wk.unregister_workplace(str(self._program), directory, machine=self._places.machine)
                else:
                    wk.register_workplace(str(self._program), directory, before, machine=self._places.machine)
            raise
        self._describe_tools()
        trusted = self._make_trusted() if plan["trust"] else None
        self._reach(wk, plan["stage"])
        for n in plan["native_memory"]:
            native_memory.follow(Stage(plan["stage"]["to"]), False, [Program(n["program"])] if n["does"] != "left" else [])
        return {"copies": None if copies is None else str(copies), "trusted": trusted, "next": self._next(plan, trusted)}

    def _describe_tools(self) -> None:
        """As this server describes them now, so that the program is told so at its first start. What is not known yet the
        command finds out by itself."""
        url = self._wiring.url
        if self._program is Program.PI:
            return  # its extension names the server's address, once it has answered
        with suppress(Fault, OSError):
            caller = Caller(url, self._wiring.agent or "", key_for(url) or "")
            described.of_server(str(self._places.state), url).ask(caller, time.time())

    def _registrations(self, wk: "WhoKnows") -> list[Json]:
        known = {
            w["directory"]: w["project_id"]
            for w in wk.workplaces()["items"]
            if w["program"] == self._program and w["machine"] == self._places.machine
        }
        found: list[Json] = []
        for directory in self._directories:
            was = known.get(directory)
            state = "new" if was is None else "registered" if was == self._project else "moved"
            found.append({"directory": directory, "project_id": self._project, "is": state, "was": was})
        return found

    def _stages(self, wk: "WhoKnows") -> Json:
        now = wk.project_stage(self._project)
        fresh = Stage.READ_ONLY if now["stage"] == Stage.OFF and not now["history"] else Stage(now["stage"])
        return {"from": now["stage"], "to": str(self._stage or fresh)}

    def _reach(self, wk: "WhoKnows", stage: Json) -> None:
        reached = stage["from"]
        for step in steps(Stage(stage["from"]), Stage(stage["to"])):
            try:
                wk.set_project_stage(self._project, str(step))
            except ApiError as error:
                told = f"{self._program} is connected, but the stage stays {reached}: {error.detail}"
                raise CliFault(error.code, told, of_status(error.status)) from error
            reached = step

    def _native(self, wk: "WhoKnows", now: Stage, wanted: Stage) -> list[Json]:
        """What becomes of the memory that programs keep by themselves."""
        if not wanted.captures:
            return Following.of(wk, self._project, wanted).foretold if now.captures else []
        return [f.as_json() for f in native_memory.foreseen(wanted, False, [self._program], self._places)]

    def _of_the_environment(self) -> list[str]:
        told = [] if os.environ.get("WHOKNOWS_KEY", "").strip() else [_NO_KEY.format(url=self._wiring.url)]
        agent = self._wiring.agent
        if agent and os.environ.get("WHOKNOWS_AGENT", "") != agent:
            told.append(f"the hook acts as WHOKNOWS_AGENT says: export WHOKNOWS_AGENT={agent}, or it has no answer")
        return told

    def _of_other_servers(self) -> list[str]:
        """Whoever has two installations wants both; whoever moved one wants the old address gone."""
        here = address(self._wiring.url)
        others = [a for a in noted(self._wiring.servers(self._program)) if a != here]
        if not others or self._wiring.alone:
            return []
        return [f"its key may go to {', '.join(others)} as well, as before: `--move` takes that away"]

    def _of_codex(self) -> list[str]:
        if self._program is not Program.CODEX or not codex_has_hooks_in_config(self._places):
            return []
        return ["config.toml has hooks too: Codex remarks on hooks in two files, and runs both"]

    def _make_trusted(self) -> list[str]:
        """Codex says what it would hold of our hooks, and is told that its person agrees."""
        tables = codex_trust.trust_tables(self._codex_hooks())
        wiring = replace(self._wiring, trust=tables)
        with self._records.locked():
            changes = to_connect(wiring.pieces(self._program), self._records.read(self._program), self._records)
            carry_out.connect(self._program, wiring.url, changes, self._records)
        return [keys[-1] for keys in tables]

    def _trusted_already(self) -> bool:
        hooks = [] if any(c.does != "unchanged" for c in self._changes) else self._codex_hooks()
        return bool(hooks) and all(h.runs for h in hooks)

    def _is_skipped(self) -> bool:
        """Whether Codex skips our hooks, as those that are new; of others it is asked, where it is here."""
        if any(c.does != "unchanged" and c.path.name == "hooks.json" for c in self._changes):
            return True
        try:
            return executable(Program.CODEX, os.environ) is not None and any(not h.runs for h in self._codex_hooks())
        except ConnectFault:
            return False  # whoever wants to know asks the doctor

    def _codex_hooks(self) -> list[codex_trust.CodexHook]:
        """Those in the file that we write, not what a plugin or a project has of ours."""
        hooks = codex_trust.ours(executable(Program.CODEX, os.environ) or "codex", Path(self._directories[-1]), os.environ)
        mine = (self._places.codex / "hooks.json").resolve()
        return [h for h in hooks if Path(h.path).resolve() == mine]

    def _next(self, plan: Json, trusted: list[str] | None) -> list[str]:
        """What is left to the person: nothing, where all is as it should be."""
        title = TITLES[self._program]
        told: list[str] = []
        if self._program is Program.CODEX and not trusted and self._is_skipped():
            told.append(
                "Codex runs no hook that you have not trusted: type /hooks in it, look at those of WhoKnows, trust them; "
                "or `whoknows connect codex --trust`"
            )
        if any(f["does"] == "create" for f in plan["files"]):
            names = "WHOKNOWS_KEY" if self._wiring.url == DEFAULT_URL else "WHOKNOWS_URL and WHOKNOWS_KEY"
            told.append(f"{title} needs {names} in its environment: put the export into the start-up file of your shell")
        if self.has_something_to_do(plan):
            told.append(f"start a new session of {title} here; `whoknows doctor {self._program}` looks whether all is well")
        if plan["stage"]["to"] == Stage.OFF:
            told.append(f"the project is off: `whoknows stage {self._project} read-only` lets it recall")
        return told
