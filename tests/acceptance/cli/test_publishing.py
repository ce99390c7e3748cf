"""`whoknows publish` and `whoknows publications`, as the program shows them."""

from .conftest import Cli


def test_a_memory_is_published_listed_brought_up_to_date_and_taken_back(cli: Cli) -> None:
    memory = cli.json("main", "capture", "灯塔的备用钥匙在门垫下面")["memory"]["id"]
    done = cli.json("main", "publish", memory, "--to", "backend")
    assert (done["state"], done["team_id"], done["memory"]["content"]) == ("ready", "backend", "灯塔的备用钥匙在门垫下面")
    place, copy = done["publication_id"], done["memory"]["id"]
    assert cli.json("main", "publish", memory, "--to", "backend")["memory"]["id"] == copy
    assert cli.json("scout", "get", copy)["origin"]["agent_id"] == "main"

    cli.json("main", "edit", memory, "--content", "灯塔的备用钥匙在花盆里")
    listed = cli("main", "publications", "list").stdout
    assert place in listed
    assert "original changed" in listed
    assert "门垫" in listed
    one = cli("main", "publications", "get", place).stdout
    assert place in one
    assert "original has changed" in one
    again = cli("main", "publications", "republish", place)
    assert again.returncode == 0
    assert "花盆" in again.stdout
    assert cli.json("scout", "get", copy)["content"] == "灯塔的备用钥匙在花盆里"

    assert cli.json("main", "publications", "withdraw", place)["state"] == "withdrawn"
    assert cli("scout", "get", copy).returncode == 3
    late = cli("main", "publish", memory, "--to", "backend")
    assert (late.returncode, "republish" in late.stderr) == (6, True)
    assert cli.json("scout", "publications", "list")["items"] == []
    assert cli("scout", "publications", "get", place).returncode == 3
    assert cli("scout", "publications", "withdraw", place).returncode == 3


def test_what_may_not_be_published_says_why_and_ends_with_the_code_of_it(cli: Cli) -> None:
    memory = cli.json("scout", "capture", "scout's own note")["memory"]["id"]
    assert cli("scout", "publish", memory, "--to", "backend").returncode == 4
    assert cli("scout", "publish", memory, "--to", "no such team").returncode == 3
    assert cli("outsider", "publish", memory, "--to", "backend").returncode == 3
    nowhere = cli("scout", "publish", memory)
    assert nowhere.returncode == 2
    assert "--to" in nowhere.stderr
