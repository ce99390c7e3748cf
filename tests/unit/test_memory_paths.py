"""Paths of memories as files, and filters of a store: pure parts."""

from typing import Any

import pytest

from whoknows.integrations import paths, store_filter
from whoknows.integrations.reach import key_of, needs
from whoknows.integrations.store_items import Place, item_of, item_tag, prefix_tag, text_of


def memory(**fields: Any) -> Any:
    return {
        "id": "01a00000-0000-7000-8000-0123456789ab",
        "project_id": None,
        "category": "fact",
        "title": None,
        "tags": [],
        **fields,
    }


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"content": "We release on Friday!\nand so on"}, "/general/fact/we-release-on-friday-456789ab.md"),
        ({"content": "x", "title": "../../etc/passwd"}, "/general/fact/etc-passwd-456789ab.md"),
        ({"content": "预发端口：5433"}, "/general/fact/预发端口-5433-456789ab.md"),
        ({"content": "…"}, "/general/fact/memory-456789ab.md"),
        ({"content": "x", "project_id": "a/b\\c"}, "/a%2Fb%5Cc/fact/x-456789ab.md"),
        ({"content": "x", "project_id": ".."}, "/%2E./fact/x-456789ab.md"),
        ({"content": "x", "project_id": "general"}, "/%67eneral/fact/x-456789ab.md"),
    ],
)
def test_a_derived_path_is_one_of_the_folder_whatever_the_words(fields: dict[str, Any], path: str) -> None:
    assert paths.derived(memory(**fields)) == path
    assert paths.normal(path) == path
    assert paths.meant(path) == "456789ab"


@pytest.mark.parametrize(
    "path", ["a.md", "", "/../x", "/a/../../x", "/~/x", "/a\\b", "/a\nb", "/a\x7f", "/\ud800", "/" + "x" * 200]
)
def test_what_leads_elsewhere_is_no_path(path: str) -> None:
    with pytest.raises(paths.BadPath):
        paths.normal(path)


@pytest.mark.parametrize(("path", "same"), [("/a//b/", "/a/b"), ("/./a", "/a"), ("/", "/"), ("/a/...", "/a/...")])
def test_a_path_has_one_form(path: str, same: str) -> None:
    assert paths.normal(path) == same


def test_a_tag_that_is_no_path_chooses_none() -> None:
    assert paths.chosen(memory(tags=["x", "file:/a.md"])) == "/a.md"
    for tag in ("file:", "file:a.md", "file:/../a", "file:/a//b"):
        assert paths.chosen(memory(tags=[tag])) is None


def test_a_file_gets_the_category_of_its_folder() -> None:
    assert paths.category_of("/shop/decision/a.md") == "decision"
    assert paths.category_of("/decision.md") == "fact"
    assert paths.category_of("/observation/a.md") == "fact"


def test_places_that_could_be_taken_for_one_another_have_tags_of_their_own() -> None:
    places = [Place(("a", "b"), "c"), Place(("a",), "b/c"), Place(("a/b",), "c"), Place(("a",), "b")]
    assert len({item_tag("s", p) for p in places} | {item_tag("t", places[0])}) == 5
    assert prefix_tag(("a/b",)) != prefix_tag(("a", "b"))
    assert prefix_tag(("a%2Fb",)) != prefix_tag(("a/b",))
    assert all(len(prefix_tag(("x" * n,))) <= 200 for n in (1, 196, 197, 500))
    assert prefix_tag(("x" * 500,)) != prefix_tag(("x" * 501,))


def test_a_memory_that_somebody_made_into_something_else_is_no_item() -> None:
    text = text_of("s", Place(("a",), "k"), {"v": "中 \ud83d \0"})
    assert "\ud83d" not in text
    assert "\0" not in text
    found = item_of(memory(content=text))
    assert found is not None
    assert found.value == {"v": "中 \ud83d \0"}
    for content in ("hello", "[]", '{"value": 1, "at": [], "item": "k"}', '{"at": ["a"], "item": "k"}'):
        assert item_of(memory(content=content)) is None


@pytest.mark.parametrize(
    ("conditions", "passes"),
    [
        ({}, True),
        ({"n": 2}, True),
        ({"n": {"$gte": 2, "$lt": 3}}, True),
        ({"n": {"$gt": "1"}}, False),
        ({"s": {"$gt": "a"}}, True),
        ({"none": None}, True),
        ({"none": {"$ne": 1}}, True),
        ({"none": {"$lt": 1}}, False),
        ({"in": {"deep": {"$gt": 0}}}, True),
        ({"in": {"other": 1}}, False),
        ({"n": {"deep": 1}}, False),
        ({"l": [1, {"x": 1}]}, True),
        ({"l": [1]}, False),
        ({"n": [2]}, False),
    ],
)
def test_a_filter_lets_through(conditions: dict[str, Any], passes: bool) -> None:
    value = {"n": 2, "s": "b", "in": {"deep": 1, "more": 2}, "l": [1, {"x": 1, "y": 2}]}
    store_filter.checked(conditions)
    assert store_filter.lets_through(conditions, value) is passes


def test_an_operator_that_there_is_not_is_said_also_further_in() -> None:
    for conditions in ({"n": {"$near": 1}}, {"in": {"deep": {"$in": [1]}}}):
        with pytest.raises(ValueError, match="Unsupported operator"):
            store_filter.checked(conditions)


def test_without_a_key_or_an_extra_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WHOKNOWS_KEY", raising=False)
    with pytest.raises(ValueError, match="WHOKNOWS_KEY"):
        key_of(None)
    with pytest.raises(ImportError, match=r"no_such_module.*whoknows\[some\]"):
        needs("some", "json", "no_such_module")
