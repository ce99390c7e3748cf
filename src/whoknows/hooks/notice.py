"""The one line that a person sees when memory is off: at most once in a session."""

from __future__ import annotations

import os

from . import answers, state

_PROGRAMS = ("claude-code", "codex")
_EVENTS = ("SessionStart", "UserPromptSubmit")
_ENGLISH = "WhoKnows: memory is off for now ({code}). Prompts go on without it. Why: `whoknows doctor {program}`, or {log}"
_CHINESE = "WhoKnows：记忆暂时没有接上（{code}），提问照常进行。原因请看 `whoknows doctor {program}`，或 {log}"


def once(folder: str | None, program: str, event: str, session: str | None, code: str, log: str) -> bytes:
    """The output, or nothing: where it was said already, cannot be shown, or could not be remembered as said."""
    if folder is None or session is None or program not in _PROGRAMS or event not in _EVENTS:
        return b""
    if not state.first_time(os.path.join(folder, "told", f"{program}-{session}")):
        return b""
    text = _CHINESE if _language().startswith("zh") else _ENGLISH
    return answers.written({"systemMessage": text.format(code=code, program=program, log=os.path.join(folder, log))})


def _language() -> str:
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    return next((os.environ[name] for name in names if os.environ.get(name)), "")
