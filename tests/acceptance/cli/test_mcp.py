"""`whoknows serve` has the tools, for whoever has a key, and `whoknows mcp` says what it is for."""

import httpx

from .conftest import SECRET, Cli

HEADERS = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2025-11-25"}


def test_serve_has_the_tools_beside_everything_else(cli: Cli) -> None:
    recall = {"name": "recall", "arguments": {"query": SECRET}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": recall}
    with httpx.Client(base_url=cli.server.url, headers=HEADERS) as http:
        assert http.post("/mcp", json=body).status_code == 401
        told = {
            who: http.post("/mcp", json=body, headers={"Authorization": f"Bearer {cli.keys[who]}"}).json()["result"]
            for who in ("main", "outsider")
        }
    assert cli.ids["secret"] in {m["id"] for m in told["main"]["structuredContent"]["memories"]}
    assert told["outsider"]["structuredContent"]["outcome"] == "no_match"
    assert cli.ids["secret"] not in str(told["outsider"])
