"""Evidence from files and repositories that are registered: verified at a revision, looked for again when they move."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from whoknows.bootstrap import Installation

from .conftest import problem
from .evidencing import NOTE, QUOTE, TEXT, captured, checks, commit, only_evidence, told
from .sourcing import Sourced, sourced_edge

HERE = {"memory_type": "team", "team_id": "T"}


@pytest.fixture
async def sourced(installation: Installation, tmp_path: Path) -> AsyncIterator[Sourced]:
    """A repository and a folder that T reads; A writes there, B reads, C is a stranger."""
    async with sourced_edge(installation, tmp_path) as edge:
        await edge.edge.world.agents("A", "B", "C")
        await edge.edge.world.team("T", A="owner", B="reader")
        await edge.edge.world.team("U", A="writer", C="reader")
        commit(edge.root / "repo", NOTE)
        await edge.register("git", edge.root / "repo", "adr", "team:T")
        (edge.root / "notes").mkdir()
        (edge.root / "notes" / "端口.md").write_text(NOTE, "utf-8")
        await edge.register("folder", edge.root / "notes", "notes", "team:T")
        yield edge


async def by(sourced: Sourced, who: str, **fields: Any) -> dict[str, Any]:
    async with sourced.edge.as_(who) as client:
        return await captured(client, **fields)


async def test_a_quote_in_git_is_verified_at_the_commit_that_the_name_stands_for(sourced: Sourced) -> None:
    head = commit(sourced.root / "repo", NOTE + "more\n")
    for revision in ("HEAD", "main", head[:10]):
        stored = await by(sourced, "A", content=revision, source=f"git:adr@{revision}:docs/ports.md", quote=QUOTE, **HERE)
        evidence = stored["memory"]["evidence"][0]
        assert checks(stored) == []
        assert (evidence["verified"], evidence["revision"], evidence["locator"]) == (True, head, "adr:docs/ports.md")
        assert NOTE[evidence["start"] : evidence["end"]] == QUOTE
    async with sourced.edge.as_("B") as reader:
        assert (await only_evidence(reader, stored["memory"]["id"]))["verified"]


async def test_named_lines_narrow_the_place(sourced: Sourced) -> None:
    good = await by(sourced, "A", source="git:adr@HEAD:docs/ports.md#L4", quote=QUOTE, **HERE)
    bad = await by(sourced, "A", content="other", source="git:adr@HEAD:docs/ports.md#L5-L7", quote=QUOTE, **HERE)
    assert good["memory"]["evidence"][0]["verified"]
    assert checks(bad) == ["quote_not_found"]
    assert "line 4" in bad["findings"][0]["message"]


async def test_a_file_of_a_folder_is_named_by_the_folder_or_by_its_path_which_is_not_told(sourced: Sourced) -> None:
    whole = sourced.root.resolve() / "notes" / "端口.md"
    for n, source in enumerate(("file:notes/端口.md", f"file:{whole}", f"file:{whole}#L3-L4")):
        stored = await by(sourced, "A", content=str(n), source=source, quote=QUOTE, **HERE)
        evidence = stored["memory"]["evidence"][0]
        assert evidence["verified"], source
        assert evidence["locator"].removesuffix("#L3-L4") == "notes/端口.md"


async def test_unregistered_unreadable_and_absent_answer_alike(sourced: Sourced, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text(NOTE, "utf-8")
    sources = (
        "git:other@HEAD:docs/ports.md", "git:adr@HEAD:docs/none.md", "git:adr@0000000:docs/ports.md", "git:adr@HEAD:../x",
        "git:adr@--help:docs/ports.md", "git:adr", "file:/etc/hostname", f"file:{tmp_path / 'outside.md'}",
        "file:notes/../../outside.md", "file:notes/none.md", "file:notes",
    )  # fmt: skip
    findings = {str((await by(sourced, "A", content=s, source=s, quote=QUOTE, **HERE))["findings"]) for s in sources}
    # A stranger to the team, who names what there really is.
    findings.add(str((await by(sourced, "C", source="git:adr@HEAD:docs/ports.md", quote=QUOTE))["findings"]))
    findings.add(str((await by(sourced, "C", content="2", source="file:notes/端口.md", quote=QUOTE))["findings"]))
    assert len(findings) == 1
    assert "source_unreadable" in findings.pop()


async def test_a_source_of_one_team_proves_nothing_to_another(sourced: Sourced) -> None:
    cite = {"source": "git:adr@HEAD:docs/ports.md", "quote": QUOTE}
    stored = await by(sourced, "A", memory_type="team", team_id="U", **cite)
    assert checks(stored) == ["not_readable_there"]
    async with sourced.edge.as_("C") as stranger:
        assert (await stranger.get(f"/memories/{stored['memory']['id']}")).json()["evidence"] == []
        assert (await told(stranger, stored["memory"]["id"]))["evidence"] == []
    async with sourced.edge.admin as admin:
        await admin.patch("/teams/U", json={"gate": "verified"})
    async with sourced.edge.as_("A") as writer:
        body = {"content": "again", "memory_type": "team", "team_id": "U", **cite}
        await problem(await writer.post("/capture", json=body), 422, "refused_by_gate")
        private = (await captured(writer, content="mine", **cite))["memory"]
        assert private["evidence"][0]["verified"]
        await problem(await writer.post(f"/memories/{private['id']}/publish", json={"team_id": "U"}), 422, "refused_by_gate")
        copy = await writer.post(f"/memories/{private['id']}/publish", json={"team_id": "T"})
        assert copy.status_code == 201, copy.text
    async with sourced.edge.as_("B") as reader:  # the copy came with the team's own source
        assert (await only_evidence(reader, copy.json()["memory"]["id"]))["verified"]


async def moved(sourced: Sourced, client: httpx.AsyncClient, memory: str, name: str, by_hand: bool) -> dict[str, Any]:
    """The evidence, after a synchronisation and the upkeep behind it, or after its author asked."""
    if by_hand:
        assert (await client.post(f"/memories/{memory}/reverify")).status_code == 200
    else:
        await sourced.sync(name)
        await sourced.edge.world.service.reverify.due()
    return await only_evidence(client, memory)


@pytest.mark.parametrize("by_hand", [True, False])
async def test_what_a_commit_said_it_still_says_and_what_a_folder_said_it_does_not(sourced: Sourced, by_hand: bool) -> None:
    async with sourced.edge.as_("A") as client:
        in_git = (await captured(client, source="git:adr@HEAD:docs/ports.md", quote=QUOTE, **HERE))["memory"]["id"]
        in_file = (await captured(client, content="b", source="file:notes/端口.md", quote=QUOTE, **HERE))["memory"]["id"]
        first = await only_evidence(client, in_git)
        # Lines move, words stay: it stands.
        commit(sourced.root / "repo", "One more line\n" + NOTE)
        (sourced.root / "notes" / "端口.md").write_text("Noch eine\n" + NOTE, "utf-8")
        kept = [await moved(sourced, client, m, n, by_hand) for m, n in ((in_git, "adr"), (in_file, "notes"))]
        assert [(e["verified"], e["moved"]) for e in kept] == [(True, False)] * 2
        assert kept[0]["revision"] == first["revision"]
        assert kept[1]["start"] == NOTE.index(QUOTE) + 10
        # Other words: the commit says it, the newest one does not; the folder does not.
        newest = commit(sourced.root / "repo", NOTE.replace("5433", "5434"))
        (sourced.root / "notes" / "端口.md").write_text("gone\n", "utf-8")
        lost = [await moved(sourced, client, m, n, by_hand) for m, n in ((in_git, "adr"), (in_file, "notes"))]
        assert [(e["verified"], e["moved"]) for e in lost] == [(True, True), (False, True)]
        assert (lost[0]["moved_to"], lost[0]["revision"]) == (newest, first["revision"])
        # And back again.
        commit(sourced.root / "repo", NOTE)
        (sourced.root / "notes" / "端口.md").write_text(NOTE, "utf-8")
        back = [await moved(sourced, client, m, n, by_hand) for m, n in ((in_git, "adr"), (in_file, "notes"))]
        assert [(e["verified"], e["moved"]) for e in back] == [(True, False)] * 2


async def test_only_who_may_change_a_memory_asks_for_its_quotes_again(sourced: Sourced) -> None:
    stored = await by(sourced, "A", source="git:adr@HEAD:docs/ports.md", quote=QUOTE, **HERE)
    path = f"/memories/{stored['memory']['id']}/reverify"
    async with sourced.edge.as_("B") as reader, sourced.edge.as_("C") as stranger:
        await problem(await reader.post(path), 403, "not_the_author")
        await problem(await stranger.post(path), 404, "not_found")


async def test_a_memory_is_traced_to_its_line_with_three_lines_around_it(sourced: Sourced) -> None:
    stored = await by(sourced, "A", source="git:adr@HEAD:docs/ports.md", quote=QUOTE, **HERE)
    async with sourced.edge.as_("B") as reader:
        traced = await told(reader, stored["memory"]["id"])
        (evidence,) = traced["evidence"]
        assert (traced["content"], evidence["found"]) == (TEXT, "stands")
        assert (evidence["line_start"], evidence["line_end"]) == (4, 4)
        lines = NOTE.split("\n")
        assert evidence["around"] == [{"line": n, "text": lines[n - 1]} for n in range(1, 8)]
    commit(sourced.root / "repo", "other\n")
    await sourced.sync("adr")
    await sourced.edge.world.service.reverify.due()
    async with sourced.edge.as_("B") as reader:
        (evidence,) = (await told(reader, stored["memory"]["id"]))["evidence"]
        assert (evidence["found"], evidence["line_start"], evidence["verified"]) == ("moved", 4, True)
    async with sourced.edge.admin as admin:
        await admin.delete(f"/sources/{sourced.ids['adr']}")
    await sourced.edge.world.service.reverify.due()
    async with sourced.edge.as_("B") as reader:
        (evidence,) = (await told(reader, stored["memory"]["id"]))["evidence"]
        assert (evidence["found"], evidence["quote"], evidence["around"]) == ("gone", QUOTE, [])


async def test_what_stands_in_an_index_is_traced_to_its_lines_too(sourced: Sourced) -> None:
    await sourced.sync("adr")
    (section, *_) = await sourced.ask("B", "staging port")
    async with sourced.edge.as_("B") as reader:
        (evidence, *_) = (await told(reader, section["id"]))["evidence"]
        assert (evidence["found"], evidence["verified"]) == ("stands", True)
        assert any(line["text"] for line in evidence["around"])
