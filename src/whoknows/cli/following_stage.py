"""What a change of stage means for the memory of its own that a program keeps on this machine."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from whoknows.cli.faults import CliFault, ExitCode
from whoknows.domain.harness import Stage

if TYPE_CHECKING:
    from whoknows.client import WhoKnows


@dataclass(frozen=True)
class Following:
    """``others``: whether another project that programs work for here is governed or further; a program has one memory."""

    stage: Stage
    others: bool

    @classmethod
    def of(cls, wk: "WhoKnows", project: str, stage: Stage) -> "Following":
        return cls(stage, not stage.captures and _others_capture(wk, project))

    @cached_property
    def foretold(self) -> list[dict[str, Any]]:
        """``{program, does: off|on|left, detail}`` of each that is connected here and has a memory of its own."""
        from whoknows.connect import native_memory

        return [f.as_json() for f in native_memory.foreseen(self.stage, self.others)]

    @property
    def changes(self) -> bool:
        return any(f["does"] != "left" for f in self.foretold)

    def __call__(self) -> list[dict[str, Any]]:
        """The stage is set already. What cannot be written here is told with that."""
        from whoknows.connect import native_memory
        from whoknows.connect.faults import ConnectFault

        try:
            done = native_memory.follow(self.stage, self.others)
        except ConnectFault as fault:
            told = f"the stage is {self.stage} now, but the program's own memory could not be switched: {fault.detail}"
            raise CliFault(fault.code, told, ExitCode.FAILED) from fault
        return [f.as_json() for f in done]


def _others_capture(wk: "WhoKnows", project: str) -> bool:
    from whoknows.machine import this_machine

    here = {w["project_id"] for w in wk.workplaces()["items"] if w["machine"] == this_machine()}
    return any(Stage(wk.project_stage(other)["stage"]).captures for other in sorted(here - {project}))
