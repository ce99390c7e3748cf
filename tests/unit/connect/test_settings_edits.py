"""Edits of settings: what is ours goes in and comes out, and nothing else moves."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whoknows.connect import json_text, toml_text
from whoknows.connect.faults import ConnectFault
from whoknows.connect.pieces import Hooks, Tables, WholeFile, places_of_ours

from .settings_texts import json_files, toml_files

FEW = settings(max_examples=25, deadline=None)
OURS = {"type": "command", "command": "/home/ana/.local/share/whoknows/hook/whoknows-hook codex", "timeout": 5}
GROUPS = {"SessionStart": {"matcher": "startup|compact", "hooks": [OURS]}, "Stop": {"hooks": [OURS]}}
HOOKS = Hooks(Path("hooks.json"), GROUPS)
SERVER: dict[str, Any] = {"url": "http://127.0.0.1:8765/mcp", "timeout": 5, "http_headers": {"X-Machine": "盒子"}}
TABLES = Tables(Path("config.toml"), {("mcp_servers", "whoknows"): SERVER})


def parsed(content: bytes | None) -> Any:
    text = (content or b"").decode("utf-8-sig")
    return json.loads(text) if text.strip() else {}


def loaded(content: bytes | None) -> Any:
    return tomllib.loads((content or b"").decode("utf-8-sig"))


@FEW
@given(json_files())
def test_our_hooks_are_added_and_everything_else_is_as_it_was(content: bytes | None) -> None:
    before, after = parsed(content), parsed(HOOKS.added(content))
    for event, group in GROUPS.items():
        assert after["hooks"][event][:-1] == before.get("hooks", {}).get(event, [])
        assert after["hooks"][event][-1] == group
    others = {k: v for k, v in before.items() if k != "hooks"}
    assert {k: v for k, v in after.items() if k != "hooks"} == others
    assert [k for k in after if k in before] == list(before), "in the same order"


@FEW
@given(json_files())
def test_adding_our_hooks_twice_is_adding_them_once(content: bytes | None) -> None:
    once = HOOKS.added(content)
    assert HOOKS.present(once)
    assert HOOKS.added(once) == once


@FEW
@given(json_files())
def test_hooks_that_are_taken_out_leave_what_was_said_before(content: bytes | None) -> None:
    left = HOOKS.removed(HOOKS.added(content), content)
    assert parsed(left) == parsed(content)
    assert not HOOKS.present(left)
    assert (left is None) == (content is None)


@FEW
@given(json_files(), st.sampled_from(["theme2", "zz"]))
def test_what_somebody_changed_meanwhile_stays_when_our_hooks_go(content: bytes | None, name: str) -> None:
    connected = HOOKS.added(content)
    edited = json_text.put(connected.decode("utf-8-sig"), (name,), [1])
    edited = json_text.put(edited, ("hooks", "PostToolUse", 0), {"hooks": [{"type": "command", "command": "mine"}]})
    left = parsed(HOOKS.removed(edited.encode(), content))
    assert left[name] == [1]
    assert left["hooks"]["PostToolUse"] == [{"hooks": [{"type": "command", "command": "mine"}]}]
    assert {k: v for k, v in left.items() if k not in (name, "hooks")} == {
        k: v for k, v in parsed(content).items() if k != "hooks"
    }


@pytest.mark.parametrize(
    "text",
    [
        '{\n  "model": "x"\n}\n',
        '{\r\n\t"model": "x",\r\n\t"a": [1,\r\n2]\r\n}',
        '{"model":"x","hooks":{"Stop":[]}}',
        '{\n    // 为什么\n    "a": 1, // here\n    "b": 2 /* and here */\n}\n',
        '{"a": 1, "a": 2}',
    ],
)
def test_taking_out_by_hand_what_went_in_gives_the_same_bytes(text: str) -> None:
    left = HOOKS.removed(HOOKS.added(text.encode()), text.encode())
    assert left == text.encode()


def test_a_hook_of_ours_within_a_group_of_somebody_else_goes_alone() -> None:
    mine = {"type": "command", "command": "mine.sh"}
    mixed = json.dumps({"hooks": {"Stop": [{"matcher": "x", "hooks": [mine, OURS]}]}}).encode()
    assert parsed(HOOKS.removed(mixed, mixed)) == {"hooks": {"Stop": [{"matcher": "x", "hooks": [mine]}]}}


def test_a_hook_of_ours_keeps_its_place_among_others() -> None:
    """Codex counts the hooks of a file, and trusts each by its number."""
    old = {"hooks": [{**OURS, "timeout": 1}]}
    other = {"hooks": [{"type": "command", "command": "mine.sh"}]}
    after = HOOKS.added(json.dumps({"hooks": {"Stop": [old, other]}}).encode())
    assert parsed(after)["hooks"]["Stop"] == [GROUPS["Stop"], other]
    assert places_of_ours(after.decode()) == [("Stop", 0, 0), ("SessionStart", 0, 0)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1,\n "b" 2}', "line 2"),
        ("{", "line 1"),
        ("[1]", "no object"),
        ('{"hooks": []}', "no object"),
        ('{"hooks": {"Stop": {}}}', "no list"),
        ("{'a': 1}", "quotes"),
        ('{"a": 1} x', "after the end"),
        ("[" * 100_000, "too deep"),
        ('{"a": /* ', "does not end"),
    ],
)
def test_a_broken_file_is_named_with_what_is_wrong_in_it(text: str, says: str) -> None:
    with pytest.raises(ConnectFault, match=r"hooks\.json") as fault:
        HOOKS.added(text.encode())
    assert says in fault.value.detail


def test_a_file_in_another_encoding_is_refused() -> None:
    with pytest.raises(ConnectFault, match="not valid UTF-8"):
        HOOKS.added('{"model": "x"}'.encode("utf-16"))


@FEW
@given(toml_files())
def test_our_tables_are_added_below_and_everything_before_is_as_it_was(content: bytes | None) -> None:
    after = TABLES.added(content)
    assert after.startswith(content or b"")
    said = loaded(after)
    assert said["mcp_servers"].pop("whoknows") == SERVER
    assert {k: v for k, v in said.items() if v} == {k: v for k, v in loaded(content).items() if v}
    assert TABLES.added(after) == after


@FEW
@given(toml_files())
def test_tables_that_are_taken_out_leave_the_bytes_before(content: bytes | None) -> None:
    left = TABLES.removed(TABLES.added(content), content)
    if content is None:
        assert left is None
        return
    assert left is not None
    newline = b"" if not content.strip(b"\xef\xbb\xbf \r\n\t") or content.endswith(b"\n") else b"\n"
    assert left.replace(b"\r\n", b"\n") == content.replace(b"\r\n", b"\n") + newline
    assert loaded(left) == loaded(content)


@FEW
@given(toml_files())
def test_what_a_program_wrote_behind_our_tables_stays(content: bytes | None) -> None:
    more = b'\n# trust\n[projects."/y"]\ntrust_level = "trusted"\n'
    left = TABLES.removed(TABLES.added(content) + more, content)
    assert left is not None
    assert left.endswith(more)
    assert loaded(left)["projects"]["/y"] == {"trust_level": "trusted"}


@pytest.mark.parametrize(
    "text", ['mcp_servers = { other = { url = "x" } }\n', "[[mcp_servers]]\nname = 'x'\n", "mcp_servers = 1\n", "a = \n"]
)
def test_a_toml_file_that_cannot_be_edited_safely_is_left_and_named(text: str) -> None:
    with pytest.raises(ConnectFault, match=r"config\.toml"):
        TABLES.added(text.encode())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[features]\nmemories = true # mine\n", "[features]\nmemories = false # mine\n"),
        ("[features]\nhooks = true", "[features]\nmemories = false\nhooks = true"),
        ("features.memories = true\n", "features.memories = false\n"),
        ("a = 1\r\n", "a = 1\r\n\r\n[features]\r\nmemories = false\r\n"),
        ("", "[features]\nmemories = false\n"),
    ],
)
def test_one_value_is_set_where_it_stands(before: str, after: str) -> None:
    assert toml_text.with_value(before, ("features", "memories"), "false") == after


def test_names_and_texts_of_any_kind_are_written_as_toml_reads_them() -> None:
    table = {"plain-key_1": "x", "空 格": 'a"b\\c\n\x7f', "": True, "list": ["a", "b'"]}
    assert tomllib.loads(toml_text.with_table("", ("t", "/a b:0"), table)) == {"t": {"/a b:0": table}}


def test_a_file_that_is_ours_is_told_by_its_bytes() -> None:
    piece = WholeFile(Path("x"), b"ours")
    assert piece.present(b"ours")
    assert not piece.present(b"ours?")
    assert piece.removed(b"ours", b"theirs") == b"theirs"
