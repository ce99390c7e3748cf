"""After a compaction what stood in the session is said again, in short, and may be said again in full."""

import json
import re

from harness.desk import Desk
from harness.lines import talking
from harness.programs import ALL, Codex, Pi
from whoknows.domain.harness import Program

PORT = "The billing database of boss listens on port 5433."
ASKED = "Which port does the billing database listen on?"
BRIEF = 'for="compaction"'


def test_claude_code_gets_the_brief(desk: Desk) -> None:
    folder = _told(desk, Program.CLAUDE_CODE)
    desk.asks(Program.CLAUDE_CODE, "/compact", folder, resume=True)
    desk.asks(Program.CLAUDE_CODE, "Go on, please.", folder, resume=True)
    assert BRIEF in desk.turn.read
    assert PORT in desk.turn.read


def test_codex_gets_the_brief(desk: Desk) -> None:
    folder = desk.folder("boss")
    desk.connect(Program.CODEX, folder, "boss")
    desk.remembers(PORT, project_id="boss")
    session = re.search(r"session id: (\S+)", desk.asks(Program.CODEX, ASKED, folder).err)
    assert session is not None
    assert PORT in desk.beside()
    codex = ALL[Program.CODEX]
    assert isinstance(codex, Codex)
    settings = [o for s in codex.settings(desk.model.url) for o in ("-c", s)]
    with talking([str(codex.path()), *settings, "app-server"], folder, desk.environment(Program.CODEX)) as talk:
        talk.ask(0, "initialize", {"clientInfo": {"name": "test", "title": "test", "version": "1"}})
        talk.say({"method": "initialized", "params": {}})
        talk.ask(1, "thread/resume", {"threadId": session[1]})
        talk.ask(2, "thread/compact/start", {"threadId": session[1]})
        talk.hear(lambda m: m.get("method") == "turn/completed")
        desk.model.asked.clear()
        said = [{"type": "text", "text": "Go on, please."}]
        talk.ask(3, "turn/start", {"threadId": session[1], "input": said})
        talk.hear(lambda m: m.get("method") == "turn/completed")
    assert BRIEF in desk.turn.read
    assert PORT in desk.turn.read


def test_pi_gets_the_brief(desk: Desk) -> None:
    settings = desk.home / ".pi" / "agent" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"compaction": {"keepRecentTokens": 1}}))
    folder = _told(desk, Program.PI)
    with talking([*Pi.start(), "--mode", "rpc", "-c"], folder, desk.environment(Program.PI)) as talk:
        talk.say({"id": "1", "type": "compact"})
        done = talk.hear(lambda m: m.get("command") == "compact")
        assert done["success"], done
        desk.model.asked.clear()
        talk.say({"id": "2", "type": "prompt", "message": "Go on, please."})
        talk.hear(lambda m: m.get("type") == "agent_settled")
    assert BRIEF in desk.turn.read
    assert PORT in desk.turn.read


def _told(desk: Desk, program: Program):
    """A session in which the memory was said."""
    folder = desk.folder("boss")
    desk.connect(program, folder, "boss")
    desk.remembers(PORT, project_id="boss")
    desk.asks(program, ASKED, folder)
    assert PORT in desk.beside()
    desk.asks(program, "And what is a hedgehog?", folder, resume=True)
    assert BRIEF not in desk.turn.read
    return folder
