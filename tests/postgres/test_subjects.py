"""One current statement of a subject and an author (rules W8)."""

import asyncio
from dataclasses import replace

import pytest

from whoknows.domain.memory import Draft, Filters, Patch, State
from whoknows.errors import AlreadySuperseded, Conflict
from whoknows.flows.writing import Outcome
from whoknows.policy.standing import scope_for
from worlds import World

SUBJECT = "service-a.postgres.port"


@pytest.fixture
async def team(world: World) -> World:
    """A, B and O write to T, which O owns."""
    await world.agents("A", "B", "O")
    await world.team("T", A="writer", B="writer", O="owner")
    return world


async def say(world: World, who: str, text: str, **fields: object) -> Outcome:
    fields.setdefault("subject", SUBJECT)
    draft = replace(Draft(text, layer="team", team_id="T"), **fields)  # pyright: ignore[reportArgumentType]
    return await world.service.capture(await world.caller(who), draft)


async def current(world: World, who: str = "B") -> list[tuple[str, set[str]]]:
    """(text, authors) of what is active, oldest first."""
    async with world.service.store.read(await world.caller(who)) as tx:
        page = await tx.memories.page(scope_for(await tx.directory.standing()), Filters(state=State.ACTIVE), 100, None)
    return [(m.content, {a.author.name for a in m.authors}) for m in reversed(page.items)]


async def test_a_newer_statement_of_the_same_author_takes_the_place_of_the_older(team: World) -> None:
    old = await say(team, "A", "the port is 5432")
    new = await say(team, "A", "the port is 5433", reason="moved to the new host")
    assert (old.outcome, new.outcome) == ("stored", "superseding")
    (told,) = (await team.ask("B", "the port", min_score=0.0)).memories
    assert told.memory.content == "the port is 5433"
    assert [(o.content, o.reason) for o in told.memory.overturned] == [("the port is 5432", "moved to the new host")]


async def test_statements_of_different_authors_stand_side_by_side_with_a_finding(team: World) -> None:
    first = await say(team, "A", "the port is 5432")
    second = await say(team, "B", "the port is 5433")
    assert second.outcome == "stored"
    assert [(f.check, str(first.memory.id) in f.message) for f in second.findings] == [("possible_conflict", True)]
    assert await current(team) == [("the port is 5432", {"A"}), ("the port is 5433", {"B"})]


async def test_an_author_that_changes_its_mind_leaves_the_words_it_shared(team: World) -> None:
    await say(team, "A", "the port is 5432")
    assert (await say(team, "B", "the port is 5432")).outcome == "merged"
    assert (await say(team, "A", "the port is 5433")).outcome == "stored"
    assert await current(team) == [("the port is 5432", {"B"}), ("the port is 5433", {"A"})]
    assert (await say(team, "B", "the port is 5433")).outcome == "superseding"
    assert await current(team) == [("the port is 5433", {"A", "B"})]


async def test_unrelated_subjects_projects_and_places_never_retire_each_other(team: World) -> None:
    await say(team, "A", "the port is 5432")
    await say(team, "A", "the version is 17", subject="service-a.postgres.version")
    await say(team, "A", "the port is 6000", project_id="other")
    await say(team, "A", "the port of my laptop is 7000", layer="private", team_id=None)
    await say(team, "A", "the port is a number", subject=None)
    assert len(await current(team, "A")) == 5


async def test_a_quotation_of_a_claim_overturns_nothing(team: World) -> None:
    await say(team, "A", "the port is 5432")
    quoted = await say(team, "A", "the old wiki says: the port is 5431")
    assert (quoted.outcome, [f.check for f in quoted.findings]) == ("stored", ["quotation"])
    assert [text for text, _ in await current(team)] == ["the port is 5432", "the old wiki says: the port is 5431"]


async def test_what_is_worse_evidenced_waits_instead_of_overturning(team: World) -> None:
    await say(team, "A", "the port is 5432", source="the runbook", quote="port = 5432")
    worse = await say(team, "A", "the port is 5433")
    assert (worse.outcome, worse.findings[0].check) == ("held", "less_evidenced")
    assert [text for text, _ in await current(team)] == ["the port is 5432"]
    better = await say(team, "A", "the port is 5434", source="the runbook", quote="port = 5434")
    assert better.outcome == "superseding"


async def test_what_names_no_subject_takes_that_of_what_it_supersedes(team: World) -> None:
    old = await say(team, "A", "the port is 5432")
    new = await say(team, "A", "the port is 5433", subject=None, supersedes=old.memory.id)
    assert new.memory.subject == SUBJECT
    assert (await say(team, "A", "the port is 5434")).outcome == "superseding"
    assert [text for text, _ in await current(team)] == ["the port is 5434"]


async def test_an_explicit_supersession_takes_ones_other_statement_of_the_subject_along(team: World) -> None:
    note = await say(team, "A", "the port may move", subject=None)
    await say(team, "A", "the port is 5432")
    new = await say(team, "A", "the port is 5433", supersedes=note.memory.id)
    assert new.outcome == "superseding"
    assert {o.content for o in new.memory.overturned} == {"the port may move", "the port is 5432"}
    assert [text for text, _ in await current(team)] == ["the port is 5433"]


async def test_in_a_batch_the_last_statement_is_the_current_one(team: World) -> None:
    await say(team, "A", "the port is 5430")
    drafts = [Draft(f"the port is {p}", layer="team", team_id="T", subject=SUBJECT) for p in (5431, 5432, 5433)]
    results = await team.service.capture.batch(await team.caller("A"), drafts)
    assert [r.outcome for r in results if isinstance(r, Outcome)] == ["superseding"] * 3
    assert [text for text, _ in await current(team)] == ["the port is 5433"]
    (told,) = (await team.ask("B", "the port", min_score=0.0)).memories
    assert [o.content for o in told.memory.overturned] == ["the port is 5432", "the port is 5431", "the port is 5430"]


async def test_deleting_the_current_statement_brings_the_one_before_back(team: World) -> None:
    await say(team, "A", "the port is 5432")
    new = await say(team, "A", "the port is 5433")
    await team.service.forget(await team.caller("A"), new.memory.id)
    assert [text for text, _ in await current(team)] == ["the port is 5432"]


async def test_what_an_author_said_before_shared_words_does_not_come_back_with_their_end(team: World) -> None:
    await say(team, "A", "the port is 5431")
    shared = await say(team, "A", "the port is 5432")
    await say(team, "B", "the port is 5432")
    last = await say(team, "A", "the port is 5433")
    assert [o.content for o in last.memory.overturned] == ["the port is 5431"]
    await team.service.forget(await team.caller("B"), shared.memory.id)
    assert await current(team) == [("the port is 5433", {"A"})]


async def test_neither_an_edit_nor_a_restored_memory_makes_a_second_current_statement(team: World) -> None:
    first, a = await say(team, "A", "the port is 5432"), await team.caller("A")
    await team.service.change.archive(a, first.memory.id)
    second = await say(team, "A", "the port is 5433")
    with pytest.raises(Conflict, match=str(second.memory.id)):
        await team.service.change.restore(a, first.memory.id)
    other = await say(team, "A", "the host is db-2", subject="service-a.postgres.host")
    moved = Patch(subject=SUBJECT, named=frozenset({"subject"}))
    with pytest.raises(Conflict, match=str(second.memory.id)):
        await team.service.change.edit(a, other.memory.id, 1, moved)
    await team.service.change.archive(a, second.memory.id)
    assert (await team.service.change.restore(a, first.memory.id)).state is State.ACTIVE


async def test_of_an_account_all_its_voices_are_one(world: World) -> None:
    await world.members("m")
    await world.agents("K", "L", account="m")
    for who, text in (("K", "tea"), ("L", "coffee"), ("member:m", "water")):
        await world.write(who, f"prefers {text}", subject="drink", account=None if who == "member:m" else "m")
    found = await world.recalled("member:m", "prefers", min_score=0.0)
    assert found == ["prefers water"]


async def test_many_at_once_leave_one_current_statement(team: World) -> None:
    for round_ in range(4):
        said = [say(team, who, f"round {round_}: the port is {n}") for n in range(4) for who in ("A", "B")]
        outcomes = await asyncio.gather(*said, return_exceptions=True)
        assert not [o for o in outcomes if isinstance(o, BaseException) and not isinstance(o, AlreadySuperseded)]
        by = [who for _, authors in await current(team) for who in authors]
        assert sorted(by) == ["A", "B"]
