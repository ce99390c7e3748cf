"""Batch capture beside the embedder alone on the same texts."""

import time
from collections.abc import Sequence

from speed.figures import Figure
from speed.world import WRITER, World
from whoknows.domain.memory import Draft
from whoknows.errors import WhoKnowsError
from whoknows.policy.egress import kept_here

_PART = "batch capture"
_AT_ONCE = 128


async def capture_beside_embedding(world: World, texts: Sequence[str]) -> list[Figure]:
    """Rates in texts per second. Batches alternate: embedded alone, captured; captured, embedded alone."""
    caller = await world.caller(WRITER)
    seconds = {"embed": 0.0, "capture": 0.0}
    starts = range(0, len(texts), _AT_ONCE)
    for n, start in enumerate(starts):
        part = texts[start : start + _AT_ONCE]
        for what in ("embed", "capture") if n % 2 else ("capture", "embed"):
            began = time.perf_counter()
            if what == "embed":
                await world.service.embedder.embed_passages([kept_here(text) for text in part])
            else:
                drafts = [Draft(text, layer="team", team_id="team-0") for text in part]
                results = await world.service.capture.batch(caller, drafts)
                failed = [r for r in results if isinstance(r, WhoKnowsError)]
                assert not failed, failed[:1]
            seconds[what] += time.perf_counter() - began
    rates = {what: len(texts) / took for what, took in seconds.items()}
    return [
        Figure(_PART, "embedder alone", rates["embed"], "texts/s"),
        Figure(_PART, "capture", rates["capture"], "texts/s"),
        Figure(_PART, "share of the embedder's rate", 100 * rates["capture"] / rates["embed"], "%", at_least=80),
    ]
