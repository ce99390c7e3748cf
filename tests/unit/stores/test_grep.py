"""The folder of Markdown files: names that lead nowhere else, cards that read as they were written, words as they stand."""

import multiprocessing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whoknows.domain.fact import Citation
from whoknows.domain.ids import PrincipalId
from whoknows.domain.principal import Kind, Principal
from whoknows.errors import StoreUnavailable
from whoknows.stores.grep.cards import Card, parse, render, text_of
from whoknows.stores.grep.folder import BankFolder, is_key, key_of
from whoknows.stores.grep.names import bank_folder
from whoknows.stores.grep.words import plain, score, words

AT = datetime(2026, 1, 31, 12, tzinfo=UTC)
texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), min_size=1)


def folder(name: str, kind: Kind = Kind.TEAM) -> tuple[str, str]:
    return bank_folder(Principal(PrincipalId(1), kind, name))


@given(st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=200))
def test_the_name_of_a_folder_is_one_step_that_every_file_system_takes(name: str) -> None:
    kind, step = folder(name)
    assert kind == "team"
    assert len(step) < 200
    assert set(step) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_=")


@given(texts, texts)
def test_different_names_are_different_folders_also_where_case_does_not_count(a: str, b: str) -> None:
    assert (folder(a)[1].casefold() == folder(b)[1].casefold()) == (a == b)


def test_names_that_look_alike_are_kept_apart() -> None:
    names = [
        "acme",
        "Acme",
        "ACME",
        "acme-corp",
        "acme_corp",
        "acme_",
        "..",
        ".",
        "a/b",
        "a_2fb",
        "%",
        "*",
        "\n",
        "项目",
        "目项",
    ]
    names += ["x" * 120, "x" * 121, "x" * 122, "项" * 200, "项" * 199]
    assert len({folder(n)[1].casefold() for n in names}) == len(names)
    assert folder("lin", Kind.MEMBER) != folder("lin", Kind.AGENT)


def cards_of(bank: BankFolder) -> list[tuple[str, Card | None]]:
    return [(key, parse(written)) for key, written in bank.files()]


cards = st.builds(
    Card,
    texts,
    st.none() | texts,
    st.datetimes(timezones=st.just(UTC)),
    st.lists(st.builds(Citation, texts, texts), min_size=1, max_size=3).map(tuple),
)


@given(cards)
def test_a_card_reads_as_it_was_written(card: Card) -> None:
    assert parse(render(card)) == card
    assert text_of(render(card)) == card.text


def test_a_card_that_a_person_changed_is_still_one_and_what_is_none_is_passed_over() -> None:
    by_hand = '---\nat: 2026-01-31 12:00:00+00:00\nsources:\n- source: file:notes/a.md\n  quote: "x: y"\n---\nThe text.\n'
    read = parse(by_hand)
    assert read == Card("The text.", None, AT, (Citation("file:notes/a.md", "x: y"),))
    head = '---\nat: "2026-01-31T12:00:00+00:00"\n'
    for none in (
        "",
        "# A note\n",
        "---\n",
        "---\nat: x\n---\n",
        "---\n- a\n---\nx",
        "---\n!!python/object:os.system x\n---\n",
        "---\na: [\n---\n",
        f"{head}---\nx",
        f"{head}sources: [{{source: 1, quote: 2}}]\n---\nx",
        f"{head}sources: [{{source: a}}]\n---\nx",
        "---\nat: 2026-01-31T12:00:00\nsources: []\n---\nx",
    ):
        assert parse(none) is None


def test_what_lies_elsewhere_is_no_bank(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    card = Card("secret", None, AT, (Citation("s", "q"),))
    key = key_of("secret", None)
    (outside / f"{key}.md").write_text(render(card), "utf-8")
    root = tmp_path / "root"
    (root / "team").mkdir(parents=True)
    (root / "team" / "t").symlink_to(outside)
    linked = BankFolder(root, "team", "t")
    assert list(cards_of(linked)) == []
    with pytest.raises(StoreUnavailable):
        linked.put(key, lambda _: card)
    assert not linked.remove(key)
    assert (outside / f"{key}.md").exists()
    real = BankFolder(root, "team", "u")
    real.put(key, lambda _: card)
    (real.path / f"{'0' * 32}.md").symlink_to(outside / f"{key}.md")
    assert [c for c, _ in cards_of(real)] == [key]
    assert not real.remove("../../outside/" + key)
    assert not is_key("../" + key)
    assert real.remove(key)
    assert list(cards_of(real)) == []


def test_a_write_that_fails_leaves_the_card_as_it_was(tmp_path: Path) -> None:
    bank = BankFolder(tmp_path, "team", "t")
    card = Card("first", None, AT, (Citation("s", "q"),))
    bank.put("0" * 32, lambda _: card)

    def fails(_: Card | None) -> Card:
        raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        bank.put("0" * 32, fails)
    with pytest.raises(UnicodeEncodeError):
        bank.put("0" * 32, lambda _: Card("half \ud800", None, AT, ()))
    assert [c for _, c in cards_of(bank)] == [card]
    assert sorted(p.name for p in bank.path.iterdir()) == [".lock", f"{'0' * 32}.md"]


def _cite(root: Path, process: int) -> None:
    bank = BankFolder(root, "team", "t")
    for n in range(15):
        mine = Citation(f"file:{process}/{n}", "q")
        bank.put("0" * 32, lambda c, mine=mine: Card("one", None, AT, (*(c.citations if c else ()), mine)))


def test_processes_that_write_one_card_lose_nothing_of_each_other(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_cite, args=(tmp_path, n)) for n in range(3)]
    for w in writers:
        w.start()
    for w in writers:
        w.join(60)
        assert w.exitcode == 0
    ((_, card),) = cards_of(BankFolder(tmp_path, "team", "t"))
    assert len(set(card.citations)) == 45


def test_the_same_words_of_one_project_have_one_key() -> None:
    assert key_of("端口是 5433。", "p") == key_of("  端口是 5433. ", "p")
    keys = [key_of("x", None), key_of("x", "p"), key_of("x", "q"), key_of("y", None), key_of("px", None)]
    assert len(set(keys)) == len(keys)


def test_words_are_looked_for_as_they_stand() -> None:
    assert words("Which PORT does the staging-db use?") == {"port", "staging-db", "use"}
    assert words("预发的数据库端口是多少？") == {"预发", "数据", "据库", "库端", "端口"}
    assert words("港") == {"港"}
    assert words("the of and 的吗") == frozenset()
    assert score(words("port staging"), plain("The PORT of Staging")) == 1.0
    assert score(words("port heron"), plain("the port")) == 0.5
    assert score(frozenset(), "anything") == 0.0
