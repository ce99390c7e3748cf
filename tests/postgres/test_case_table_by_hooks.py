"""The same table of cases through hooks: below `team` the personal bank of the caller, there the team's, and nothing else."""

from collections.abc import AsyncIterator
from contextlib import suppress

import httpx
import psycopg
import pytest
import pytest_asyncio

from visibility_cases import CASES, Case
from visibility_stage import QUESTION, Stage
from whoknows.domain.harness import Program
from whoknows.domain.harness import Stage as Step
from whoknows.domain.ids import MemoryId
from whoknows.errors import Forbidden, StageUnreachable, Unauthenticated
from whoknows.policy.routing import personal_bank
from whoknows.rest.app import create_app
from worlds import World

pytestmark = pytest.mark.asyncio(loop_scope="session")
EVERY = 5
"""Of the cases runs with every test; the others with the longer ones."""
PROJECT, MACHINE, DIRECTORY = "case-by-hooks", "m", "/srv/case"


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def door(founder: World) -> AsyncIterator[httpx.AsyncClient]:
    app = create_app(founder.service, body_bytes=1 << 20, version="test")
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1/api/v1") as client:
        yield client


@pytest.mark.parametrize(
    "case", [pytest.param(c, id=str(c), marks=() if n % EVERY == 0 else pytest.mark.slow) for n, c in enumerate(CASES)]
)
async def test_what_hooks_put_beside_a_prompt_is_what_the_case_says(
    case: Case, stages: dict[str, Stage], door: httpx.AsyncClient
) -> None:
    stage = stages[case.name]
    owners = _owners(stage)
    await _routed_to_t(stage)
    for reader in stage.readers():
        if stage.session(reader) is not None:
            continue  # a session of memory is none of a program's
        for step in (Step.READ_ONLY, Step.TEAM):
            searched = await _connected(stage, reader, step)
            got = await _beside(stage, door, reader, step)
            seen = {m for m in stage.recalls(reader) if owners[m] in searched}
            assert stage.names(got) == seen, f"{reader} at {step}"


async def _connected(stage: Stage, reader: str, step: Step) -> set[int]:
    """The owners of the banks that are searched at that stage; none for who has no workplaces: a sub-agent, work on a task."""
    caller, service = stage.caller(reader), stage.service
    try:
        async with service.store.read(caller) as tx:
            standing = await tx.directory.standing()
        await service.workplaces.register(caller, Program.CODEX, MACHINE, DIRECTORY, PROJECT)
    except (Forbidden, Unauthenticated):
        return set()
    stands = (await service.stages.now(caller, PROJECT)).stage
    for there in list(Step)[list(Step).index(stands) + 1 : list(Step).index(step) + 1]:
        with suppress(StageUnreachable):  # no team of the caller's has the project
            stands = (await service.stages.set(caller, PROJECT, there)).stage
    banks = {int(standing.reader.id), int(personal_bank(standing).id)}
    if stands is Step.TEAM:
        banks |= {int(t) for t, on in standing.teams.items() if on.team.name == "T"}
    return banks


async def _beside(stage: Stage, door: httpx.AsyncClient, reader: str, step: Step) -> set[MemoryId]:
    """All that one session gets, asked until nothing new comes."""
    headers = {"Authorization": f"Bearer {stage.secrets[reader]}", "X-Machine": MACHINE}
    found: set[MemoryId] = set()
    for turn in range(10):
        body = {"hook_event_name": "UserPromptSubmit", "session_id": f"{step}", "turn_id": f"{turn}", "cwd": f"{DIRECTORY}/src"}
        answer = await door.post("/hooks/codex", json=body | {"prompt": QUESTION}, headers=headers)
        if answer.status_code in (401, 403):
            return set()
        assert answer.status_code == 200, answer.text
        if answer.json() == {}:
            return found
        context = answer.json()["hookSpecificOutput"]["additionalContext"]
        more = {m for m in stage.memories.values() if str(m) in context}
        assert more - found, context
        found |= more
    raise AssertionError("it never ends")


async def _routed_to_t(stage: Stage) -> None:
    for world in stage.worlds.values():
        admin = await world.admin()
        if any(t.principal.name == "T" for t in await world.service.administer.teams(admin)):
            await world.service.banks.route(admin, PROJECT, "T", [])


def _owners(stage: Stage) -> dict[str, int]:
    with psycopg.connect(stage.dsn, options="-c search_path=whoknows") as connection:
        rows = connection.execute(
            "SELECT m.memory_id, a.owner_id FROM memories m JOIN audiences a USING (audience_id)"
        ).fetchall()
    owners = {MemoryId(r[0]): int(r[1]) for r in rows}
    return {name: owners.get(m, 0) for name, m in stage.memories.items()}
