"""Hidden and absent are one: the same statements are sent, and the same error comes back."""

from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import pytest
from databases import serve

from whoknows.bootstrap import Installation
from whoknows.domain.credential import Caller
from whoknows.domain.ids import MemoryId
from whoknows.domain.memory import Draft, Filters, Patch
from whoknows.errors import WhoKnowsError
from whoknows.flows.observe import Asked
from whoknows.service import Service
from whoknows.stores.postgres.session import Database, Sql
from worlds import World


class Recorder:
    """A transaction's door that keeps what goes through."""

    def __init__(self, sql: Sql, sent: list[str]) -> None:
        self._sql, self._sent = sql, sent

    def __getattr__(self, verb: str) -> Any:
        through = getattr(self._sql, verb)

        def kept(query: str, *rest: Any) -> Any:
            self._sent.append(f"{verb}: {query}")
            return through(query, *rest)

        return kept


class RecordedDatabase(Database):
    """The database, with a list of the statements of all transactions."""

    def __init__(self, dsn: str) -> None:
        super().__init__(dsn, size=4, timeout=10)
        self.sent: list[str] = []

    @asynccontextmanager
    async def request(self, caller: Caller | None, read_only: bool = False) -> AsyncIterator[Any]:
        self.sent.append(f"begin, {'read' if read_only else 'write'}")
        async with super().request(caller, read_only) as sql:
            yield Recorder(sql, self.sent)


@dataclass
class Watched:
    service: Service
    database: RecordedDatabase
    caller: Caller
    hidden: dict[str, MemoryId]


@pytest.fixture
async def watched(installation: Installation) -> AsyncIterator[Watched]:
    database = RecordedDatabase(installation.dsn)
    service = await serve(installation, database)
    world = World(service, installation)
    await world.agents("A", "B", "C")
    await world.team("T", A="writer", B="writer", C="writer")
    await world.team("U", A="writer")
    await world.write("B", "B's own")
    teams = await world.write("A", "the team's", team_id="T")
    c = await world.caller("C")
    held = await service.capture(c, Draft("held by C", layer="team", team_id="T", supersedes=teams.id))
    hidden = {
        "private": (await world.write("A", "A's own")).id,
        "another team's": (await world.write("A", "of U", team_id="U")).id,
        "narrowed": (await world.write("A", "narrowed", team_id="T", visible_to=("C",))).id,
        "held": held.memory.id,
    }
    yield Watched(service, database, await world.caller("B"), hidden)
    await service.close()


Verb = Callable[[Service, Caller, MemoryId], Coroutine[Any, Any, Any]]
VERBS: dict[str, Verb] = {
    "get": lambda s, c, m: s.read.get(c, m),
    "history": lambda s, c, m: s.read.history(c, m),
    "browse": lambda s, c, m: s.browse.one(c, m),
    "provenance": lambda s, c, m: s.trace_memory(c, m),
    "examine": lambda s, c, m: s.examine(c, m),
    "reverify": lambda s, c, m: s.reverify.memory(c, m),
    "edit": lambda s, c, m: s.change.edit(c, m, 1, Patch(content="x", named=frozenset({"content"}))),
    "archive": lambda s, c, m: s.change.archive(c, m),
    "restore": lambda s, c, m: s.change.restore(c, m),
    "share": lambda s, c, m: s.change.share(c, m, "C", True),
    "unshare": lambda s, c, m: s.change.share(c, m, "A", False),
    "delete": lambda s, c, m: s.forget(c, m),
    "delete of a version": lambda s, c, m: s.forget(c, m, 7),
    "why": lambda s, c, m: s.explain.why(c, m, None),
    "why of another": lambda s, c, m: s.explain.why(c, m, "agent:A"),
    "everyone who knows": lambda s, c, m: s.survey.everyone(c, m),
    "a cell of the matrix": lambda s, c, m: s.survey.cell(c, m, "agent:A"),
    "supersede": lambda s, c, m: s.capture(c, Draft("over it", layer="team", team_id="T", supersedes=m)),
    "observation": lambda s, c, m: s.observe.get(c, m),
    "recompute": lambda s, c, m: s.observe.recompute(c, m),
    "observe": lambda s, c, m: s.observe.make(c, Asked([m, MemoryId(UUID(int=1))])),
    "supersede in private": lambda s, c, m: s.capture(c, Draft("over it", supersedes=m)),
}


@pytest.mark.parametrize("verb", VERBS)
async def test_hidden_and_absent_send_the_same_statements_and_fail_alike(watched: Watched, verb: str) -> None:
    absent = await _outcome(watched, verb, MemoryId(uuid4()))
    assert len(absent[0]) >= 2
    for why, memory in watched.hidden.items():
        assert await _outcome(watched, verb, memory) == absent, f"{verb} tells a {why} memory from none"


async def test_what_is_visible_gets_further(watched: Watched) -> None:
    """The proof has teeth: for what is seen, an edit goes on."""
    own = (await watched.service.read.list(watched.caller, Filters(layer="private"), 1, None)).items[0].id
    sent, _, _ = await _outcome(watched, "edit", MemoryId(uuid4()))
    watched.database.sent.clear()
    await VERBS["edit"](watched.service, watched.caller, own)
    assert len(watched.database.sent) > len(sent)


async def _outcome(watched: Watched, verb: str, memory: MemoryId) -> tuple[list[str], str, str]:
    """The statements in order, and the code and text of the error."""
    watched.database.sent.clear()
    with pytest.raises(WhoKnowsError) as fault:
        await VERBS[verb](watched.service, watched.caller, memory)
    return list(watched.database.sent), fault.value.code, fault.value.detail
