"""What the doctor looks at on the language model: whether it is set, and says a word when it is asked for one."""

import asyncio
import time
from collections.abc import Iterator

from whoknows.cli.diagnosis.findings import Finding, fail, ok
from whoknows.errors import ConfigurationFault, ModelFault
from whoknows.settings import Settings

_ABOUT = "language model"
_ENOUGH_TOKENS = 512
"""For one word, and for what a model thinks before it."""


def model(settings: Settings) -> Iterator[Finding]:
    try:
        if not settings.model and not settings.model_url and not settings.model_key:
            yield ok(_ABOUT, "none is set: the master agent answers with what it finds (evidence mode)")
            return
        began = time.perf_counter()
        asyncio.run(_one_word(settings))
    except (ConfigurationFault, ModelFault) as fault:
        yield fail(_ABOUT, fault.detail, "look at the settings WHOKNOWS_MODEL…")
        return
    yield ok(_ABOUT, f"{settings.model} answers, in {time.perf_counter() - began:.1f} s")


async def _one_word(settings: Settings) -> None:
    from whoknows.bootstrap import pace_of, speaker_of
    from whoknows.domain.egress import Purpose
    from whoknows.policy.egress import endpoint_at, of_nobody
    from whoknows.ports import SpeechRequest, SpokenTurn

    pace, speaker = pace_of(settings), speaker_of(settings)
    if speaker is None:
        return
    grant = of_nobody(endpoint_at(Purpose.CHAT, speaker.address, speaker.model))
    turns = [SpokenTurn("user", "Answer with one word: ready.")]
    try:
        async for _ in speaker.stream(
            SpeechRequest(grant, turns, speaker.model, pace.effort, _ENOUGH_TOKENS, pace.patience, pace.deadline)
        ):
            pass
    finally:
        await speaker.close()
