"""Keys: shown once, kept in the keychain, never where others find them."""

from pathlib import Path

from .conftest import Cli


def test_a_revoked_key_is_worth_nothing(cli: Cli) -> None:
    cli.json("admin", "agents", "add", "leaver")
    made = cli.json("admin", "keys", "add", "leaver")
    cli.keys["leaver"] = made["key"]
    assert cli.json("leaver", "whoami")["acts_as"] == ["agent:leaver"]
    assert cli("admin", "keys", "revoke", made["id"], "--yes").returncode == 0
    assert cli("leaver", "whoami").returncode == 5


def test_the_keychain_gives_the_key_that_it_was_told_to_remember(cli: Cli, tmp_path: Path) -> None:
    keychain = {"PYTHON_KEYRING_BACKEND": "memory_keychain.Keychain", "TEST_KEYCHAIN": str(tmp_path / "chain")}
    assert cli.alone(None, "whoami", **keychain).returncode == 5
    assert cli.alone(None, "keys", "remember", text=cli.keys["main"] + "\n", **keychain).returncode == 0
    assert "agent:main" in cli.alone(None, "whoami", **keychain).stdout
    assert cli.alone(None, "keys", "drop", **keychain).returncode == 0
    assert cli.alone(None, "whoami", **keychain).returncode == 5


def test_without_a_keychain_remembering_says_so(cli: Cli) -> None:
    done = cli(None, "keys", "remember", text=cli.keys["main"] + "\n")
    assert done.returncode == 8
    assert "WHOKNOWS_KEY" in done.stderr


def test_no_key_is_in_any_file_of_the_home(cli: Cli) -> None:
    secrets = [key.encode() for key in cli.keys.values() if key.strip("wk_x")]
    for file in cli.home.rglob("*"):
        if file.is_file() and not file.is_symlink():
            held = file.read_bytes()
            assert not any(s in held for s in secrets), file


def test_a_founded_tenant_is_a_world_of_its_own(cli: Cli) -> None:
    cli.keys["acme"] = cli.json("admin", "tenants", "add", "acme")["key"]
    assert cli.json("acme", "whoami")["tenant"] == "acme"
    assert [a["agent_id"] for a in cli.json("acme", "agents", "list")["items"]] == []
    assert cli("acme", "agents", "add", "main").returncode == 0
