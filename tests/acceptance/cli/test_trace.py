"""`whoknows trace ID`: of a memory the way to its source, of a recall what it did, of anything else neither."""

from uuid import uuid4

from .conftest import Cli

QUOTE = "nightly backups end at four"


def test_a_memory_is_traced_through_what_it_was_taken_from(cli: Cli) -> None:
    note = cli.json("main", "capture", f"Minutes of Monday.\nWe saw that {QUOTE}.", "--team", "backend")["memory"]["id"]
    fact = cli.json(
        "main", "capture", "Backups are over by 4", "--team", "backend", "--source", f"memory:{note}", "--quote", QUOTE
    )
    assert fact["findings"] == []
    traced = cli.json("scout", "trace", fact["memory"]["id"])
    (evidence,) = traced["evidence"]
    assert (evidence["found"], evidence["line_start"], evidence["memory"]["id"]) == ("stands", 2, note)
    shown = " ".join(cli("scout", "trace", fact["memory"]["id"]).stdout.replace("│", " ").split())
    assert f"“{QUOTE}” verified; stands there" in shown
    assert "2 We saw that nightly backups end at four." in shown
    assert "it names no source" in shown
    assert cli.json("main", "reverify", fact["memory"]["id"])["evidence"][0]["verified"]


def test_the_trace_of_a_recall_is_shown_by_the_same_command(cli: Cli) -> None:
    assert "asked:" in cli("main", "trace", cli.ids["trace"]).stdout
    assert "question" in cli.json("main", "trace", cli.ids["trace"])


def test_what_is_neither_or_is_another_s_is_not_found(cli: Cli) -> None:
    for identity in (str(uuid4()), cli.ids["secret"], cli.ids["trace"], "x"):
        done = cli("outsider", "trace", identity)
        assert done.returncode == 3
        assert "no memory that you may see, and no trace of yours" in done.stderr
