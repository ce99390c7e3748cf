"""What may leave, on the command line: seen, forbidden, and allowed again by who forbade it."""

from .conftest import Cli


def test_a_bank_is_forbidden_and_allowed_by_its_owner(cli: Cli) -> None:
    assert cli.json("scout", "egress", "set", "agent:scout", "forbidden") == {
        "bank": "agent:scout", "egress": "forbidden", "forbidden_by": ["owner"],
    }  # fmt: skip
    listed = {b["bank"]: b["egress"] for b in cli.json("scout", "egress", "list")["items"]}
    assert listed == {"agent:scout": "forbidden", "team:backend": "allowed", "*": "allowed"}
    shown = cli("scout", "egress", "list")
    assert "agent:scout: forbidden (by the owner)" in shown.stdout
    assert "nothing leaves" in shown.stdout, "no service is configured"
    assert cli.json("scout", "egress", "set", "agent:scout", "allowed")["forbidden_by"] == []


def test_a_team_is_forbidden_together_with_what_else_is_changed_of_it(cli: Cli) -> None:
    assert cli.json("admin", "teams", "change", "backend", "--egress", "forbidden")["forbidden_by"] == ["administrator"]
    refused = cli("main", "egress", "set", "team:backend", "allowed", "--json")
    assert refused.returncode == 4
    assert "egress_forbidden_by_another" in refused.stderr
    changed = cli.json("admin", "teams", "change", "backend", "--egress", "allowed", "--name", "Backend")
    assert changed["name"] == "Backend"
    assert {b["bank"]: b["egress"] for b in cli.json("main", "egress", "list")["items"]}["team:backend"] == "allowed"


def test_a_stranger_forbids_nothing(cli: Cli) -> None:
    for bank, code in (("team:backend", 4), ("agent:main", 4), ("agent:nobody", 3), ("nobody", 7)):
        assert cli("outsider", "egress", "set", bank, "forbidden").returncode == code
