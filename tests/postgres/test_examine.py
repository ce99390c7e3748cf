"""A draft that waits as its reviewer finds it: sources, what it would overturn, and why it waits."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from ruling import Ruling, a_ruling, git

from whoknows.bootstrap import Installation
from whoknows.domain.memory import Memory
from whoknows.domain.principal import GateLevel
from whoknows.errors import Conflict, NotFound
from whoknows.flows.examine import AROUND, Examined

RULES = "handbook@HEAD:docs/rules/release.md"


@pytest.fixture
async def reviewed(installation: Installation, tmp_path: Path) -> AsyncIterator[Ruling]:
    """T is reviewed; m owns it and the repository `handbook`."""
    made = await a_ruling(installation, tmp_path)
    await gate(made, GateLevel.REVIEWED)
    yield made
    await made.world.service.close()


async def gate(ruling: Ruling, level: GateLevel) -> None:
    await ruling.world.service.administer.change_team(await ruling.world.admin(), "T", None, level, None)


async def draft(ruling: Ruling, text: str, who: str = "A", **fields: object) -> Memory:
    return await ruling.world.write(who, text, team_id="T", **fields)


async def examined(ruling: Ruling, memory: Memory, who: str = "member:m") -> Examined:
    return await ruling.world.service.examine(await ruling.world.caller(who), memory.id)


def checks(found: Examined) -> list[str]:
    return [f.check for f in found.findings]


def faults(found: Examined) -> list[str | None]:
    return [None if p.finding is None else p.finding.check for p in found.pieces]


async def test_a_quote_is_found_with_lines_of_its_source_around_it(reviewed: Ruling) -> None:
    found = await examined(reviewed, await draft(reviewed, "One is kind", source=f"git:{RULES}", quote="Be kind.\n\n"))
    assert faults(found) == ["quote_too_short"]
    long = "\n".join(f"line {n} of the page" for n in range(1, 61))
    (reviewed.repository / "docs" / "long.md").write_text(long)
    git(reviewed.repository, "add", "docs/long.md")
    git(reviewed.repository, "commit", "-qm", "long")
    memory = await draft(reviewed, "It is long", source="git:handbook@HEAD:docs/long.md", quote="line 30 of the page")
    (piece,) = (await examined(reviewed, memory)).pieces
    assert (piece.finding, piece.traced.lines) == (None, (30, 30))
    assert [line.number for line in piece.traced.around] == list(range(30 - AROUND, 31 + AROUND))


@pytest.mark.parametrize(
    ("source", "quote", "check"),
    [
        (f"git:{RULES}", "Be unkind to everybody", "quote_not_found"),
        ("git:elsewhere@HEAD:a.md", "Be kind to everybody", "source_unreadable"),
        ("url:https://example.org/a", "Be kind to everybody", "not_verifiable"),
        (f"git:{RULES}", None, "quote_missing"),
    ],
)
async def test_what_a_quote_does_not_prove_is_said(reviewed: Ruling, source: str, quote: str | None, check: str) -> None:
    assert faults(await examined(reviewed, await draft(reviewed, "One is kind", source=source, quote=quote))) == [check]


async def test_why_it_waits_is_said_for_the_gate_and_for_what_its_author_may_not_overturn(reviewed: Ruling) -> None:
    assert checks(await examined(reviewed, await draft(reviewed, "Tea is at four"))) == ["review"]
    await gate(reviewed, GateLevel.OPEN)
    old = await draft(reviewed, "Tea is at three", who="B")
    new = await draft(reviewed, "Tea is at five", supersedes=old.id)
    found = await examined(reviewed, new)
    assert checks(found) == ["supersedes"]
    assert found.overturns is not None
    assert (found.overturns.id, found.may_decide) == (old.id, True)


async def test_a_statement_that_is_worse_evidenced_than_what_it_would_overturn_is_said_so(reviewed: Ruling) -> None:
    await gate(reviewed, GateLevel.OPEN)
    await draft(reviewed, "Tea is at three", subject="tea", source="manual: the cook", quote=None)
    new = await draft(reviewed, "Tea is at five", subject="tea")
    assert checks(await examined(reviewed, new)) == ["less_evidenced"]


async def test_what_others_say_on_the_subject_is_beside_it_and_not_what_gives_way(reviewed: Ruling) -> None:
    await gate(reviewed, GateLevel.OPEN)
    other = await draft(reviewed, "Tea is at three", who="B", subject="tea")
    await gate(reviewed, GateLevel.REVIEWED)
    found = await examined(reviewed, await draft(reviewed, "Tea is at five", subject="tea"))
    assert ([m.id for m in found.beside], found.overturns) == ([other.id], None)
    assert checks(found) == ["review", "possible_conflict"]


async def test_who_may_not_review_it_is_told_so_and_who_does_not_see_it_finds_nothing(reviewed: Ruling) -> None:
    memory = await draft(reviewed, "Tea is at four")
    assert not (await examined(reviewed, memory, "A")).may_decide
    for who in ("B", "X", "member:n", "member:x"):
        with pytest.raises(NotFound):
            await examined(reviewed, memory, who)


async def test_what_was_decided_does_not_wait(reviewed: Ruling) -> None:
    memory = await draft(reviewed, "Tea is at four")
    await reviewed.world.service.review.admit(await reviewed.world.caller("member:m"), memory.id)
    with pytest.raises(Conflict):
        await examined(reviewed, memory)
