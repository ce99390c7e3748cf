"""The official TypeScript client lists and calls every tool, and finds each answer to be what its schema says."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

from acceptance.two_servers import TwoServers
from harness.programs import MODULES, search_path
from whoknows.mcp.instructions import INSTRUCTIONS
from whoknows.mcp.tools import TOOLS

SCRIPT = Path(__file__).with_name("typescript_client.mjs")
PORT = "预发环境数据库端口是 5433"


def test_it_lists_and_calls_every_tool(servers: TwoServers, tmp_path: Path) -> None:
    tenant = servers.tenant()
    tenant.agents("A")
    tenant.agents("S", role="sub", parent="A")
    tenant.team("T", A="writer")
    calls = [
        {"tool": "remember", "arguments": {"content": PORT}, "keep": "port"},
        {"tool": "recall", "arguments": {"query": "预发 数据库 端口"}},
        {"tool": "get", "arguments": {"memory_id": "$port"}},
        {"tool": "list", "arguments": {}},
        {"tool": "why", "arguments": {"memory_id": "$port"}},
        {"tool": "publish", "arguments": {"memory_id": "$port", "team_id": "T"}},
        {"tool": "inject_context", "arguments": {"agent_id": "S", "task": "move the database", "memory_ids": ["$port"]}},
        {"tool": "propose_fact", "arguments": {"text": "5433 it is.", "source": "memory:$port", "quote": "数据库端口是 5433"}},
        {"tool": "forget", "arguments": {"memory_id": "$port"}},
        {"tool": "get", "arguments": {"memory_id": "$port"}},
        {"tool": "recall", "arguments": {"query": 7}},
    ]
    asked = {"url": f"{servers.all[0].url}/mcp", "key": tenant.keys["A"], "calls": calls}
    told = run(tmp_path, asked)
    assert told["about"]["instructions"] == INSTRUCTIONS
    assert told["about"]["server"]["name"] == "whoknows"
    assert told["problems"] == []
    assert [t["name"] for t in told["tools"]] == list(TOOLS)
    results: list[dict[str, Any]] = told["told"]
    *done, gone, wrong = results
    assert {c["tool"] for c in calls} == set(TOOLS)
    assert [r["content"][0]["text"] for r in done if r.get("isError")] == []
    assert done[1]["structuredContent"]["memories"][0]["content"] == PORT
    assert gone["_meta"]["whoknows/error"]["code"] == "not_found"
    assert wrong["content"][0]["text"].startswith("invalid (query): ")


def run(folder: Path, asked: dict[str, Any]) -> dict[str, Any]:
    (folder / "node_modules").symlink_to(MODULES)
    script = Path(shutil.copy(SCRIPT, folder))
    done = subprocess.run(
        ["node", script],
        input=json.dumps(asked),
        env={"PATH": search_path()},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
