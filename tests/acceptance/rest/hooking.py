"""For tests of hooks: somebody whose programs are connected to a project, and events in a few words."""

import itertools
import json
import re
from dataclasses import dataclass
from typing import Any

import httpx

from whoknows.service import Service

from .conftest import Edge

MACHINE = "ana-laptop"
PROGRAMS = ("claude-code", "codex", "pi")
_TURN = {"claude-code": "prompt_id", "codex": "turn_id", "pi": "turn_id"}
_NUMBERS = itertools.count(1)


def number() -> str:
    return f"{next(_NUMBERS):08x}-0000-4000-8000-000000000000"


@dataclass
class Session:
    """A session of one program in one directory. ``who`` is whose key it has."""

    edge: Edge
    program: str
    who: str
    directory: str
    id: str
    machine: str = MACHINE

    async def sends(self, name: str, **fields: Any) -> httpx.Response:
        raw = {"hook_event_name": name, "session_id": self.id, "cwd": self.directory, "transcript_path": None, **fields}
        async with self.edge.as_(self.who, X_Machine=self.machine) as client:
            # As the programs write it: half a character goes through, too.
            return await client.post(
                f"/hooks/{self.program}", content=json.dumps(raw), headers={"Content-Type": "application/json"}
            )

    async def output(self, name: str, **fields: Any) -> dict[str, Any]:
        answer = await self.sends(name, **fields)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def asks(self, prompt: str, turn: str | None = None, **fields: Any) -> str:
        """What is put beside the prompt; empty for nothing."""
        output = await self.output("UserPromptSubmit", prompt=prompt, **{_TURN[self.program]: turn or number(), **fields})
        return context_of(output, "UserPromptSubmit")

    async def starts(self, source: str = "startup") -> str:
        return context_of(await self.output("SessionStart", source=source), "SessionStart")

    async def stops(self, turn: str | None, said: str | None, **fields: Any) -> None:
        turns = {} if turn is None else {_TURN[self.program]: turn}
        assert await self.output("Stop", last_assistant_message=said, stop_hook_active=False, **turns, **fields) == {}

    async def exchange(self, prompt: str, said: str) -> str:
        """A whole turn; what was put beside its prompt."""
        turn = number()
        beside = await self.asks(prompt, turn)
        await self.stops(turn, said)
        return beside


def context_of(output: dict[str, Any], event: str) -> str:
    told = output.get("hookSpecificOutput")
    if told is None:
        return ""
    assert set(output) <= {"hookSpecificOutput", "systemMessage"}, output
    assert set(told) == {"hookEventName", "additionalContext"}, told
    assert told["hookEventName"] == event
    assert told["additionalContext"]
    return told["additionalContext"]


def ids_in(block: str) -> list[str]:
    """Of the memories in a block, in order."""
    return re.findall(r"(?:memory|记忆) ([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", block)


async def connected(
    edge: Edge, who: str, project: str, directory: str, stage: str = "read-only", programs: tuple[str, ...] = PROGRAMS
) -> None:
    """The programs of ``who`` are registered in the directory, and the project is brought to the stage, step by step."""
    async with edge.as_(who) as client:
        for program in programs:
            place = {"program": program, "machine": MACHINE, "directory": directory, "project_id": project}
            assert (await client.put("/workplaces", json=place)).status_code == 200
        await staged(edge, who, project, stage)


async def staged(edge: Edge, who: str, project: str, stage: str) -> None:
    steps = ["off", "read-only", "governed", "team"]
    async with edge.as_(who) as client:
        now = (await client.get(f"/projects/{project}/stage")).json()["stage"]
        way = steps[steps.index(now) + 1 : steps.index(stage) + 1] or [stage]
        for step in way:
            answer = await client.put(f"/projects/{project}/stage", json={"stage": step})
            assert answer.status_code == 200, answer.text


def session(edge: Edge, program: str = "claude-code", who: str = "claude", directory: str = "/srv/boss/src") -> Session:
    return Session(edge, program, who, directory, number())


async def distilled(service: Service) -> None:
    """What a server does beside its requests, until nothing is due."""
    while await service.distill_exchanges.some():
        pass


async def turns(edge: Edge, who: str) -> list[dict[str, Any]]:
    """What was noted for the account of ``who``, in order."""
    caller = await edge.world.caller(who)
    async with edge.world.service.store.read(caller) as tx:
        sql = tx.hook_turns._sql  # pyright: ignore[reportAttributeAccessIssue]
        return await sql.all("SELECT * FROM hook_turns ORDER BY turn_no")
