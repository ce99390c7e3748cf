"""Sending: what a plan says goes through the ordinary write path, some at a time, and can be interrupted anywhere."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from whoknows.client import ApiError, WhoKnows
from whoknows.client import memories as verbs
from whoknows.client.call import named
from whoknows.client.connection import this_machine
from whoknows.migration.faults import MigrationFault
from whoknows.migration.ledger import Known, Ledger
from whoknows.migration.places import Registered
from whoknows.migration.plan import Item, Plan
from whoknows.migration.statements import Fate

Json = dict[str, Any]
AT_ONCE = 16
"""Memories of one request, written in one transaction: small enough to see the bar move, and to be embedded before a client
gives up waiting."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Whose memory it becomes. ``account`` None: there is no member behind the caller, and it is its own private memory.

    ``whose`` names server, tenant and owner: by it the ledger knows what went where.
    """

    whose: str
    owner: str
    account: str | None
    gate: str
    registered: tuple[Registered, ...] = ()


@dataclass(frozen=True, slots=True)
class Became:
    """What became of an item, or will. ``known``: an earlier run stored it."""

    fate: Fate
    code: str
    why: str = ""
    memory: str | None = None
    findings: tuple[str, ...] = ()


def destination_of(wk: WhoKnows) -> Destination:
    """Who the caller is to the server, and what this machine's directories belong to."""
    mine = next((b for b in wk.banks()["items"] if b["context"] == "personal" and b["may_write"]), None)
    if mine is None:
        raise MigrationFault("no_bank", "this key writes to no memory of its own: use that of a member, or of its main agent")
    kind, _, name = mine["bank"].partition(":")
    whose = json.dumps([wk.url, wk.whoami()["tenant"], mine["bank"]])
    here = [w for w in _workplaces(wk) if w["machine"] == this_machine()]
    registered = tuple(Registered(w["program"], w["directory"], w["project_id"]) for w in here)
    return Destination(whose, mine["bank"], name if kind == "member" else None, mine["gate"], registered)


def foreseen(plan: Plan, known: Mapping[str, Known], gate: str = "open") -> list[Became]:
    """What will become of each item, as far as that can be told before it is sent."""
    return [_before(item, known) or _will(item, gate) for item in plan.items]


def send(
    wk: WhoKnows, plan: Plan, ledger: Ledger, progress: Callable[[int], None] = lambda _: None
) -> tuple[list[Became], ApiError | None]:
    """Send what no earlier run sent. Where the server is gone, what is left waits, and the fault is answered beside it."""
    became: dict[int, Became] = {}
    waiting: list[int] = []
    for number, item in enumerate(plan.items):
        before = _before(item, ledger.known)
        if before is None:
            waiting.append(number)
        else:
            became[number] = before
            progress(1)
    fault: ApiError | None = None
    run = ledger.begin() if waiting else ""
    for part in _parts(waiting):
        items = [plan.items[n] for n in part]
        try:
            results = _batch(wk, run, items)
        except ApiError as e:
            if e.status in (0, 401, 403, 429) or e.status >= 500:
                fault = e
                break
            results = [{"error": {"code": e.code, "detail": e.detail}} for _ in items]
        told = [_became(r) for r in results]
        ledger.add(_known(i, r) for i, r in zip(items, results, strict=True) if "memory" in r)
        became |= dict(zip(part, told, strict=True))
        progress(len(part))
    left = Became(Fate.HELD, "not_sent", "the server did not take it: run the same command again")
    if waiting and fault is None:
        ledger.end()
    return [became.get(n, left) for n in range(len(plan.items))], fault


@dataclass(frozen=True, slots=True)
class Undone:
    """``removed`` memories are gone. ``kept`` were changed since; ``joined`` were there before; ``gone`` were not any more."""

    removed: int = 0
    kept: tuple[str, ...] = ()
    joined: int = 0
    gone: int = 0


def undo(wk: WhoKnows, ledger: Ledger, progress: Callable[[int], None] = lambda _: None) -> Undone:
    """Take away what the migration stored and nobody changed since. What it was joined to stays."""
    own = {k.memory: k for k in ledger.known.values() if k.own}
    done = Undone(joined=len({k.memory for k in ledger.known.values()} - set(own)))
    for memory, known in reversed(own.items()):  # the newest first: what it took the place of is current again then
        keys = [k.key for k in ledger.known.values() if k.memory == memory]
        try:
            now = wk.get(memory)
            if now["version"] != known.version or now["state"] == "superseded":
                done = replace(done, kept=(*done.kept, memory))
            else:
                wk.forget(memory, known.version)
                done = replace(done, removed=done.removed + 1)
                ledger.remove(keys)
        except ApiError as e:
            if e.status == 404:
                done = replace(done, gone=done.gone + 1)
                ledger.remove(keys)
            elif e.code == "version_conflict":
                done = replace(done, kept=(*done.kept, memory))
            else:
                raise
        progress(1)
    ledger.remove([k.key for k in ledger.known.values() if k.memory not in own])
    ledger.end()
    return done


def checked(wk: WhoKnows, became: Sequence[Became]) -> list[Became]:
    """Look for every memory that should be there now. What an earlier run stored and somebody deleted is not brought back."""
    gone = _missing(wk, became)
    deleted = Became(Fate.MERGED, "deleted_since", "an earlier run stored it, and it was deleted in WhoKnows since")
    lost = Became(Fate.HELD, "not_found_again", "the server took it, and does not list it: run the same command again")
    return [b if b.memory not in gone else deleted if b.code == "known" else lost for b in became]


def _missing(wk: WhoKnows, became: Sequence[Became]) -> set[str]:
    wanted = {b.memory for b in became if b.memory is not None}
    for state in (None, "held", "superseded", "archived"):
        cursor = None
        while wanted:
            page = wk.list(layer="private", state=state, limit=_PAGE, cursor=cursor)
            wanted -= {m["id"] for m in page["items"]}
            cursor = page["next_cursor"]
            if cursor is None:
                break
    return wanted


def _before(item: Item, known: Mapping[str, Known]) -> Became | None:
    if item.problem is not None:
        return Became(Fate.HELD, item.problem.code, item.problem.why)
    if item.key in known:
        return Became(Fate.MERGED, "known", "an earlier run stored it", known[item.key].memory)
    return None


def _will(item: Item, gate: str) -> Became:
    if gate == "verified":
        return Became(
            Fate.REFUSED, "refused_by_gate", "the gate there takes verified quotes only, and no server reads these files"
        )
    if item.joined is not None:
        return Became(Fate.MERGED, "same", "the same is said elsewhere: it becomes one more source of that")
    return Became(Fate.STORED, "new")


def _batch(wk: WhoKnows, run: str, items: Sequence[Item]) -> list[Json]:
    bodies = [item.body for item in items]
    said = json.dumps([run, [named(b) for b in bodies]], sort_keys=True)
    call = verbs.capture_batch(bodies)
    # The same part of the same run is the same request: what was stored when the answer was lost is not stored again.
    key = f"migrate-{hashlib.sha256(said.encode()).hexdigest()}"
    return wk.send(replace(call, headers={"Idempotency-Key": key}))["results"]


def _became(result: Json) -> Became:
    if error := result.get("error"):
        return Became(Fate.REFUSED, str(error["code"]), str(error["detail"]))
    memory = str(result["memory"]["id"])
    findings = tuple(str(f["message"]) for f in result.get("findings", ()))
    match result["outcome"]:
        case "merged":
            return Became(
                Fate.MERGED, "same", "these words were there already: it is one more source of them", memory, findings
            )
        case "held":
            return Became(Fate.HELD, "waits_for_review", "; ".join(findings), memory, findings)
        case "superseding":
            return Became(Fate.STORED, "superseding", "it took the place of what its file said before", memory, findings)
        case _:
            return Became(Fate.STORED, "new", "", memory, findings)


def _known(item: Item, result: Json) -> Known:
    memory = result["memory"]
    return Known(item.key, str(memory["id"]), str(result["outcome"]), int(memory["version"]))


def _workplaces(wk: WhoKnows) -> list[Json]:
    try:
        return list(wk.workplaces()["items"])
    except ApiError as e:
        if e.status in (403, 404):  # a server that has none, or a key that keeps none
            return []
        raise


def _parts(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    for start in range(0, len(numbers), AT_ONCE):
        yield numbers[start : start + AT_ONCE]


_PAGE = 200
