"""What confirming a proposal would commit is shown before, to the line, and looking writes nothing."""

from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from ruling import ALLOWED, LEARNED, Ruling, a_repository, a_ruling, everything, git

from whoknows.bootstrap import Installation
from whoknows.domain.credential import Permission
from whoknows.domain.source import LocationKind
from whoknows.errors import AudienceDiffers, BranchTaken, Conflict, Forbidden, Invalid, NotFound
from whoknows.flows.keep_sources import NewSource
from whoknows.flows.propose import Listed, To
from whoknows.ports import RuleChange

PATH = "docs/rules/release.md"


@pytest.fixture
async def ruling(installation: Installation, tmp_path: Path) -> AsyncIterator[Ruling]:
    made = await a_ruling(installation, tmp_path)
    await made.learn("A", LEARNED[0], "shop")
    await made.learn("B", LEARNED[1], "wiki")
    yield made
    await made.world.service.close()


async def preview(ruling: Ruling, who: str = "member:m", path: str = PATH, **more: str) -> RuleChange:
    (found,) = await ruling.waiting()
    to = To(more.get("repository", "handbook"), path, more.get("branch"))
    return await ruling.world.service.propose.preview(await ruling.world.caller(who), found.id, to)


async def confirmed(ruling: Ruling, path: str = PATH) -> Listed:
    (found,) = await ruling.waiting()
    return await ruling.confirm(found, path=path)


@pytest.mark.parametrize("path", [PATH, "AGENTS.md", "docs/rules/new/deep.md"])
async def test_what_is_shown_is_what_is_committed(ruling: Ruling, path: str) -> None:
    before = everything(ruling.repository)
    shown = await preview(ruling, path=path)
    assert everything(ruling.repository) == before
    assert shown.before == ("# Release\n\nBe kind.\n" if path == PATH else None)
    done = await confirmed(ruling, path)
    assert done.decision is not None
    assert (shown.branch, shown.path) == (done.decision.branch, path)
    assert git(ruling.repository, "show", f"{shown.branch}:{path}") == shown.after.strip()


async def test_a_place_that_takes_no_rule_is_refused_as_confirming_would_refuse_it(ruling: Ruling) -> None:
    git(ruling.repository, "branch", "whoknows/mine")
    for path, more, fault in (
        ("src/a.py", {}, Invalid),
        ("docs/rules/link.md", {}, Invalid),
        ("docs/rules/away/b.md", {}, Invalid),
        (PATH, {"branch": "main"}, Invalid),
        (PATH, {"branch": "whoknows/mine"}, BranchTaken),
        (PATH, {"repository": "elsewhere"}, NotFound),
    ):
        with pytest.raises(fault):
            await preview(ruling, path=path, **more)


async def test_only_a_person_who_owns_the_repository_is_shown_the_lines(ruling: Ruling) -> None:
    for who in ("A", "member:n"):
        with pytest.raises(Forbidden):
            await preview(ruling, who)
    with pytest.raises(NotFound):
        await preview(ruling, "member:x")


async def test_words_of_others_are_not_shown_for_a_repository_of_other_readers(ruling: Ruling, tmp_path: Path) -> None:
    world = ruling.world
    a_repository(tmp_path / "wide")
    await world.team("wide", **{"member:m": "owner", "member:x": "reader"})
    new = NewSource(LocationKind.GIT, str(tmp_path / "wide"), "wide", "team:wide")
    await world.service.keep_sources.register(await world.caller("member:m"), new)
    with pytest.raises(AudienceDiffers):
        await preview(ruling, repository="wide")


async def test_what_was_decided_is_shown_no_more(ruling: Ruling) -> None:
    (found,) = await ruling.waiting()
    await confirmed(ruling)
    propose, caller = ruling.world.service.propose, await ruling.world.caller("member:m")
    with pytest.raises(Conflict):
        await propose.preview(caller, found.id, To("handbook", PATH))


async def test_what_is_being_written_somewhere_else_is_refused_as_confirming_would_refuse_it(
    ruling: Ruling, tmp_path: Path
) -> None:
    (found,) = await ruling.waiting()
    await confirmed(ruling)
    with psycopg.connect(ruling.world.installation.dsn, options="-c search_path=whoknows,public") as connection:
        connection.execute("UPDATE proposals SET state = 'writing', commit_hash = NULL")
    a_repository(tmp_path / "other")
    caller = await ruling.world.caller("member:m")
    new = NewSource(LocationKind.GIT, str(tmp_path / "other"), "other", "team:T")
    await ruling.world.service.keep_sources.register(caller, new)
    for refused in (ruling.world.service.propose.preview, ruling.world.service.propose.confirm):
        with pytest.raises(Conflict, match="being written to 'handbook'"):
            await refused(caller, found.id, To("other", PATH))


async def test_the_places_that_take_a_rule_are_told_to_who_may_write_there(ruling: Ruling) -> None:
    world = ruling.world
    told = {
        who: await world.service.propose.places(await world.caller(who)) for who in ("member:m", "member:n", "A", "member:x")
    }
    assert {who: p.repositories for who, p in told.items()} == {
        "member:m": ("handbook",),
        "member:n": (),
        "A": (),
        "member:x": (),
    }
    assert {p.paths for p in told.values()} == {ALLOWED}
    both = await world.key("member:n", permissions=[Permission.ADMIN])
    assert (await world.service.propose.places(await world.caller("", both))).repositories == ("handbook",)
