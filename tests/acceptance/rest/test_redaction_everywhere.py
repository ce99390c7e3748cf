"""Every field of the interface that takes a text is classified, and carries a secret that is nowhere afterwards (rules W6).

A new field fails the first test until somebody has said what becomes of a secret in it; the second sends one through each.
"""

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any

import httpx
import pytest

import made_up
from model_double import ModelDouble, says
from own_database import installation, world
from whoknows.bootstrap import Installation
from whoknows.domain.credential import Permission
from whoknows.domain.memory import Category
from whoknows.domain.principal import AgentRole, GateLevel
from whoknows.rest.page import described

from ..remains import dumped
from .casework import ok, opened
from .conftest import Edge, talking

__all__ = ["installation", "world"]

Route = tuple[str, str]
HOOKED = "/srv/hooked"
"""A directory in which hooks listen."""


class Becomes(Enum):
    """What becomes of a secret in a field."""

    PLACEHOLDER = "the text is kept with a placeholder, or answered by what stands without it"
    REFUSED = "a quote or a name: with a placeholder it would be another, so it is refused"
    UNKNOWN = "it names something that must be there, or has a form of its own: nothing of it is kept"


TEXTS = {
    "content", "title", "tags", "subject", "reason", "source", "text", "query", "task", "message", "globalPrompt",
    "promptOverride", "question", "sourceMessageId", "prompt", "last_assistant_message",
}  # fmt: skip
NAMES = {
    "quote", "agent_id:new", "member_id", "team_id:new", "tenant_id", "project_id", "projectId", "session_id", "task_id",
    "harness", "modelOverride", "conversationId", "name", "locator", "git_remotes", "id", "source:verified",
    "machine", "directory", "turn_id",
}  # fmt: skip
"""Compared by equality, or to the letter."""
REFERENCES = {
    "agent_id", "account", "team_id", "visible_to", "expires_at", "at", "include", "parent", "agents", "acts_as", "role",
    "script", "audience", "cursor", "reader", "principal", "reader_id", "case", "If-Match", "Idempotency-Key", "accept",
    "Last-Event-ID", "filter", "repository", "branch", "path", "hook_event_name", "cwd", "prompt_id", "agent_type",
    "X-Machine", "since", "until",
}  # fmt: skip

SPECIAL: dict[tuple[str, str, str], str] = {
    ("POST", "/api/v1/agents", "agent_id"): "agent_id:new",
    ("POST", "/api/v1/teams", "team_id"): "team_id:new",
    ("POST", "/api/v1/ingest", "source"): "source:verified",
    **{("POST", f"/api/v1/{path}", name): "filter" for path in ("recall", "observations/consolidate", "inject-context")
       for name in ("project_id", "session_id", "tags")},
}  # fmt: skip
"""Fields whose name means something else there."""


def kind_of(route: Route, place: str) -> str:
    """How a field is known: by its own name, wherever it stands in the body."""
    last = place.replace("[]", "").rpartition(".")[2]
    if (
        route[0] in ("GET", "DELETE")
        and route[1] != "/api/v1/master-agent/context"
        and last in TEXTS | NAMES - {"query", "task"}
    ):
        return "filter"
    return SPECIAL.get((*route, last), last)


@dataclass
class Stage:
    """``bodies``: what each route takes, without any secret; ``clients`` who sends it. Paths are filled from ``ids``."""

    clients: dict[str, httpx.AsyncClient]
    ids: dict[str, str]
    bodies: dict[Route, tuple[str, dict[str, Any]]] = field(default_factory=dict[Route, tuple[str, dict[str, Any]]])


@pytest.fixture
async def edge_of_all(installation: Installation, double: ModelDouble) -> AsyncIterator[Edge]:
    double.plays(says("好的。"))
    async with talking(installation, double, 20.0) as edge:
        yield edge


@pytest.fixture
async def stage(edge_of_all: Edge) -> AsyncIterator[Stage]:
    edge, world = edge_of_all, edge_of_all.world
    await world.members("mira", "otto")
    await world.agents("A", account="mira")
    await world.agents("S", role=AgentRole.SUB, parent="A")
    await world.team("T", A="owner", **{"member:mira": "owner"})
    await world.team("R", GateLevel.REVIEWED, A="writer", **{"member:otto": "writer"})
    one = await world.write("A", "端口是 5433，见部署手册", team_id="T")
    two = await world.write("A", "端口改为 5433，旧的是 5432", team_id="T")
    held = [await world.write("A", f"等待审核 {n}", team_id="R") for n in range(4)]
    for project in ("p1", "p2"):
        said = "磁盘满了构建就失败，先清缓存再构建"
        await world.write("member:mira", said, category=Category.EXPERIENCE, project_id=project, account="mira")
    more = [await world.write("A", f"待纠正 {n}") for n in range(3)]
    mine = await world.write("A", "只是我的")
    account = await world.write("member:mira", "偏好简短", account="mira")
    secret = await world.key("agent:A", permissions=(Permission.ADMIN, Permission.CREATE_TENANTS))
    async with AsyncExitStack() as stack:
        case = await stack.enter_async_context(opened(edge))
        who = {"A": edge.as_("A"), "mira": edge.as_("member:mira"), "otto": edge.as_("member:otto"), "admin": edge.as_(secret)}
        clients = {name: await stack.enter_async_context(client) for name, client in who.items()}
        made = Stage(clients | {"case": case.client}, {"case": case.name})
        made.ids |= {"one": str(one.id), "two": str(two.id), "mine": str(mine.id), "account": str(account.id)}
        listed = await clients["mira"].get("/proposals")
        made.ids["proposal"] = ok(listed)["items"][0]["proposal_id"]
        made.ids |= {f"held{n}": str(m.id) for n, m in enumerate(held)} | {f"more{n}": str(m.id) for n, m in enumerate(more)}
        made.bodies = _bodies(made.ids)
        place = {"program": "codex", "machine": "m", "directory": HOOKED, "project_id": "hooked"}
        ok(await clients["A"].put("/workplaces", json=place))
        for step in ("read-only", "governed"):
            ok(await clients["A"].put("/projects/hooked/stage", json={"stage": step}))
        yield made


def _bodies(ids: dict[str, str]) -> dict[Route, tuple[str, dict[str, Any]]]:
    quote = {"source": f"memory:{ids['one']}", "quote": "端口是 5433"}
    named = {"project_id": "boss", "session_id": "s", "subject": "port", "title": "x", "tags": ["x"], "reason": "x"}
    draft = {"content": "端口是 5433", **named, **quote}
    return {
        ("POST", "/capture"): ("A", draft),
        ("POST", "/capture/batch"): ("A", {"items": [draft]}),
        ("POST", "/ingest"): ("A", {"text": "端口是 5433", "context": "personal", "subject": "port", "reason": "x", **quote}),
        ("PUT", "/projects/{projectId}/bank"): ("admin", {"team_id": "T", "git_remotes": ["git@github.com:acme/infra.git"]}),
        ("POST", "/corrections"): ("A", {"text": "端口是 5433", "subject": "port", "harness": "h"}),
        ("POST", "/recall"): ("A", {"query": "端口"}),
        ("PATCH", "/memories/{memory_id}"): ("A", {"content": "端口 5433", "reason": "x"}),
        ("POST", "/memories/{memory_id}/supersede"): ("A", {"by": ids["mine"], "reason": "x"}),
        ("POST", "/observations"): ("A", {
            "memory_ids": [ids["one"], ids["two"]], "text": "端口是 5433",
            "quotes": [{"memory_id": ids["one"], "quote": "端口是 5433"}, {"memory_id": ids["two"], "quote": "端口改为 5433"}],
        }),
        ("POST", "/observations/consolidate"): ("A", {"team_id": "T"}),
        ("POST", "/memories/{memory_id}/publish"): ("A", {"team_id": "T"}),
        ("POST", "/sources"): ("admin", {
            "kind": "git", "locator": "https://git.example.com/r.git", "name": "n", "audience": "team:T",
        }),
        ("POST", "/review/{memory_id}/admit"): ("otto", {"version": 1, "content": "审核后的说法", "title": "x"}),
        ("POST", "/review/{memory_id}/refuse"): ("otto", {"reason": "x"}),
        ("POST", "/tasks"): ("A", {"task_id": "t", "agents": ["S"]}),
        ("POST", "/inject-context"): ("A", {"agent_id": "S", "task": "端口"}),
        ("GET", "/inject-context"): ("A", {"agent_id": "S", "task": "端口"}),
        ("POST", "/master-agent/chat"): ("mira", {"projectId": "boss", "message": "端口？"}),
        ("POST", "/master-agent/distill"): ("mira", {
            "projectId": "boss", "messages": [{"id": "m1", "role": "user", "content": "定了：端口以后固定用 5433。"}],
        }),
        ("POST", "/master-agent/distill/settings"): ("mira", {"automatic": True}),
        ("POST", "/master-agent/prompt-policy"): ("admin", {"globalPrompt": "x"}),
        ("POST", "/master-agent/user-prompt"): ("mira", {"content": "x"}),
        ("POST", "/projects/{projectId}/agent-controls"): ("mira", {"promptOverride": "x", "modelOverride": "m-1"}),
        ("POST", "/master-agent/context"): ("mira", {"projectId": "boss", "message": "端口"}),
        ("GET", "/master-agent/context"): ("mira", {"projectId": "boss", "message": "端口"}),
        ("POST", "/master-agent/memories"): ("mira", {"content": "端口", "title": "x", "tags": ["x"]}),
        ("POST", "/master-agent/memories/{memory_id}"): ("mira", {"content": "账户的偏好"}),
        ("POST", "/proposals/{proposal_id}/reject"): ("mira", {"reason": "x"}),
        ("POST", "/proposals/{proposal_id}/confirm"): ("mira", {"repository": "r", "path": "rules.md"}),
        ("GET", "/recall"): ("A", {"query": "端口"}),
        ("POST", "/agents"): ("admin", {"agent_id": "n", "role": "main"}),
        ("PATCH", "/agents/{name}"): ("admin", {"clearance": "open"}),
        ("POST", "/members"): ("admin", {"member_id": "n"}),
        ("PATCH", "/members/{name}"): ("admin", {"name": "x"}),
        ("POST", "/teams"): ("admin", {"team_id": "n"}),
        ("PATCH", "/teams/{name}"): ("admin", {"name": "x"}),
        ("POST", "/keys"): ("A", {"acts_as": ["A"]}),
        ("POST", "/tenants"): ("admin", {"tenant_id": "n"}),
        ("PUT", "/workplaces"): ("A", {"program": "pi", "machine": "m", "directory": "/srv/x", "project_id": "boss"}),
        ("PUT", "/projects/{project_id}/stage"): ("A", {"stage": "read-only", "reason": "x"}),
        ("POST", "/hooks/{program}"): ("A", {
            "hook_event_name": "UserPromptSubmit", "session_id": "s", "turn_id": "t", "cwd": HOOKED, "prompt": "端口 5433？",
        }),
        ("POST", "/bureau/cases"): ("admin", {"script": "heron"}),
        ("POST", "/bureau/cases/{case}/whisper"): ("case", {"role": "detective", "content": "x"}),
        ("POST", "/bureau/cases/{case}/ask"): ("case", {"role": "detective", "question": "端口"}),
        ("POST", "/bureau/cases/{case}/show-key"): ("case", {}),
    }  # fmt: skip


def fields(app_page: dict[str, Any]) -> Iterator[tuple[Route, str, str]]:
    """(route, where, place) of every parameter and field of a body that holds any text: no number, choice, id or time."""
    schemas = app_page["components"]["schemas"]
    for path, operations in app_page["paths"].items():
        for method, told in operations.items():
            route = method.upper(), path
            for parameter in told.get("parameters", ()):
                for _ in _texts(schemas, parameter["schema"], ""):
                    yield route, parameter["in"], parameter["name"]
                    break
            for content in told.get("requestBody", {}).get("content", {}).values():
                for place in sorted(set(_texts(schemas, content["schema"], ""))):
                    yield route, "body", place


def _texts(schemas: dict[str, Any], schema: dict[str, Any], place: str, seen: tuple[str, ...] = ()) -> Iterator[str]:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        if name not in seen:
            yield from _texts(schemas, schemas[name], place, (*seen, name))
        return
    for several in ("anyOf", "oneOf", "allOf"):
        for one in schema.get(several, ()):
            yield from _texts(schemas, one, place, seen)
    match schema.get("type"):
        case "string" if not {"enum", "const"} & set(schema) and schema.get("format") not in ("date-time", "uuid"):
            yield place
        case "array":
            yield from _texts(schemas, schema.get("items", {}), f"{place}[]", seen)
        case "object":
            for name, inner in schema.get("properties", {}).items():
                yield from _texts(schemas, inner, f"{place}.{name}" if place else name, seen)
        case _:
            pass


def test_every_field_that_takes_a_text_is_classified(edge: Edge) -> None:
    known = TEXTS | NAMES | REFERENCES
    unknown = {(*route, place) for route, _, place in fields(described(edge.app)) if kind_of(route, place) not in known}
    assert unknown == set()
    used = {kind_of(route, place) for route, _, place in fields(described(edge.app))}
    assert known <= used, "what no route takes any more"


def test_every_route_that_takes_a_text_is_tried(edge: Edge) -> None:
    without = {
        route
        for route, where, place in fields(described(edge.app))
        if (where == "body" or kind_of(route, place) in TEXTS) and (route[0], route[1].removeprefix("/api/v1")) not in _bodies({
            "one": "", "two": "", "mine": "",
        })
    }  # fmt: skip
    assert without == set()


async def test_a_secret_in_any_field_is_nowhere_afterwards(
    edge_of_all: Edge, stage: Stage, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    caplog.set_level(logging.DEBUG)
    sent: dict[str, tuple[Route, str]] = {}
    wrong: list[str] = []
    for route, where, place in fields(described(edge_of_all.app)):
        short = route[0], route[1].removeprefix("/api/v1")
        if short not in stage.bodies or (where != "body" and kind_of(route, place) not in TEXTS | NAMES):
            continue
        secret = made_up.password()
        sent[secret] = route, place
        response = await _send(stage, short, where, place, f"端口 5433，密码：{secret}", edge_of_all.url)
        wrong += _judged(route, place, secret, response)
    assert wrong == [], "\n".join(wrong)
    assert len(sent) > 100
    texts = {
        "the dump": await dumped(edge_of_all.world.installation.dsn, tmp_path),
        # The test's own client logs the addresses that it asks for; everything else in this process is the server.
        "the log": "\n".join(r.getMessage() for r in caplog.records if not r.name.startswith(("httpx", "httpcore"))),
    }
    assert "端口 5433，密码：[secret:credential]" in texts["the dump"]
    assert [(where, *sent[s]) for where, text in texts.items() for s in sent if s in text] == []


def _judged(route: Route, place: str, secret: str, response: httpx.Response) -> list[str]:
    told = f"{route[0]} {route[1]} {place}: {response.status_code} {response.text[:300]}"
    if response.status_code >= 500:
        return [told]
    match kind_of(route, place):
        case name if name in TEXTS:
            return [] if response.is_success and secret not in response.text else [told]
        case name if name in NAMES:
            refused = response.status_code == 422 or '"refused_by_gate"' in response.text
            return [] if refused or response.status_code in (403, 404) else [told]
        case _:
            return []


async def _send(stage: Stage, route: Route, where: str, place: str, text: str, url: str) -> httpx.Response:
    who, body = stage.bodies[route]
    client = stage.clients[who]
    method, path = route
    memory = {
        ("POST", "/memories/{memory_id}/publish"): "mine",
        ("POST", "/master-agent/memories/{memory_id}"): "account",
        ("POST", "/review/{memory_id}/admit"): "held0" if place == "content" else "held1",
        ("POST", "/review/{memory_id}/refuse"): "held2",
        ("POST", "/memories/{memory_id}/supersede"): "more0",
    }.get(route, "mine")  # fmt: skip
    if path == "/corrections" and place in ("source", "quote", "reason"):
        about = stage.ids["more1" if place == "source" else "more2"]
        body = body | {"about": about, "supersedes": True, "source": "manual", "reason": "x"}
    names = {
        "proposal_id": stage.ids["proposal"],
        "projectId": "boss",
        "project_id": "boss",
        "case": stage.ids["case"],
        "memory_id": stage.ids[memory],
        "program": "codex",
    }
    names["name"] = {"agents": "S", "members": "otto", "teams": "T"}.get(path.split("/")[1], "t")
    if where == "path":
        names[place] = text.replace("/", "")
    target = f"{url}/api/v1{path.format(**names)}"
    if method == "PATCH" and "memories" in path:
        version = (await client.get(f"/memories/{stage.ids[memory]}")).json()["version"]
        body = body | {"version": version}
    if method == "GET":
        return await client.request(method, target, params=_with(body, place, text))
    query, headers = {}, {}
    if where == "query":
        query = {place: text}
    elif where == "header":
        headers = {place: made_up.letters(8)}
    if path.startswith("/hooks/"):
        headers = {"X-Machine": "m"} | headers
    return await client.request(
        method, target, json=_with(body, place, text) if where == "body" else body, params=query, headers=headers
    )


def _with(body: dict[str, Any], place: str, text: str) -> dict[str, Any]:
    """``body`` with ``text`` at ``place``, such as ``items[].tags[]``."""
    first, _, rest = place.partition(".")
    name = first.removesuffix("[]")
    if not rest:
        return body | {name: [text] if first.endswith("[]") else text}
    inner = body.get(name) or [{}]
    return body | {name: [_with(inner[0], rest, text), *inner[1:]] if first.endswith("[]") else _with(inner, rest, text)}
