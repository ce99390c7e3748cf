"""The documents of a source are told to those who read them, by either lock alone; and who may do what with a source."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from raw import first_lock_alone, second_lock_alone
from ruling import Ruling, a_ruling, git

from whoknows.bootstrap import Installation
from whoknows.domain.credential import Caller, Permission
from whoknows.domain.memory import State
from whoknows.domain.source import SourceId
from whoknows.errors import NotFound
from whoknows.flows.authenticate import administer_as
from whoknows.policy.standing import scope_for
from whoknows.ports import Indexed
from whoknows.stores.postgres.parameters import scoped
from whoknows.stores.postgres.sources import PostgresSources
from whoknows.stores.postgres.sql import raw_blocks, render


@pytest.fixture
async def ruling(installation: Installation, tmp_path: Path) -> AsyncIterator[Ruling]:
    """The repository `handbook` is in the index of T."""
    made = await a_ruling(installation, tmp_path)
    caller = await made.world.caller("member:m")
    await made.world.service.index_source(caller, await the_source(made))
    yield made
    await made.world.service.close()


async def the_source(ruling: Ruling) -> SourceId:
    (source,) = await ruling.world.service.keep_sources.list(await ruling.world.caller("member:m"))
    return source.id


async def documents(ruling: Ruling, caller: Caller, limit: int = 50, cursor: str | None = None) -> list[Indexed]:
    _, page = await ruling.world.service.keep_sources.documents(caller, await the_source(ruling), limit, cursor)
    return list(page.items)


async def test_readers_of_a_source_see_its_documents_by_their_paths(ruling: Ruling) -> None:
    found = await documents(ruling, await ruling.world.caller("B"))
    assert [(d.path, d.title, d.state) for d in found] == [("docs/rules/release.md", "Release", State.ACTIVE)]
    memory = await ruling.world.service.read.get(await ruling.world.caller("B"), found[0].memory)
    assert memory.indexed


async def test_pages_follow_each_other_without_loss_or_repetition(ruling: Ruling) -> None:
    for name in ("a", "b", "c"):
        (ruling.repository / "docs" / f"{name}.md").write_text(f"# {name}\n\nWords of {name}.\n")
    caller, keep = await ruling.world.caller("member:m"), ruling.world.service.keep_sources
    git(ruling.repository, "add", "docs")
    git(ruling.repository, "commit", "-qm", "more")
    source = await the_source(ruling)
    await ruling.world.service.index_source(caller, source)
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(4):
        _, page = await keep.documents(caller, source, 1, cursor)
        seen += (d.path for d in page.items)
        cursor = page.next_cursor
    assert cursor is None
    assert seen == ["docs/a.md", "docs/b.md", "docs/c.md", "docs/rules/release.md"]


async def test_a_stranger_finds_no_such_source_and_an_administrator_none_of_its_documents(ruling: Ruling) -> None:
    with pytest.raises(NotFound):
        await documents(ruling, await ruling.world.caller("X"))
    assert await documents(ruling, administer_as(await ruling.world.admin())) == []


async def test_either_lock_alone_hides_the_documents_from_a_stranger(ruling: Ruling) -> None:
    source, dsn = await the_source(ruling), ruling.world.installation.dsn
    for who, count in (("B", 1), ("X", 0)):
        caller = await ruling.world.caller(who)
        async with ruling.world.service.store.read(caller) as tx:
            scope = scope_for(await tx.directory.standing())
        async with first_lock_alone(dsn, caller) as sql:
            assert len((await PostgresSources(sql).documents(scope, source, 50, None)).items) == count
        statement = render(raw_blocks("sources")["documents"], scope_clause=False)
        params = scoped(scope) | {"source": source, "after": None, "limit": 50}
        async with second_lock_alone(dsn, caller) as connection:
            assert len(await (await connection.execute(statement, params)).fetchall()) == count


async def test_what_may_be_done_with_sources_is_told_to_each_and_nothing_to_borrowed_eyes(ruling: Ruling) -> None:
    world, source = ruling.world, await the_source(ruling)
    keep = world.service.keep_sources
    told = {who: await keep.kept(await world.caller(who)) for who in ("member:m", "member:n", "B", "X")}
    assert {who: (len(k.sources), set(k.changeable), [o.space for o in k.owners]) for who, k in told.items()} == {
        "member:m": (1, {source}, ["team:T"]),
        "member:n": (1, set(), []),
        "B": (1, set(), []),
        "X": (0, set(), []),
    }
    admin = await keep.kept(administer_as(await world.admin()))
    assert set(admin.changeable) == {source}
    assert {"team:T", "member:m", "member:n"} <= {o.space for o in admin.owners}
    inspector = await world.service.authenticate(await world.key("X", permissions=[Permission.INSPECT]))
    eyes = await world.service.authenticate.seen_as(inspector, "member:m", "GET /console/sources", None)
    borrowed = await keep.kept(eyes)
    assert (len(borrowed.sources), borrowed.changeable, borrowed.owners) == (1, frozenset(), ())
