"""What Codex remembers: a summary, a handbook by task groups, raw memories and summaries of its sessions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from whoknows.documents.lines import Kind, Line
from whoknows.domain.memory import Category
from whoknows.migration.blocks import blocks_of, items_of, without_mark
from whoknows.migration.lines import without_put_in
from whoknows.migration.statements import GENERAL, Parsed, Place, Statement


class Form(StrEnum):
    SUMMARY = "memory_summary.md"
    HANDBOOK = "MEMORY.md"
    RAW = "raw memories, summaries of sessions and other notes"


@dataclass(frozen=True, slots=True)
class _At:
    """Where in a file the next line stands."""

    place: Place | None
    group: str = ""
    section: str = ""
    noted: str | None = None
    keywords: tuple[str, ...] = ()


def form_of(path: str) -> Form | str:
    """What a file below the memory folder is, or why it is no memory."""
    if path == "memory_summary.md":
        return Form.SUMMARY
    if path == "MEMORY.md":
        return Form.HANDBOOK
    if path.startswith("skills/") or path.endswith("/instructions.md"):
        return "a rule of the program: it stays where it is"
    if path == "phase2_workspace_diff.md":
        return "a working file of the program"
    return Form.RAW if path.endswith(".md") else "no note of the program"


def parsed_notes(
    path: str, lines: Sequence[str], form: Form, has_handbook: bool = True, place: Place | None = None, noted: str | None = None
) -> Parsed:
    """``has_handbook``: the routing index of the summary points into a file that is there. ``place`` and ``noted``: where and
    when, as far as the text does not say it.
    """
    shown, own = without_put_in(lines)
    structure: dict[int, str] = dict.fromkeys(own, "put there by WhoKnows or the program, and no memory")
    at = _At(GENERAL if form is Form.SUMMARY else place, noted=noted)
    statements: list[Statement] = []
    said: list[Line] = []
    in_code = False

    def finish() -> None:
        for item in items_of(said):
            statements.extend(_statements(path, item, at))
        said.clear()

    for number, text in enumerate(shown, 1):
        if number in own:
            continue
        fence = text.lstrip().startswith(("```", "~~~"))
        if in_code or fence:
            said.append(Line(number, text, Kind.CODE))
            in_code = in_code != fence
            if not text.strip():
                structure[number] = "blank"
            continue
        reason, after = _structure(number, text, form, at, has_handbook)
        if reason is None:
            said.append(Line(number, text, Kind.TEXT))
            continue
        structure[number] = reason
        if reason == "blank":
            said.append(Line(number, "", Kind.TEXT))
        elif after != at or reason == "heading":
            finish()
        at = after
    finish()
    return Parsed(path, len(lines), statements, (), structure)


def place_in(text: str) -> Place | None:
    """The directory that a raw memory names in its front matter."""
    for line in text.split("\n"):
        found = _META.match(line)
        if found and found["name"].lower() == "cwd":
            return _place(found["value"])
    return None


def _structure(number: int, text: str, form: Form, at: _At, has_handbook: bool) -> tuple[str | None, _At]:
    """Why a line says nothing by itself (None: it does), and where the next one stands."""
    line = text.strip()
    if not line:
        return "blank", at
    if number == 1 and line == "v1":
        return "version of the format", at
    if line == "---":
        return "front matter", at
    if _PREAMBLE.match(line):
        return "heading", at
    if heading := _HEADING.match(text):
        return "heading", _below(len(heading[1]), heading[2].strip(), form, at)
    if at.section == _FILES:
        place = at.place or _cwd(line)
        return "reference to a summary", replace(at, place=place, noted=at.noted or _value(_UPDATED, line))
    if at.section == _KEYWORDS:
        return "keywords", replace(at, keywords=(*at.keywords, *_listed(line.lstrip("-* "))))
    if at.section == _INDEX and form is Form.SUMMARY and has_handbook:
        return "index of the handbook", at
    if found := _META.match(text):
        return "front matter", _noted(found["name"].lower(), found["value"].strip(), at)
    if (label := _LABEL.match(line)) and _section(label[1]):
        return "heading", replace(at, section=_section(label[1]))
    return None, at


def _below(level: int, heading: str, form: Form, at: _At) -> _At:
    named = _section(heading)
    if form is Form.SUMMARY:
        if level > 2:
            return at
        # Only what is said of the person holds everywhere.
        general = named in (_PROFILE, _PREFERENCES, _TIPS, _INDEX)
        return _At(GENERAL if general else None, heading, named)
    if heading.lower().startswith(("task group:", "thread ")):
        return _At(None, heading.partition(":")[2].strip() if ":" in heading else "")
    if named:
        return replace(at, section=named)
    if level == 1:
        return replace(at, group=at.group or heading, section="")
    return replace(at, section=_TASK)


def _noted(name: str, value: str, at: _At) -> _At:
    match name:
        case "applies_to":
            return replace(at, place=_cwd(value) or at.place)
        case "cwd":
            return replace(at, place=_place(value) or at.place)
        case "updated_at":
            return replace(at, noted=value)
        case "keywords":
            return replace(at, keywords=_listed(value))
        case "description":
            return replace(at, group=value)
        case _:
            return at


def _statements(path: str, item: Sequence[Line], at: _At) -> list[Statement]:
    place = at.place or Place(f"{path}#{at.group}" if at.group else path)
    category = _CATEGORIES.get(at.section, Category.FACT)
    title = at.group or None
    return [
        Statement(path, b.lines, b.text, title, category, place, b.quote, at.keywords[:_MOST_KEYWORDS], at.noted)
        for b in map(without_mark, blocks_of(item))
    ]


def _section(heading: str) -> str:
    words = heading.strip().rstrip(":").casefold()
    return next((section for section, begins in _SECTIONS if words.startswith(begins)), "")


def _cwd(text: str) -> Place | None:
    found = _CWD.search(text)
    return None if found is None else _place(found[1])


def _place(value: str) -> Place | None:
    value = value.strip().strip("`'\"")
    if not value:
        return None
    return Place(value, tuple(p for part in _SEVERAL.split(value) if (p := part.strip().strip("`'\""))))


def _value(pattern: re.Pattern[str], text: str) -> str | None:
    found = pattern.search(text)
    return None if found is None else found[1]


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(w for part in re.split(r"[,，、]", text) if (w := part.strip(" `\"'."))))


_MOST_KEYWORDS = 12
_PROFILE, _PREFERENCES, _TIPS, _INDEX = "profile", "preferences", "tips", "index"
_KNOWLEDGE, _FAILURES, _REFERENCES, _FILES, _KEYWORDS, _TASK = (
    "knowledge",
    "failures",
    "references",
    "files",
    "keywords",
    "task",
)
_SECTIONS = (
    (_PROFILE, "user profile"),
    (_PREFERENCES, ("user preferences", "preference signals", "preferences")),
    (_TIPS, "general tips"),
    (_INDEX, ("what's in memory", "what’s in memory", "older memory", "memory index")),
    (_KNOWLEDGE, "reusable knowledge"),
    (_FAILURES, "failures"),
    (_REFERENCES, "references"),
    (_FILES, "rollout_summary_files"),
    (_KEYWORDS, "keywords"),
    (_TASK, ("task ", "key steps", "rollout context")),
)
_CATEGORIES = {
    _PROFILE: Category.USER_PREFERENCE,
    _PREFERENCES: Category.USER_PREFERENCE,
    _TIPS: Category.EXPERIENCE,
    _KNOWLEDGE: Category.FACT,
    _FAILURES: Category.EXPERIENCE,
    _REFERENCES: Category.RESEARCH_NOTE,
    _TASK: Category.PROJECT_PROGRESS,
}
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)$")
_META = re.compile(
    r" ?(?P<name>scope|applies_to|cwd|updated_at|thread_id|rollout_path|rollout_summary_file|rollout_slug|git_branch"
    r"|task|task_group|task_outcome|outcome|keywords|description|created_at):(?P<value>(?:\s.*)?)$",
    re.IGNORECASE,
)
_PREAMBLE = re.compile(r"Merged (?:stage-1 )?raw memories \(.*\):$|No raw memories yet\.$")
_LABEL = re.compile(r"([^\W\d_][\w '’/-]{2,60}):$")
_CWD = re.compile(r"\bcwd=([^;,)]+)")
_UPDATED = re.compile(r"\bupdated_at=([^,;)\s]+)")
_SEVERAL = re.compile(r"\s+(?:and|or|和|或)\s+|\s*[|、]\s*")
