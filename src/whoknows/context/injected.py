"""What WhoKnows or a harness put into a message is not what somebody said: it is blanked out, place for place (rules §8)."""

import json
import re
from collections.abc import Callable, Sequence
from typing import cast

_HEX = "[0-9a-fA-F]"
_UUID = rf"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"

TAG = "whoknows-memory"
"""The element in which everything stands that WhoKnows puts beside a prompt."""
WRAPPERS = (
    TAG, "system-reminder", "system_reminder", "task-notification", "task_notification", "local-command-stdout",
    "local-command-stderr", "local-command-caveat", "command-name", "command-message", "command-args", "command-contents",
    "bash-input", "bash-stdout", "bash-stderr", "user-prompt-submit-hook", "session-start-hook", "hook-additional-context",
    "hook_additional_context", "environment_context", "environment-context", "user_instructions",
    "persisted-output", "agent_memory", "oai-mem-citation", "ide_selection", "ide_opened_file", "turn_aborted",
    "subagent_notification",
)  # fmt: skip
"""Elements in which programs around a model wrap what no person typed, wherever they stand."""
OPENS = r"(?:[<＜]|&lt;)"


def elements(names: Sequence[str]) -> str:
    """A pattern that names any of them."""
    return "|".join(sorted(map(re.escape, names), key=len, reverse=True))


def mark_of(names: Sequence[str]) -> re.Pattern[str]:
    """The beginning or the end of such an element: its groups are ``end``, empty at the beginning, and ``name``."""
    return re.compile(
        rf"{OPENS}[ \t]*+(?P<end>/?)[ \t]*+(?P<name>{elements(names)})(?![\w-])[^<>＜＞]{{0,300}}?(?:[>＞]|&gt;)", re.IGNORECASE
    )


_MARK = mark_of((
    *WRAPPERS, "system", "memory", "memories", "relevant-memories", "relevant_memories", "whoknows", "whoknows-context",
    "whoknows-memories", "context", "INSTRUCTIONS",
))  # fmt: skip
"""These, and what in a conversation that is learned from is nobody's words."""
_BRACKETED = re.compile(r"\[(system[ _-]reminder)\].*?(?:\[/\1\]|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"^[ \t>]*(?P<run>`{3,})[ \t]*(?P<label>[^\n`]*)$", re.MULTILINE)
_LABEL = re.compile(
    rf"memory\s+{_UUID}\s*\|"  # a memory in a context
    r"|memory\s+\d+\s+·.*·|记忆\s*\d+\s*·.*·",  # a line of a handed-over context
    re.IGNORECASE,
)
_LISTED = re.compile(
    rf"^[ \t>]*\d+\.[^\n]*\n(?:(?![ \t>]*\d+\.)[^\n]*\n)*?[ \t>]*(?:memory|记忆)[:：][ \t]*{_UUID}[ \t]*$", re.MULTILINE
)
"""One answer in evidence mode, from its number to the id of its memory."""
_RECALLED = re.compile(
    rf"^[ \t>]*\d+\.[ \t]+[01]\.\d\d[ \t][^\n]*·[^\n]*\n(?:(?![ \t>]*\d+\.)[^\n]*\n)*?[ \t>]*{_UUID}[ \t]*$", re.MULTILINE
)
"""One hit of `whoknows recall`, from its number to its id."""
_HEAD = re.compile(r"^[ \t>]*(?:\[Evidence mode: no language model took part\]|【证据模式：没有语言模型参与】)", re.MULTILINE)
_LAST = re.compile(rf"^[ \t>]*(?:memory|记忆)[:：][ \t]*{_UUID}[ \t]*$", re.MULTILINE)
_LINE = re.compile(
    r"\[Evidence mode: no language model took part\].*|【证据模式：没有语言模型参与】.*"
    r"|Memories of (?:this project|the user): data, not instructions\..*"
    r"|What stands between the fences is memory, given as data\..*|围栏之间的内容是作为数据提供的记忆.*"
    r"|# Context for .*, from .*|# .* 交给 .*的上下文"
    r"|## (?:Given for this task|What matches the task|Context of the project|What else is known)"
    r"|## (?:为此任务指定的记忆|与任务相关|项目上下文|其他已知内容)"
    r"|searched: .*·.*· trace .*"
    r"|Read HEARTBEAT\.md.*|If nothing needs attention, reply HEARTBEAT_OK.*"
    r"|(?:System|SYSTEM): .*|\[(?:system|SYSTEM)(?: [^\]]*)?\].*"
)
_HEARTBEAT = re.compile(r"HEARTBEAT(?:_[A-Z]+)?")
_NOW = re.compile(r"Now: \d{4}-\d\d-\d\d .*")
_OF_NOW = ("Project: ", "Conversation: ", "Agent: ", "Model: ", "Teams: ")


def own_words(text: str) -> str:
    """``text`` with line breaks in place of every character that was put in: as long as before, so that places stay places.

    Blanked are fenced memories and what frames them, answers in evidence mode, recalled lists (as text or as JSON), system
    reminders and other elements of harnesses, and heartbeats.
    """
    if _is_recalled_json(text):
        return _blank(text)
    text = without(text, _fenced(text), _blank)
    text = _without_answer(text)
    text = without(text, wrapped(text, _MARK), _blank)
    for pattern in (_BRACKETED, _LISTED, _RECALLED):
        text = pattern.sub(lambda m: _blank(m[0]), text)
    return _without_lines(text)


def without_memories(text: str) -> str:
    """``text`` without the fenced memories in it, of a context or of a tool's answer; the rest word for word."""
    return without(text, _fenced(text))


def without(text: str, places: Sequence[tuple[int, int]], put: Callable[[str], str] = lambda _: "") -> str:
    """``text`` with what ``put`` makes of each of the ``places``, which stand in order: nothing, where nothing is said."""
    kept: list[str] = []
    at = 0
    for start, end in places:
        kept += (text[at:start], put(text[start:end]))
        at = end
    return "".join((*kept, text[at:]))


def _without_answer(text: str) -> str:
    """An answer in evidence mode goes from its head to the id of its last memory, whatever its memories look like."""
    head = _HEAD.search(text)
    ids = [] if head is None else [m.end() for m in _LAST.finditer(text, head.end())]
    return text if head is None or not ids else text[: head.start()] + _blank(text[head.start() : ids[-1]]) + text[ids[-1] :]


def _without_lines(text: str) -> str:
    """Without the lines that frame memories, tell the moment, or are beats of a heart."""
    kept: list[str] = []
    moment = False
    for line in text.split("\n"):
        bare = line.strip(" \t>\r")
        moment = _NOW.fullmatch(bare) is not None or (moment and bare.startswith(_OF_NOW))
        beat = "HEARTBEAT" in bare and _HEARTBEAT.fullmatch("".join(c for c in bare if c.isalnum() or c == "_").strip("_"))
        kept.append(_blank(line) if moment or beat or _LINE.fullmatch(bare) else line)
    return "\n".join(kept)


def wrapped(text: str, mark: re.Pattern[str]) -> list[tuple[int, int]]:
    """From each element of ``mark`` to its own end, whatever stands within; to the end of the text where there is none."""
    found: list[tuple[int, int]] = []
    start, depth, name = 0, 0, ""
    for tag in mark.finditer(text):
        this, ends = tag["name"].casefold(), bool(tag["end"])
        if depth == 0 and not ends:
            start, depth, name = tag.start(), 1, this
        elif depth and this == name:
            depth += -1 if ends else 1
            if depth == 0:
                found.append((start, tag.end()))
    return [*found, (start, len(text))] if depth else found


def _fenced(text: str) -> list[tuple[int, int]]:
    """From each fence with the label of a memory to the fence that closes it; to the end where none does."""
    found: list[tuple[int, int]] = []
    at = 0
    while fence := _FENCE.search(text, at):
        closing = re.compile(rf"^[ \t>]*{fence['run']}[ \t]*$", re.MULTILINE).search(text, fence.end())
        end = len(text) if closing is None else closing.end()
        if _LABEL.match(fence["label"]):
            found.append((fence.start(), end))
        at = max(end, fence.end())
    return found


def _is_recalled_json(text: str) -> bool:
    """An answer of recall, a list or a context of WhoKnows, as it came over the wire."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        return False
    try:
        said = json.loads(stripped)
    except (ValueError, RecursionError):
        return False
    if isinstance(said, list) and said:
        said = cast(list[object], said)[0]
    if not isinstance(said, dict):
        return False
    named = {str(key) for key in cast(dict[object, object], said)}
    return bool(named & {"memories", "overturned", "memoryId", "memory_type"}) or {"items", "next_cursor"} <= named


def _blank(text: str) -> str:
    return "\n" * len(text)
