"""What the tests of evidence have in common: a quote, where it stands, and what is told of it."""

import subprocess
from pathlib import Path
from typing import Any

import httpx

QUOTE = "staging listens on port 5433"
TEXT = "The staging database is on 5433"
NOTE = f"# Ports\n\nSince March\n{QUOTE}, and not on 5432.\n\nThe old server keeps its port.\n"


async def captured(client: httpx.AsyncClient, **fields: Any) -> dict[str, Any]:
    answer = await client.post("/capture", json={"content": TEXT, **fields})
    assert answer.status_code == 201, answer.text
    return answer.json()


def checks(answer: dict[str, Any]) -> list[str]:
    return [f["check"] for f in answer["findings"]]


async def only_evidence(client: httpx.AsyncClient, memory: str) -> dict[str, Any]:
    (evidence,) = (await client.get(f"/memories/{memory}")).json()["evidence"]
    return evidence


async def told(client: httpx.AsyncClient, memory: str) -> dict[str, Any]:
    answer = await client.get(f"/memories/{memory}/provenance")
    assert answer.status_code == 200, answer.text
    return answer.json()


def git(place: Path, *arguments: str) -> str:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main"]
    ended = subprocess.run(["git", *who, "-C", str(place), *arguments], check=True, capture_output=True, text=True)
    return ended.stdout.strip()


def commit(place: Path, text: str, path: str = "docs/ports.md") -> str:
    """The full hash of a new commit in which ``path`` says ``text``."""
    if not (place / ".git").exists():
        place.mkdir(parents=True, exist_ok=True)
        git(place, "init", "--quiet")
    (place / path).parent.mkdir(parents=True, exist_ok=True)
    (place / path).write_text(text, "utf-8")
    git(place, "add", "-A")
    git(place, "commit", "--quiet", "-m", "x")
    return git(place, "rev-parse", "HEAD")
