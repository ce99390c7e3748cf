"""A run of a migration: read, plan, back up, send, account for every line; each step once the one before is done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from whoknows.client import ApiError, WhoKnows
from whoknows.migration import report as reports
from whoknows.migration.archive import Backup, write_backup
from whoknows.migration.committed import Committed, committed_in
from whoknows.migration.homes import Native, roots_of
from whoknows.migration.ledger import Ledger
from whoknows.migration.places import Places
from whoknows.migration.plan import Plan, plan_of
from whoknows.migration.reading import Reader, without_pointers
from whoknows.migration.reconciliation import Reconciliation, reconciled
from whoknows.migration.sending import Became, Destination, checked, foreseen, send
from whoknows.migration.snapshot import Kind, Snapshot, snapshot_of
from whoknows.migration.state import Shelf, begun, write_private, written_state

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wish:
    """What was asked for. ``home`` None: one's own. ``mapped`` by directory or key. ``committed``: take what Git tracks too."""

    program: Native
    home: Path | None
    projects: Sequence[Path]
    mapped: dict[str, str]
    committed: bool = False


@dataclass(frozen=True, slots=True)
class Prepared:
    """All that is known before anything is written."""

    wish: Wish
    snapshot: Snapshot
    plan: Plan
    foreseen: Sequence[Became]
    reconciliation: Reconciliation
    ledger: Ledger

    @property
    def report(self) -> Json:
        return {
            "home": str(self.snapshot.roots[0].path),
            "fingerprint": self.snapshot.fingerprint,
            **reports.as_json(self.plan, self.foreseen, self.reconciliation),
        }


@dataclass(frozen=True, slots=True)
class Done:
    """``fault``: why it ended early, where it did."""

    report: Json
    fault: ApiError | None


def prepare(wish: Wish, to: Destination, shelf: Shelf) -> Prepared:
    """Read and plan. Nothing is written."""
    connected = [r.directory for r in to.registered]
    projects = [*wish.projects, *(Path(d) for d in connected if wish.home is None)]
    snapshot = snapshot_of(roots_of(wish.program, wish.home, list(dict.fromkeys(projects))))
    candidates = [*connected, *map(str, wish.projects), *(d for d in wish.mapped if d.startswith("/"))]
    reader = Reader(wish.program, snapshot, candidates)
    parsed = without_pointers(reader.parsed())
    others: Committed = {} if wish.committed else committed_in(snapshot)
    committed = {reader.shown(e): others[e.root, e.path] for e in snapshot.entries if (e.root, e.path) in others}
    plan = plan_of(wish.program, parsed, Places(wish.program, to.registered, wish.mapped), to.account, committed)
    ledger = Ledger(shelf.ledger, to.whose)
    became = foreseen(plan, ledger.known, to.gate)
    return Prepared(wish, snapshot, plan, became, reconciled(plan, became), ledger)


def back_up(prepared: Prepared, shelf: Shelf) -> Backup | None:
    """Before anything is sent. None where there is nothing."""
    if not any(e.kind is not Kind.FOLDER for e in prepared.snapshot.entries):
        return None
    backup = write_backup(prepared.snapshot, prepared.wish.program, shelf.backups)
    begun(shelf, backup)
    return backup


def carry_out(
    wk: WhoKnows, prepared: Prepared, backup: Backup | None, shelf: Shelf, progress: Callable[[int], None] = lambda _: None
) -> Done:
    """Send, look whether it is there, write report and state."""
    became, fault = send(wk, prepared.plan, prepared.ledger, progress)
    became = became if fault is not None else checked(wk, became)
    found = reconciled(prepared.plan, became)
    report: Json = {
        "at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "home": str(prepared.snapshot.roots[0].path),
        "server": wk.url,
        "backup": None if backup is None else {"path": str(backup.path), "sha256": backup.sha256},
        "fingerprint": prepared.snapshot.fingerprint,
        **reports.as_json(prepared.plan, became, found),
    }
    for ending in ("json", "md"):
        write_private(shelf.report(ending), reports.written(shelf.report(ending), report))
    kept = {k: report[k] for k in ("home", "server", "reconciled", "fingerprint", "counts")}
    where = {"json": str(shelf.report("json")), "markdown": str(shelf.report("md"))}
    written_state(shelf, {**kept, "report": where}, backup)
    return Done(report, fault)
