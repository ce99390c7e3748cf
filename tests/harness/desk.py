"""A person at a machine: a home of their own, the programs in it, and WhoKnows on the same machine."""

import asyncio
import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx

from acceptance.cli.conftest import Ended, environment, whoknows_here
from acceptance.remains import dumped
from acceptance.two_servers import Tenant
from harness.model_apis import Asked, ModelApis
from harness.outside import Outside
from harness.programs import ALL, PATIENCE, Ran, run, search_path
from whoknows.domain.harness import Program, Stage
from whoknows.stores.postgres.embedded import EmbeddedServer

OPENED = "<whoknows-memory"
ATTEMPTS = 5
STEPS = (Stage.OFF, Stage.READ_ONLY, Stage.GOVERNED, Stage.TEAM)


@dataclass
class Desk:
    """``desk.asks(program, "…", cwd)`` runs the real program; ``desk.turn`` is what its model was sent."""

    home: Path
    tenant: Tenant
    model: ModelApis
    outside: Outside
    url: str
    who: str = "ana"
    late: list[str] = field(default_factory=list)
    """Prompts that the server answered too late."""

    def at(self, home: str) -> "Desk":
        """The same person with another home, where nothing is connected."""
        return replace(self, home=self.home.parent / home)

    @contextmanager
    def pointing_at(self, url: str) -> Iterator[None]:
        """What was connected was connected to ``url`` meanwhile: its key would go nowhere else."""
        noted = (self.home / ".local/share/whoknows/hook/servers", self.home / ".pi/agent/extensions/whoknows")
        before = {p: p.read_text() for folder in noted for p in folder.glob("*") if p.is_file() and self.url in p.read_text()}
        for path, text in before.items():
            path.write_text(text.replace(self.url, url))
        yield
        for path, text in before.items():
            path.write_text(text)

    def forget_faults(self) -> None:
        """As if the server had never been away: no pause is kept from earlier runs."""
        state = self.home / ".local" / "state" / "whoknows"
        for kept in (*state.glob("hook.log*"), *state.glob("breaker*")):
            kept.unlink()

    def folder(self, name: str) -> Path:
        """A directory to work in, below the home."""
        folder = self.home / "work" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def key(self, program: Program) -> str:
        return self.tenant.keys[f"{self.who}-{program}"]

    def environment(self, program: Program) -> dict[str, str]:
        """As after `env -i`: nothing of the shell in which the tests run."""
        return {
            "HOME": str(self.home),
            "PATH": search_path(),
            "LANG": "C.UTF-8",
            "SHELL": "/bin/sh",
            "TMPDIR": str(self.folder("tmp")),
            "WHOKNOWS_URL": self.url,
            "WHOKNOWS_KEY": self.key(program),
            **self.outside.environment,
            **ALL[program].environment(self.home, self.model.url),
        }

    def asks(self, program: Program, prompt: str, cwd: Path, *, resume: bool = False, **more: str) -> Ran:
        """One prompt in a session of its own, or in the last one of ``cwd``.

        On a machine that is busy a second may not be enough for the server. Memory is away then, as it should be, and a test of
        what it says asks again.
        """
        for _ in range(ATTEMPTS):
            self.model.asked.clear()
            script = self.model.script()
            noted = self.noted()
            command = ALL[program].command(prompt, self.model.url, resume=resume)
            ran = run(command, cwd, self.environment(program) | more)
            assert ran.code == 0, f"{program} ended with {ran.code}\n{ran.out}\n{ran.err}"
            if more or not any(" timeout " in line for line in self.noted()[len(noted) :]):
                return ran
            self.late.append(prompt)
            self.forget_faults()
            self.model.will(*script)
        raise AssertionError(f"the server did not answer within a second, {ATTEMPTS} times")

    def noted(self) -> list[str]:
        """The log of faults."""
        log = self.home / ".local" / "state" / "whoknows" / "hook.log"
        return log.read_text().splitlines() if log.exists() else []

    @property
    def turn(self) -> Asked:
        return self.model.turn

    def beside(self) -> str:
        """What the model read from WhoKnows in its last turn, all of it."""
        return "\n".join(t[t.index(OPENED) :] for t in self.model.turns[-1].texts if OPENED in t)

    def whoknows(self, program: Program, *arguments: str, cwd: Path | None = None) -> Ended:
        """The command line, as this person types it for a program."""
        env = environment(self.home, **self.environment(program), XDG_STATE_HOME=str(self.home / ".local" / "state"))
        env["XDG_DATA_HOME"] = str(self.home / ".local" / "share")
        where = [] if cwd is None else ["--project", str(cwd)]
        return whoknows_here(env, *arguments, *where)

    def connect(self, program: Program, cwd: Path, project: str, *options: str, trust: bool = True) -> Any:
        """`whoknows connect`; for Codex with the trust that a person gives in it by `/hooks`."""
        if program is Program.CODEX and trust:
            options = (*options, "--trust")
        done = self.whoknows(program, "connect", str(program), "--as", project, "--yes", "--json", *options, cwd=cwd)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout) if done.stdout.strip() else {}

    def disconnect(self, program: Program) -> None:
        done = self.whoknows(program, "disconnect", str(program), "--yes", "--json")
        assert done.returncode == 0, done.stderr

    def registers(self, program: Program, directory: Path, project: str) -> None:
        """The directory belongs to the project from now on, and nothing is written into files."""
        place = {"program": program, "machine": os.uname().nodename, "directory": str(directory), "project_id": project}
        with self.tenant.client(f"{self.who}-{program}") as me:
            _ok(me.put("/workplaces", json=place))
        self.stage(project, Stage.READ_ONLY)

    def stage(self, project: str, stage: Stage) -> None:
        """Step by step, as far as ``stage``, from the beginning."""
        with self.tenant.client(f"{self.who}-{Program.CLAUDE_CODE}") as me:
            for step in STEPS[: STEPS.index(stage) + 1]:
                _ok(me.put(f"/projects/{project}/stage", json={"stage": step}))

    def remembers(self, text: str, program: Program = Program.CLAUDE_CODE, **fields: object) -> dict[str, Any]:
        """A memory in the personal bank of this person, which all their programs read."""
        with self.tenant.client(f"{self.who}-{program}") as me:
            return _ok(me.post("/capture", json={"content": text, "account": self.who, **fields})).json()["memory"]

    def team(self, team: str, project: str, text: str) -> None:
        """A team that this person's programs read, to which ``project`` is routed, and what it knows."""
        everyone = [f"{self.who}-{p}" for p in Program]
        self.tenant.team(team, **dict.fromkeys(everyone, "writer"))
        with self.tenant.client("admin") as admin:
            _ok(admin.put(f"/teams/{team}/members/member:{self.who}", json={"role": "writer"}))
            _ok(admin.put(f"/projects/{project}/bank", json={"team_id": team, "git_remotes": []}))
        with self.tenant.client(everyone[0]) as me:
            _ok(me.post("/capture", json={"content": text, "memory_type": "team", "team_id": team, "project_id": project}))

    def other(self, who: str, text: str, team: str, **fields: object) -> None:
        """Somebody else on the team, with a memory of their own."""
        sit_down(self.tenant, who)
        with self.tenant.client("admin") as admin:
            for principal in (f"member:{who}", f"agent:{who}-{Program.CODEX}"):
                _ok(admin.put(f"/teams/{team}/members/{principal}", json={"role": "writer"}))
        with self.tenant.client(f"{who}-{Program.CODEX}") as them:
            _ok(them.post("/capture", json={"content": text, "account": who, **fields}))

    def git(self, folder: Path, *arguments: str) -> None:
        ran = run(["git", *arguments], folder, {"PATH": search_path(), "HOME": str(self.home)})
        assert ran.code == 0, ran.err

    def results(self) -> str:
        """What the tools that the model called gave back, in the last request."""
        return "\n".join(self.model.turns[-1].results)

    def report(self, project: str) -> list[dict[str, Any]]:
        """What programs got in the project and left there, stage by stage."""
        with self.tenant.client(f"{self.who}-{Program.CLAUDE_CODE}") as me:
            return _ok(me.get(f"/projects/{project}/report")).json()["stages"]

    def until_heard(self, project: str, exchanges: int) -> None:
        """Until so many exchanges were captured in the project, and none of them waits."""
        until = time.monotonic() + PATIENCE
        while True:
            captures = [s["captures"] for s in self.report(project)]
            if sum(c["exchanges"] for c in captures) >= exchanges and not any(c["waiting"] for c in captures):
                return
            assert time.monotonic() < until, captures
            time.sleep(0.1)

    def stored(self) -> str:
        """All rows of the database of this server, as an operator's dump has them."""
        server = self.tenant.servers.home / "share" / "whoknows" / "postgres"
        dsn = EmbeddedServer(server).start()
        return asyncio.run(dumped(dsn, server))

    def memories(self, **where: str) -> list[dict[str, Any]]:
        with self.tenant.client(f"{self.who}-{Program.CLAUDE_CODE}") as me:
            return _ok(me.get("/memories", params=where)).json()["items"]


def sit_down(tenant: Tenant, who: str) -> None:
    """A member with one main agent for each program, and a key for each."""
    with tenant.client("admin") as admin:
        _ok(admin.post("/members", json={"member_id": who}))
        tenant.keys[f"member:{who}"] = _ok(admin.post("/keys", json={"acts_as": [f"member:{who}"]})).json()["key"]
    tenant.agents(*(f"{who}-{p}" for p in Program), account=who)


def snapshot(folder: Path) -> dict[str, bytes | str | None]:
    """Every file below ``folder`` with its bytes, links with where they lead, folders with nothing.

    Without the databases and the scratch of Codex, which it writes whenever it is asked anything.
    """
    found: dict[str, bytes | str | None] = {}
    for path in sorted(p for p in folder.rglob("*") if ".sqlite" not in p.name and "arg0-" not in str(p)):
        name = str(path.relative_to(folder))
        found[name] = str(path.readlink()) if path.is_symlink() else path.read_bytes() if path.is_file() else None
    return found


def _ok(response: httpx.Response) -> httpx.Response:
    assert response.is_success, response.text
    return response
