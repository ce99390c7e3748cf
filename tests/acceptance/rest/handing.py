"""Steps of handing over, as the tests take them through the interface."""

from typing import Any

import httpx

from whoknows.domain.principal import AgentRole
from worlds import World

Json = dict[str, Any]


async def family(world: World, *subs: str, main: str = "A") -> None:
    """``main`` and its sub-agents, each with a key of its own."""
    await world.agents(main)
    await world.agents(*subs, role=AgentRole.SUB, parent=main)


async def captured(client: httpx.AsyncClient, content: str, **fields: object) -> str:
    """The id of a new memory."""
    response = await client.post("/capture", json={"content": content, **fields})
    assert response.status_code == 201, response.text
    return response.json()["memory"]["id"]


async def injected(client: httpx.AsyncClient, target: str, task: str = "the work", **fields: object) -> Json:
    response = await client.post("/inject-context", json={"agent_id": target, "task": task, **fields})
    assert response.status_code == 200, response.text
    return response.json()


async def opened(client: httpx.AsyncClient, name: str, *agents: str, **fields: object) -> dict[str, str]:
    """The tokens of the agents."""
    response = await client.post("/tasks", json={"task_id": name, "agents": list(agents), **fields})
    assert response.status_code == 201, response.text
    return response.json()["tokens"]


async def recalled(client: httpx.AsyncClient, query: str, **fields: object) -> set[str]:
    response = await client.post("/recall", json={"query": query, "min_score": 0, **fields})
    assert response.status_code == 200, response.text
    return {m["content"] for m in response.json()["memories"]}


async def listed(client: httpx.AsyncClient, **params: str) -> set[str]:
    response = await client.get("/memories", params={"limit": "200", **params})
    assert response.status_code == 200, response.text
    return {m["content"] for m in response.json()["items"]}


async def injections(client: httpx.AsyncClient, **params: str) -> list[Json]:
    response = await client.get("/injections", params=params)
    assert response.status_code == 200, response.text
    return response.json()["items"]


def texts(context: Json) -> set[str]:
    """What a context holds."""
    return {m["content"] for m in context["memories"]}
