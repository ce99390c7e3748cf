"""A small team with something of everything: the scene that pictures and the sweep of all pages look at."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import yaml

from whoknows.client import ApiError, AsyncWhoKnows

PERMISSIONS = ("admin", "audit", "inspect")
PROJECT = "harbour"
_MACHINE = "quay"
_TEXTS = Path(__file__).with_name("scene.yaml")


@dataclass(frozen=True, slots=True)
class Scene:
    """Keys: ``operator`` acts as everybody and may administer, inspect and audit; ``administrator`` acts as nobody."""

    administrator: str
    operator: str
    agent: str
    memory: str
    """Id of a private memory of the agent that was published."""
    trace: str
    conversation: str


async def furnish(url: str, administrator: str, language: str = "en") -> Scene:
    """Into an empty tenant, through the interface, as people and agents would. ``administrator`` is its first key."""
    said: dict[str, Any] = yaml.safe_load(_TEXTS.read_text("utf-8"))[language]
    async with AsyncWhoKnows(url, key=administrator) as admin:
        await _people(admin)
        keys = {name: (await admin.add_key([name]))["key"] for name in ("agent:ada", "agent:bo", "agent:cleo", "member:lin")}
        granted = set((await admin.whoami())["permissions"])
        everybody = ["member:lin", "agent:ada", "agent:bo", "agent:cleo", "agent:scout"]
        operator = (await admin.add_key(everybody, permissions=[p for p in PERMISSIONS if p in granted]))["key"]
        await admin.set_prompt_policy(said["prompts"]["global"])
    async with (
        AsyncWhoKnows(url, key=keys["agent:ada"]) as ada,
        AsyncWhoKnows(url, key=keys["agent:bo"]) as bo,
        AsyncWhoKnows(url, key=keys["agent:cleo"]) as cleo,
        AsyncWhoKnows(url, key=keys["member:lin"]) as lin,
    ):
        memory = await _memories(said, ada, bo, cleo)
        conversation = await _account(said, lin)
        await _governed(said, ada, bo, lin)
        await _programs(said, ada, url, keys["agent:ada"])
        trace = await _questions(said["questions"], ada, bo)
    return Scene(administrator, operator, keys["agent:ada"], memory, trace, conversation)


async def _people(admin: AsyncWhoKnows) -> None:
    await admin.add_member("lin", "Lin")
    await admin.add_member("mei", "Mei")
    await admin.add_agent("ada", role="main", account="lin")
    await admin.add_agent("bo", role="main")
    await admin.add_agent("cleo", role="main")
    await admin.add_agent("scout", role="sub", parent="ada", clearance="need_to_know")
    await admin.add_agent("pilot", role="sub", parent="ada")
    await admin.add_team("harbour", name="Harbour", share_with_subagents=True)
    await admin.add_team("records", name="Records", gate="verified")
    await admin.add_team("council", name="Council", gate="reviewed")
    for team, principal, role in (
        ("harbour", "agent:ada", "writer"),
        ("harbour", "agent:bo", "writer"),
        ("harbour", "member:lin", "owner"),
        ("records", "agent:ada", "writer"),
        ("council", "agent:bo", "writer"),
        ("council", "member:lin", "owner"),
        ("*", "agent:cleo", "writer"),
    ):
        await admin.join_team(team, principal, role)
    await admin.route_project(PROJECT, "harbour")


async def _memories(said: dict[str, Any], ada: AsyncWhoKnows, bo: AsyncWhoKnows, cleo: AsyncWhoKnows) -> str:
    team: Any = {"memory_type": "team", "team_id": "harbour", "project_id": PROJECT}
    for text in said["team"]:
        await bo.capture(text["content"], title=text.get("title"), category=text["category"], tags=text.get("tags"), **team)
    for content in said["subject"]:  # the second overturns the first
        await bo.capture(content, subject="crane.service", category="decision", reason=said["reason"], **team)
    await bo.capture(said["narrowed"], visible_to=["ada"], **team)
    secret = (await ada.capture(said["secret"], category="fact", tags=[said["tag"]]))["memory"]["id"]
    await ada.capture(said["doubt"], category="risk", project_id=PROJECT)
    shared = (await ada.capture(said["shared"], category="research_note"))["memory"]["id"]
    await ada.share(shared, "cleo")
    await ada.publish(secret, "harbour")
    await ada.inject_context("scout", said["task"], memory_ids=[shared], depth="minimal")
    await cleo.capture(said["everyone"], memory_type="team", category="workflow_rule")
    return secret


async def _account(said: dict[str, Any], lin: AsyncWhoKnows) -> str:
    await lin.set_user_prompt(said["prompts"]["user"])
    await lin.set_agent_controls(PROJECT, promptOverride=said["prompts"]["conversation"])
    await lin.add_master_memory(said["preference"], scope="global", memoryType="user_preference", tags=[said["tag"]])
    await lin.add_master_memory(said["progress"], scope="project", projectId=PROJECT, memoryType="project_progress")
    talk: Sequence[str] = said["talk"]
    await lin.distill(PROJECT, [{"id": f"m{n}", "role": "user", "content": text} for n, text in enumerate(talk)])
    answer = await lin.chat(PROJECT, said["chat"][0])
    for message in said["chat"][1:]:
        await lin.chat(PROJECT, message, conversation_id=answer["conversationId"])
    return answer["conversationId"]


async def _governed(said: dict[str, Any], ada: AsyncWhoKnows, bo: AsyncWhoKnows, lin: AsyncWhoKnows) -> None:
    for content in said["held"]:
        await bo.capture(content, memory_type="team", team_id="council", category="decision")
    try:
        await ada.capture(said["unsourced"], memory_type="team", team_id="records")
    except ApiError as fault:
        if fault.code != "refused_by_gate":
            raise
    now = datetime.now(UTC)
    for week, text in enumerate(said["corrections"]):
        at = (now - timedelta(weeks=week)).strftime("%Y-%m-%dT%H:%M:%SZ")
        await lin.correct(text, at=at, project_id=PROJECT)
    for content in said["experiences"]:
        await bo.capture(content, memory_type="team", team_id="harbour", category="experience")
    await bo.consolidate(team_id="harbour")


async def _programs(said: dict[str, Any], ada: AsyncWhoKnows, url: str, key: str) -> None:
    """Ada's programs work for the project and for another one; something was asked, and something offered to be learned."""
    for program, directory, project in (
        ("claude-code", "/srv/code/harbour", PROJECT),
        ("codex", "/srv/code/harbour", PROJECT),
        ("pi", "/srv/code/beacon", "beacon"),
    ):
        await ada.register_workplace(program, directory, project, machine=_MACHINE)
    await ada.set_project_stage(PROJECT, "read-only")
    await ada.set_project_stage(PROJECT, "governed", reason=said["stage_reason"])
    headers = {"Authorization": f"Bearer {key}", "X-Machine": _MACHINE}
    async with httpx.AsyncClient(base_url=f"{url}/api/v1", headers=headers, timeout=30) as program:
        for session, name, fields in (
            ("a0", "SessionStart", {"source": "startup"}),
            *(("a1", "UserPromptSubmit", {"prompt": p, "prompt_id": f"p{n}"}) for n, p in enumerate(said["prompted"])),
            ("a1", "Stop", {"prompt_id": "p0", "last_assistant_message": said["answered"]}),
        ):
            event = {"hook_event_name": name, "session_id": session, "cwd": "/srv/code/harbour/log", **fields}
            (await program.post("/hooks/claude-code", json=event)).raise_for_status()


async def _questions(questions: Sequence[str], ada: AsyncWhoKnows, bo: AsyncWhoKnows) -> str:
    trace = ""
    for question in questions:
        trace = (await ada.recall(question))["trace_id"]
        await bo.recall(question)
    return (await ada.recall(questions[0]))["trace_id"] or trace
