"""`whoknows stage` and `whoknows report`: how far a project is connected, and what that brought so far."""

from typing import Annotated, Any

from typer import Argument, Option

from whoknows.cli.connection import connect
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.following_stage import Following
from whoknows.cli.language import Lang, language
from whoknows.cli.options import AsAgent, AsJson, Yes
from whoknows.cli.output import console, show
from whoknows.cli.typed import confirmed
from whoknows.cli.workplace_of import project_meant
from whoknows.domain.harness import Stage
from whoknows.policy.decision import Denied
from whoknows.policy.stages import may_enter

Json = dict[str, Any]
_STAGES = [str(s) for s in Stage]
_Where = Annotated[
    str | None, Option("--project", metavar="PATH|PROJECT", help="A path such as '.', or the name. Default: where you are.")
]


def stage(
    words: Annotated[
        list[str] | None,
        Argument(metavar="[PROJECT] [off|read-only|governed|team]", help="Without a stage: show it. PROJECT may be a path."),
    ] = None,
    project: _Where = None,
    reason: Annotated[str | None, Option("--reason", help="Why; it stands in the history.")] = None,
    yes: Yes = False,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """Show how far a project is connected, or change it.

    Nothing, recall before prompts, capture after them, the team's bank too: forward by one step, back by any. Shows what it
    will change, and asks.
    """
    from whoknows.cli import draw_staging
    from whoknows.cli.connecting import faults

    named, wanted = _meant(words or [], project)
    with connect(agent) as wk:
        meant = project_meant(wk, named)
        before = wk.project_stage(meant)
        if wanted is None:
            if reason is not None:
                raise CliFault("usage", "a reason is for a change: say to which stage", ExitCode.USAGE)
            show(before, as_json, draw_staging.stage)
            return
        with faults():
            _may_be_next(before, wanted)
            follow = Following.of(wk, meant, wanted)
            if before["stage"] != wanted or follow.changes:
                if not (yes and as_json):
                    draw_staging.change(console(stderr=as_json), before, str(wanted), follow.foretold)
                confirmed(f"Set {meant} to {wanted}?", yes)
            after = wk.set_project_stage(meant, str(wanted), reason=reason)
            show({**after, "native_memory": follow()}, as_json, draw_staging.changed)


def report(
    named: Annotated[str | None, Argument(metavar="PROJECT", help="A name, or a path. Default: where you are.")] = None,
    project: _Where = None,
    since: Annotated[
        str | None, Option("--since", help="7d, 12h, 2w, a day (2026-01-31) or a time (RFC 3339). Default: four weeks.")
    ] = None,
    lang: Lang = None,
    agent: AsAgent = None,
    as_json: AsJson = False,
) -> None:
    """What the hooks brought in a project, in figures, and whether they speak for the next stage.

    Stage by stage: how often, how much, how well, how fast; and what is still corrected. With --json in codes.
    """
    from whoknows.cli import draw_report
    from whoknows.cli.since import moment

    spoken = language(lang)
    begin = None if since is None else moment(since)
    if named and project:
        raise CliFault("usage", f"say one project, not {named!r} and {project!r}", ExitCode.USAGE)
    with connect(agent) as wk:
        told = wk.harness_report(project_meant(wk, named or project or "."), since=begin)
        show(told, as_json, lambda console, answer: draw_report.report(console, answer, spoken))


def _may_be_next(before: Json, wanted: Stage) -> None:
    """What the server will refuse need not be asked first."""
    needs = () if before["next"] is None else before["next"]["needs"]
    decided = may_enter(Stage(before["stage"]), wanted, routed=all(n["met"] for n in needs if n["blocks"]))
    if isinstance(decided, Denied):
        raise CliFault(decided.code, decided.reason, ExitCode.CONFLICT)


def _meant(words: list[str], project: str | None) -> tuple[str, Stage | None]:
    """The project and the stage of ``[PROJECT] [STAGE]``; one word that is a stage is one."""
    *names, last = words or [""]
    wanted = Stage(last) if last in _STAGES else None
    if wanted is None and last:
        names = words
    if len(names) + (project is not None) > 1:
        known = ", ".join(_STAGES)
        raise CliFault("usage", f"say one project and one stage ({known}), not {' '.join(words)!r}", ExitCode.USAGE)
    return (project or (names[0] if names else ".")), wanted
