"""The examples of the how-to pages run as they stand there. The model is a double of Anthropic's endpoint."""

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from model_double import ModelDouble

from .conftest import Served
from .test_anthropic_memory import says, uses

DOCS = Path(__file__).parents[3] / "docs/how-to"
PAGES = {"deepagents": 3, "langgraph": 1, "anthropic": 2, "python-client": 1}


@pytest.fixture
def double(served: Served, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelDouble]:
    with ModelDouble() as double:
        double.plays(says({"type": "text", "text": "ok"}))
        monkeypatch.setenv("ANTHROPIC_BASE_URL", double.url.removesuffix("/v1"))
        monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
        monkeypatch.setenv("WHOKNOWS_URL", served.url)
        monkeypatch.setenv("WHOKNOWS_KEY", served.key("A"))
        monkeypatch.setenv("RESEARCHER_KEY", served.key("B"))
        yield double


def examples(page: str) -> list[str]:
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / f"{page}.md").read_text(), re.DOTALL)
    return [b for b in blocks if "integrations" in b or "FailOpen" in b]


@pytest.mark.parametrize("page", PAGES)
async def test_every_example_runs(served: Served, double: ModelDouble, page: str, capsys: pytest.CaptureFixture[str]) -> None:
    await served.world.write("A", "The staging database uses port 5433.", project_id="shop")
    found = examples(page)
    assert len(found) == PAGES[page]
    if page == "anthropic":
        double.plays(
            uses(1, command="create", path="/memories/drink.md", file_text="Tea."), says({"type": "text", "text": "ok"})
        )
    for code in found:
        await asyncio.to_thread(exec, compile(code, page, "exec"), {"__name__": "example"})
    said = capsys.readouterr().out
    match page:
        case "deepagents":
            assert "5433" in str(double.requests[0].body["messages"])
            assert "5433" not in str(double.requests[0].body.get("system"))
            assert "/memories/decision/" in said
        case "langgraph":
            assert "{'likes': 'tea', 'sugar': 0}" in said
            assert "('port', " in said
        case "anthropic":
            assert (await served.world.recalled("A", "tea"))[:1] == ["Tea."]
            assert "5433" in said
        case _:
            assert "5433" in said
