"""What is sent of a note: its words without secrets, its project, its source, and one memory for what says the same."""

import json
from collections.abc import Sequence

import pytest

from made_up import aws_key_id, github_token, mobile, password, private_key
from whoknows.domain.memory import Category
from whoknows.migration import claude, report
from whoknows.migration.homes import Native
from whoknows.migration.places import Places
from whoknows.migration.plan import Item, plan_of
from whoknows.migration.reconciliation import reconciled
from whoknows.migration.sending import foreseen
from whoknows.migration.statements import Place

ROOT = ".claude/projects/-srv-shop/memory"
PLACE = Place("-srv-shop", ("/srv/shop",))
MAPPED = {"/srv/shop": "shop", "/srv/site": "site"}


def planned(*notes: tuple[str, str], place: Place = PLACE, account: str | None = "ana") -> Sequence[Item]:
    files = [claude.parsed_topic(f"{ROOT}/{name}", text.splitlines(), place) for name, text in notes]
    return plan_of(Native.CLAUDE_CODE, files, Places(Native.CLAUDE_CODE, (), MAPPED), account).items


@pytest.mark.parametrize("secret", [github_token, aws_key_id, mobile, private_key, lambda: f"password: {password()}"])
def test_no_secret_is_in_anything_that_is_sent_or_shown(secret: object) -> None:
    assert callable(secret)
    told = str(secret())
    bare = told.removeprefix("password: ")
    name = told if told.count("\n") == 0 else "key"
    note = f"---\nname: {name}\ndescription: with {name}\n---\n{told} is what the bot uses\n"
    files = [claude.parsed_topic(f"{ROOT}/a.md", note.splitlines(), PLACE)]
    plan = plan_of(Native.CLAUDE_CODE, files, Places(Native.CLAUDE_CODE, (), {}), None)
    waits = foreseen(plan, {})
    shown = report.as_json(plan, waits, reconciled(plan, waits))
    (sent,) = planned(("a.md", note))
    for whole in (json.dumps(sent.body), json.dumps(shown), report.as_markdown(shown)):
        assert not [line for line in bare.splitlines() if len(line) > 8 and line in whole]
    assert sent.redacted


def test_a_line_that_is_a_part_of_a_secret_is_no_quote() -> None:
    (item,) = planned(("a.md", f"{private_key()}\nis the key of the bot\n"))
    assert item.body["content"] == "[secret:private_key]\nis the key of the bot"
    assert "quote" not in item.body
    (plain,) = planned(("b.md", f"The bot has a key.\n{private_key()}\n"))
    assert plain.body["quote"] == "The bot has a key."


def test_a_note_names_its_lines_its_first_words_its_day_and_its_kind() -> None:
    head = "---\nname: n\ndescription: about carts\nmetadata:\n  type: project\n  modified: 2026-08-01T10:00:00Z\n---\n"
    note = f"{head}\nCarts end.\n\nAfter a month.\n"
    (item,) = planned(("a.md", note))
    assert item.body == {
        "content": "Carts end.\n\nAfter a month.",
        "title": "about carts",
        "category": "project_progress",
        "tags": ["native:claude-code", "project", "noted:2026-08-01"],
        "project_id": "shop",
        "account": "ana",
        "source": f"file:{ROOT}/a.md#L9-L11",
        "quote": "Carts end.",
        "subject": f"file:{ROOT}/a.md",
    }


@pytest.mark.parametrize(
    ("kind", "category", "project"),
    [
        ("user", Category.USER_PREFERENCE, None),
        ("feedback", Category.USER_PREFERENCE, "shop"),
        ("project", Category.PROJECT_PROGRESS, "shop"),
        ("reference", Category.RESEARCH_NOTE, "shop"),
        ("unheard-of", Category.FACT, "shop"),
    ],
)
def test_the_kind_of_a_note_decides_its_category_and_whether_it_is_of_a_project(
    kind: str, category: Category, project: str | None
) -> None:
    (item,) = planned(("a.md", f"---\nname: n\nmetadata:\n  type: {kind}\n---\nText.\n"))
    assert (item.body["category"], item.project) == (str(category), project)


SENTENCE = "The release train leaves every Tuesday evening after the smoke tests of the site are green"


@pytest.mark.parametrize(
    ("other", "joined"),
    [
        (f"{SENTENCE}!", True),
        (SENTENCE.upper(), True),
        (f"{SENTENCE} again", True),
        (SENTENCE.replace("Tuesday", "Wednesday"), False),
        (SENTENCE.replace("leaves", "never leaves"), False),
        (f"{SENTENCE} on port 81", False),
        (SENTENCE.replace("site", "Pluto"), False),
        ("Invoices are written as PDF.", False),
    ],
)
def test_what_says_the_same_is_joined_and_numbers_names_and_negations_keep_apart(other: str, joined: bool) -> None:
    first, second = planned(("a.md", f"{SENTENCE}.\n"), ("b.md", f"{other}.\n"))
    assert (first.joined, second.joined) == (None, 0 if joined else None)
    if joined:
        assert second.body["content"] == first.body["content"]
        assert second.body["source"] == f"file:{ROOT}/b.md#L1"
        assert second.body["quote"] in f"{other}."


def test_the_same_words_in_two_projects_stay_two_memories() -> None:
    here, there = (
        claude.parsed_topic(f"{ROOT}/a.md", ["Same."], PLACE),
        claude.parsed_topic(f"{ROOT}/b.md", ["Same."], Place("/srv/site")),
    )
    items = plan_of(Native.CLAUDE_CODE, [here, there], Places(Native.CLAUDE_CODE, (), MAPPED), None).items
    assert [(i.project, i.joined) for i in items] == [("shop", None), ("site", None)]
