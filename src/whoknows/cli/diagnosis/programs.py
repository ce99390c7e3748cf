"""What the doctor looks at on a coding agent: whether it is there, and whether what was written into its files still stands."""

import os
from collections.abc import Iterator
from pathlib import Path

from whoknows.cli.diagnosis.findings import Finding, fail, ok, warn
from whoknows.connect import codex_trust, files, native_memory
from whoknows.connect.faults import ConnectFault
from whoknows.connect.pieces import WholeFile
from whoknows.connect.places import Places
from whoknows.connect.programs import TITLES, TRIED, executable, installed
from whoknows.connect.record import Record, Records
from whoknows.connect.servers import address, noted
from whoknows.connect.wired import Wiring, claude_hooks_disabled, marketplace_plugin, plugin_disabled
from whoknows.domain.harness import Program


def connected(places: Places) -> list[Program]:
    """Those that are connected on this machine, as far as the records can be read."""
    found: list[Program] = []
    for program in Program:
        try:
            known = Records(places).read(program) is not None
        except ConnectFault:
            known = True
        found += [program] if known else []
    return found


def program(which: Program, places: Places, url: str, directory: Path) -> Iterator[Finding]:
    """Everything about it that can be seen without the server."""
    title = TITLES[which]
    yield _version(which)
    try:
        record = Records(places).read(which)
        yield from _files(which, record, places, url)
        if which is Program.CODEX:
            yield _trust(directory, record is not None)
        if which is Program.CLAUDE_CODE and plugin_disabled(places):
            yield fail(
                "plugin", "it is switched off in Claude Code: nothing is recalled", "`claude plugin enable whoknows@skills-dir`"
            )
        if which is Program.CLAUDE_CODE and claude_hooks_disabled(places):
            yield fail(
                f"hooks of {title}",
                "settings.json says disableAllHooks: nothing is recalled",
                f"take that out of {places.claude / 'settings.json'}",
            )
        yield from _native(which, record is not None, places)
    except ConnectFault as fault:
        yield fail(f"files of {title}", fault.detail, "mend or move it, then `whoknows connect` again")


def _version(which: Program) -> Finding:
    title, found = TITLES[which], installed(which, os.environ)
    if found is None:
        return warn(title, "not on the PATH of this shell", "install it, or look at PATH; another shell may have it")
    told = f"{found.told} at {found.executable}"
    tried = ".".join(map(str, TRIED[which]))
    if found.version is None:
        return warn(title, told, f"it does not say its version; {tried} was tried")
    if found.version < TRIED[which]:
        return warn(title, f"{told}, older than what was tried", f"update it to {tried} or later: an older one may skip hooks")
    return ok(title, told + ("" if found.version == TRIED[which] else f", newer than what was tried ({tried})"))


def _files(which: Program, record: Record | None, places: Places, url: str) -> Iterator[Finding]:
    about, again = f"files of {TITLES[which]}", f"`whoknows connect {which}`"
    plugin = marketplace_plugin(which, places)
    if record is None:
        yield fail(about, "this program is not connected", again)
        return
    if not record.written:
        yield fail(about, "connecting broke off half way", f"{again} finishes it, `whoknows disconnect {which}` undoes it")
        return
    gone: list[Path] = []
    other: list[Path] = []
    wiring = Wiring(places, url, os.environ.get("WHOKNOWS_AGENT") or None)
    yield _server(which, wiring)
    for piece in wiring.pieces(which):
        now = files.read(piece.path)
        entry = record.entry(piece.path)
        if now is None or not (piece.present(now) or isinstance(piece, WholeFile)):
            gone.append(piece.path)
        elif piece.added(now) != now and (entry is None or files.sha256(now) != entry.after or record.url == url):
            other.append(piece.path)
    if gone:
        yield fail(about, f"what was written is not there any more: {_told(gone)}", f"{again} writes it again")
    elif record.url != url:
        yield warn(about, f"they were written for {record.url}, WHOKNOWS_URL is {url}", f"{again} writes the new address")
    elif other:
        yield warn(about, f"changed since, or of another release: {_told(other)}", f"{again} shows what is different")
    else:
        rest = f"; the rest is the plugin {plugin}" if plugin else ""
        yield ok(about, f"as they were written on {record.at:%Y-%m-%d}{rest}")


def _server(which: Program, wiring: Wiring) -> Finding:
    """Whether the key goes where the environment says: only to servers that the program was connected to."""
    about, known = "server of the hooks", noted(wiring.servers(which))
    told = ", ".join(known)
    if not known:
        return fail(about, "it is not noted which one it is: nothing is sent to any", f"`whoknows connect {which}`")
    if address(wiring.url) not in known:
        advice = f"if you mean it: `whoknows connect {which}`; if not, find out who sets WHOKNOWS_URL here"
        return fail(about, f"it was connected to {told}, and WHOKNOWS_URL is {wiring.url}: nothing is sent there", advice)
    return ok(about, f"the key goes to {told}, and nowhere else")


def _trust(directory: Path, wired: bool) -> Finding:
    about = "trust of Codex"
    found = executable(Program.CODEX, os.environ)
    if found is None or not wired:
        return warn(about, "nobody to ask" if found is None else "no hooks to trust", "see the lines above")
    hooks = codex_trust.ours(found, directory, os.environ)
    idle = [h for h in hooks if not h.runs]
    if not hooks:
        return fail(about, "Codex does not see our hooks", "are hooks switched off in its configuration? `codex features list`")
    if idle:
        why = ", ".join(dict.fromkeys(h.status if h.enabled else "switched off" for h in idle))
        return fail(
            about,
            f"Codex skips {len(idle)} of {len(hooks)} hooks without a word ({why})",
            "type /hooks in Codex, look at them and trust them; or `whoknows connect codex --trust`",
        )
    return ok(about, f"all {len(hooks)} hooks are trusted")


def _native(which: Program, wired: bool, places: Places) -> Iterator[Finding]:
    if which not in native_memory.HAVE_ONE:
        return
    about, now = f"own memory of {TITLES[which]}", native_memory.state(which, places)
    if not now.switched_on:
        yield ok(about, "off, by WhoKnows" if now.by_us else "off")
    elif wired:
        told = "on: the program keeps notes of its own beside this memory"
        yield warn(about, told, f"`whoknows migrate {which}`, then `whoknows stage governed`")
    else:
        yield ok(about, "on")


def _told(paths: list[Path]) -> str:
    more = f" and {len(paths) - 2} more" if len(paths) > 2 else ""
    return ", ".join(str(p) for p in paths[:2]) + more
