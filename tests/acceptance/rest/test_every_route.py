"""Every route is classified here: a new one fails this test until somebody has thought about who may call it."""

from typing import NamedTuple
from uuid import uuid4

import httpx

from whoknows.rest.page import described
from worlds import World

from .conftest import Edge, problem


class Kind(NamedTuple):
    """``key``: it needs one. ``does``: reads, writes, administers, or tells of the key itself.

    ``scope``: whose rows it touches. ``reader``: those the acting principal may see; ``account``: those of the
    member behind the key; ``tenant``: the directory, by permission; ``key``: the key's own;
    ``bank``: its owner's choice, an owner's of the team, or an administrator's;
    ``case``: those of the case that the key belongs to; ``none``: nothing of anybody.
    """

    key: bool
    does: str
    scope: str


READS = Kind(True, "reads", "reader")
WRITES = Kind(True, "writes", "reader")
LISTS = Kind(True, "lists", "tenant")
ADMINISTERS = Kind(True, "administers", "tenant")
KEPT = Kind(True, "keeps", "tenant")
"""Of a team or a member, by its owner; an administrator too, whose key need not act as anybody."""
KEEPS = Kind(True, "writes", "account")
"""Of the member that the key acts as, or that its main agent works for; refused where there is none."""
LOOKS = Kind(True, "reads", "account")
RUNS = Kind(True, "runs", "case")
"""Of a case, by its operator; who is no key of that case is told that there is none."""
SHOWS = Kind(True, "reads", "case")
"""What is public within a case."""
PROBES = Kind(False, "reads", "none")

ROUTES: dict[tuple[str, str], Kind] = {
    ("GET", "/health"): PROBES,
    ("GET", "/ready"): PROBES,
    ("GET", "/api/v1/whoami"): Kind(True, "reads", "key"),
    ("POST", "/api/v1/capture"): WRITES,
    ("POST", "/api/v1/capture/batch"): WRITES,
    ("POST", "/api/v1/ingest"): WRITES,
    ("GET", "/api/v1/banks"): READS,
    ("GET", "/api/v1/projects/{projectId}/bank"): Kind(True, "reads", "tenant"),
    ("PUT", "/api/v1/projects/{projectId}/bank"): ADMINISTERS,
    ("GET", "/api/v1/corrections"): READS,
    ("POST", "/api/v1/corrections"): WRITES,
    ("GET", "/api/v1/corrections/summary"): READS,
    ("DELETE", "/api/v1/corrections/{correction_id}"): WRITES,
    ("GET", "/api/v1/recall"): READS,
    ("POST", "/api/v1/recall"): READS,
    ("GET", "/api/v1/traces/{trace_id}"): READS,
    ("GET", "/api/v1/memories"): READS,
    ("DELETE", "/api/v1/memories"): WRITES,
    ("GET", "/api/v1/memories/{memory_id}"): READS,
    ("PATCH", "/api/v1/memories/{memory_id}"): WRITES,
    ("DELETE", "/api/v1/memories/{memory_id}"): WRITES,
    ("GET", "/api/v1/memories/{memory_id}/history"): READS,
    ("GET", "/api/v1/memories/{memory_id}/provenance"): READS,
    ("POST", "/api/v1/memories/{memory_id}/reverify"): WRITES,
    ("POST", "/api/v1/memories/{memory_id}/archive"): WRITES,
    ("POST", "/api/v1/memories/{memory_id}/restore"): WRITES,
    ("PUT", "/api/v1/memories/{memory_id}/shares/{reader_id}"): WRITES,
    ("DELETE", "/api/v1/memories/{memory_id}/shares/{reader_id}"): WRITES,
    ("GET", "/api/v1/memories/{memory_id}/why"): READS,
    ("GET", "/api/v1/knows"): READS,
    ("GET", "/api/v1/events"): READS,
    ("GET", "/api/v1/jobs/pending"): READS,
    ("GET", "/api/v1/observations"): READS,
    ("POST", "/api/v1/observations"): WRITES,
    ("POST", "/api/v1/observations/consolidate"): WRITES,
    ("GET", "/api/v1/observations/{memory_id}"): READS,
    ("POST", "/api/v1/observations/{memory_id}/recompute"): WRITES,
    ("GET", "/api/v1/proposals"): READS,
    ("POST", "/api/v1/proposals/{proposal_id}/confirm"): WRITES,
    ("POST", "/api/v1/proposals/{proposal_id}/reject"): WRITES,
    ("POST", "/api/v1/memories/{memory_id}/publish"): WRITES,
    ("GET", "/api/v1/publications"): READS,
    ("POST", "/api/v1/memories/{memory_id}/supersede"): WRITES,
    ("GET", "/api/v1/sources"): LISTS,
    ("POST", "/api/v1/sources"): KEPT,
    ("POST", "/api/v1/sources/{source_id}/sync"): KEPT,
    ("DELETE", "/api/v1/sources/{source_id}"): KEPT,
    ("GET", "/api/v1/publications/{publication_id}"): READS,
    ("POST", "/api/v1/publications/{publication_id}/withdraw"): WRITES,
    ("POST", "/api/v1/publications/{publication_id}/republish"): WRITES,
    ("GET", "/api/v1/review"): READS,
    ("POST", "/api/v1/review/{memory_id}/admit"): WRITES,
    ("POST", "/api/v1/review/{memory_id}/refuse"): WRITES,
    ("GET", "/api/v1/ledger"): READS,
    ("GET", "/api/v1/tasks"): READS,
    ("POST", "/api/v1/tasks"): WRITES,
    ("POST", "/api/v1/tasks/{name}/close"): WRITES,
    ("POST", "/api/v1/inject-context"): WRITES,
    ("GET", "/api/v1/inject-context"): WRITES,
    ("GET", "/api/v1/injections"): READS,
    ("GET", "/api/v1/injections/{injection_id}"): READS,
    ("DELETE", "/api/v1/injections/{injection_id}"): WRITES,
    ("POST", "/api/v1/export"): READS,
    ("GET", "/api/v1/audit"): Kind(True, "lists", "key"),
    ("GET", "/api/v1/keys"): Kind(True, "lists", "key"),
    ("POST", "/api/v1/keys"): ADMINISTERS,
    ("DELETE", "/api/v1/keys/{key_id}"): Kind(True, "administers", "key"),
    ("POST", "/api/v1/tenants"): ADMINISTERS,
    ("GET", "/api/v1/agents"): LISTS,
    ("POST", "/api/v1/agents"): ADMINISTERS,
    ("PATCH", "/api/v1/agents/{name}"): ADMINISTERS,
    ("DELETE", "/api/v1/agents/{name}"): ADMINISTERS,
    ("GET", "/api/v1/members"): LISTS,
    ("POST", "/api/v1/members"): ADMINISTERS,
    ("PATCH", "/api/v1/members/{name}"): ADMINISTERS,
    ("DELETE", "/api/v1/members/{name}"): ADMINISTERS,
    ("GET", "/api/v1/teams"): LISTS,
    ("POST", "/api/v1/teams"): ADMINISTERS,
    ("PATCH", "/api/v1/teams/{name}"): ADMINISTERS,
    ("DELETE", "/api/v1/teams/{name}"): ADMINISTERS,
    ("PUT", "/api/v1/teams/{name}/members/{principal}"): ADMINISTERS,
    ("DELETE", "/api/v1/teams/{name}/members/{principal}"): ADMINISTERS,
    ("POST", "/api/v1/master-agent/chat"): KEEPS,
    ("GET", "/api/v1/master-agent/conversations"): LOOKS,
    ("GET", "/api/v1/master-agent/conversations/{conversation_id}"): LOOKS,
    ("DELETE", "/api/v1/master-agent/conversations/{conversation_id}"): KEEPS,
    ("POST", "/api/v1/master-agent/distill"): KEEPS,
    ("GET", "/api/v1/master-agent/distill"): LOOKS,
    ("GET", "/api/v1/master-agent/distill/settings"): LOOKS,
    ("POST", "/api/v1/master-agent/distill/settings"): KEEPS,
    ("GET", "/api/v1/master-agent/distill/{batch_id}"): LOOKS,
    ("DELETE", "/api/v1/master-agent/distill/{batch_id}"): KEEPS,
    ("GET", "/api/v1/master-agent/prompt-policy"): Kind(True, "reads", "tenant"),
    ("POST", "/api/v1/master-agent/prompt-policy"): ADMINISTERS,
    ("GET", "/api/v1/master-agent/prompt-policy/history"): Kind(True, "reads", "tenant"),
    ("GET", "/api/v1/master-agent/user-prompt"): LOOKS,
    ("POST", "/api/v1/master-agent/user-prompt"): KEEPS,
    ("GET", "/api/v1/master-agent/user-prompt/history"): LOOKS,
    ("GET", "/api/v1/projects/{projectId}/agent-controls"): LOOKS,
    ("POST", "/api/v1/projects/{projectId}/agent-controls"): KEEPS,
    ("GET", "/api/v1/projects/{projectId}/agent-controls/history"): LOOKS,
    ("GET", "/api/v1/master-agent/memories"): LOOKS,
    ("POST", "/api/v1/master-agent/memories"): KEEPS,
    ("POST", "/api/v1/master-agent/memories/{memory_id}"): KEEPS,
    ("DELETE", "/api/v1/master-agent/memories/{memory_id}"): KEEPS,
    ("GET", "/api/v1/master-agent/context"): READS,
    ("POST", "/api/v1/master-agent/context"): READS,
    ("GET", "/api/v1/egress"): READS,
    ("PUT", "/api/v1/egress/{principal}"): Kind(True, "administers", "bank"),
    ("GET", "/api/v1/workplaces"): READS,
    ("PUT", "/api/v1/workplaces"): WRITES,
    ("DELETE", "/api/v1/workplaces"): WRITES,
    ("GET", "/api/v1/workplaces/route"): READS,
    ("GET", "/api/v1/projects/{project_id}/stage"): READS,
    ("PUT", "/api/v1/projects/{project_id}/stage"): WRITES,
    ("GET", "/api/v1/projects/{project_id}/report"): READS,
    ("POST", "/api/v1/hooks/{program}"): WRITES,
    ("GET", "/api/v1/bureau/scripts"): Kind(True, "reads", "none"),
    ("POST", "/api/v1/bureau/cases"): ADMINISTERS,
    ("GET", "/api/v1/bureau/cases/{case}"): RUNS,
    ("DELETE", "/api/v1/bureau/cases/{case}"): RUNS,
    ("POST", "/api/v1/bureau/cases/{case}/whisper"): RUNS,
    ("POST", "/api/v1/bureau/cases/{case}/ask"): RUNS,
    ("POST", "/api/v1/bureau/cases/{case}/publish"): RUNS,
    ("POST", "/api/v1/bureau/cases/{case}/reset"): RUNS,
    ("POST", "/api/v1/bureau/cases/{case}/show-key"): RUNS,
    ("GET", "/api/v1/bureau/cases/{case}/stage"): SHOWS,
    ("GET", "/api/v1/bureau/cases/{case}/events"): SHOWS,
}
UNDESCRIBED = {"/openapi.json", "/docs"}
"""The page of the interface itself: it says the same to everybody."""

_ID, _OTHER_ID = "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55", "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e56"
BODIES: dict[str, dict[str, object]] = {
    "/api/v1/capture": {"content": "x"},
    "/api/v1/capture/batch": {"items": [{"content": "x"}]},
    "/api/v1/ingest": {"text": "x", "source": "file:x", "quote": "x", "context": "personal"},
    "/api/v1/projects/{projectId}/bank": {"team_id": None},
    "/api/v1/corrections": {"text": "x"},
    "/api/v1/recall": {"query": "x"},
    "/api/v1/memories/{memory_id}": {"version": 1, "content": "x"},
    "/api/v1/review/{memory_id}/admit": {"version": 1},
    "/api/v1/review/{memory_id}/refuse": {"reason": "x"},
    "/api/v1/observations": {"memory_ids": [_ID, _OTHER_ID]},
    "/api/v1/observations/consolidate": {},
    "/api/v1/proposals/{proposal_id}/confirm": {"repository": "x", "path": "docs/rules/x.md"},
    "/api/v1/proposals/{proposal_id}/reject": {},
    "/api/v1/keys": {"acts_as": ["A"]},
    "/api/v1/tenants": {"tenant_id": "new"},
    "/api/v1/agents": {"agent_id": "new", "role": "main"},
    "/api/v1/agents/{name}": {"clearance": "open"},
    "/api/v1/members": {"member_id": "new"},
    "/api/v1/members/{name}": {"name": "new"},
    "/api/v1/teams": {"team_id": "new"},
    "/api/v1/teams/{name}": {"name": "new"},
    "/api/v1/teams/{name}/members/{principal}": {"role": "owner"},
    "/api/v1/memories/{memory_id}/publish": {"team_id": "*"},
    "/api/v1/master-agent/chat": {"projectId": "p", "message": "x"},
    "/api/v1/memories/{memory_id}/supersede": {"by": str(uuid4())},
    "/api/v1/sources": {"kind": "folder", "locator": "/absent", "name": "s", "audience": "*"},
    "/api/v1/tasks": {"task_id": "t", "agents": ["B"]},
    "/api/v1/inject-context": {"agent_id": "B", "task": "x"},
    "/api/v1/master-agent/distill": {"projectId": "p", "messages": []},
    "/api/v1/master-agent/distill/settings": {"automatic": True},
    "/api/v1/master-agent/prompt-policy": {"globalPrompt": "x"},
    "/api/v1/master-agent/user-prompt": {"content": "x"},
    "/api/v1/projects/{projectId}/agent-controls": {"promptOverride": "x"},
    "/api/v1/master-agent/memories": {"content": "x"},
    "/api/v1/master-agent/memories/{memory_id}": {"content": "x"},
    "/api/v1/master-agent/context": {"projectId": "p", "message": "x"},
    "/api/v1/egress/{principal}": {"egress": "allowed"},
    "/api/v1/workplaces": {"program": "pi", "machine": "m", "directory": "/srv/x", "project_id": "p"},
    "/api/v1/projects/{project_id}/stage": {"stage": "read-only"},
    "/api/v1/hooks/{program}": {"hook_event_name": "Stop", "session_id": "s", "cwd": "/srv/x", "last_assistant_message": "x"},
    "/api/v1/bureau/cases": {"script": "heron"},
    "/api/v1/bureau/cases/{case}/whisper": {"role": "detective", "content": "x"},
    "/api/v1/bureau/cases/{case}/ask": {"role": "detective", "question": "x"},
    "/api/v1/bureau/cases/{case}/publish": {"memory_id": "0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e55"},
    "/api/v1/bureau/cases/{case}/show-key": {},
}
QUERIES = {
    ("GET", "/api/v1/inject-context"): {"agent_id": "B", "task": "x"},
    ("GET", "/api/v1/master-agent/context"): {"projectId": "p", "message": "x"},
    ("GET", "/api/v1/recall"): {"query": "x"},
    ("DELETE", "/api/v1/memories"): {"layer": "private"},
    ("DELETE", "/api/v1/workplaces"): {"program": "pi", "machine": "m", "directory": "/srv/x"},
    ("GET", "/api/v1/workplaces/route"): {"machine": "m", "directory": "/srv/x"},
}


def found(edge: Edge) -> set[tuple[str, str]]:
    paths = described(edge.app)["paths"]
    return {(method.upper(), path) for path, operations in paths.items() for method in operations}


async def call(
    client: httpx.AsyncClient, url: str, route: tuple[str, str], memory: str = "x", case: str = "default"
) -> httpx.Response:
    method, path = route
    filled = path.format(
        memory_id=memory,
        trace_id=memory,
        key_id=memory,
        injection_id=memory,
        conversation_id=memory,
        publication_id=memory,
        source_id=memory,
        proposal_id=memory,
        correction_id=memory,
        batch_id=memory,
        name="B",
        principal="agent:B",
        reader_id="B",
        projectId="p",
        project_id="p",
        program="codex",
        case=case,
    )
    body = BODIES.get(path) if method in ("POST", "PUT", "PATCH") else None
    return await client.request(method, url + filled, json=body, params=QUERIES.get(route))


def test_every_route_is_classified(edge: Edge) -> None:
    assert found(edge) == set(ROUTES)
    others = {r.path for r in edge.app.routes if getattr(r, "path", None)} - {p for _, p in ROUTES}
    assert others == UNDESCRIBED


async def test_every_route_needs_a_key_but_the_probes(world: World, edge: Edge) -> None:
    async with edge.client() as client:
        for route, kind in ROUTES.items():
            response = await call(client, edge.url, route)
            if kind.key:
                await problem(response, 401, "unauthenticated")
            else:
                assert response.status_code == 200
                assert response.json() == {"status": "ok"}


async def test_what_administers_refuses_a_key_without_the_permission(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    async with edge.as_("A") as client:
        for route, kind in ROUTES.items():
            if kind == ADMINISTERS and route != ("POST", "/api/v1/keys"):
                await problem(await call(client, edge.url, route), 403, "permission_missing")
        await problem(await client.post("/keys", json={"acts_as": ["B"]}), 403, "permission_missing")


async def test_what_belongs_to_a_reader_refuses_a_key_that_is_nobody(world: World, edge: Edge) -> None:
    await world.agents("A")
    memory = await world.write("A", "only for A")
    async with edge.admin as client:
        for route, kind in ROUTES.items():
            if kind.scope != "reader":
                continue
            response = await call(client, edge.url, route, str(memory.id))
            if route == ("POST", "/api/v1/capture/batch"):
                assert [r["error"]["code"] for r in response.json()["results"]] == ["permission_missing"]
            else:
                await problem(response, 403, "permission_missing")


async def test_what_belongs_to_an_account_refuses_a_key_behind_which_there_is_none(world: World, edge: Edge) -> None:
    await world.agents("A")
    for client, code in ((edge.admin, "permission_missing"), (edge.as_("A"), "no_account")):
        async with client:
            for route, kind in ROUTES.items():
                if kind.scope == "account":
                    await problem(await call(client, edge.url, route, str(uuid4())), 403, code)


async def test_what_belongs_to_a_case_is_absent_for_every_other_key(world: World, edge: Edge) -> None:
    """`default` is the name of the tenant itself, which is no case."""
    await world.agents("A", "B")
    for client in (edge.admin, edge.as_("A")):
        async with client:
            for route, kind in ROUTES.items():
                if kind.scope == "case":
                    await problem(await call(client, edge.url, route), 404, "not_found")


async def test_nothing_that_reads_tells_a_stranger_of_a_private_memory(world: World, edge: Edge) -> None:
    await world.agents("A", "B")
    memory = await world.write("A", "发布口令是蓝鲸计划")
    async with edge.as_("B") as client:
        for route, kind in ROUTES.items():
            if kind != READS or route == ("GET", "/api/v1/events"):
                continue
            response = await call(client, edge.url, route, str(memory.id))
            assert response.status_code in (200, 404), route
            assert "蓝鲸" not in response.text, route
            assert str(memory.id) not in response.text, route
    async with edge.as_("A") as client:
        assert "蓝鲸" in (await client.get("/memories")).text


async def test_every_route_refuses_a_query_that_it_did_not_declare(world: World, edge: Edge) -> None:
    await world.agents("A")
    async with edge.as_("A") as client:
        for method, path in ROUTES:
            filled = path.replace("{", "").replace("}", "")
            url = f"{edge.url}{filled}?surely_unknown=1"
            await problem(await client.request(method, url, json=BODIES.get(path)), 422, "invalid", "surely_unknown")


def test_every_route_is_described_in_full(edge: Edge) -> None:
    page = described(edge.app)
    for path, operations in page["paths"].items():
        for method, told in operations.items():
            where = f"{method} {path}"
            assert told["summary"], where
            assert told["description"], where
            assert told["tags"], where
            assert told["operationId"], where
            for parameter in told.get("parameters", ()):
                assert parameter["description"], (where, parameter["name"])
            for status, response in told["responses"].items():
                assert response["content"], (where, status)
            if ROUTES[method.upper(), path].key:
                assert {"401", "403", "422", "503"} <= set(told["responses"]), where
                assert told["security"], where
    assert len({o["operationId"] for ops in page["paths"].values() for o in ops.values()}) == len(ROUTES)
    for name, schema in page["components"]["schemas"].items():
        assert schema.get("description") or "enum" in schema or name.endswith(("List", "Page")), name


async def test_the_page_of_the_interface_loads_nothing_from_elsewhere(edge: Edge) -> None:
    async with edge.client() as client:
        html = await client.get(f"{edge.url}/docs")
        described_as = await client.get(f"{edge.url}/openapi.json")
    assert "default-src 'none'" in html.headers["content-security-policy"]
    assert "http:" not in html.text
    assert "https:" not in html.text
    assert described_as.json()["info"]["title"] == "WhoKnows"
