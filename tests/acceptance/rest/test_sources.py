"""Sources: what stands in Git is found, read-only, by those of the source, and what was overturned comes as overturned."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from repositories import ASKED_OF_TOPICS, LESSON, NEW, TOPICS, Repository, decisions, repository
from whoknows.bootstrap import Installation
from whoknows.domain.credential import Permission

from .conftest import problem
from .sourcing import Json, Sourced, sourced_edge


@pytest.fixture
async def sourced(installation: Installation, tmp_path: Path) -> AsyncIterator[Sourced]:
    async with sourced_edge(installation, tmp_path) as edge:
        await edge.edge.world.agents("A", "B", "C")
        await edge.edge.world.team("T", A="owner", B="reader")
        yield edge


@pytest.fixture
async def records(sourced: Sourced) -> Repository:
    """Three records and a lesson, indexed for the team T."""
    repo = decisions(sourced.root / "decisions")
    await sourced.register("git", repo.path, "decisions", "team:T")
    await sourced.sync("decisions")
    return repo


def by_title(memories: list[Json]) -> dict[str, Json]:
    return {m["title"]: m for m in memories}


async def test_a_record_is_found_with_its_place_its_status_and_what_it_overturned(
    sourced: Sourced, records: Repository
) -> None:
    commit = records("rev-parse", "HEAD")
    found = await sourced.ask("B", "three independent lines of memory", limit=5)
    best = found[0]
    assert best["title"] == "ADR 0007: Three lines [proposed] › Decision"
    assert "status:proposed" in best["tags"]
    assert best["indexed"]
    (evidence,) = best["evidence"]
    assert evidence["locator"] == "decisions:docs/0007-three-lines.md#L11-L13"
    assert (evidence["source_kind"], evidence["revision"], evidence["verified"]) == ("git", commit, True)
    assert evidence["quote"] in NEW
    assert NEW[evidence["start"] : evidence["end"]] == evidence["quote"]
    assert [o["content"].split("\n")[1] for o in best["overturned"]] == ["- Date: 2026-06-22", "- Date: 2026-06-30"]
    why = best["overturned"][0]["reason"]
    assert "coupled what should be apart" in why
    assert why in NEW
    assert not [m for m in found if "ADR 0004" in m["title"] or "ADR 0006" in m["title"]]


async def test_every_section_of_a_record_shows_the_old_records_once_each_and_the_chain(
    sourced: Sourced, records: Repository
) -> None:
    del records
    everything = await sourced.all_of("B")
    new = [m for m in everything if m["title"].startswith("ADR 0007")]
    assert len(new) == 4
    assert {len(m["overturned"]) for m in new} == {2}
    head = next(m for m in new if m["part_of"] is None)
    assert {m["part_of"] for m in new} == {None, head["id"]}
    old = await sourced.all_of("B", state="superseded")
    assert {m["superseded_by"] for m in old} == {head["id"]}
    assert len(old) == 4
    (with_chain,) = await sourced.ask("B", "three independent lines of memory", limit=1, include=["history"])
    assert [m["title"].partition(":")[0] for m in with_chain["history"]] == ["ADR 0007", "ADR 0004", "ADR 0006"]


async def test_a_team_member_reads_and_a_stranger_learns_nothing(sourced: Sourced, records: Repository) -> None:
    del records
    assert await sourced.ask("C", "three independent lines of memory") == []
    assert await sourced.all_of("C") == []
    async with sourced.edge.as_("C") as stranger, sourced.edge.as_("B") as reader:
        assert (await stranger.get("/sources")).json()["items"] == []
        (told,) = (await reader.get("/sources")).json()["items"]
        assert (told["name"], told["documents"], told["audience"]) == ("decisions", 4, "team:T")
        source = sourced.ids["decisions"]
        absent = await problem(await stranger.post(f"/sources/{source}/sync"), 404, "not_found")
        never = await problem(await stranger.post("/sources/0197f3a1-6f1e-7b6e-9d0c-2f4b8a1c7e70/sync"), 404, "not_found")
        assert {k: v for k, v in absent.items() if k != "request_id"} == {k: v for k, v in never.items() if k != "request_id"}
        await problem(await stranger.delete(f"/sources/{source}"), 404, "not_found")
        await problem(await reader.post(f"/sources/{source}/sync"), 403, "may_not_source")
        await problem(await reader.delete(f"/sources/{source}"), 403, "may_not_source")
        events = (await stranger.get("/knows")).json()
        assert "decisions" not in str(events)


async def test_what_is_indexed_is_read_only_even_for_an_owner_of_the_team(sourced: Sourced, records: Repository) -> None:
    del records
    (memory,) = [m for m in await sourced.all_of("A") if m["title"] == "Lesson: staging"]
    async with sourced.edge.as_("A") as owner:
        at = f"/memories/{memory['id']}"
        await problem(await owner.patch(at, json={"version": 1, "content": "port 1"}), 403, "read_only_index")
        await problem(await owner.delete(at), 403, "read_only_index")
        await problem(await owner.post(f"{at}/archive"), 403, "read_only_index")
        mine = (await owner.post("/capture", json={"content": "port 5434", "memory_type": "team", "team_id": "T"})).json()
        await problem(await owner.post(f"{at}/supersede", json={"by": mine["memory"]["id"]}), 403, "read_only_index")
        cleared = (await owner.delete("/memories", params={"layer": "team"})).json()
        assert cleared["deleted"] == 1
        same = {"content": memory["content"], "title": memory["title"], "memory_type": "team", "team_id": "T"}
        again = (await owner.post("/capture", json=same)).json()
    assert again["outcome"] == "stored"
    assert (await sourced.all_of("B"))[0]["id"] == again["memory"]["id"]
    assert "Lesson: staging" in by_title(await sourced.all_of("B"))


async def test_synchronising_again_changes_nothing(sourced: Sourced, records: Repository) -> None:
    before = await sourced.all_of("B")
    done = await sourced.sync("decisions")
    assert (done["unchanged"], done["added"], done["changed"], done["removed"], done["renamed"]) == (4, [], [], [], [])
    assert await sourced.all_of("B") == before
    records.commit({"notes.py": "x = 1\n"})
    done = await sourced.sync("decisions")
    assert (done["unchanged"], done["added"]) == (4, [])
    assert await sourced.all_of("B") == before


async def test_synchronising_at_the_same_time_doubles_nothing(sourced: Sourced) -> None:
    repo = decisions(sourced.root / "decisions")
    await sourced.register("git", repo.path, "decisions", "team:T")
    async with sourced.edge.admin as admin:
        at = f"/sources/{sourced.ids['decisions']}/sync"
        statuses = [a.status_code for a in await asyncio.gather(*(admin.post(at) for _ in range(4)))]
    assert 200 in statuses
    assert set(statuses) <= {200, 409}
    titles = [m["title"] for m in await sourced.all_of("B")]
    assert len(titles) == len(set(titles)) == 6


async def test_the_list_of_records_by_date_cites_each_of_them(sourced: Sourced, records: Repository) -> None:
    (listed,) = [m for m in await sourced.all_of("B") if "chronicle" in m["tags"]]
    assert listed["content"].split("\n") == [
        "2026-06-22 · ADR 0004: One track (accepted, superseded by ADR 0007 on 2026-07-01)",
        "2026-06-30 · ADR 0006: A second track (accepted, superseded by ADR 0007 on 2026-07-01)",
        "2026-07-01 · ADR 0007: Three lines (proposed)",
    ]
    assert [(e["locator"], e["quote"], e["verified"]) for e in listed["evidence"]] == [
        ("decisions:docs/0004-one-track.md#L4-L4", "- Date: 2026-06-22", True),
        ("decisions:docs/0006-a-second-track.md#L4-L4", "- Date: 2026-06-30", True),
        ("decisions:docs/0007-three-lines.md#L4-L4", "- Date: 2026-07-01", True),
    ]
    records.commit({"docs/0004-one-track.md": None})
    await sourced.sync("decisions")
    assert not [m for m in await sourced.all_of("B") if "ADR 0004" in m["content"] and "chronicle" in m["tags"]]


async def test_changes_renames_and_removals_are_followed(sourced: Sourced, records: Repository) -> None:
    ids = {m["title"]: m["id"] for m in await sourced.all_of("B")}
    records("mv", "lessons/staging.md", "lessons/ports.md")
    records("mv", "docs/0007-three-lines.md", "docs/0007-lines.md")
    records.commit({
        "docs/0007-lines.md": NEW.replace("each with its own store", "each with a store of its own"),
        "docs/0008-new.md": "# ADR 0008: Fourth\n\nStatus: Accepted\n\nA fourth line, for projects.\n",
        "docs/0006-a-second-track.md": None,
    })  # fmt: skip
    done = await sourced.sync("decisions")
    assert sorted((r["was"], r["path"]) for r in done["renamed"]) == [
        ("docs/0007-three-lines.md", "docs/0007-lines.md"),
        ("lessons/staging.md", "lessons/ports.md"),
    ]
    assert (done["added"], done["removed"]) == (["docs/0008-new.md"], ["docs/0006-a-second-track.md"])
    assert [f["check"] for f in done["findings"]] == ["unknown_target"]
    after = by_title(await sourced.all_of("B"))
    assert after["Lesson: staging"]["id"] == ids["Lesson: staging"]
    assert after["Lesson: staging"]["evidence"][0]["locator"].startswith("decisions:lessons/ports.md#L3")
    decision = after["ADR 0007: Three lines [proposed] › Decision"]
    assert decision["id"] == ids["ADR 0007: Three lines [proposed] › Decision"]
    assert "a store of its own" in decision["content"]
    assert len(decision["overturned"]) == 1
    assert "ADR 0008: Fourth" in after
    async with sourced.edge.as_("B") as reader:
        (version,) = (await reader.get(f"/memories/{decision['id']}/history")).json()["versions"]
    assert "each with its own store" not in version["content"]
    assert await sourced.ask("B", "Skills are a second track of memory", limit=20) == [
        m for m in await sourced.ask("B", "Skills are a second track of memory", limit=20) if "ADR 0006" not in m["title"]
    ]


async def test_a_record_that_overturns_no_more_lets_the_old_one_hold_again(sourced: Sourced, records: Repository) -> None:
    records.commit({"docs/0007-three-lines.md": NEW.replace("Status: Proposed", "Status: Rejected")})
    done = await sourced.sync("decisions")
    assert {f["check"] for f in done["findings"]} == {"does_not_count"}
    titles = by_title(await sourced.all_of("B"))
    assert {"ADR 0004: One track", "ADR 0006: A second track", "ADR 0006: A second track › Consequences"} <= set(titles)
    assert titles["ADR 0007: Three lines [rejected]"]["overturned"] == []
    assert (await sourced.ask("B", "one track of memory for all", limit=1))[0]["title"] == "ADR 0004: One track"
    records.commit({"docs/0007-three-lines.md": NEW})
    await sourced.sync("decisions")
    titles = by_title(await sourced.all_of("B"))
    assert "ADR 0004: One track" not in titles
    assert len(titles["ADR 0007: Three lines [proposed]"]["overturned"]) == 2


async def test_removing_a_source_leaves_nothing_and_rebuilding_it_gives_the_same_answers(
    sourced: Sourced, records: Repository
) -> None:
    questions = ("three independent lines of memory", "on which port is staging", "one track", "独立的记忆线")
    before = [_shape(await sourced.ask("B", q, include=["history"])) for q in questions]
    async with sourced.edge.admin as admin:
        gone = await admin.delete(f"/sources/{sourced.ids['decisions']}")
    assert gone.json()["deleted"] == 10
    assert await sourced.all_of("B") == []
    assert await sourced.all_of("B", state="superseded") == []
    await sourced.register("git", records.path, "decisions", "team:T")
    await sourced.sync("decisions")
    assert [_shape(await sourced.ask("B", q, include=["history"])) for q in questions] == before


def _shape(memories: list[Json]) -> list[object]:
    """Everything of an answer but ids and the time of day."""
    return [
        (
            m["title"], m["content"], m["score"], m["scores"], m["tags"], m["evidence"][0]["locator"], m["created_at"][:10],
            [(o["content"], o["reason"]) for o in m["overturned"]], [h["title"] for h in m["history"]],
        )
        for m in memories
    ]  # fmt: skip


async def test_a_member_has_sources_of_its_own_that_an_administrator_does_not_see(sourced: Sourced) -> None:
    world = sourced.edge.world
    await world.members("eva", "bob")
    await world.agents("E", account="eva")
    notes = sourced.root / "notes"
    notes.mkdir()
    (notes / "n.md").write_text(LESSON)
    body = {"kind": "folder", "locator": str(notes), "name": "notes", "audience": "member:eva"}
    for who in ("member:eva", "E"):  # the roots are the installation's: what of them is read is not a member's to say
        async with sourced.edge.as_(who) as client:
            await problem(await client.post("/sources", json=body), 403, "may_not_source")
    async with sourced.edge.as_(await world.key(permissions=[Permission.ADMIN])) as once:
        sourced.ids["notes"] = (await once.post("/sources", json=body)).json()["source_id"]
    await sourced.sync("notes", by="E")
    assert [m["title"] for m in await sourced.all_of("E")] == ["Lesson: staging"]
    assert (await sourced.ask("member:eva", "port of staging"))[0]["account"] == "eva"
    async with sourced.edge.admin as admin, sourced.edge.as_("member:bob") as bob:
        assert (await admin.get("/sources")).json()["items"] == []
        await problem(await admin.post(f"/sources/{sourced.ids['notes']}/sync"), 404, "not_found")
        assert (await bob.get("/sources")).json()["items"] == []
        body = {"kind": "folder", "locator": str(notes), "name": "n", "audience": "member:eva"}
        await problem(await bob.post("/sources", json=body), 404, "not_found")
    async with sourced.edge.as_("E") as eva:
        (memory,) = await sourced.all_of("E")
        await problem(await eva.put(f"/memories/{memory['id']}/shares/A"), 403, "read_only_index")


async def test_seen_as_another_the_list_holds_what_that_one_reads(sourced: Sourced) -> None:
    (sourced.root / "notes").mkdir()
    (sourced.root / "notes" / "n.md").write_text(LESSON)
    await sourced.edge.world.team("W")
    await sourced.register("folder", sourced.root / "notes", "of-w", "team:W")
    key = await sourced.edge.world.key(permissions=[Permission.ADMIN, Permission.INSPECT])
    async with sourced.edge.as_(key) as operator:
        assert [s["name"] for s in (await operator.get("/sources")).json()["items"]] == ["of-w"]
        assert (await operator.get("/sources", headers={"X-Seen-As": "A"})).json()["items"] == []


async def test_what_may_not_be_read_and_what_is_not_there_answer_alike(sourced: Sourced, tmp_path: Path) -> None:
    outside = decisions(tmp_path / "outside")
    (sourced.root / "link").symlink_to(outside.path)
    (sourced.root / "plain").mkdir()
    said = set()
    async with sourced.edge.as_("A") as owner:
        for kind, locator in (
            ("git", str(outside.path)), ("git", str(sourced.root / "link")), ("git", str(sourced.root / "absent")),
            ("folder", str(outside.path)), ("folder", str(sourced.root / "link")), ("git", str(sourced.root / "plain")),
            ("folder", str(sourced.root / ".." / "outside")), ("git", "https://127.0.0.1/x.git/../../etc"),
        ):  # fmt: skip
            body = {"kind": kind, "locator": locator, "name": "s", "audience": "team:T"}
            answered = await owner.post("/sources", json=body)
            told = await problem(answered, 422, "source_unreadable", "locator")
            said.add(str(told["detail"]))
        for locator in ("-oProxyCommand=x", "https://u:p@example.org/x", "ssh://example.org/x", "ext::sh -c id"):
            body = {"kind": "git", "locator": locator, "name": "s", "audience": "team:T"}
            assert (await owner.post("/sources", json=body)).status_code == 422
        for name in ("a b", "a:b", "a@b", "a/b", "a#b", ""):
            body = {"kind": "folder", "locator": str(sourced.root / "plain"), "name": name, "audience": "team:T"}
            await problem(await owner.post("/sources", json=body), 422, "invalid", "name")
        for audience, status in (("team:U", 404), ("agent:A", 422), ("T", 422), ("member:nobody", 404)):
            body = {"kind": "folder", "locator": str(sourced.root / "plain"), "name": "s", "audience": audience}
            assert (await owner.post("/sources", json=body)).status_code == status
    assert len(said) == 1
    async with sourced.edge.as_("B") as reader:
        body = {"kind": "folder", "locator": str(sourced.root / "plain"), "name": "s", "audience": "team:T"}
        await problem(await reader.post("/sources", json=body), 403, "may_not_source")


async def test_a_name_is_taken_within_its_readers_alone(sourced: Sourced) -> None:
    await sourced.edge.world.team("U", C="owner")
    (sourced.root / "notes").mkdir()
    await sourced.register("folder", sourced.root / "notes", "notes", "team:T", by="A")
    await sourced.register("folder", sourced.root / "notes", "notes", "team:U", by="C")
    async with sourced.edge.as_("A") as owner:
        body = {"kind": "folder", "locator": str(sourced.root / "notes"), "name": "notes", "audience": "team:T"}
        await problem(await owner.post("/sources", json=body), 409, "name_taken")


async def test_secrets_in_a_document_do_not_come_in_and_are_in_no_quote(sourced: Sourced) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    folder = sourced.root / "notes"
    folder.mkdir()
    (folder / "n.md").write_text(f"# Access\n\nThe token is {secret} for the build.\n\nIt is renewed every week by hand.\n")
    await sourced.register("folder", folder, "notes", "team:T")
    await sourced.sync("notes")
    (memory,) = await sourced.all_of("B")
    assert secret not in str(memory)
    assert memory["evidence"][0]["quote"] == "It is renewed every week by hand."
    assert memory["evidence"][0]["verified"]


async def test_files_that_cannot_be_read_are_told_and_stop_nobody(sourced: Sourced) -> None:
    folder = sourced.root / "notes"
    folder.mkdir()
    (folder / "fine.md").write_text(LESSON)
    (folder / "latin.md").write_bytes(b"caf\xe9")
    (folder / "huge.md").write_bytes(b"x" * (1024 * 1024 + 1))
    (folder / "code.py").write_text("secret = 1")
    (folder / "empty.md").write_text("\n\n")
    await sourced.register("folder", folder, "notes", "team:T")
    done = await sourced.sync("notes")
    assert [u["path"] for u in done["unreadable"]] == ["huge.md", "latin.md"]
    assert [m["title"] for m in await sourced.all_of("B")] == ["Lesson: staging"]
    (folder / "fine.md").write_bytes(b"caf\xe9")
    done = await sourced.sync("notes")
    assert [u["path"] for u in done["unreadable"]] == ["fine.md", "huge.md", "latin.md"]
    assert await sourced.all_of("B") == []


@pytest.mark.parametrize(("question", "title", "old"), ASKED_OF_TOPICS)
async def test_who_asks_about_what_an_old_record_said_finds_the_new_one(
    sourced: Sourced, question: str, title: str, old: str
) -> None:
    repo = repository(sourced.root / "topics", dict(TOPICS))
    await sourced.register("git", repo.path, "topics", "team:T")
    await sourced.sync("topics")
    best = (await sourced.ask("B", question, limit=5))[0]
    assert best["title"] == title
    (overturned,) = best["overturned"]
    assert overturned["reason"] in TOPICS["0009-by-hand.md"] + TOPICS["0011-短信.md"]
    assert old in overturned["content"]
    assert await sourced.ask("C", question) == []
