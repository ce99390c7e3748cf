"""`whoknows bureau`: open a case, play it, look at what each role knows, and show it on a big screen."""

import sys
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option, Typer

from whoknows.cli import draw
from whoknows.cli import draw_bureau as drawn
from whoknows.cli.connection import connect
from whoknows.cli.faults import CliFault, ExitCode
from whoknows.cli.language import language
from whoknows.cli.options import AsJson, Yes
from whoknows.cli.output import plain, say, show, show_line, text
from whoknows.cli.roles import role_of
from whoknows.cli.typed import confirmed, given_text

if TYPE_CHECKING:
    from whoknows.cli.playing import Playing
    from whoknows.client import WhoKnows

app = Typer(
    help="The Bureau: a game in which each role knows only what it should. Open a case, then use its operator's key.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
CaseName = Annotated[
    str | None, Option("--case", metavar="CASE", help="Name of the case. Default: the one that the key belongs to.")
]
Language = Annotated[
    str | None, Option("--lang", metavar="zh|en", help="Language of the cards and answers. Default: the terminal's.")
]
ScriptName = Annotated[str, Argument(metavar="SCRIPT", help="Id of a script: see `whoknows bureau scripts`.")]
Role = Annotated[str, Argument(metavar="ROLE", help="A role, by its id or name: detective, informant, suspect.")]
Text = Annotated[str | None, Argument(metavar="TEXT", help="The text; from standard input where it is left out.")]


@app.command()
def scripts(as_json: AsJson = False) -> None:
    """What a case can be opened from."""
    with connect() as wk:
        show(wk.bureau_scripts(), as_json, drawn.scripts)


@app.command()
def check(
    file: Annotated[Path, Argument(metavar="FILE", help="A script in YAML.")],
    as_json: AsJson = False,
) -> None:
    """Check a script of your own: every fault with its line, field, and what to do. No server is needed."""
    from whoknows.errors import ScriptInvalid
    from whoknows.sources.scripts import parse, read

    try:
        script = parse(read(file), str(file))
    except OSError as e:
        raise CliFault("unreadable", f"{file} cannot be read: {e.strerror}", ExitCode.NOT_FOUND) from e
    except ScriptInvalid as e:
        if as_json:
            show_line({"file": str(file), "valid": False, "faults": list(e.faults)})
        raise
    cards = len(list(script.cards()))
    told = {
        "file": str(file),
        "valid": True,
        "id": script.id,
        "roles": len(script.roles),
        "cards": cards,
        "steps": len(script.steps),
    }
    show(
        told,
        as_json,
        lambda c, t: c.print(text(f"{t['id']}: {t['roles']} roles, {t['cards']} cards, {t['steps']} steps; valid")),
    )


@app.command("open")
def open_case(script: ScriptName, lang: Language = None, as_json: AsJson = False) -> None:
    """Open a case, and show its name and its operator's key this once. Needs a key with `create_tenants`."""
    with connect() as wk:
        made = wk.open_case(script, language(lang))
    show(made, as_json, drawn.opened)
    if not as_json:
        say("The second line is the key of the operator, and the only time that it is shown: set WHOKNOWS_KEY to it.")


@app.command()
def cards(case: CaseName = None, as_json: AsJson = False) -> None:
    """What each role has for itself, locked, and what is on the board. Each role finds in the trail that you looked."""
    with connect() as wk:
        show(wk.case(_case(wk, case)), as_json, drawn.case)


@app.command()
def whisper(role: Role, content: Text = None, case: CaseName = None, as_json: AsJson = False) -> None:
    """Tell one role something that no other hears."""
    with connect() as wk:
        name = _case(wk, case)
        listener = role_of(role, wk.stage(name)["roles"])
        show(wk.whisper(name, listener, given_text(content)), as_json, draw.captured)


@app.command()
def ask(role: Role, question: Text = None, case: CaseName = None, as_json: AsJson = False) -> None:
    """Ask a role. Its own space and the board are searched, whatever the question says."""
    with connect() as wk:
        name = _case(wk, case)
        stage = wk.stage(name)
        answer = wk.ask(name, role_of(role, stage["roles"]), given_text(question))
    show(answer, as_json, lambda c, a: drawn.said(c, a, stage["language"]))


@app.command()
def publish(
    card: Annotated[str, Argument(metavar="ID", help="Id of a role's card: see `whoknows bureau cards`.")],
    case: CaseName = None,
    as_json: AsJson = False,
) -> None:
    """Copy a card to the board. The original stays locked; doing it twice gives the same copy."""
    with connect() as wk:
        done = wk.publish_card(_case(wk, case), card)
    show(
        done,
        as_json,
        lambda c, d: c.print(text(f"{d['memory']['content']}\n{d['memory']['id']}" if d["memory"] else d["state"])),
    )


@app.command()
def reset(case: CaseName = None, yes: Yes = False, as_json: AsJson = False) -> None:
    """Back to the script's beginning: everything else that the case holds is deleted."""
    with connect() as wk:
        name = _case(wk, case)
        confirmed(f"Delete everything that was said in {name}?", yes)
        show(wk.reset_case(name), as_json, drawn.stage)


@app.command()
def close(case: CaseName = None, yes: Yes = False, as_json: AsJson = False) -> None:
    """End a case: its texts are deleted, and all its keys die, yours too."""
    with connect() as wk:
        name = _case(wk, case)
        confirmed(f"Close {name} for good?", yes)
        show(wk.close_case(name), as_json, lambda c, _: c.print(text(f"closed: {name}")))


@app.command("show-key")
def show_key(
    case: CaseName = None,
    expires_in: Annotated[int | None, Option("--expires-in", min=1, help="Seconds until it ends.")] = None,
    as_json: AsJson = False,
) -> None:
    """A key for the big screen: it reads the stage and its events, and nothing else. Shown this once."""
    with connect() as wk:
        show(wk.show_key(_case(wk, case), expires_in), as_json, lambda c, k: c.print(text(k["key"]), soft_wrap=True))


@app.command()
def stage(case: CaseName = None, as_json: AsJson = False) -> None:
    """What everybody may see: the roles, what happened to each last, the board."""
    with connect() as wk:
        show(wk.stage(_case(wk, case)), as_json, drawn.stage)


@app.command()
def follow(
    case: CaseName = None,
    after: Annotated[str | None, Option("--after", metavar="ID", help="Go on after this event.")] = None,
    count: Annotated[int | None, Option("--count", min=1, help="End after so many.")] = None,
    as_json: AsJson = False,
) -> None:
    """Follow what happens on the stage, until you interrupt it. One event a line, nothing private."""
    with connect() as wk:
        for event in islice(wk.stage_events(_case(wk, case), after), count):
            if as_json:
                show_line(event)
            else:
                print(drawn.event_line(event), flush=True)


@app.command()
def play(
    script: ScriptName,
    lang: Language = None,
    auto: Annotated[
        bool, Option("--auto", help="Run all steps that the script suggests; fails if one turns out otherwise.")
    ] = False,
    keep: Annotated[bool, Option("--keep", help="Leave the case open at the end, and show its key.")] = False,
    as_json: AsJson = False,
) -> None:
    """Open a case and play it here: ask, whisper, publish, and see what was searched and met. `help` lists the commands."""
    from whoknows.cli.playing import HELP, Playing
    from whoknows.client import ApiError

    with connect() as admin:
        made = admin.open_case(script, language(lang))
    with connect(key=made["key"]) as wk:
        playing = Playing(wk, made["case"], made["language"], as_json)
        try:
            if auto:
                if playing.auto():
                    raise CliFault("other_than_expected", "the play went otherwise than the script expects", ExitCode.FAILED)
            else:
                playing.show_cards()
                if not as_json:
                    say(HELP[made["language"]])
                _listen(playing, ApiError)
        finally:
            if keep and as_json:
                show_line({"kind": "case", **made})
            elif keep:
                show(made, as_json, drawn.opened)
            else:
                wk.close_case(made["case"])


def _listen(playing: "Playing", fault: type[Exception]) -> None:
    """Command after command, to the end of the input."""
    while True:
        if sys.stdin.isatty():
            print("> ", end="", file=sys.stderr, flush=True)
        line = sys.stdin.readline()
        if not line:
            return
        try:
            if not playing.command(line):
                return
        except (fault, CliFault) as e:
            say(plain(str(e)))


def _case(wk: "WhoKnows", case: str | None) -> str:
    named = case or wk.whoami()["tenant"]
    if case is None and not named.startswith("case-"):
        raise CliFault(
            "no_case",
            "this key is of no case: set WHOKNOWS_KEY to the key of its operator, or name it by --case",
            ExitCode.NOT_FOUND,
        )
    return named
