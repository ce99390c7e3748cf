"""Texts that come as an argument or on standard input, and questions to the one at the keyboard."""

import sys

from whoknows.cli.faults import CliFault, ExitCode


def given_text(argument: str | None) -> str:
    """The argument; standard input where it is left out or ``-``."""
    if argument is not None and argument != "-":
        if any("\ud800" <= c <= "\udfff" for c in argument):  # how Python carries bytes that are no UTF-8
            raise CliFault("not_utf8", "the text is not valid UTF-8", ExitCode.INVALID)
        return argument
    if argument is None and sys.stdin.isatty():
        raise CliFault("usage", "there is no text: give it as an argument, or on standard input", ExitCode.USAGE)
    raw = sys.stdin.buffer.read()
    try:
        return raw.decode("utf-8-sig").rstrip("\n")
    except UnicodeDecodeError as e:
        raise CliFault("not_utf8", f"standard input is not valid UTF-8 at byte {e.start}", ExitCode.INVALID) from e


def confirmed(question: str, yes: bool) -> None:
    """Go on only if ``yes``, or if the one at the keyboard says so. Nobody there: a refusal that says what to do."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise CliFault("not_confirmed", f"{question} Nobody is there to answer: repeat with --yes", ExitCode.USAGE)
    import typer

    typer.confirm(question, abort=True, err=True)


def hidden(prompt: str) -> str:
    """A secret from the keyboard, not shown; from standard input where that is a pipe."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    import getpass

    return getpass.getpass(f"{prompt}: ", stream=sys.stderr).strip()
