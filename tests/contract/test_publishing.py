"""Publishing (rules §6): what a copy is, who may make one, and what becomes of it."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import pytest

from whoknows.domain.ids import MemoryId, PublicationId
from whoknows.domain.memory import Category, Draft, Filters, Isolation, Memory, Origin, Patch, State
from whoknows.domain.principal import AgentRole, Clearance
from whoknows.domain.publication import PublicationState
from whoknows.errors import (
    AlreadySuperseded,
    Conflict,
    Forbidden,
    NotFound,
    PublicationWithdrawn,
)
from whoknows.flows.inject import Gift
from whoknows.flows.publishable import Published
from worlds import World

SAFE = "保险箱密码是 7391"


async def publish(world: World, who: str, memory: Memory | MemoryId, team: str = "T") -> Published:
    return await world.service.publish(await world.caller(who), memory.id if isinstance(memory, Memory) else memory, team)


async def copied(world: World, who: str, memory: Memory, team: str = "T") -> Memory:
    copy = (await publish(world, who, memory, team)).memory
    assert copy is not None
    return copy


async def get(world: World, who: str, memory: Memory) -> Memory:
    return await world.service.read.get(await world.caller(who), memory.id)


async def edit(world: World, who: str, memory: Memory, text: str, **fields: object) -> Memory:
    patch = Patch(content=text, named=frozenset({"content", *fields}), **fields)  # pyright: ignore[reportArgumentType]
    return await world.service.change.edit(await world.caller(who), memory.id, memory.version, patch)


async def publications(world: World, who: str) -> list[Published]:
    return list((await world.service.publications.list(await world.caller(who), 50, None)).items)


@pytest.fixture
async def team(world: World) -> World:
    """A writes to T, B reads there, C is on no team, O owns T."""
    await world.agents("A", "B", "C", "O")
    await world.team("T", A="writer", B="reader", O="owner")
    return world


async def test_publishing_copies_a_private_memory_and_leaves_the_original_where_it_was(team: World) -> None:
    original = await team.write("A", SAFE, tags=("safe",), title="the safe", category=Category.RISK, project_id="case")
    done = await publish(team, "A", original)
    assert (done.first, done.state, done.origin_changed) == (True, PublicationState.READY, False)
    copy = done.memory
    assert copy is not None
    assert copy.id != original.id
    for field in ("content", "title", "tags", "category", "author", "content_hash"):
        assert getattr(copy, field) == getattr(original, field), field
    assert (copy.audience.owner.name, copy.state, copy.version, copy.project_id) == ("T", State.ACTIVE, 1, None)
    assert await get(team, "A", original) == original
    assert await team.recalled("B", "保险箱密码") == [SAFE]
    assert await team.recalled("C", "保险箱密码") == []
    with pytest.raises(NotFound):
        await get(team, "B", original)


async def test_a_copy_carries_no_evidence_that_its_readers_may_not_read(team: World) -> None:
    original = await team.write("A", SAFE, source="message:17", quote="die Kombination ist 7391")
    copy = await copied(team, "A", original)
    assert (await get(team, "A", original)).evidence
    for who in ("A", "B"):
        assert (await get(team, who, copy)).evidence == ()


async def test_of_the_origin_readers_see_who_and_when_and_only_readers_of_the_original_which(team: World) -> None:
    original = await team.write("A", SAFE)
    copy = await copied(team, "A", original)
    seen = (await get(team, "B", copy)).origin
    assert seen is not None
    assert seen == Origin("A", seen.published_at)
    assert (await get(team, "A", copy)).origin == Origin("A", seen.published_at, original.id, 1, original.content_hash)


async def test_publishing_twice_gives_the_same_copy_and_each_team_one_of_its_own(team: World) -> None:
    await team.team("U", A="writer", C="reader")
    original = await team.write("A", SAFE)
    first, again, elsewhere = [await publish(team, "A", original, t) for t in ("T", "T", "U")]
    assert (first.first, again.first, elsewhere.first) == (True, False, True)
    assert again.publication == first.publication
    assert again.memory == first.memory
    assert elsewhere.memory is not None
    assert elsewhere.memory.id != getattr(first.memory, "id", None)
    assert await team.recalled("B", "保险箱") == await team.recalled("C", "保险箱") == [SAFE]


async def test_the_board_is_published_to_by_whom_it_was_granted(team: World) -> None:
    original = await team.write("A", SAFE)
    with pytest.raises(Forbidden) as refused:
        await publish(team, "A", original, "*")
    assert refused.value.reason_code == "not_a_writer"
    assert await team.recalled("C", "保险箱") == []
    await team.join("*", "A")
    assert (await copied(team, "A", original, "*")).audience.owner.name == "*"
    assert await team.recalled("C", "保险箱") == [SAFE]


async def test_two_memories_of_the_same_words_have_two_copies(team: World) -> None:
    await team.join("T", "C")
    mine, theirs = await team.write("A", SAFE), await team.write("C", SAFE)
    assert (await copied(team, "A", mine)).id != (await copied(team, "C", theirs)).id
    assert [m.author.name for m in (await team.service.read.list(await team.caller("B"), Filters(), 9, None)).items] == [
        "C",
        "A",
    ]


async def test_only_its_author_publishes_a_memory(team: World) -> None:
    await team.join("T", "C")
    shared = await team.write("A", SAFE, visible_to=("C",))
    with pytest.raises(Forbidden) as refused:
        await publish(team, "C", shared)
    assert refused.value.reason_code == "not_the_author"
    hidden = await team.write("A", "another secret")
    for memory in (hidden, MemoryId(uuid4())):
        with pytest.raises(NotFound) as absent:
            await publish(team, "C", memory)
        assert absent.value.detail == "there is no such memory"
    assert await team.recalled("B", "secret 保险箱") == []


async def test_account_memory_is_published_by_the_one_who_wrote_it(world: World) -> None:
    await world.members("m")
    await world.agents("A", account="m")
    await world.team("T", A="writer")
    await world.join("T", "member:m")
    by_agent = await world.write("A", "the member likes short answers", account="m")
    with pytest.raises(Forbidden):
        await publish(world, "member:m", by_agent)
    assert (await copied(world, "A", by_agent)).author.name == "A"
    by_member = await world.write("member:m", "my birthday is in May", account="m")
    assert (await copied(world, "member:m", by_member)).origin is not None


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"team_id": "T"}, "not_private"),
        ({"isolation": Isolation.SESSION, "session_id": "s"}, "bound_to_session"),
    ],
)
async def test_what_is_not_plainly_private_is_not_published(team: World, fields: dict[str, object], code: str) -> None:
    await team.team("U", A="writer")
    memory = await team.write("A", SAFE, **fields)
    with pytest.raises(Forbidden) as refused:
        await publish(team, "A", memory, "U")
    assert refused.value.reason_code == code
    assert await publications(team, "A") == []


async def test_a_copy_is_never_published_nor_shared_on(team: World) -> None:
    await team.team("U", A="writer", C="reader")
    original = await team.write("A", SAFE)
    done = await publish(team, "A", original)
    withdrawn = (await team.service.publications.withdraw(await team.caller("A"), done.publication.id)).memory
    assert withdrawn is not None
    with pytest.raises(Forbidden) as refused:
        await publish(team, "A", withdrawn, "U")
    assert refused.value.reason_code == "read_only"
    with pytest.raises(Forbidden):
        await team.service.change.share(await team.caller("A"), withdrawn.id, "C", given=True)
    with pytest.raises(Conflict):
        await team.service.change.restore(await team.caller("A"), withdrawn.id)
    with pytest.raises(Conflict):
        await edit(team, "A", withdrawn, "other words")


async def test_what_was_injected_is_never_published_and_what_a_sub_agent_wrote_itself_is(team: World) -> None:
    await team.agents("S", role=AgentRole.SUB, parent="A")
    await team.join("T", "S")
    original = await team.write("A", SAFE)
    gift = Gift("S", "open the safe", memory_ids=(original.id,), may_pass_on=True)
    given = (await team.service.inject(await team.caller("A"), gift)).memories
    assert [g.original.content for g in given] == [SAFE]
    with pytest.raises(Forbidden) as refused:
        await publish(team, "S", given[0].id)
    assert refused.value.reason_code == "read_only"
    assert await team.recalled("B", "保险箱") == []
    assert (await publish(team, "S", await team.write("S", "the safe is empty"))).first


async def test_what_was_injected_from_a_copy_ends_when_the_copy_is_withdrawn(team: World) -> None:
    await team.agents("S", role=AgentRole.SUB, parent="O")
    await team.service.administer.change_team(await team.admin(), "T", None, None, True)  # shared with sub-agents
    done = await publish(team, "A", await team.write("A", SAFE))
    assert done.memory is not None
    gift = Gift("S", "open the safe", memory_ids=(done.memory.id,))
    assert len((await team.service.inject(await team.caller("O"), gift)).memories) == 1
    assert await team.recalled("S", "保险箱") == [SAFE]
    await team.service.publications.withdraw(await team.caller("A"), done.publication.id)
    assert await team.recalled("S", "保险箱") == []


async def test_where_one_may_not_write_one_does_not_publish(team: World) -> None:
    memory = await team.write("B", SAFE)
    with pytest.raises(Forbidden) as refused:
        await publish(team, "B", memory)
    assert refused.value.reason_code == "not_a_writer"
    unknown = await team.write("C", SAFE)
    for name in ("T", "no such team"):
        with pytest.raises(NotFound) as absent:
            await publish(team, "C", unknown, name)
        assert absent.value.field == "team_id"


async def test_a_need_to_know_agent_does_not_publish(team: World) -> None:
    await team.agents("N", clearance=Clearance.NEED_TO_KNOW)
    await team.join("T", "N")
    memory = await team.write("N", SAFE)
    with pytest.raises(Forbidden) as refused:
        await publish(team, "N", memory)
    assert refused.value.reason_code == "need_to_know"


async def test_what_is_not_current_is_not_published(team: World) -> None:
    old = await team.write("A", "the port is 5432")
    await team.write("A", "the port is 5433", supersedes=old.id)
    archived = await team.write("A", SAFE)
    await team.service.change.archive(await team.caller("A"), archived.id)
    for memory in (old, archived):
        with pytest.raises(Conflict):
            await publish(team, "A", memory)


async def test_readers_see_no_difference_until_the_original_is_republished(team: World) -> None:
    original = await team.write("A", "the ferry leaves at six", tags=("ferry",))
    done = await publish(team, "A", original)
    assert done.memory is not None
    before = await get(team, "B", done.memory)
    await edit(team, "A", original, "the ferry leaves at nine", title="harbour", tags=("ferry", "winter"))
    (stale,) = await publications(team, "A")
    assert stale.origin_changed
    assert await get(team, "B", done.memory) == before
    again = await team.service.publications.republish(await team.caller("A"), done.publication.id)
    assert (again.origin_changed, again.publication.version) == (False, 2)
    after = await get(team, "B", done.memory)
    assert (after.content, after.title, after.tags, after.version) == (
        "the ferry leaves at nine",
        "harbour",
        ("ferry", "winter"),
        2,
    )
    assert after.id == before.id
    found = await team.ask("B", "nine harbour", min_score=0.0)
    assert [(a.memory.id, a.hit.bm25 is not None) for a in found.memories] == [(before.id, True)]
    gone = await team.ask("B", "six", min_score=0.0)
    assert [a.hit.bm25 for a in gone.memories] == [None]
    history = await team.service.read.history(await team.caller("B"), before.id)
    assert [(v.version, v.change) for v in history.versions] == [(2, "republished"), (1, "published")]
    unchanged = await team.service.publications.republish(await team.caller("A"), done.publication.id)
    assert unchanged.memory is not None
    assert (unchanged.memory.version, unchanged.memory.updated_at) == (2, after.updated_at)


async def test_what_an_owner_made_of_the_copy_gives_way_to_the_original_when_it_is_published_again(team: World) -> None:
    original = await team.write("A", SAFE, title="the safe", tags=("safe",))
    done = await publish(team, "A", original)
    assert done.memory is not None
    patch = Patch(title="no safe", tags=(), named=frozenset({"title", "tags"}))
    await team.service.change.edit(await team.caller("O"), done.memory.id, 1, patch)
    await team.service.publications.republish(await team.caller("A"), done.publication.id)
    after = await get(team, "B", done.memory)
    assert (after.title, after.tags, after.version) == ("the safe", ("safe",), 3)


async def test_words_that_were_taken_back_do_not_come_back_with_what_is_published_instead(team: World) -> None:
    original = await team.write("A", SAFE)
    done = await publish(team, "A", original)
    assert done.memory is not None
    await team.service.publications.withdraw(await team.caller("A"), done.publication.id)
    await edit(team, "A", original, "the safe is empty")
    await team.service.publications.republish(await team.caller("A"), done.publication.id)
    history = team.service.read.history
    for who, sees in (("B", ["the safe is empty"]), ("O", ["the safe is empty"]), ("A", ["the safe is empty", SAFE])):
        assert [v.content for v in (await history(await team.caller(who), done.memory.id)).versions] == sees, who


async def test_a_withdrawn_copy_leaves_its_readers_at_once_and_stays_with_its_publisher(team: World) -> None:
    original = await team.write("A", SAFE)
    done = await publish(team, "A", original)
    assert done.memory is not None
    assert await team.recalled("B", "保险箱") == [SAFE]
    gone = await team.service.publications.withdraw(await team.caller("A"), done.publication.id)
    assert gone.state is PublicationState.WITHDRAWN
    assert gone.memory is not None
    assert (gone.memory.id, gone.memory.state, gone.memory.audience.owner.name) == (done.memory.id, State.WITHDRAWN, "A")
    for who in ("B", "O"):
        b = await team.caller(who)
        assert await team.recalled(who, "保险箱") == []
        assert (await team.service.read.list(b, Filters(), 9, None)).items == []
        assert (await team.service.read.list(b, Filters(state=State.WITHDRAWN), 9, None)).items == []
        for read in (team.service.read.get, team.service.read.history):
            with pytest.raises(NotFound):
                await read(b, done.memory.id)
    assert await team.recalled("A", "保险箱") == [SAFE]  # the original alone
    again = await team.service.publications.withdraw(await team.caller("A"), done.publication.id)
    assert again == gone


async def test_a_late_publish_does_not_undo_a_withdrawal_and_republishing_does(team: World) -> None:
    original = await team.write("A", SAFE)
    done = await publish(team, "A", original)
    a = await team.caller("A")
    await team.service.publications.withdraw(a, done.publication.id)
    with pytest.raises(PublicationWithdrawn):
        await publish(team, "A", original)
    assert await team.recalled("B", "保险箱") == []
    back = await team.service.publications.republish(a, done.publication.id)
    assert back.state is PublicationState.READY
    assert back.memory is not None
    assert back.memory.id == getattr(done.memory, "id", None)
    assert await team.recalled("B", "保险箱") == [SAFE]
    assert (await publish(team, "A", original)).publication.id == done.publication.id


async def test_an_expelled_publisher_can_still_take_back_and_not_publish_again(team: World) -> None:
    done = await publish(team, "A", await team.write("A", SAFE))
    await team.expel("T", "A")
    (shown,) = await publications(team, "A")
    assert (shown.state, shown.memory) == (PublicationState.READY, None)
    with pytest.raises(Forbidden):
        await team.service.publications.republish(await team.caller("A"), done.publication.id)
    await team.service.publications.withdraw(await team.caller("A"), done.publication.id)
    assert await team.recalled("B", "保险箱") == []


async def test_a_publication_is_its_publisher_s_alone(team: World) -> None:
    done = await publish(team, "A", await team.write("A", SAFE))
    for who in ("B", "O", "C"):
        caller, flow = await team.caller(who), team.service.publications
        assert await publications(team, who) == []
        for verb in (flow.get, flow.withdraw, flow.republish):
            for identity in (done.publication.id, PublicationId(uuid4())):
                with pytest.raises(NotFound) as absent:
                    await verb(caller, identity)
                assert absent.value.detail == "there is no such publication"
    assert await team.recalled("B", "保险箱") == [SAFE]


async def test_deleting_the_original_deletes_every_copy_and_the_publications_say_so(team: World) -> None:
    await team.team("U", A="writer")
    original = await team.write("A", SAFE)
    for name in ("T", "U"):
        await publish(team, "A", original, name)
    await team.service.forget(await team.caller("A"), original.id)
    assert await team.recalled("B", "保险箱") == []
    assert (await team.service.read.list(await team.caller("A"), Filters(), 9, None)).items == []
    told = await publications(team, "A")
    assert [(p.state, p.memory, p.publication.content_hash) for p in told] == [(PublicationState.DELETED, None, None)] * 2
    with pytest.raises(Conflict):
        await team.service.publications.republish(await team.caller("A"), told[0].publication.id)
    assert (await team.service.publications.withdraw(await team.caller("A"), told[0].publication.id)).state == "deleted"


async def test_a_copy_that_an_owner_deletes_stays_away_until_its_author_republishes(team: World) -> None:
    original = await team.write("A", SAFE)
    done = await publish(team, "A", original)
    assert done.memory is not None
    await team.service.forget(await team.caller("O"), done.memory.id)
    (shown,) = await publications(team, "A")
    assert (shown.state, shown.memory) == (PublicationState.REMOVED, None)
    assert await get(team, "A", original) == original
    with pytest.raises(PublicationWithdrawn):
        await publish(team, "A", original)
    back = await team.service.publications.republish(await team.caller("A"), done.publication.id)
    assert (back.state, back.publication.id) == (PublicationState.READY, done.publication.id)
    assert back.memory is not None
    assert back.memory.id != done.memory.id
    assert await team.recalled("B", "保险箱") == [SAFE]


async def test_an_equal_copy_takes_nobody_s_place(team: World) -> None:
    told = await team.write("O", "the port is 5432", team_id="T")
    newer = await team.write("O", "the port is 5433", team_id="T", supersedes=told.id)
    done = await publish(team, "A", await team.write("A", "the port is 5432"))
    await team.service.forget(await team.caller("O"), newer.id)
    assert (await get(team, "B", told)).state is State.ACTIVE
    assert await team.recalled("B", "port") == ["the port is 5432"] * 2
    await team.service.publications.withdraw(await team.caller("A"), done.publication.id)
    assert await team.recalled("B", "port") == ["the port is 5432"]


async def test_a_copy_that_was_overturned_is_withdrawn_and_not_brought_up_to_date(team: World) -> None:
    original = await team.write("A", "the port is 5432")
    done = await publish(team, "A", original)
    assert done.memory is not None
    newer = await team.write("O", "the port is 5433", team_id="T", supersedes=done.memory.id)
    await edit(team, "A", original, "the port is 5434")
    a = await team.caller("A")
    with pytest.raises(AlreadySuperseded):
        await team.service.publications.republish(a, done.publication.id)
    assert (await get(team, "B", newer)).overturned
    await team.service.publications.withdraw(a, done.publication.id)
    assert (await get(team, "B", newer)).overturned == ()
    assert await team.recalled("B", "port") == ["the port is 5433"]


async def test_a_copy_ends_with_its_original(team: World) -> None:
    end = datetime.now(UTC).replace(microsecond=0) + timedelta(hours=1)
    copy = await copied(team, "A", await team.write("A", SAFE, expires_at=end))
    assert copy.expires_at == end


async def test_a_long_text_is_published_before_its_vectors_are_there(team: World) -> None:
    long = "冷链车在第7站换了司机，温度计读数正常，签收单由调度员保管。" * 40
    copy = await copied(team, "A", await team.write("A", long))
    assert copy.embedding_pending
    assert await team.recalled("B", "冷链车 温度计") == [long]
    assert await team.service.work.embed(copy.id)
    assert not (await get(team, "B", copy)).embedding_pending


async def test_publications_page_newest_first(team: World) -> None:
    made = [(await publish(team, "A", await team.write("A", f"note number {n}"))).publication.id for n in range(5)]
    a, seen, cursor = await team.caller("A"), [], None
    while True:
        page = await team.service.publications.list(a, 2, cursor)
        seen += [p.publication.id for p in page.items]
        if page.next_cursor is None:
            break
        cursor = page.next_cursor
    assert seen == made[::-1]


async def test_publishing_and_taking_back_are_in_the_trail_without_a_text(team: World) -> None:
    done = await publish(team, "A", await team.write("A", SAFE))
    await team.service.publications.withdraw(await team.caller("A"), done.publication.id)
    await team.service.publications.republish(await team.caller("A"), done.publication.id)
    page = await team.service.oversee.audit(await team.admin(), 50, None)
    rows = [r for r in page.items if r.action.startswith("publication.")]
    assert [r.action for r in rows] == ["publication.republish", "publication.withdraw", "publication.publish"]
    assert {r.principal for r in rows} == {"agent:A"}
    assert "7391" not in str([(r.action, r.target, r.detail) for r in page.items])  # a time may hold those digits


async def test_an_exact_repetition_of_a_published_text_is_stored_beside_the_copy(team: World) -> None:
    done = await publish(team, "A", await team.write("A", SAFE))
    outcome = await team.service.capture(await team.caller("O"), Draft(SAFE, layer="team", team_id="T"))
    assert outcome.outcome == "stored"
    assert outcome.memory.id != getattr(done.memory, "id", None)
