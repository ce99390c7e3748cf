"""Context assembly beside recall, in one run: what seven parts cost over the search that both begin with."""

import time
from collections.abc import Sequence
from uuid import UUID

import psycopg

from speed.figures import Figure, milliseconds, quantile
from speed.world import World
from whoknows.domain.ids import MemoryId
from whoknows.flows.recall import Question

_WARM = 30
_PROJECTS = """
    UPDATE memories SET
        project_id = CASE WHEN memory_no % 4 < 2 THEN 'boss' WHEN memory_no % 4 = 2 THEN 'other-' || memory_no % 19 END,
        tags = CASE WHEN memory_no % 2 = 0 THEN ARRAY[split_part(content, ' ', 4), 'tag' || memory_no % 97] ELSE '{}' END"""
"""Half of all memories are the project's, a quarter general, the rest of nineteen other projects; every second one has tags."""
_RULES = "Use approved sources only. 只使用批准的数据来源。\n" * 20


async def context_beside_recall(world: World, questions: Sequence[str]) -> list[Figure]:
    """The same reader and questions, in turns. A model uses each context: what went in counts as used.

    In both: standing, embedding, both arms. Recall loads ten memories and writes its trace; a context searches twice (project
    and user), looks for tags and uses, loads up to 128 cards, counts tokens and writes what was used.
    """
    _divide(world.installation.dsn)
    admin = await world.service.authenticate(world.installation.new_key)
    await world.service.prompts.set_policy(admin, _RULES)
    caller = await world.caller()
    recall: list[float] = []
    looking: list[float] = []
    using: list[float] = []
    tokens: list[int] = []
    visible = 0
    for n, question in enumerate(questions):
        began = time.perf_counter()
        found = await world.service.recall(caller, Question(question, min_score=0.0))
        recall.append(time.perf_counter() - began)
        visible = found.trace.body["visible"]
        for times, use in ((looking, False), (using, True)) if n % 2 else ((using, True), (looking, False)):
            began = time.perf_counter()
            bundle = await world.service.assemble_context(caller, "boss", question)
            if use:
                async with world.service.store.write(caller) as tx:
                    await tx.context.use([MemoryId(UUID(i)) for i in bundle.memories])
            times.append(time.perf_counter() - began)
            tokens.append(bundle.tokens)
            assert all(bundle.parts[part].items for part in (3, 4)), "both parts of memories are filled"
    part = f"context, {visible:,} memories"
    warm = {"recall": recall[_WARM:], "looking": looking[_WARM:], "using": using[_WARM:]}
    return [
        *milliseconds(part, "recall", warm["recall"]),
        *milliseconds(part, "context, looked at", warm["looking"]),
        *milliseconds(part, "context, used", warm["using"]),
        Figure(part, "tokens of a context, median", quantile([float(t) for t in tokens], 0.5)),
        Figure(part, "context / recall, p50", quantile(warm["looking"], 0.5) / quantile(warm["recall"], 0.5), "x", at_most=2),
        Figure(part, "context used / recall, p50", quantile(warm["using"], 0.5) / quantile(warm["recall"], 0.5), "x"),
    ]


def _divide(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True, options="-c search_path=whoknows,public") as connection:
        connection.execute(_PROJECTS.encode())
        connection.execute("VACUUM (FULL, ANALYZE) memories")
