"""What `connect` and `disconnect` leave in the home of a real program."""

import json

from harness.desk import OPENED, Desk, snapshot
from whoknows.domain.harness import Program

PORT = "The billing database of boss listens on port 5433."
ASKED = "Which port does the billing database listen on?"
HOMES = {Program.CLAUDE_CODE: ".claude", Program.CODEX: ".codex", Program.PI: ".pi/agent"}

OTHER_SERVER = '\n# mine\n[mcp_servers."other"]\ncommand   = "true"   # nothing\nenabled = false'
"""Of Codex, without a line end."""


def test_after_disconnect_every_file_is_byte_for_byte_as_before(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.asks(program, "hello", folder)
    _own_settings(desk, program)
    before = snapshot(desk.home / HOMES[program])
    desk.connect(program, folder, "boss")
    assert snapshot(desk.home / HOMES[program]) != before
    desk.disconnect(program)
    assert snapshot(desk.home / HOMES[program]) == before


def test_what_a_program_wrote_meanwhile_stays_and_only_ours_is_gone(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.remembers(PORT, project_id="boss")
    desk.asks(program, "hello", folder)
    _own_settings(desk, program)
    settings = _settings(desk, program)
    before = settings.read_text()
    desk.connect(program, folder, "boss")
    desk.asks(program, ASKED, folder)
    assert PORT in desk.beside()
    added = "\n[tui]\nnotifications = true # mine\n" if program is Program.CODEX else ""
    settings.write_text(settings.read_text() + added)
    desk.disconnect(program)
    assert _lines(settings.read_text()) == _lines(before + added)
    assert [p for p in (desk.home / HOMES[program]).rglob("*whoknows*") if not p.is_dir()] == []
    desk.asks(program, ASKED, folder)
    assert OPENED not in desk.turn.read
    assert not [t for t in desk.turn.tools if "whoknows" in t.full]


def test_to_connect_twice_is_to_connect_once(desk: Desk, program: Program) -> None:
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    before = snapshot(desk.home / HOMES[program])
    told = desk.connect(program, folder, "boss")
    assert {f["does"] for f in told["files"]} <= {"unchanged"}
    assert snapshot(desk.home / HOMES[program]) == before


def test_no_file_holds_the_key(desk: Desk, program: Program) -> None:
    desk.connect(program, desk.folder("boss"), "boss")
    desk.asks(program, "hello", desk.folder("boss"))
    key = desk.key(program).encode()
    assert [n for n, data in snapshot(desk.home).items() if isinstance(data, bytes) and key in data] == []


def test_another_directory_is_only_registered(desk: Desk, program: Program) -> None:
    desk.connect(program, desk.folder("boss"), "boss")
    before = snapshot(desk.home / HOMES[program])
    desk.connect(program, desk.folder("heron"), "heron")
    assert snapshot(desk.home / HOMES[program]) == before


def _lines(text: str) -> list[str]:
    """Where something was appended to what we had appended, an empty line may stay between."""
    return [line for line in text.splitlines() if line.strip()]


def _settings(desk: Desk, program: Program):
    name = {Program.CLAUDE_CODE: "settings.json", Program.CODEX: "config.toml", Program.PI: "settings.json"}[program]
    return desk.home / HOMES[program] / name


def _own_settings(desk: Desk, program: Program) -> None:
    """What a person has in the files already, in a formatting of their own."""
    match program:
        case Program.CLAUDE_CODE:
            mine = {"env": {"MINE": "1"}, "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
            _settings(desk, program).write_text(json.dumps(mine, indent=3) + "\n\n")
        case Program.CODEX:
            path = _settings(desk, program)
            path.write_text(
                path.read_text() + '\n# mine\n[mcp_servers."other"]\ncommand   = "true"   # nothing\nenabled = false'
            )
            mine = {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}}
            path.with_name("hooks.json").write_text(json.dumps(mine, indent="\t"))
        case Program.PI:
            _settings(desk, program).write_text('{"theme":"dark"}')
            (desk.home / HOMES[program] / "mcp.json").write_text('{ "mcpServers": {} }\n')
