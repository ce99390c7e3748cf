"""The memory that a program keeps by itself: switched off only once all of it is safe and accounted for."""

import hashlib
import json
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

from whoknows.connect import files, json_text, toml_text
from whoknows.connect.faults import ConnectFault
from whoknows.connect.pieces import naming
from whoknows.connect.places import Places
from whoknows.connect.record import Records
from whoknows.domain.harness import Program, Stage

HAVE_ONE = (Program.CLAUDE_CODE, Program.CODEX)
_FORM = 1
_BACK = "its settings become what they were"


@dataclass(frozen=True, slots=True)
class Native:
    """``by_us``: switched off by WhoKnows, which remembers what stood there."""

    program: Program
    switched_on: bool
    by_us: bool


@dataclass(frozen=True, slots=True)
class Followed:
    program: Program
    did: Literal["off", "on", "left"]
    detail: str

    def as_json(self) -> dict[str, str]:
        return {"program": str(self.program), "does": self.did, "detail": self.detail}


@dataclass(frozen=True, slots=True)
class Migration:
    """What `whoknows migrate` says about its last run. ``clean``: every line is accounted for, and the backup is sound."""

    clean: bool
    detail: str
    backup: str | None = None


def state(program: Program, places: Places | None = None) -> Native:
    """Raises:
    ConnectFault: its settings cannot be read.
    """
    places = places or Places.of(os.environ)
    return Native(program, _is_on(program, places), _Kept(places).read(program) is not None)


def follow(
    stage: Stage, still_governed: bool, programs: Iterable[Program] | None = None, places: Places | None = None
) -> list[Followed]:
    """What the change of a project to ``stage`` means for ``programs``, without which for those that are connected here.

    ``still_governed``: another project of the same person is governed or further. Then nothing is switched on again, since a
    program has one memory for all projects.

    Raises:
        ConnectFault: settings cannot be read or written. Those of programs before it stay as they were made.
    """
    places = places or Places.of(os.environ)
    done: list[Followed] = []
    for program in _meant(programs, places):
        will = _foreseen(program, stage, still_governed, places)
        match will.did:
            case "off":
                done.append(_off(program, places, will.detail))
            case "on":
                done.append(on(program, places))
            case "left":
                done.append(will)
    return done


def foreseen(
    stage: Stage, still_governed: bool, programs: Iterable[Program] | None = None, places: Places | None = None
) -> list[Followed]:
    """What `follow` would do now, but for memories that are as they should be already."""
    places = places or Places.of(os.environ)
    now = {p: state(p, places) for p in _meant(programs, places)}
    concerned = [p for p, n in now.items() if (n.switched_on if stage.captures else n.by_us)]
    return [_foreseen(p, stage, still_governed, places) for p in concerned]


def _meant(programs: Iterable[Program] | None, places: Places) -> list[Program]:
    """Those of ``programs`` that have a memory of their own; without any, of those that are connected here."""
    wanted = None if programs is None else tuple(programs)
    return [p for p in HAVE_ONE if (Records(places).read(p) if wanted is None else p in wanted)]


def _foreseen(program: Program, stage: Stage, still_governed: bool, places: Places) -> Followed:
    if stage.captures:
        if not _is_on(program, places):
            return Followed(program, "left", "its own memory is off already")
        found = _migration(program, places)
        return Followed(program, "off" if found.clean else "left", found.detail)
    if still_governed:
        return Followed(program, "left", "another project is still governed")
    by_us = _Kept(places).read(program) is not None
    return Followed(program, "on" if by_us else "left", _BACK if by_us else "WhoKnows did not switch it off")


def _off(program: Program, places: Places, detail: str) -> Followed:
    """Once there is a backup and a clean reconciliation, which ``detail`` names."""
    path = _settings(program, places)
    records = Records(places)
    with records.locked():
        before = files.read(path)
        mark, text = files.as_text(path, before)
        with naming(path):
            match program:
                case Program.CLAUDE_CODE:
                    was = json_text.found(text, ("autoMemoryEnabled",))
                    literal = text[was.start : was.end] if was else None
                    after = json_text.put(text, ("autoMemoryEnabled",), False)
                case _:
                    literal = "true"
                    after = toml_text.with_value(text, ("features", "memories"), "false")
        _Kept(places).keep(program, literal, before, (mark + after).encode())
        _write(path, before, (mark + after).encode(), records, None)
    return Followed(program, "off", f"{path}; {detail}")


def on(program: Program, places: Places) -> Followed:
    """Back to what stood in the settings before."""
    kept = _Kept(places)
    said = kept.read(program)
    if said is None:
        return Followed(program, "left", "WhoKnows did not switch it off")
    path = _settings(program, places)
    records = Records(places)
    with records.locked():
        now = files.read(path)
        if now is not None and files.sha256(now) == said["after"]:
            then = kept.base(program, said)
        else:
            then = None if now is None else _undone(program, path, now, said["literal"])
        if now is not None:
            _write(path, now, then, records, partial(_undone, program, path, literal=said["literal"]))
        kept.forget(program)
    restore = found.backup if (found := _migration(program, places)).backup else None
    back = f"; its files come back with `whoknows migrate {program} --restore {restore}`" if restore else ""
    return Followed(program, "on", f"{path} is as it was{back}")


def _migration(program: Program, places: Places) -> Migration:
    content = files.read(places.state / "migrations" / f"{program}.json")
    if content is None:
        return Migration(False, f"its memory was never migrated: `whoknows migrate {program}`")
    try:
        said: dict[str, Any] = json.loads(content)
        known, clean, backup = said["form"] == 1, said["reconciled"] == "clean", said["backup"]
        path, sha = (backup["path"], backup["sha256"]) if backup else (None, None)
    except (ValueError, KeyError, TypeError):
        known, clean, path, sha = False, False, None, None
    if not known:
        return Migration(False, f"what the migration left cannot be read: `whoknows migrate {program}` again")
    if not clean:
        return Migration(False, f"its migration is not clean, or was taken back: `whoknows migrate {program}` again", path)
    if path is not None and _sha256_of(Path(path)) != sha:
        return Migration(False, f"the backup {path} is gone or was changed: `whoknows migrate {program}` makes a new one", path)
    return Migration(True, f"backup at {path}" if path else "there was none to migrate", path)


def _undone(program: Program, path: Path, now: bytes, literal: str | None) -> bytes:
    """``now`` with the value that stood there before, where it is still ours."""
    mark, text = files.as_text(path, now)
    with naming(path):
        match program:
            case Program.CLAUDE_CODE:
                node = json_text.found(text, ("autoMemoryEnabled",))
                if node is None or json_text.value_of(text, node) is not False:
                    return now  # somebody decided otherwise since
                if literal is None:
                    text = json_text.removed(text, ("autoMemoryEnabled",))
                else:
                    text = text[: node.start] + literal + text[node.end :]
            case _:
                if toml_text.value_at(text, ("features", "memories")) is not False:
                    return now
                text = toml_text.with_value(text, ("features", "memories"), literal or "true")
    return (mark + text).encode()


def _is_on(program: Program, places: Places) -> bool:
    path = _settings(program, places)
    with naming(path):
        text = files.as_text(path, files.read(path))[1]
        match program:
            case Program.CLAUDE_CODE:
                node = json_text.found(text, ("autoMemoryEnabled",))
                return node is None or json_text.value_of(text, node) is not False
            case Program.CODEX:
                return toml_text.value_at(text, ("features", "memories")) is True
            case Program.PI:
                return False


def _settings(program: Program, places: Places) -> Path:
    return places.codex / "config.toml" if program is Program.CODEX else places.claude / "settings.json"


def _write(
    path: Path, before: bytes | None, after: bytes | None, records: Records, change: Callable[[bytes], bytes] | None
) -> None:
    files.writable(path)
    if after is None:
        path.resolve().unlink()
    elif after != before:
        files.make_folders(path.parent)
        files.replace(path, after, 0o600)
    records.touched(path, before, after, change)


class _Kept:
    """What stood in the settings before, beside the records of `connect`."""

    def __init__(self, places: Places) -> None:
        self._folder = places.state / "connect"

    def read(self, program: Program) -> dict[str, Any] | None:
        name = _kept(program)
        content = files.read(self._folder / name)
        try:
            said: dict[str, Any] | None = None if content is None else json.loads(content)
        except ValueError as fault:
            raise ConnectFault("broken_record", f"{self._folder / name} cannot be understood: move it away") from fault
        return said

    def keep(self, program: Program, literal: str | None, before: bytes | None, after: bytes) -> None:
        files.make_folders(self._folder, 0o700)
        said = {"form": _FORM, "literal": literal, "before": files.sha256(before), "after": files.sha256(after)}
        if before is not None:
            files.replace(self._folder / _copy(program), before, 0o600)
        files.replace(self._folder / _kept(program), json.dumps(said).encode(), 0o600)

    def base(self, program: Program, said: dict[str, Any]) -> bytes | None:
        if said["before"] is None:
            return None
        content = files.read(self._folder / _copy(program))
        if files.sha256(content) != said["before"]:
            raise ConnectFault("copy_lost", f"the copy {self._folder / _copy(program)} is gone or was changed")
        return content

    def forget(self, program: Program) -> None:
        (self._folder / _kept(program)).unlink(missing_ok=True)
        (self._folder / _copy(program)).unlink(missing_ok=True)


def _kept(program: Program) -> str:
    return f"native-{program}.json"


def _copy(program: Program) -> str:
    return f"native-{program}.settings"


def _sha256_of(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return None
