"""The wall, page by page: what one may not see is on every address as if it were not there, and changes nobody's pages."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
import pytest_asyncio
from fastapi import FastAPI

from acceptance.console.conftest import browser
from acceptance.rest.conftest import BODY_BYTES
from acceptance.rest.shared import founded
from console.routes import all_routes
from postgres.databases import fresh
from reading_sources import reading
from whoknows.client import ApiError, AsyncWhoKnows
from whoknows.console import app as console_app
from whoknows.console.app import add_console, create_console
from whoknows.console.facts import Facts
from whoknows.domain.credential import Permission
from whoknows.domain.principal import AgentRole, Clearance, GateLevel
from whoknows.rest.app import create_app
from worlds import World

pytestmark = pytest.mark.asyncio(loop_scope="session")

CANARY = "Zanzibar"
"""In every text, name of a project and tag that the readers may not see, and nowhere else."""
STREAMS = {"/live", "/bureau/stage/events"}
"""They never end: what they tell is tried over a real server."""
READERS = (
    "a teammate",
    "a sub-agent that needs to know",
    "a sub-agent on a task",
    "another tenant's agent",
    "an administrator",
)
QUICK = ("a teammate", "another tenant's agent")
PAGE_BY_PAGE = [r if r in QUICK else pytest.param(r, marks=pytest.mark.slow) for r in READERS]
ONE_BY_ONE = [r if r in QUICK[1:] else pytest.param(r, marks=pytest.mark.slow) for r in READERS]
"""Every address for every reader takes minutes: `make test` asks as one or two of them, `make test-long` as all."""
OVERSEEN = ("/admin/audit", "/sources", "/sources/system")
"""Pages on which an administrator reads that others did something, or registered a source."""
ADMINISTERED = ("source_id", "key_id")
"""What an administrator sees as such: which sources there are, and which keys."""
HX = {"HX-Request": "true"}
LOOKED: Sequence[tuple[str, Mapping[str, str]]] = (
    ("/memory", {}),
    ("/memory", {"tag": "Zanzibartag"}),
    ("/memory", {"state": "held"}),
    ("/memory", {"state": "archived"}),
    ("/memory/more", {"shelf": "general", "cursor": "ffffffff-ffff-7fff-bfff-ffffffffffff"}),
    ("/knows", {}),
    ("/knows", {"project": "Zanzibar project"}),
    ("/knows", {"team": "vault"}),
    ("/knows", {"state": "superseded"}),
    ("/knows/rows", {"columns": "0" * 16, "place": "0"}),
    ("/knows/reader", {"reader": "agent:wukong"}),
    ("/prompts/history", {"layer": "user"}),
    ("/prompts/history", {"layer": "conversation", "project": "Zanzibar project"}),
    ("/admin/prompt/size", {"content": "Words."}),
)
"""Forms that change nothing."""
ASKED: Sequence[tuple[str, str, Mapping[str, str]]] = (
    ("POST", "/memory", {"text": "Where is the key to Zanzibar at the pier?"}),
    ("POST", "/knows/inspector", {"question": "What is the word for the key behind the third step?", "floor": "0"}),
    ("POST", "/knows/two", {"question": "Zanzibar?", "left": "agent:maomao", "right": "agent:wukong"}),
    ("POST", "/prompts/composed", {"project": "Zanzibar project", "message": "What is Zanzibar?"}),
    ("POST", "/prompts/composed", {"project": "harbour", "message": "What is Zanzibar?"}),
)
"""Questions; each leaves a trace among those that its reader asked."""
PASSES = re.compile(
    r"(?<=class=\"embed\" width=\")[0-9.]+|(?<=class=\"search\" width=\")[0-9.]+|[0-9.]+(?= ms)"
    r"|(?<=trace=)[0-9a-f-]{36}|(?<=name=\"trace\" value=\")[^\"]*"
    r"|(?<=<time datetime=)\"[^\"]*\">[^<]*|\d\d\d\d-\d\d-\d\d \d\d:\d\d(:\d\d)?"
)
EXPERIENCES = (
    "Rebuild the search index before every release or results stay old",
    "Before every release rebuild the search index or results stay old",
)


Shown = dict[tuple[str, str, bool], tuple[int, str]]
"""By method, address, and whether a part of a page was asked for: status and text."""
Request = tuple[str, str, Mapping[str, str] | None]


@dataclass
class Stage:
    """``hidden``: ids of what wukong and lin keep, by the name of the parameter that takes them; ``own``: a reader's."""

    app: FastAPI
    world: World
    keys: dict[str, str]
    roots: Path
    hidden: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    own: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    before: "dict[str, Shown]" = field(default_factory=dict[str, "Shown"])
    after: "dict[str, Shown]" = field(default_factory=dict[str, "Shown"])

    def client(self, key: str) -> AsyncWhoKnows:
        return AsyncWhoKnows("http://127.0.0.1", key=key, transport=httpx.ASGITransport(self.app))

    async def enter(self, key: str) -> httpx.AsyncClient:
        client = browser(self.app)
        assert (await client.post("/console/sign-in", data={"key": key})).status_code == 303
        page = await client.get("/console/nothing")
        found = re.search(r'"X-CSRF-Token": "([0-9a-f]{64})"', page.text)
        assert found, page.text
        client.headers["X-CSRF-Token"] = found[1]
        return client


@pytest.fixture(scope="module")
def roots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the server reads sources from."""
    return tmp_path_factory.mktemp("roots")


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def founder(server: str, roots: Path) -> AsyncIterator[World]:
    """In place of the founder whose service reads no sources."""
    with fresh(server, f"walled_{uuid4().hex[:12]}") as installation:
        async with reading(installation, roots, roots / "mirrors") as world:
            yield world


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def stage(founder: World, roots: Path, request: pytest.FixtureRequest) -> Stage:
    """What each reader that is tried is shown and answered, and that again when so much was hidden from it."""
    stage = await furnished(founder, roots)
    specs = [i.callspec for i in request.session.items if isinstance(i, pytest.Function) and hasattr(i, "callspec")]
    asked = {s.params.get("reader") for s in specs}
    rooms = {reader: await stage.enter(stage.keys[reader]) for reader in READERS if reader in asked}
    if "a teammate" in rooms:
        await rooms["a teammate"].post("/console/project", data={"project": "harbour"})
    for reader, client in rooms.items():
        stage.before[reader] = await answers(client, ASKED)
    for reader, client in rooms.items():
        stage.before[reader] |= await answers(client, shown(stage, reader))
    await hide(stage)
    for reader, client in rooms.items():
        stage.after[reader] = await answers(client, shown(stage, reader))
    for reader, client in rooms.items():
        stage.after[reader] |= await answers(client, ASKED)
        await client.aclose()
    return stage


async def furnished(founder: World, roots: Path) -> Stage:
    """People are there, and what the readers may see; nothing is hidden yet."""
    world, elsewhere = await founded(founder), await founded(founder)
    await world.members("lin", "mei")
    await world.agents("wukong", account="lin")
    await world.agents("maomao", account="mei")
    await world.agents("pilot", role=AgentRole.SUB, parent="wukong")
    await world.agents("scout", role=AgentRole.SUB, parent="maomao", clearance=Clearance.NEED_TO_KNOW)
    await world.team("crew", wukong="writer", maomao="writer", scout="reader")
    await world.team("vault", GateLevel.REVIEWED, wukong="writer")
    await world.team("open", wukong="writer")
    for team in ("vault", "open"):
        await world.join(team, "member:lin", "owner")
    await elsewhere.agents("wukong")
    app = create_app(world.service, body_bytes=BODY_BYTES, version="test")
    add_console(app, create_console(world.service, Facts("test")))
    keys = {
        "wukong": world.keys["wukong"],
        "lin": world.keys["member:lin"],
        "a teammate": world.keys["maomao"],
        "a sub-agent that needs to know": world.keys["scout"],
        "another tenant's agent": elsewhere.keys["wukong"],
        "an administrator": world.installation.new_key or "",
    }
    stage = Stage(app, world, keys, roots)
    async with stage.client(keys["a teammate"]) as maomao:
        keys["a sub-agent on a task"] = (await maomao.open_task("soundings", ["scout"]))["tokens"]["scout"]
        seen = {"memory_type": "team", "team_id": "crew", "project_id": "harbour"}
        for n in range(3):
            await maomao.capture(f"The gauge at the pier reads {n} cm too high.", **seen)  # pyright: ignore[reportArgumentType]
        own = (await maomao.capture("The key lies behind the third step.", project_id="harbour"))["memory"]["id"]
        await maomao.share(own, "wukong")
        talk = (await maomao.chat("harbour", "When does the ferry come?"))["conversationId"]
        messages = [i for i in _ids(await maomao.conversation(talk)) if i != talk]
        trace = (await maomao.recall("Where is the key?"))["trace_id"]
    stage.own["a teammate"] = {"memory": own, "conversation": talk, "message": messages[0], "trace": trace}
    return stage


def shown(stage: Stage, reader: str) -> list[Request]:
    """Every page and part that a reader may open without an id or with one of its own, and what forms only show."""
    own = stage.own.get(reader, {})
    found: list[Request] = []
    for path in routes("GET"):
        names = re.findall(r"\{(\w+)\}", path)
        if all(n in own for n in names) and not (reader == "an administrator" and path in OVERSEEN):
            found.append(("GET", re.sub(r"\{(\w+)\}", lambda n: own[n[1]], path), None))
    if own:
        found += [("GET", f"/knows/inspector?trace={own['trace']}", None)]
        others = ("agent:wukong", "agent:scout", "agent:pilot")
        found += [("POST", "/knows/why", {"memory": own["memory"], "reader": other}) for other in others]
    return [*found, *(("POST", path, form) for path, form in LOOKED)]


async def answers(client: httpx.AsyncClient, requests: Sequence[Request]) -> Shown:
    """Without ids of traces and without times, which pass."""
    found: Shown = {}
    for number, (method, path, form) in enumerate(requests):
        for part in (False, True):
            answer = await client.request(method, f"/console{path}", data=form, headers=HX if part else {})
            where = "".join(answer.headers.get(h, "") for h in ("location", "hx-redirect", "hx-retarget"))
            text = PASSES.sub("·", f"{where}\n{answer.text}")
            found[f"{number} {method}", path, part] = (answer.status_code, text)
    return found


async def hide(stage: Stage) -> None:
    """Something of each kind, in which no reader has any part."""
    secret = f"{CANARY} is the word for the key behind the third step at the pier."
    project, tag = f"{CANARY} project", f"{CANARY}tag"
    vault: Any = {"memory_type": "team", "team_id": "vault", "project_id": project}
    team: Any = {"memory_type": "team", "team_id": "open", "project_id": project}
    async with stage.client(stage.keys["wukong"]) as wukong, stage.client(stage.keys["lin"]) as lin:
        private = (await wukong.capture(secret, title=f"{CANARY} title", tags=[tag], project_id=project))["memory"]["id"]
        subject = f"{CANARY}.subject"
        told = [await wukong.capture(f"{secret} {n}", subject=subject, **team) for n in ("Once.", "Twice.")]
        memories = [t["memory"]["id"] for t in told]
        held = [(await wukong.capture(f"{secret} {n}", **vault))["memory"]["id"] for n in range(2)]
        narrowed = (await wukong.capture(f"{secret} Narrowed.", visible_to=["wukong"], **team))["memory"]["id"]
        archived = (await wukong.capture(f"{secret} Archived."))["memory"]["id"]
        await wukong.archive(archived)
        publication = await wukong.publish(private, "open")
        given = await wukong.inject_context("pilot", f"{CANARY} task", memory_ids=[private], depth="minimal")
        with pytest.raises(ApiError, match="quote"):
            await wukong.capture(f"{CANARY} says so.", quote=f"password: {CANARY}Hunter2", source="manual:me")
        learned = [
            await who.capture(f"{words} {CANARY}", category="experience", **team | {"project_id": f"{project} {n}"})
            for n, (who, words) in enumerate(zip((wukong, lin), EXPERIENCES, strict=True))
        ]
        experiences = [e["memory"]["id"] for e in learned]
        await wukong.consolidate(team_id="open")
        observed = [o["memory"]["id"] for o in (await wukong.observations())["items"]]
        proposals = [_ids(p)[0] for p in (await wukong.proposals())["items"]]
        corrected = await lin.correct(f"{CANARY}: berth 4, not berth 2.", project_id=project)
        chat = await lin.chat(project, f"What is {CANARY}?")
        batch = await lin.distill(project, [{"id": "m1", "role": "user", "content": f"We decided that {CANARY} is the word."}])
        await lin.set_user_prompt(f"{CANARY} first.")
        await lin.set_agent_controls(project, promptOverride=f"{CANARY} last.")
        trace = (await wukong.recall(f"What is {CANARY}?"))["trace_id"]
        talk = await lin.conversation(chat["conversationId"])
        messages = [i for i in re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", str(talk)) if i != chat["conversationId"]]
        folder = stage.roots / uuid4().hex
        folder.mkdir()
        (folder / "zanzibar.md").write_text(f"# {CANARY}\n\n{secret}\n", "utf-8")
        source = await lin.add_source("folder", str(folder), "atlas", "team:open")
        await lin.sync_source(source["source_id"])
        key = _ids((await lin.keys())["items"])[0]
        turn = await hooked(stage, wukong, project)
        injections = re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", str(await wukong.injections(direction="given")))
    memories += [private, *held, narrowed, archived, *experiences, *observed]
    stage.hidden = {
        "memory": [*memories, *_ids(publication)[1:]],
        "conversation": [chat["conversationId"]],
        "message": list(dict.fromkeys(messages))[:2],
        "batch": _ids(batch)[:1],
        "publication": _ids(publication)[:1],
        "injection": list(dict.fromkeys([*injections, *_ids(given)]))[:3],
        "trace": [trace],
        "source_id": [source["source_id"]],
        "proposal_id": proposals,
        "correction_id": _ids(corrected)[:1],
        "key_id": [key],
        "turn": [turn],
    }
    stage.hidden["memory_id"] = stage.hidden["memory"]
    assert all(stage.hidden.values()), [k for k, v in stage.hidden.items() if not v]


async def hooked(stage: Stage, wukong: AsyncWhoKnows, project: str) -> str:
    """A program of wukong's works for the project and is told of it; the turn's number, which the trace has too."""
    directory = f"/srv/code/{CANARY}"
    await wukong.register_workplace("codex", directory, project, machine=CANARY)
    await wukong.set_project_stage(project, "read-only", reason=f"{CANARY} first")
    event = {"hook_event_name": "UserPromptSubmit", "session_id": CANARY, "turn_id": CANARY, "cwd": directory}
    async with browser(stage.app) as program:
        program.headers.update({"Authorization": f"Bearer {stage.keys['wukong']}", "X-Machine": CANARY})
        sent = await program.post("/api/v1/hooks/codex", json=event | {"prompt": f"What is {CANARY}, the word for the key?"})
    assert CANARY in sent.text
    caller = await stage.world.caller("wukong")
    return str((await stage.world.service.recount(caller, project, 1)).items[0].noted.turn.id)


def _ids(answer: object) -> list[str]:
    return re.findall(r"[0-9a-f]{8}-[0-9a-f-]{27}", str(answer))


def absent(identity: str) -> str:
    """An id of the same moment that was never given out."""
    made = UUID(identity)
    return str(UUID(int=made.int ^ (uuid4().int & 0xFFFFFFFFFFFF)))


def routes(method: str) -> list[str]:
    found = {r.path for page in console_app.PAGES for r in all_routes(page.router) if method in (r.methods or ())}
    return sorted(found - STREAMS)


FIELDS: Mapping[str, Mapping[str, str]] = {
    "/gate/review/{memory_id}/admit": {"version": "1"},
    "/gate/review/{memory_id}/refuse": {"reason": "no"},
    "/memory/{memory}/edit": {"version": "1", "content": "changed", "category": "fact"},
    "/memory/{memory}/publish": {"team": "team:crew"},
    "/memory/{memory}/share": {"agent": "scout"},
    "/memory/{memory}/unshare": {"agent": "scout"},
    "/gate/proposals/{proposal_id}/confirm": {"repository": "x", "path": "x.md"},
    "/gate/proposals/{proposal_id}/preview": {"repository": "x", "path": "x.md"},
    "/programs/stage": {"project": f"{CANARY} project", "stage": "off"},
    "/programs/unregister": {"program": "codex", "machine": CANARY, "directory": f"/srv/code/{CANARY}"},
}
"""What forms are sent with beside an id in their address, or to reach what is hidden by its name."""
BY_QUERY: Sequence[tuple[str, str, str]] = (
    ("/knows/inspector?trace={}", "trace", ""),
    ("/chat/talks?before={}", "conversation", ""),
    ("/chat/talks?current={}", "conversation", ""),
    ("/gate?after={}", "memory", ""),
    ("/gate/news?after={}", "memory", ""),
    ("/gate/ledger?after={}", "memory", ""),
    ("/gate/observations?after={}", "memory", ""),
    ("/gate/corrections?after={}", "correction_id", ""),
    ("/gate/corrections?about={}", "memory", ""),
    ("/memory/batches?cursor={}", "batch", ""),
    ("/programs?after={}", "turn", ""),
    ("/knows/inspector?trace={}", "turn", ""),
)
"""Addresses that take an id behind a question mark, and of what."""
BY_FORM: Sequence[tuple[str, str, str, Mapping[str, str]]] = (
    ("/knows/why", "memory", "memory", {"reader": "agent:maomao"}),
    ("/knows/why", "memory", "memory", {"reader": "agent:wukong"}),
    ("/knows", "before", "memory", {}),
    ("/knows/rows", "before", "memory", {"columns": "0" * 16, "place": "0"}),
    ("/knows/rows", "until", "memory", {"columns": "0" * 16, "place": "0"}),
    ("/knows/inspector/open", "trace", "trace", {"reader": "agent:maomao"}),
    ("/memory/more", "cursor", "memory", {"shelf": "general"}),
    ("/gate/corrections", "about", "memory", {"text": "Not so.", "supersedes": "1"}),
    ("/chat/say", "conversation", "conversation", {"project": "harbour", "message": "And now?"}),
    ("/chat/say", "again", "message", {"project": "harbour", "message": "And now?"}),
    ("/chat/undo", "batch", "batch", {}),
    ("/prompts/composed", "conversation", "conversation", {"project": "harbour", "message": "And now?"}),
    ("/bureau/publish", "memory_id", "memory", {}),
)
"""Forms that take an id in a field: address, field, of what, and the other fields."""


def told(answer: httpx.Response, identity: str) -> tuple[int, str, str]:
    """Status, where it leads, and the page, with the id that was asked for taken out."""
    where = "".join(answer.headers.get(h, "") for h in ("location", "hx-redirect", "hx-retarget", "content-type"))
    return answer.status_code, where.replace(identity, "{id}"), PASSES.sub("·", answer.text.replace(identity, "{id}"))


@pytest.mark.parametrize("reader", PAGE_BY_PAGE)
async def test_what_is_hidden_changes_no_page_of_anybody(stage: Stage, reader: str) -> None:
    before, after = stage.before[reader], stage.after[reader]
    assert before.keys() == after.keys()
    others = {where for where in before if before[where] != after[where]}
    if reader == "an administrator":  # it may look with the eyes of those who see it
        others -= {where for where in others if where[1] == "/knows/two"}
    differing = [f"{w}: {before[w][0]} {after[w][0]}\n{_first([before[w], after[w]])}" for w in sorted(others)]
    assert not differing, "\n".join(differing)


async def test_every_parameter_of_an_address_is_one_that_is_tried(stage: Stage) -> None:
    named = {name for method in ("GET", "POST") for path in routes(method) for name in re.findall(r"\{(\w+)\}", path)}
    assert named <= stage.hidden.keys(), named - stage.hidden.keys()


@pytest.mark.parametrize("reader", ONE_BY_ONE)
async def test_what_is_hidden_is_absent_on_every_address(stage: Stage, reader: str) -> None:
    async with aclosing(await stage.enter(stage.keys[reader])) as client:
        differing: list[str] = []
        firsts = {ids[0] for ids in stage.hidden.values()}

        async def compared(method: str, path: str, hidden: str, form: Mapping[str, str] | None, where: str) -> None:
            other = absent(hidden)
            for headers in ({}, HX) if hidden in firsts else ({},):
                answers: list[tuple[int, str, str]] = []
                for identity in (hidden, other):
                    given = None if form is None else {k: v.replace(hidden, identity) for k, v in form.items()}
                    whole = f"/console{path}".replace(hidden, identity)
                    sent = await client.request(method, whole, data=given, headers=headers)
                    answers.append(told(sent, identity))
                if answers[0] != answers[1]:
                    differing.append(f"{method} {where} {headers}: {answers[0][:2]} {answers[1][:2]}\n{_first(answers)}")
                if CANARY in answers[0][2] or answers[0][0] >= 500:
                    differing.append(f"{method} {where}: {answers[0][0]}, tells a hidden text or breaks")

        for method in ("GET", "POST"):
            for path in routes(method):
                names = re.findall(r"\{(\w+)\}", path)
                if not names or (reader == "an administrator" and names[-1] in ADMINISTERED):
                    continue
                for hidden in stage.hidden[names[-1]]:
                    whole = path.replace(f"{{{names[-1]}}}", hidden)
                    for name in names[:-1]:
                        whole = whole.replace(f"{{{name}}}", stage.hidden[name][0])
                    await compared(method, whole, hidden, FIELDS.get(path, {}) if method == "POST" else None, path)
        for path, kind, _ in BY_QUERY:
            for hidden in stage.hidden[kind]:
                await compared("GET", path.format(hidden), hidden, None, path)
        for path, name, kind, others in BY_FORM:
            for hidden in stage.hidden[kind]:
                await compared("POST", path, hidden, {name: hidden, **others}, f"{path} {name}")
        assert not differing, "\n".join(differing)


def _first(answers: Sequence[tuple[int | str, ...]]) -> str:
    """The first line that differs."""
    for one, two in zip(str(answers[0][-1]).splitlines(), str(answers[1][-1]).splitlines(), strict=False):
        if one != two:
            return f"  {one}\n  {two}"
    return ""


async def kept_by(agent: AsyncWhoKnows) -> list[Any]:
    """All that could have become different by a form."""
    exported = [line async for line in agent.export()]
    exported += [str(await agent.workplaces()), str(await agent.project_stage(f"{CANARY} project"))]
    return [exported, await agent.ledger(), await agent.publications(), await agent.injections(), await agent.conversations()]


async def test_each_look_with_the_eyes_of_another_is_in_the_trail_and_none_of_them_writes(stage: Stage) -> None:
    """Every page that tells something of wukong to who looks with its eyes has left a note; no form does anything."""
    world = stage.world
    key = await world.key("agent:maomao", permissions=[Permission.INSPECT])
    own = {name: ids[0] for name, ids in stage.hidden.items()}

    async def looks() -> int:
        entries = (await world.service.oversee.audit(auditor, 500, None)).items
        return sum("eyes" in e.action or "inspect" in e.action or "seen" in e.action for e in entries)

    auditor = await world.service.authenticate(await world.key(permissions=[Permission.AUDIT]))
    async with aclosing(await stage.enter(key)) as client:
        await client.post("/console/eyes", data={"eyes": "agent:wukong"})
        telling = 0
        for path in routes("GET"):
            whole = re.sub(r"\{(\w+)\}", lambda n: own[n[1]], path)
            await client.post("/console/project", data={"project": ""})  # what one chose oneself is told without a look
            before = await looks()
            answer = await client.get(f"/console{whole}")
            if CANARY in answer.text:
                telling += 1
                assert await looks() > before, path
        assert telling > 8
        async with stage.client(stage.keys["wukong"]) as wukong:
            kept = await kept_by(wukong)
            for path in routes("POST"):
                if path in ("/acting", "/eyes", "/project", "/preferences", "/sign-in", "/sign-out"):
                    continue
                whole = re.sub(r"\{(\w+)\}", lambda n: own[n[1]], path)
                fields = {
                    "project": "harbour",
                    "message": "Written.",
                    "content": "Written.",
                    "text": "Written.",
                    "version": "1",
                }
                await client.post(f"/console{whole}", data={**fields, "team": "team:crew", **FIELDS.get(path, {})})
            now = await kept_by(wukong)
            assert now == kept


async def test_two_readers_are_asked_only_by_who_may_look_with_the_eyes_of_both(stage: Stage) -> None:
    inspector = await stage.world.key("agent:maomao", permissions=[Permission.INSPECT])
    for key, pair, status in (
        (stage.keys["a teammate"], ("agent:maomao", "agent:wukong"), 403),
        (stage.keys["a teammate"], ("agent:wukong", "agent:maomao"), 403),
        (stage.keys["a teammate"], ("agent:maomao", "agent:nobody"), 403),
        (stage.keys["an administrator"], ("agent:wukong", "agent:maomao"), 200),
        (inspector, ("agent:maomao", "agent:wukong"), 200),
        (inspector, ("agent:maomao", "agent:nobody"), 403),
        (inspector, ("agent:maomao", "team:open"), 403),
    ):
        async with aclosing(await stage.enter(key)) as client:
            form = {"question": CANARY, "left": pair[0], "right": pair[1]}
            answer = await client.post("/console/knows/two", data=form)
            assert answer.status_code == status, (pair, answer.status_code)
