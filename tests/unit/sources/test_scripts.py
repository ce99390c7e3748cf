"""Scripts: those of the package are whole; of a wrong one everything that is wrong is told, with its place."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from whoknows.domain.script import AskStep, CardKind, Knowledge, PublishStep, WhisperStep
from whoknows.errors import ConfigurationFault, ScriptInvalid
from whoknows.sources.scripts import ScriptFiles, parse, read
from whoknows.sources.yaml_nodes import LARGEST

OWN = ScriptFiles().all()


def words(text: str) -> dict[str, str]:
    return {"zh": f"{text}（中文）", "en": text}


def card(name: str) -> dict[str, Any]:
    return {"id": name, "topic": "safe", "kind": "secret", "text": words(name)}


def role(name: str) -> dict[str, Any]:
    return {"id": name, "name": words(name), "persona": words("calm"), "memories": [card(f"{name}-card")]}


def script(**changed: Any) -> dict[str, Any]:
    """A script that is right, with ``changed`` fields."""
    ask = {"role": "cat", "question": words("where?"), "expect": "known", "card": "cat-card", "from": "own"}
    whole = {
        "id": "a-script",
        "title": words("title"),
        "intro": words("intro"),
        "roles": [role("cat"), role("mouse")],
        "steps": [{"ask": ask}, {"publish": {"card": "mouse-card"}}],
    }
    return {**whole, **changed}


def with_cards(*cards: dict[str, Any]) -> dict[str, Any]:
    """A script whose second role has these cards."""
    return script(roles=[role("cat"), {**role("mouse"), "memories": list(cards)}])


def faults(value: Any) -> list[str]:
    text = value if isinstance(value, bytes) else yaml.safe_dump(value, allow_unicode=True, sort_keys=False).encode()
    with pytest.raises(ScriptInvalid) as fault:
        parse(text, "mine.yaml")
    assert all(line.startswith("mine.yaml: line ") for line in fault.value.detail.splitlines())
    return list(fault.value.faults)


def test_the_package_brings_three_scripts_in_both_languages() -> None:
    assert sorted(s.id for s in OWN) == ["greenhouse", "heron", "night-train"]
    for s in OWN:
        assert [r.id for r in s.roles] == ["detective", "informant", "suspect"]
        texts = [s.title, s.intro, *(r.name for r in s.roles), *(r.persona for r in s.roles), *(c.text for _, c in s.cards())]
        for text in texts:
            assert text.zh != text.en
            assert any("\u4e00" <= c <= "\u9fff" for c in text.zh)
            assert not any("\u4e00" <= c <= "\u9fff" for c in text.en)


@pytest.mark.parametrize("s", OWN, ids=lambda s: s.id)
def test_every_script_shows_what_is_unknown_before_and_known_after(s: Any) -> None:
    asked = [step for step in s.steps if isinstance(step, AskStep)]
    assert {step.expect for step in asked} == {Knowledge.KNOWN, Knowledge.UNKNOWN}
    assert any(isinstance(step, WhisperStep) for step in s.steps)
    published = [step.card for step in s.steps if isinstance(step, PublishStep)]
    assert {step.card for step in asked if step.place == "board"} == set(published)


def test_a_script_that_is_right_is_read_as_it_stands() -> None:
    read = parse(yaml.safe_dump(script(), allow_unicode=True).encode(), "mine.yaml")
    assert read.roles[0].memories[0].kind is CardKind.SECRET
    assert read.roles[1].name.zh == "mouse（中文）"
    assert isinstance(read.steps[0], AskStep)


@pytest.mark.parametrize(
    ("value", "place", "says"),
    [
        (script(title={"en": "only"}), "title.zh", "missing"),
        (script(title={**words("x"), "fr": "x"}), "title.fr", "no such field"),
        (script(title=words("")), "title.en", "empty"),
        (script(title=words("\u200b \u2060")), "title.en", "empty"),
        (script(title=words("a\x1b[2J")), "title.en", "'\\x1b' is no text"),
        (script(title=words("a\0")), "title.zh", "'\\x00' is no text"),
        (script(title=words("\x7fa")), "title.zh", "'\\x7f' is no text"),
        (script(id="Not An Id"), "id", "no id"),
        (script(id=7), "id", "quotes"),
        (script(roles=[role("cat")]), "roles", "2 to 8"),
        (script(roles=[role("cat"), role("cat")]), "roles[1].id", "two roles"),
        (with_cards(), "roles[1].memories", "1 to 20"),
        (
            script(roles=[role("cat"), {**role("mouse"), "memories": [card("cat-card")]}]),
            "roles[1].memories[0].id",
            "two cards",
        ),
        (script(roles=[role("cat"), {**role("mouse"), "memories": [{**card("x"), "kind": "lie"}]}]), "kind", "none of"),
        (
            script(roles=[role("cat"), {**role("mouse"), "memories": [{**card("x"), "text": words("字" * 599)}]}]),
            "text",
            "long",
        ),
        (script(roles="cat"), "roles", "list"),
        (script(steps=[{"ask": {}, "publish": {}}]), "steps[0]", "one of"),
        (script(steps=[{"dance": {}}]), "steps[0].dance", "no such field"),
        (script(steps=[{"publish": {"card": "nothing"}}]), "steps[0].publish.card", "no card"),
        (
            script(steps=[{"ask": {"role": "dog", "question": words("?"), "expect": "known"}}]),
            "steps[0].ask.role",
            "no role",
        ),
        (
            script(steps=[{"ask": {"role": "cat", "question": words("?"), "expect": "unknown", "from": "own"}}]),
            "steps[0].ask",
            "comes from nowhere",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_what_to_do(value: Any, place: str, says: str) -> None:
    found = faults(value)
    assert any(place in f and says in f for f in found), found


def test_everything_that_is_wrong_is_told_at_once_in_the_order_of_the_file() -> None:
    found = faults(b"id: 1\nid: two\ntitle: x\nroles: [a]\nsteps:\n  - publish: {card: b}\n")
    lines = [int(f.split(":")[0].removeprefix("line ")) for f in found]
    assert len(found) >= 5
    assert lines == sorted(lines)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"", "empty"),
        (b"# only a remark", "empty"),
        (b"\xff\xfe", "UTF-8"),
        (b"a: [1, 2", "no YAML"),
        (b"a: &x [1]\nb: *x", "anchors"),
        (b"a: &a [x]\nb: &b [*a, *a]\nc: &c [*b, *b]", "anchors"),
        (b"[" * 100, "deeply"),
        (b"a: b\n---\na: b", "no YAML"),
        (b"\x07", "characters"),
        (b"x" * 300_000, "bytes"),
        (b'id: "\\UFFFFFFFF"', "out of its range"),
        (b'id: "\\U00110000"', "out of its range"),
        (b"%YAML " + b"9" * 5000 + b".1\n---\nid: x", "out of its range"),
        (b'id: "a\\ud800"', "'\\ud800' is no text"),
        (b"!!python/object/apply:os.system ['true']", "write `key: value`"),
        (b"just a text", "write `key: value`"),
    ],
)
def test_what_is_no_script_at_all_is_refused(text: bytes, says: str) -> None:
    assert any(says in f for f in faults(text))


def test_of_a_file_without_an_end_no_more_is_read_than_shows_it(tmp_path: Path) -> None:
    endless = tmp_path / "endless.yaml"
    with endless.open("wb") as file:
        file.truncate(2**40)
    assert len(read(endless)) == LARGEST + 1
    with pytest.raises(ScriptInvalid, match="more than"):
        ScriptFiles(tmp_path)
    endless.unlink()
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "secret.yaml").symlink_to("secret.yaml")  # leads nowhere
    assert len(ScriptFiles(tmp_path).all()) == len(OWN)


def test_a_folder_of_ones_own_adds_scripts_and_takes_none_away(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_text(yaml.safe_dump(script(), allow_unicode=True), "utf-8")
    assert {s.id for s in ScriptFiles(tmp_path).all()} == {"a-script", "greenhouse", "heron", "night-train"}
    (tmp_path / "again.yaml").write_text(yaml.safe_dump(script(id="heron"), allow_unicode=True), "utf-8")
    with pytest.raises(ConfigurationFault, match="heron"):
        ScriptFiles(tmp_path)
    (tmp_path / "again.yaml").write_text("id: 1", "utf-8")
    with pytest.raises(ScriptInvalid, match=r"again\.yaml: line 1"):
        ScriptFiles(tmp_path)
    with pytest.raises(ConfigurationFault, match="no folder"):
        ScriptFiles(tmp_path / "nowhere")
