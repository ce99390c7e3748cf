"""The plan of the way back: what leaves the files of a program, and which directories are not routed any more."""

import os
from typing import Any

from whoknows.cli.connection import connect
from whoknows.cli.faults import CliFault
from whoknows.cli.keychain import server_url
from whoknows.connect import carry_out, files, native_memory
from whoknows.connect.places import Places
from whoknows.connect.plan import Change, to_disconnect
from whoknows.connect.record import Records
from whoknows.connect.wired import Wiring, marketplace_plugin
from whoknows.domain.harness import Program

Json = dict[str, Any]
_PATIENCE = 5.0
"""Seconds for a server that the way back does not depend on."""


class Disconnecting:
    def __init__(self, program: Program, agent: str | None, directories: list[str] | None) -> None:
        self._program, self._agent, self._directories = program, agent, directories
        self._places = Places.of(os.environ)
        self._records = Records(self._places)
        self._wiring = Wiring(self._places, server_url(), agent)
        self._registered: list[str] = []

    def plan(self) -> Json:
        registered, remark = self._known()
        self._registered = [d for d in registered if self._directories is None or d in self._directories]
        by_us = self._directories is None and native_memory.state(self._program, self._places).by_us
        native = {"program": str(self._program), "does": "on", "detail": "its settings become what they were"}
        return {
            "program": str(self._program),
            "files": [] if self._directories is not None else [c.as_json() for c in self._changes()],
            "directories": [{"directory": d, "is": "leaves"} for d in self._registered],
            "native_memory": [native] if by_us else [],
            "remarks": remark + self._of_a_plugin(),
        }

    def has_something_to_do(self, plan: Json) -> bool:
        changed = any(f["does"] != "unchanged" for f in plan["files"])
        return changed or bool(plan["directories"]) or bool(plan["native_memory"])

    def carry_out(self) -> Json:
        copies = None
        remarks: list[str] = []
        if self._directories is None:
            if native_memory.state(self._program, self._places).by_us:
                remarks.append(native_memory.on(self._program, self._places).detail)
            with self._records.locked():
                carry_out.undo_half(self._program, self._records)
                copies = carry_out.disconnect(self._program, self._changes(), self._records)
                files.drop_folders(self._places.made_by(self._program))
        if self._registered:
            with connect(self._agent) as wk:
                for directory in self._registered:
                    wk.unregister_workplace(str(self._program), directory, machine=self._places.machine)
        return {"copies": None if copies is None else str(copies), "next": remarks}

    def _of_a_plugin(self) -> list[str]:
        plugin = None if self._directories is not None else marketplace_plugin(self._program, self._places)
        return [f"the plugin {plugin} stays, which you installed yourself: it is silent now"] if plugin else []

    def _changes(self) -> list[Change]:
        kept = self._records.used_by_others(self._program)
        return to_disconnect(self._wiring.pieces(self._program), self._records.read(self._program), self._records, kept)

    def _known(self) -> tuple[list[str], list[str]]:
        """What is registered here, and a remark where the server cannot be asked: the way back is open without it."""
        from whoknows.client import ApiError

        try:
            with connect(self._agent, patience=_PATIENCE) as wk:
                found = wk.workplaces()["items"]
        except (ApiError, CliFault) as fault:
            if self._directories is not None:
                raise
            return [], [f"its directories stay registered: {fault.detail}"]
        mine = [w["directory"] for w in found if w["program"] == self._program and w["machine"] == self._places.machine]
        return mine, []
