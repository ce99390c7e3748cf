"""Texts of settings as people and programs leave them: any order, any spacing, any mark and any end of a line."""

import json
from typing import Any

from hypothesis import strategies as st

_NAMES = st.sampled_from(["model", "theme", "权限", "env", "mcpServers", "enabledPlugins", "a.b", "hooks2", '"q"'])
_PLAIN = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.just("[mcp_servers.whoknows]"))
_VALUES = st.recursive(
    _PLAIN, lambda v: st.one_of(st.lists(v, max_size=3), st.dictionaries(_NAMES, v, max_size=3)), max_leaves=8
)
_GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(st.just({"type": "command", "command": "lint.sh"}), max_size=2)}, optional={"matcher": st.just("Bash")}
)
_HOOKS = st.dictionaries(st.sampled_from(["Stop", "SessionStart", "PreToolUse"]), st.lists(_GROUP, max_size=2), max_size=3)


@st.composite
def json_files(draw: st.DrawFn) -> bytes | None:
    """The bytes of a JSON file, None for no file."""
    if draw(st.booleans()) and draw(st.booleans()):
        return draw(st.sampled_from([None, b"", b"\n", b"{}", b"{}\n", b"{ }", b"\xef\xbb\xbf{}"]))
    said: dict[str, Any] = draw(st.dictionaries(_NAMES, _VALUES, max_size=4))
    if draw(st.booleans()):
        said["hooks"] = draw(_HOOKS)
        said = dict(draw(st.permutations(list(said.items()))))
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    separators = draw(st.sampled_from([None, (",", ":")])) if indent is None else None
    text = json.dumps(said, indent=indent, separators=separators, ensure_ascii=draw(st.booleans()))
    return _ended(draw, text)


_TOML = st.sampled_from(
    [
        "# 我的设置 / mine\n",
        "\n",
        "  \n",
        "[tui] # here\nnotifications = true\n",
        '[projects."/home/ana/a.b"]\ntrust_level = "trusted"\n',
        '[mcp_servers.other]\ncommand = "x"\nargs = [ # why ]\n  "a", "]",\n  "[mcp_servers.whoknows]" ]\n',
        'text = """\n[mcp_servers.whoknows]\nurl = "no"\n"""\n',
        "lines = '''\n[hooks.state]\n'''\n",
        'inline = { a = 1, "b.c" = [1, 2], d = { e = "}" } }\n',
        'notice.model_migrations."gpt-5" = "gpt-6"\n',
        "[[profiles]]\nname = 'p'\n  [profiles.more]\n  x = 2026-11-30T18:00:00Z\n",
        "[features]\nmemories = false\nhooks = true\n",
    ]
)


@st.composite
def toml_files(draw: st.DrawFn) -> bytes | None:
    if draw(st.integers(0, 9)) == 0:
        return draw(st.sampled_from([None, b"", b"\n", b"\xef\xbb\xbf", b"# nothing"]))
    heads = draw(st.lists(_TOML, max_size=6, unique=True))
    # Pairs without a header come first, or they would belong to a table.
    heads.sort(key=lambda s: s.lstrip().startswith("["))
    return _ended(draw, "".join(heads))


def _ended(draw: st.DrawFn, text: str) -> bytes:
    if draw(st.booleans()):
        text = text.rstrip("\n") + draw(st.sampled_from(["", "\n", "\n\n"]))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    mark = "\ufeff" if draw(st.booleans()) and draw(st.booleans()) else ""
    return (mark + text).encode("utf-8", "surrogatepass")
