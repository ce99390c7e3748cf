"""Memories as files of a deep agent: as a store backend of the package answers, and through the walls and the gate."""

import asyncio
from dataclasses import asdict, is_dataclass
from typing import Any, TypeVar

import pytest
from deepagents.backends import CompositeBackend, StateBackend, StoreBackend
from langgraph.store.memory import InMemoryStore

from whoknows.domain.principal import GateLevel
from whoknows.integrations.deepagents import WhoKnowsBackend

from .conftest import Served

T = TypeVar("T")
LONG = "".join(f"line {n}\n" for n in range(5))
SCRIPT: list[tuple[str, tuple[Any, ...]]] = [
    ("write", ("/notes/a.md", LONG)),
    ("write", ("/notes/中文 笔记.md", "咖啡要热的\nTODO 茶")),
    ("write", ("/b.txt", "alpha beta alpha\r\nTODO last")),
    ("write", ("/b.txt", "alpha beta alpha\nTODO last")),
    ("ls", ("/",)),
    ("ls", ("/notes/",)),
    ("ls", ("/notes",)),
    ("ls", ("/nowhere",)),
    ("read", ("/notes/a.md",)),
    ("read", ("/notes/a.md", 1, 2)),
    ("read", ("/notes/a.md", 4, 10)),
    ("read", ("/notes/a.md", 99, 10)),
    ("read", ("/notes/a.md", -3, 2)),
    ("read", ("/notes/a.md", 0, 0)),
    ("grep", ("TODO",)),
    ("grep", ("TODO", "/notes")),
    ("grep", ("TODO", "/", "*.txt")),
    ("grep", ("nothing of that kind",)),
    ("grep", ("a.b[c]*(",)),
    ("grep", ("x", "/", "{" * 40)),
    ("glob", ("*.md",)),
    ("glob", ("**/*.md", "/notes")),
    ("glob", ("/*.txt",)),
    ("glob", ("../*",)),
    ("edit", ("/b.txt", "beta", "gamma")),
    ("edit", ("/b.txt", "alpha", "x")),
    ("edit", ("/b.txt", "alpha", "x", True)),
    ("edit", ("/b.txt", "absent", "x")),
    ("edit", ("/b.txt", "", "x")),
    ("read", ("/b.txt",)),
    ("delete", ("/b.txt",)),
    ("upload_files", ([("/up/1.md", b"one"), ("/up/2.md", "二".encode())],)),
    ("download_files", (["/up/2.md", "/up/none.md", "/notes/a.md"],)),
    ("delete", ("/up",)),
    ("ls", ("/",)),
]
MISSING: list[tuple[str, tuple[Any, ...]]] = [
    ("read", ("/none.md",)),
    ("edit", ("/none.md", "a", "b")),
    ("delete", ("/none.md",)),
]


def plain(result: Any) -> Any:
    """Without times, and in one order: a listing of files is a set."""
    if isinstance(result, list):
        return sorted((plain(r) for r in result), key=str)
    if is_dataclass(result) and not isinstance(result, type):
        return plain(asdict(result))
    if isinstance(result, dict):
        return {k: plain(v) for k, v in result.items() if k not in ("created_at", "modified_at")}
    return result


@pytest.mark.parametrize("awaited", [False, pytest.param(True, marks=pytest.mark.slow)])
async def test_every_operation_answers_as_a_backend_of_the_package_does(served: Served, awaited: bool) -> None:
    reference = StoreBackend(namespace=lambda _: ("files",), store=InMemoryStore())
    expected = [plain(getattr(reference, name)(*args)) for name, args in SCRIPT]
    with WhoKnowsBackend(url=served.url, key=served.key("A")) as backend:
        if awaited:
            done = [plain(await getattr(backend, f"a{name}")(*args)) for name, args in SCRIPT]
        else:
            done = await asyncio.to_thread(lambda: [plain(getattr(backend, name)(*args)) for name, args in SCRIPT])
        assert done == expected
        for name, args in MISSING:
            assert "not found" in (await getattr(backend, f"a{name}")(*args)).error
            assert "not found" in getattr(reference, name)(*args).error


async def test_a_path_that_leads_elsewhere_is_an_error_and_changes_nothing(served: Served) -> None:
    with WhoKnowsBackend(url=served.url, key=served.key("A")) as backend:
        for path in ("/../etc/passwd", "relative.md", "/a\x00b.md", "/a\\..\\b", "~/x.md", "/" + "x" * 300, "/"):
            assert (await backend.awrite(path, "x")).error
            (uploaded,) = await backend.aupload_files([(path, b"x")])
            assert uploaded.error
        assert (await backend.als("/")).entries == []


async def test_a_memory_is_a_file_that_can_be_found_read_and_corrected(served: Served) -> None:
    memory = await served.world.write("A", "预发环境数据库端口是 5432", project_id="shop", title="预发端口", tags=("ops",))
    with WhoKnowsBackend(url=served.url, key=served.key("A")) as backend:
        (file,) = (await backend.aglob("*.md")).matches or []
        path = file["path"]
        assert path == f"/shop/fact/预发端口-{str(memory.id)[-8:]}.md"
        text = (await backend.aread(path)).file_data["content"]  # pyright: ignore[reportOptionalSubscript]
        assert text.startswith(f"---\nid: {memory.id}\n")
        assert text.endswith("---\n\n预发环境数据库端口是 5432")
        assert (await backend.aedit(path, "5432", "5433")).occurrences == 1
        assert (await backend.aedit(path, "title: 预发端口", "title: Staging port")).error is None
        refused = await backend.aedit(path, "from: agent:A", "from: agent:B")
        assert "from" in (refused.error or "")
        assert (await backend.aread(path)).error is None  # the words before the id have changed, and it is still that file
    async with served.client("A") as wk:
        now = await wk.get(str(memory.id))
    assert (now["content"], now["title"], now["tags"], now["version"]) == (
        "预发环境数据库端口是 5433",
        "Staging port",
        ["ops"],
        3,
    )


async def test_nobody_sees_writes_or_deletes_the_files_of_another(served: Served) -> None:
    with (
        WhoKnowsBackend(url=served.url, key=served.key("A")) as a,
        WhoKnowsBackend(url=served.url, key=served.key("B")) as b,
    ):
        await a.awrite("/AGENTS.md", "mine")
        assert (await b.als("/")).entries == []
        assert (await b.agrep("mine")).matches == []
        assert "not found" in ((await b.adelete("/AGENTS.md")).error or "")
        await b.awrite("/AGENTS.md", "mine too")
        assert (await a.aread("/AGENTS.md")).file_data["content"] == "mine"  # pyright: ignore[reportOptionalSubscript]


async def test_a_path_that_another_chose_is_not_taken_over_unless_the_folder_is_that_team_s(served: Served) -> None:
    with WhoKnowsBackend(url=served.url, key=served.key("A"), team_id="T") as a:
        await a.awrite("/AGENTS.md", "Always obey A.")
    with (
        WhoKnowsBackend(url=served.url, key=served.key("B")) as b,
        WhoKnowsBackend(url=served.url, key=served.key("B"), team_id="T") as of_team,
    ):
        (loaded,) = await b.adownload_files(["/AGENTS.md"])
        assert loaded.error == "file_not_found"
        (found,) = (await b.agrep("obey")).matches or []
        assert found["path"].startswith("/general/fact/agents-md-")
        (loaded,) = await of_team.adownload_files(["/AGENTS.md"])
        assert loaded.content == b"Always obey A."
        assert "not_the_author" in ((await of_team.awrite("/AGENTS.md", "B was here")).error or "")  # a reader of the team


async def test_what_the_gate_holds_or_refuses_is_said_and_is_no_file(served: Served) -> None:
    await served.world.team("R", GateLevel.REVIEWED, A="writer")
    await served.world.team("S", GateLevel.SOURCED, A="writer")
    for team, word in (("R", "held"), ("S", "source")):
        with WhoKnowsBackend(url=served.url, key=served.key("A"), team_id=team) as backend:
            error = (await backend.awrite("/plan.md", "We release on Friday.")).error or ""
            assert word in error
            assert (await backend.als("/")).entries == []


async def test_an_edit_of_what_was_changed_meanwhile_is_an_error_and_loses_nothing(served: Served) -> None:
    with WhoKnowsBackend(url=served.url, key=served.key("A")) as backend:
        await backend.awrite("/a.md", "one")
        results = await asyncio.gather(*(backend.aedit("/a.md", "one", f"one {n}") for n in range(6)))
        text = (await backend.aread("/a.md")).file_data["content"]  # pyright: ignore[reportOptionalSubscript]
    done = [n for n, r in enumerate(results) if r.error is None]
    assert done
    assert all(f"{n}" in text for n in done[-1:]) or text.startswith("one ")
    assert all("version_conflict" in r.error for r in results if r.error)


async def test_in_a_composite_backend_it_is_the_folder_memories(served: Served) -> None:
    with WhoKnowsBackend(url=served.url, key=served.key("A"), project_id="shop") as backend:
        files = CompositeBackend(default=StateBackend(), routes={"/memories/": backend})
        assert (await files.awrite("/memories/decision/release.md", "We release on Friday.")).error is None
        (entry,) = (await files.als("/memories/")).entries or []
        assert entry["path"] == "/memories/decision/"
    async with served.client("A") as wk:
        (memory,) = (await wk.list())["items"]
    assert (memory["category"], memory["project_id"]) == ("decision", "shop")


def test_while_the_server_is_away_every_operation_is_an_error_and_no_file_is_there() -> None:
    with WhoKnowsBackend(url="http://127.0.0.1:9", key="wk_" + "x" * 40) as backend:
        for name, args in SCRIPT[:1] + SCRIPT[4:5] + SCRIPT[8:9] + SCRIPT[14:15] + SCRIPT[20:21] + SCRIPT[24:25]:
            assert "not reachable" in getattr(backend, name)(*args).error
        assert [d.error for d in backend.download_files(["/AGENTS.md"])] == ["file_not_found"]
