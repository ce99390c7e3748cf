"""Recall beside the embedding of the same questions, in one run: what the search adds to the model's own time."""

import time
from collections.abc import Sequence

from speed.figures import Figure, milliseconds, quantile
from speed.world import World
from whoknows.domain.credential import Caller
from whoknows.flows.recall import Question
from whoknows.policy.egress import kept_here
from whoknows.service import Service

_WARM = 30


async def recall_beside_embedding(
    world: World, part: str, questions: Sequence[str], p50: float, p95: float | None
) -> list[Figure]:
    """Ratios of recall to embedding; recall holds the embedding. Each question is asked both ways, in turns first.

    No floor, so that ten memories are loaded each time. The key is known already; standing, both arms, fusion, loading and
    the trace are in.
    """
    caller = await world.caller()
    for question in questions[:_WARM]:
        await _recall(world.service, caller, question)
    embedding: list[float] = []
    recall: list[float] = []
    for n, question in enumerate(questions[_WARM:]):
        if n % 2:
            embedding.append(await _embed(world.service, question))
        recall.append(await _recall(world.service, caller, question))
        if not n % 2:
            embedding.append(await _embed(world.service, question))
    ratios = {q: quantile(recall, q) / quantile(embedding, q) for q in (0.5, 0.95)}
    return [
        *milliseconds(part, "embedding alone", embedding),
        *milliseconds(part, "recall", recall),
        Figure(part, "recall / embedding, p50", ratios[0.5], "x", at_most=p50),
        Figure(part, "recall / embedding, p95", ratios[0.95], "x", at_most=p95),
    ]


async def _embed(service: Service, question: str) -> float:
    began = time.perf_counter()
    await service.embedder.embed_question(kept_here(question))
    return time.perf_counter() - began


async def _recall(service: Service, caller: Caller, question: str) -> float:
    began = time.perf_counter()
    found = await service.recall(caller, Question(question, min_score=0.0))
    took = time.perf_counter() - began
    assert found.memories, "a search without a floor brings something"
    return took
