"""The gate beside the embedding of the same text: looking for the quote and for duplicates, judging, and keeping the evidence.

Timed are the steps that a write takes because of the gate, one after the other as a capture takes them; beginning and ending a
transaction, and writing the memory, are no part of it. Every step is undone.
"""

import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from speed.figures import Figure, quantile
from speed.texts import Writer
from speed.world import World
from whoknows.domain.answer_mode import AnswerMode
from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Draft
from whoknows.domain.principal import AgentRole, Clearance, TeamRole
from whoknows.domain.source import LocationKind
from whoknows.flows.administer import NewAgent
from whoknows.flows.authenticate import act_as
from whoknows.flows.converse import Said
from whoknows.flows.destination import destination
from whoknows.flows.exchange import Ended
from whoknows.flows.gathering import Gathering, Ready
from whoknows.flows.keep_sources import NewSource
from whoknows.flows.prepare import Prepared, prepare
from whoknows.gate.judge import Stored, judge
from whoknows.policy.standing import scope_for

_TEAM = "team-0"
_SIZES = (20, 80, 300)
_WARM = 5
_FILE = "docs/log.md"


class _Undone(Exception):
    """The end of a transaction that keeps nothing."""


async def gate_beside_embedding(world: World, folder: Path, rounds: int) -> list[Figure]:
    """Milliseconds, p50; the target is the ratio of both, for each length of text and each kind of source."""
    caller = await _person(world)
    texts = Writer(11).texts(rounds + _WARM, 120, 160)
    figures: list[Figure] = []
    for size in _SIZES:
        written = [t[:size] for t in texts]
        sources = await _sources(world, caller, folder / f"of-{size}", written)
        for kind, locators in sources.items():
            gate, alone = await _measured(world, caller, written, locators)
            name = f"{size} characters, {kind}"
            figures += [
                Figure("gate", f"{name}: the gate, p50", 1000 * quantile(gate, 0.5), "ms"),
                Figure("gate", f"{name}: embedding, p50", 1000 * quantile(alone, 0.5), "ms"),
                Figure("gate", f"{name}: share", median(gate) / median(alone), "x", at_most=1.0),
            ]
    return figures


async def _person(world: World) -> Caller:
    """A member's main agent that writes to a team which the member is on as well."""
    admin = await world.service.authenticate(world.installation.new_key)
    await world.service.administer.make_member(admin, "mira", None)
    await world.service.administer.make_agent(admin, NewAgent("boss", AgentRole.MAIN, None, "mira", Clearance.OPEN))
    await world.service.administer.put_membership(admin, _TEAM, "agent:boss", TeamRole.OWNER)
    secret = (await world.service.keys.make(admin, ["boss"], (), None, None)).secret
    return act_as(await world.service.authenticate(secret), None)


async def _sources(world: World, caller: Caller, folder: Path, texts: Sequence[str]) -> dict[str, list[str]]:
    """For each kind one source a text, that says it: a message of the account, a file at a commit, another memory."""
    messages: list[str] = []
    for text in texts:
        async for event in world.service.converse(caller, Said("p", f"Please remember: {text}")):
            if isinstance(event, Ended):
                assert event.turn.exchange.mode is AnswerMode.EVIDENCE
                messages.append(f"message:{event.turn.exchange.message_id}")
    notes = [Draft(f"Minutes of today. {text}", layer="team", team_id=_TEAM) for text in texts]
    stored = await world.service.capture.batch(caller, notes)
    memories = [f"memory:{o.memory.id}" for o in stored if not isinstance(o, Exception)]
    commit = _repository(folder, texts)
    new = NewSource(LocationKind.GIT, str(folder), folder.name, f"team:{_TEAM}")
    await world.service.keep_sources.register(caller, new)
    files = [f"git:{folder.name}@{commit}:{_FILE}"] * len(texts)
    assert len(messages) == len(memories) == len(files)
    return {"message": messages, "memory": memories, "git": files}


def _repository(folder: Path, texts: Sequence[str]) -> str:
    (folder / _FILE).parent.mkdir(parents=True)
    (folder / _FILE).write_text("# Log\n\n" + "\n\n".join(texts) + "\n", "utf-8")
    git = ["git", "-C", str(folder), "-c", "user.name=b", "-c", "user.email=b@example.org"]
    for words in (["init", "--quiet"], ["add", "-A"], ["commit", "--quiet", "-m", "log"]):
        subprocess.run([*git, *words], check=True, capture_output=True)
    return subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()


async def _measured(
    world: World, caller: Caller, texts: Sequence[str], sources: Sequence[str]
) -> tuple[list[float], list[float]]:
    gate: list[float] = []
    alone: list[float] = []
    note = (await world.service.capture(caller, Draft(f"A note beside {sources[0]}", layer="team", team_id=_TEAM))).memory.id
    for text, source in zip(texts, sources, strict=True):
        began = time.perf_counter()
        (ready,) = await prepare(world.service.embedder, [(text, None)])
        alone.append(time.perf_counter() - began)
        draft = Draft(text, layer="team", team_id=_TEAM, source=source, quote=text)
        if source.startswith("message:"):  # what was said to one's own agent is a source for one's own memory
            draft = Draft(text, account="mira", source=source, quote=text)
        gate.append(await _step(world, caller, draft, ready, note))
    return gate[_WARM:], alone[_WARM:]


async def _step(world: World, caller: Caller, draft: Draft, ready: Prepared, note: MemoryId) -> float:
    verify, spent = world.service.capture.verify, 0.0
    began = time.perf_counter()
    (proof,) = await verify.outside(caller, [draft])
    spent += time.perf_counter() - began
    try:
        async with world.service.store.write(caller) as tx:
            standing = await tx.directory.standing()
            to = await destination(tx.directory, standing, draft)
            audience = await tx.memories.audience(to.key)
            scope = scope_for(await tx.directory.standing())
            began = time.perf_counter()
            proof = await verify.inside(tx, scope, draft, proof, audience)
            gathering = Gathering(tx, standing, scope)
            facts = await gathering.facts(Ready(draft, to, audience, ready, proof), None)
            verdict = judge(facts)
            spent += time.perf_counter() - began
            assert isinstance(verdict, Stored), verdict
            assert all(e.verified for e in proof.evidence), proof
            began = time.perf_counter()
            await tx.citations.cite(note, proof.evidence)
            spent += time.perf_counter() - began
            raise _Undone
    except _Undone:
        return spent
