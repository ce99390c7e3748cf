"""`whoknows migrate`: what Claude Code and Codex remembered becomes memory, accounted for to the line, and back again."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from native_homes import CORRECTION, FACT, GONE, ORDER, PREFERENCE, SHOP, SITE, claude_home, codex_home, tree
from whoknows.client import WhoKnows
from whoknows.migration.homes import Native
from whoknows.migration.ledger import Ledger
from whoknows.migration.run import Wish, back_up, carry_out, prepare
from whoknows.migration.sending import AT_ONCE, Destination, destination_of
from whoknows.migration.state import Shelf, shelf_of

from .conftest import Cli, Ended

LINES = ("structural", "stored", "merged", "held", "refused", "unreadable")
UNREADABLE = {"latin.md", "nul.md", "link-out.md", "loop.md", "pipe.md"}


@dataclass
class Mover:
    """Somebody with a home, memories of programs in it, and a key."""

    cli: Cli
    who: str
    home: Path

    def __call__(self, *arguments: str, **env: str) -> Ended:
        where = {"HOME": str(self.home), "XDG_DATA_HOME": str(self.home / "share"), "XDG_STATE_HOME": str(self.home / "state")}
        return self.cli(self.who, "migrate", *arguments, **(where | env))

    def started(self, *arguments: str) -> subprocess.Popen[bytes]:
        """The program in a process of its own, running."""
        env = self.cli.env(
            self.who, HOME=str(self.home), XDG_DATA_HOME=str(self.home / "share"), XDG_STATE_HOME=str(self.home / "state")
        )
        command = [sys.executable, "-c", "from whoknows.cli.main import main; main()", "migrate", *arguments]
        return subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def json(self, *arguments: str, code: int = 0) -> Any:
        done = self(*arguments, "--json")
        assert done.returncode == code, done.stderr + done.stdout[-2000:]
        return json.loads(done.stdout)

    def state(self, program: str) -> Any:
        return json.loads((self.home / f"state/whoknows/migrations/{program}.json").read_text())

    def shelf(self, program: Native) -> Shelf:
        return shelf_of(program, {"XDG_DATA_HOME": str(self.home / "share"), "XDG_STATE_HOME": str(self.home / "state")})

    def owned(self, program: Native) -> set[str]:
        """What the ledger knows this person's migration to have stored."""
        with self.client() as wk:
            return {k.memory for k in Ledger(self.shelf(program).ledger, destination_of(wk).whose).known.values() if k.own}

    def memories(self) -> list[Any]:
        found: list[Any] = []
        with self.client() as wk:
            cursor = None
            while True:
                page = wk.list(limit=200, cursor=cursor)
                found += page["items"]
                cursor = page["next_cursor"]
                if cursor is None:
                    return found

    def client(self) -> WhoKnows:
        return WhoKnows(self.cli.server.url, key=self.cli.keys[self.who])


@pytest.fixture
def mover(cli: Cli, tmp_path: Path, request: pytest.FixtureRequest) -> Mover:
    """A member of its own, whose main agent's key is used, with the shop and the site connected."""
    name = f"m-{request.node.name[5:60]}"
    cli.json("admin", "members", "add", name)
    cli.json("admin", "agents", "add", f"{name}-agent", "--account", name)
    cli.keys[name] = cli.json("admin", "keys", "add", f"{name}-agent")["key"]
    made = Mover(cli, name, tmp_path)
    with made.client() as wk:
        for directory, project in ((SHOP, "shop"), (SITE, "site")):
            wk.register_workplace("claude-code", directory, project)
            wk.register_workplace("codex", directory, project)
    return made


def test_the_notes_of_claude_code_become_account_memory_and_every_line_is_accounted_for(mover: Mover) -> None:
    secret = claude_home(mover.home, shelves=3, rules=120)
    before = tree(mover.home / ".claude")
    said = mover.json("claude-code", "--yes", code=1)
    assert tree(mover.home / ".claude") == before
    counts = said["counts"]
    assert said["adds_up"]
    assert sum(counts[k] for k in LINES) == counts["lines"]
    assert said["reconciled"] == "not"
    unreadable = {Path(f["path"]).name for f in said["files"] if "unreadable" in f}
    assert unreadable == UNREADABLE
    by_text = {m["content"].partition("\n")[0]: m for m in mover.memories()}
    owner = f"member:{mover.who}"
    assert {tuple(m["visible_to"]) for m in by_text.values()} == {(owner,)}
    assert (by_text[PREFERENCE]["project_id"], by_text[PREFERENCE]["category"]) == (None, "user_preference")
    assert (by_text[CORRECTION]["project_id"], by_text[CORRECTION]["category"]) == ("shop", "user_preference")
    style = by_text[CORRECTION]["evidence"][0]
    assert (style["source_kind"], style["quote"]) == ("file", CORRECTION)
    assert style["locator"] == ".claude/projects/-srv-shop/memory/migrations.md#L8"
    assert sorted(m["project_id"] for m in mover.memories() if m["content"].startswith(FACT)) == ["shop", "site"]
    assert ORDER in by_text  # it is data like any other
    assert not [m for m in by_text if "this came from memory" in m]
    assert "refunds take 14 days" in by_text  # the index speaks for a file that is not there
    assert not [m for m in by_text if "Perl" in m]
    (held,) = [i for i in said["items"] if i["becomes"] == "held"]
    assert (held["code"], held["place"]) == ("project_unknown", "-srv-gone")
    whole = json.dumps([said, mover.memories()]) + mover("claude-code", "--dry-run").stdout
    assert secret not in whole
    assert "[secret:github]" in whole
    assert secret.encode() in Path(said["backup"]["path"]).read_bytes()
    assert oct(Path(said["backup"]["path"]).stat().st_mode) == "0o100600"
    deploys = [m for m in mover.memories() if "deployed every Tuesday" in m["content"]]
    sources = [sorted(Path(e["locator"]).name.partition("#")[0] for e in m["evidence"]) for m in deploys]
    assert sorted(sources) == [["deploy-again.md", "deploy.md"], ["not-deploy.md"]]  # a negation keeps two apart


def test_running_it_again_stores_nothing_and_says_so_and_a_changed_note_takes_the_place_of_the_old_one(mover: Mover) -> None:
    claude_home(mover.home, shelves=0, rules=1)
    first = mover.json("claude-code", "--yes", code=1)
    before = {m["id"]: m["version"] for m in mover.memories()}
    again = mover.json("claude-code", "--yes", code=1)
    assert again["counts"]["stored"] == 0
    assert again["counts"]["merged"] == first["counts"]["stored"] + first["counts"]["merged"]
    assert {m["id"]: m["version"] for m in mover.memories()} == before
    assert again["backup"] == first["backup"]
    note = mover.home / ".claude/projects/-srv-shop/memory/database.md"
    note.write_text(note.read_text().replace("PostgreSQL 16", "PostgreSQL 17"))
    changed = mover.json("claude-code", "--yes", code=1)
    assert [i["code"] for i in changed["items"] if i["becomes"] == "stored"] == ["superseding"]
    now = [m for m in mover.memories() if m["content"].startswith("The database of the shop") and m["project_id"] == "shop"]
    assert ["PostgreSQL 17" in m["content"] for m in now] == [True]
    assert ["PostgreSQL 16" in o["content"] for o in now[0]["overturned"]] == [True]
    with mover.client() as wk:
        (doomed,) = [m["id"] for m in mover.memories() if m["content"] == PREFERENCE]
        wk.forget(doomed)
    once_more = mover.json("claude-code", "--yes", code=1)
    assert [i["path"].rpartition("/")[2] for i in once_more["items"] if i.get("code") == "deleted_since"] == ["reply-style.md"]
    assert PREFERENCE not in [m["content"] for m in mover.memories()]  # what was deleted in WhoKnows is not brought back


def test_a_home_is_clean_once_what_waits_is_mapped_or_left_out_on_purpose(mover: Mover) -> None:
    claude_home(mover.home, shelves=0, rules=1)
    root = ".claude/projects/-srv-shop/memory"
    left = [x for name in sorted(UNREADABLE) for x in ("--map", f"{root}/{name}=-")]
    said = mover.json("claude-code", "--yes", "--map", f"{GONE}=perl", *left)
    assert said["reconciled"] == "clean"
    assert said["counts"]["left_out"] == said["counts"]["held"] == 3
    assert [m["project_id"] for m in mover.memories() if "Perl" in m["content"]] == ["perl"]
    state = mover.state("claude-code")
    assert (state["form"], state["reconciled"], state["counts"]) == (1, "clean", said["counts"])
    assert Path(state["backup"]["path"]).is_file()
    shown = mover("claude-code", "--yes", "--map", f"{GONE}=perl", *left).stdout
    assert "every line is accounted for" in shown
    assert f"report  {state['report']['markdown']}" in shown
    assert "`whoknows stage governed` switches that off" in shown
    markdown = Path(state["report"]["markdown"]).read_text()
    assert f"| **{said['counts']['lines']}** | **all** |" in markdown


@pytest.mark.slow
def test_thirty_files_are_accounted_for_although_the_run_was_killed_in_the_middle(mover: Mover) -> None:
    claude_home(mover.home)
    before = tree(mover.home / ".claude")
    assert len([p for p in before if Path(p).suffix == ".md"]) >= 30
    assert max(len(f[2]) for f in before.values() if isinstance(f[2], bytes)) > 270_000
    ledger = mover.shelf(Native.CLAUDE_CODE).ledger
    running = mover.started("claude-code", "--yes", "--json")
    until(lambda: ledger.exists() and ledger.read_text().count('"memory"') > AT_ONCE)
    running.kill()
    running.wait()
    assert mover.state("claude-code")["reconciled"] == "not"  # the backup was there first
    assert Path(mover.state("claude-code")["backup"]["path"]).is_file()
    said = mover.json("claude-code", "--yes", code=1)
    assert said["adds_up"]
    counts = said["counts"]
    assert sum(counts[k] for k in LINES) == counts["lines"]
    assert (counts["held"], counts["refused"], counts["unreadable"], counts["unreadable_files"]) == (1, 0, 3, 5)
    there = mover.memories()
    assert mover.owned(Native.CLAUDE_CODE) == {m["id"] for m in there}
    assert len({(m["content"], m["project_id"]) for m in there}) == len(there)
    assert mover.json("claude-code", "--yes", code=1)["counts"]["stored"] == 0
    assert {m["id"] for m in mover.memories()} == {m["id"] for m in there}
    shutil.rmtree(mover.home / ".claude/projects")
    mover.json("claude-code", "--restore", said["backup"]["path"], "--yes")
    after = tree(mover.home / ".claude")
    gone = {p for p in before if p not in after}
    assert {Path(p).name for p in gone} == {"pipe.md", "s.jsonl"}  # no backup can hold a pipe, and a transcript is no memory
    assert {p: now for p, now in after.items() if "memory/" in p} == {
        p: was for p, was in before.items() if "memory/" in p and p not in gone
    }
    print(f"\n{counts} {len(there)} memories")


def until(holds: Callable[[], bool], seconds: float = 900.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_codex_handbook_and_raw_memories_go_to_their_projects_and_what_has_none_waits(mover: Mover) -> None:
    codex_home(mover.home)
    mover.cli.json("admin", "members", "change", mover.who, "--gate", "verified")
    foreseen = mover.json("codex", "--dry-run")
    refused = mover.json("codex", "--yes", code=1)
    assert refused["adds_up"]
    assert (refused["counts"]["stored"], refused["counts"]["merged"]) == (0, 0)
    assert refused["counts"]["refused"] == foreseen["counts"]["refused"] > 0
    assert {i["code"] for i in refused["items"]} == {"refused_by_gate", "project_unknown"}
    mover.cli.json("admin", "members", "change", mover.who, "--gate", "sourced")
    said = mover.json("codex", "--yes", code=1)
    assert said["adds_up"]
    assert said["counts"]["unreadable"] == 0
    projects = {m["content"]: m["project_id"] for m in mover.memories()}
    assert projects[PREFERENCE] is None
    assert projects["The worker is restarted by systemd."] == "shop"
    assert projects["Stamps are bought on Mondays."] == "shop"
    assert projects["清空购物车的任务超时 -> 每次只处理 500 个 [Task 1]"] == "shop"
    assert not [c for c in projects if "rollout_summaries" in c or "A rule" in c or "How notes" in c]
    (limits,) = [m for m in mover.memories() if "cart.toml" in m["content"]]
    assert [e["locator"] for e in limits["evidence"]] == [
        ".codex/memories/MEMORY.md#L23",
        ".codex/memories/raw_memories.md#L23",
    ]
    assert {"cart", "购物车", "noted:2026-07-01", "native:codex"} <= set(limits["tags"])
    waiting = {i["place"] for i in said["items"] if i["becomes"] == "held"}
    assert waiting == {GONE, ".codex/memories/MEMORY.md#no directory"}
    done = mover.json("codex", "--yes", "--map", f"{GONE}=-", "--map", ".codex/memories/MEMORY.md#no directory=*")
    assert done["reconciled"] == "clean"


def test_a_dry_run_or_nobody_to_say_yes_shows_the_difference_and_writes_nothing_anywhere(mover: Mover) -> None:
    claude_home(mover.home, shelves=0, rules=1)
    shown = mover("claude-code", "--dry-run")
    assert shown.returncode == 0
    assert f"+ [shop] .claude/projects/-srv-shop/memory/migrations.md:8  {CORRECTION}"[:100] in shown.stdout
    assert "= [site]" in shown.stdout
    assert "? .claude/projects/-srv-gone/memory/old.md:8" in shown.stdout
    assert "nothing was written" in shown.stdout
    assert " lines would be: " in shown.stdout
    assert "? waits" in shown.stdout
    assert "without a key" not in shown.stderr
    unasked = mover("claude-code")
    assert unasked.returncode == 2
    assert "--yes" in unasked.stderr
    assert mover.memories() == []
    assert not (mover.home / "share").exists()
    assert not (mover.home / "state").exists()
    offline = mover("claude-code", "--dry-run", "--map", f"{SHOP}=x", WHOKNOWS_KEY="", WHOKNOWS_URL="http://127.0.0.1:9")
    assert offline.returncode == 0, offline.stderr
    assert "+ [x] .claude/projects/-srv-shop/memory/migrations.md" in offline.stdout
    assert "without a key" in offline.stderr


def test_an_undone_migration_leaves_what_was_changed_since_and_can_be_done_again(mover: Mover) -> None:
    codex_home(mover.home)
    mover.json("codex", "--yes", code=1)
    before = mover.memories()
    with mover.client() as wk:
        (kept,) = [m for m in before if m["content"] == "The worker is restarted by systemd."]
        wk.edit(kept["id"], kept["version"], content="The worker is restarted by runit.")
    said = mover.json("codex", "--undo", "--yes")
    assert (said["removed"], said["kept"]) == (len(before) - 1, [kept["id"]])
    assert [m["content"] for m in mover.memories()] == ["The worker is restarted by runit."]
    assert mover.state("codex")["reconciled"] == "not"
    mover.json("codex", "--yes", code=1)
    assert len(mover.memories()) == len(before)


def test_a_restoration_brings_changed_and_deleted_files_back_to_the_last_bit(mover: Mover) -> None:
    claude_home(mover.home, shelves=2, rules=5)
    before = tree(mover.home / ".claude/projects/-srv-shop/memory")
    shelf = mover.shelf(Native.CLAUDE_CODE)
    made = back_up(prepare(Wish(Native.CLAUDE_CODE, mover.home, [], {}), Destination("", "", None, "open"), shelf), shelf)
    assert made is not None
    backup = str(made.path)
    shop = mover.home / ".claude/projects/-srv-shop/memory"
    (shop / "database.md").write_text("nonsense\n")
    (shop / "reply-style.md").unlink()
    (shop / "link-out.md").unlink()
    (shop / "new.md").write_text("written since\n")
    os.chmod(shop / "own.md", 0o600)
    dry = mover.json("claude-code", "--restore", backup, "--dry-run")
    names = {key: sorted(Path(p).name for p in dry[key] if Path(p).suffix) for key in ("added", "changed", "extra")}
    assert names == {
        "added": ["link-out.md", "reply-style.md"],
        "changed": ["database.md", "own.md"],
        "extra": ["new.md", "pipe.md"],
    }
    unasked = mover("claude-code", "--restore", backup)
    assert unasked.returncode == 2
    assert "+ comes back; ~ becomes what it was" in unasked.stderr
    assert "files and folders would be written; nothing was" in " ".join(unasked.stderr.split())
    said = mover.json("claude-code", "--restore", backup, "--yes")
    after = tree(shop)
    assert after.pop("new.md")[2] == b"written since\n"
    assert after == before
    assert mover.state("claude-code")["reconciled"] == "not"
    mover.json("claude-code", "--restore", said["safety"], "--yes")
    assert (shop / "database.md").read_text() == "nonsense\n"
    shutil.rmtree(mover.home / ".claude")
    mover.json("claude-code", "--restore", backup, "--yes")
    del before["pipe.md"]
    assert tree(shop) == before
    assert mover.json("claude-code", "--restore", backup, "--yes")["restored"] == 0


def test_a_server_that_is_gone_is_said_and_the_next_run_goes_on(mover: Mover) -> None:
    codex_home(mover.home)
    gone = mover("codex", "--yes", WHOKNOWS_URL="http://127.0.0.1:9")
    assert gone.returncode == 8
    assert "does not answer" in gone.stderr
    assert not (mover.home / "share").exists()
    assert mover.json("codex", "--yes", code=1)["counts"]["stored"] > 0


class LosingAnswers(httpx.HTTPTransport):
    """The server takes ``after`` parts and one more, whose answer is lost; nothing gets through any more."""

    def __init__(self, after: int) -> None:
        super().__init__()
        self.left = after

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if not request.url.path.endswith("/capture/batch"):
            return super().handle_request(request)
        if self.left < 0:
            raise httpx.ConnectError("refused")
        answer = super().handle_request(request)
        self.left -= 1
        if self.left < 0:
            answer.read()
            raise httpx.ReadTimeout("lost")
        return answer


def test_what_was_stored_when_the_answer_was_lost_is_neither_stored_again_nor_forgotten(mover: Mover) -> None:
    codex_home(mover.home)
    shelf = mover.shelf(Native.CODEX)
    wish = Wish(Native.CODEX, mover.home, [], {})
    with WhoKnows(mover.cli.server.url, key=mover.cli.keys[mover.who], transport=LosingAnswers(0)) as wk:
        prepared = prepare(wish, destination_of(wk), shelf)
        done = carry_out(wk, prepared, back_up(prepared, shelf), shelf)
    assert done.fault is not None
    assert (done.report["reconciled"], done.report["adds_up"]) == ("not", True)
    assert {i["code"] for i in done.report["items"]} == {"not_sent", "project_unknown"}
    there = {m["id"]: m["version"] for m in mover.memories()}
    assert there  # and nobody here knows of it
    assert mover.owned(Native.CODEX) == set()
    with shelf.ledger.open("a") as torn:
        torn.write('{"of": "cut o')
    again = mover.json("codex", "--yes", code=1)
    assert "not_sent" not in {i["code"] for i in again["items"]}
    after = {m["id"]: m["version"] for m in mover.memories()}
    assert after == there
    assert {len(m["evidence"]) for m in mover.memories()} == {1, 2}
    assert mover.owned(Native.CODEX) == set(after)  # and so an undo would take them all


def test_a_program_without_memories_is_clean_and_an_agent_without_an_account_keeps_them_for_itself(
    cli: Cli, mover: Mover
) -> None:
    said = mover.json("claude-code", "--yes")
    assert (said["reconciled"], said["backup"], said["counts"]["files"]) == ("clean", None, 0)
    assert "no notes of claude-code were found" in mover("claude-code", "--yes").stdout
    codex_home(mover.home)
    alone = Mover(cli, "outsider", mover.home)
    alone.json("codex", "--yes", "--map", f"{SHOP}=shop-of-one", code=1)
    found = [m for m in alone.memories() if m["project_id"] == "shop-of-one"]
    assert {tuple(m["visible_to"]) for m in found} == {("agent:outsider",)}
    assert mover.memories() == []
    alone.json("codex", "--undo", "--yes")
