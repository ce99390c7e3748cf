"""`whoknows observations` and `whoknows proposals`, as the program shows them."""

from .conftest import Cli

SAME = (
    "上线之前必须手工重建搜索索引，否则搜到的都是旧结果",
    "必须在上线之前手工重建搜索索引，否则搜到的都是旧结果",
)


def test_an_observation_is_made_listed_and_computed_anew(cli: Cli) -> None:
    ids = [cli.json("main", "capture", text)["memory"]["id"] for text in SAME]
    done = cli.json("main", "observations", "make", *ids)
    assert done["outcome"] == "made"
    identity = done["observation"]["id"]
    assert "stated already" in cli("main", "observations", "make", *ids).stdout
    listed = cli("main", "observations", "list")
    assert identity in listed.stdout
    assert "stands" in listed.stdout
    one = cli("main", "observations", "get", identity).stdout
    assert all(i in one for i in ids)
    cli("main", "archive", ids[0])
    assert "stale" in cli("main", "observations", "list", "--stale").stdout
    assert "fewer than two" in cli("main", "observations", "recompute", identity).stdout
    assert "looked at" in cli("main", "observations", "consolidate").stdout
    assert cli("scout", "observations", "get", identity).returncode == 3
    assert cli("main", "observations", "make", ids[0]).returncode == 7
    wrong = cli("main", "observations", "make", *ids, "--text", "别的话", "--quote", "nothing")
    assert wrong.returncode == 2


def test_proposals_wait_for_a_person(cli: Cli) -> None:
    for text, project in zip(SAME, ("shop", "wiki"), strict=True):
        cli("main", "capture", text, "--project", project, "--category", "experience")
    (found,) = cli.json("main", "proposals", "list")["items"]
    assert found["proposal_id"] in cli("main", "proposals", "list").stdout
    assert cli("main", "proposals", "reject", found["proposal_id"]).returncode == 4
    refused = cli("main", "proposals", "confirm", found["proposal_id"], "--repository", "handbook", "--file", "docs/rules/a.md")
    assert refused.returncode in (3, 4)
    assert "Nothing is proposed" in cli("scout", "proposals", "list").stdout
