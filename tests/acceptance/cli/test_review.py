"""`whoknows review` and `whoknows ledger`, as the program shows them."""

import pytest

from .conftest import Cli

TEAM = ("capture", "--team", "backend")


@pytest.fixture(autouse=True, scope="module")
def reviewer(cli: Cli) -> None:
    """The member rin writes to the team `backend`."""
    cli.json("admin", "members", "add", "rin")
    cli.json("admin", "teams", "join", "backend", "member:rin", "--role", "writer")
    cli.keys["reviewer"] = cli.json("admin", "keys", "add", "member:rin")["key"]


def test_what_waits_is_listed_let_in_and_turned_down_by_a_member(cli: Cli) -> None:
    cli.json("admin", "teams", "change", "backend", "--gate", "reviewed")
    try:
        held = cli("main", *TEAM, "部署窗口是周二")
        assert held.returncode == 0
        assert "held" in held.stdout
        other = cli.json("main", *TEAM, "the window is on Friday")["memory"]["id"]
        listed = cli("reviewer", "review", "list")
        assert "部署窗口是周二" in listed.stdout
        assert other in listed.stdout
        assert cli("main", "review", "admit", other).returncode == 4
        done = cli("reviewer", "review", "admit", other, "--text", "the window is on Tuesday")
        assert "stored" in done.stdout
        assert cli.json("scout", "get", other)["content"] == "the window is on Tuesday"
        (waits,) = cli.json("reviewer", "review", "list")["items"]
        assert "is refused" in cli("reviewer", "review", "refuse", waits["id"], "decided otherwise on Monday").stdout
        entry = cli.json("main", "ledger")["items"][0]
        assert (entry["code"], entry["detail"]) == ("rejected", "decided otherwise on Monday")
        assert "decided otherwise" in cli("main", "ledger").stdout
        assert "Nothing waits for you." in cli("reviewer", "review", "list").stdout
    finally:
        cli.json("admin", "teams", "change", "backend", "--gate", "open")


def test_a_refused_write_says_what_is_lacking_and_is_in_the_ledger(cli: Cli) -> None:
    cli.json("admin", "teams", "change", "backend", "--gate", "sourced")
    try:
        refused = cli("main", *TEAM, "the window is on Sunday")
        assert refused.returncode == 7
        assert "source" in refused.stderr
        assert cli.json("main", "ledger", "--limit", "1")["items"][0]["findings"][0]["check"] == "source_missing"
        cli.json("admin", "agents", "add", "blameless")
        cli.keys["blameless"] = cli.json("admin", "keys", "add", "blameless")["key"]
        assert "Nothing was refused." in cli("blameless", "ledger").stdout
    finally:
        cli.json("admin", "teams", "change", "backend", "--gate", "open")


def test_a_member_sets_the_gate_of_its_account(cli: Cli) -> None:
    assert cli.json("reviewer", "members", "change", "rin", "--gate", "verified")["gate"] == "verified"
    assert cli("main", "members", "change", "rin", "--gate", "open").returncode == 4
    assert "open" in cli("reviewer", "members", "change", "rin", "--gate", "open").stdout
