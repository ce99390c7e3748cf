"""Handing over through the program: tasks and their tokens, a context for a sub-agent, and taking it back."""

import json

import pytest

from .conftest import Cli


def tokens_of(cli: Cli, task: str, *more: str) -> str:
    """Open it for `scout`; the token is kept as the key of `token:<task>`."""
    told = cli.json("main", "tasks", "open", task, "scout", *more)
    cli.keys[f"token:{task}"] = told["tokens"]["scout"]
    return told["tokens"]["scout"]


def test_a_sub_agent_gets_its_context_works_with_its_token_and_hands_back(cli: Cli) -> None:
    token = tokens_of(cli, "payments", "--expires-in", "3600")
    brief = cli.json("main", "capture", "支付接口用幂等键去重")["memory"]["id"]
    told = cli.json("main", "inject", "scout", "实现支付模块", "--memory", brief, "--task", "payments", "--depth", "minimal")
    assert told["source"] == "injected_by_main"
    (copy,) = [m for m in told["memories"] if m["injected_by"] == "main"]
    assert "支付接口用幂等键去重" in told["context"]
    assert cli.json("token:payments", "recall", "支付 幂等键")["memories"][0]["id"] == copy["id"]
    assert cli.json("token:payments", "whoami")["task_id"] == "payments"
    assert cli("scout", "get", copy["id"]).returncode == 3, "without the task there is none"
    cli.json("token:payments", "capture", "支付模块完成", "--visible-to", "main")
    assert cli.json("main", "recall", "支付模块 完成")["memories"][0]["content"] == "支付模块完成"
    assert token not in cli("main", "tasks", "list").stdout + cli("main", "tasks", "list", "--json").stdout
    shown = cli("main", "tasks", "close", "payments")
    assert "payments is closed: 1 token died, 1 injected copy went." in " ".join(shown.stdout.split())
    assert cli("token:payments", "whoami").returncode != 0
    assert cli.json("main", "recall", "支付模块 完成")["memories"][0]["content"] == "支付模块完成"
    again = cli.json("main", "tasks", "close", "payments")
    assert (again["tokens_revoked"], again["injections_ended"]) == (0, 0)


def test_people_are_shown_the_context_itself_and_the_rest_beside_it(cli: Cli) -> None:
    """The context alone is on standard output, so that it can be piped into an agent."""
    given = cli.json("main", "capture", "the courier API answers in UTC [bold]always[/bold]")["memory"]["id"]
    shown = cli("main", "inject", "scout", "build the courier client", "--memory", given, "--depth", "minimal")
    assert shown.returncode == 0
    assert "# Context for scout, from main" in shown.stdout
    assert "[bold]always[/bold]" in shown.stdout
    assert "tokens" in shown.stderr
    assert "tokens (" not in shown.stdout
    piped = cli("main", "inject", "scout", "--memory", given, "--depth", "minimal", text="build the courier client\n")
    assert piped.stdout == shown.stdout
    small = cli("main", "inject", "scout", "x", "--memory", given, "--budget", "1")
    assert small.returncode == 7
    assert "max_tokens: the task alone has" in small.stderr


def test_what_was_given_is_listed_shown_and_withdrawn(cli: Cli) -> None:
    given = cli.json("main", "capture", "the staging host is called heron")["memory"]["id"]
    cli.json(
        "main", "inject", "scout", "deploy", "--memory", given, "--depth", "minimal", "--may-pass-on", "--expires-in", "600"
    )
    mine = cli.json("main", "injections", "list", "--given")["items"][0]
    assert (mine["agent_id"], mine["original_id"], mine["basis"], mine["may_pass_on"]) == ("scout", given, "listed", True)
    assert mine["expires_at"]
    (theirs,) = [i for i in cli.json("scout", "injections", "list", "--received")["items"] if i["id"] == mine["id"]]
    assert theirs["original_id"] is None
    assert mine["id"] not in {i["id"] for i in cli.json("scout", "injections", "list", "--given")["items"]}
    assert cli("outsider", "injections", "get", mine["id"]).returncode == 3
    assert "listed" in cli("main", "injections", "get", mine["id"]).stdout
    cli.json("main", "edit", given, "--content", "the staging host is called egret")
    assert "the original changed since" in " ".join(cli("main", "injections", "list").stdout.split())
    assert cli("scout", "injections", "withdraw", mine["id"]).returncode == 4
    assert "It is withdrawn." in cli("main", "injections", "withdraw", mine["id"]).stdout
    assert cli("scout", "get", mine["memory_id"]).returncode == 3
    assert "ended: withdrawn" in " ".join(cli("main", "injections", "list").stdout.split())


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("scout", "inject", "scout", "for me"), 4, "main agent"),
        (("main", "inject", "outsider", "x"), 4, "descendants"),
        (("main", "inject", "main", "x"), 4, "descendants"),
        (("main", "inject", "scout", "x", "--memory", "{secret}x"), 7, "memory_ids"),
        (("main", "inject", "scout", "x", "--memory", "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"), 3, "memory"),
        (("main", "inject", "scout", "x", "--depth", "deep"), 2, "minimal"),
        (("main", "inject", "scout", "x", "--task", "nowhere"), 3, "task"),
        (("scout", "tasks", "open", "mine", "scout"), 4, "main agent"),
        (("main", "tasks", "open", "mine", "outsider"), 4, "descendants"),
        (("main", "tasks", "open", "mine"), 2, "AGENT"),
        (("main", "tasks", "close", "nowhere"), 3, "task"),
        (("main", "injections", "withdraw", "nowhere"), 3, "injection"),
    ],
)
def test_a_refusal_says_why_and_does_nothing(cli: Cli, arguments: tuple[str, ...], code: int, says: str) -> None:
    before = (cli.json("main", "injections", "list"), cli.json("main", "tasks", "list"))
    done = cli(*(a.format(**cli.ids) for a in arguments))
    assert done.returncode == code, done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert (cli.json("main", "injections", "list"), cli.json("main", "tasks", "list")) == before


def test_the_tokens_are_shown_once_with_what_they_are(cli: Cli) -> None:
    shown = cli("main", "tasks", "open", "for people", "scout")
    assert "wk_" in shown.stdout
    assert "not shown again" in shown.stderr
    assert "scout" in shown.stdout
    told = json.loads(cli("main", "tasks", "open", "for people", "scout", "--json").stdout)
    assert told["tokens"]["scout"] not in shown.stdout
    cli.json("main", "tasks", "close", "for people")
    assert cli("main", "tasks", "open", "for people", "scout").returncode == 6
