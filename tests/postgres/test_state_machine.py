"""A long random life against the model of the rules: no leak, and nothing wrongly hidden.

``make test`` runs some of it; ``make test-long``, or ``WHOKNOWS_STATE_STEPS``, as many steps as named.
"""

import asyncio
import os
from collections import Counter

from databases import fresh, serve
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from machine import Life

from worlds import World

STEPS = int(os.environ.get("WHOKNOWS_STATE_STEPS", "40"))
"""Least number of steps; each is compared for every reader."""
IN_ONE_LIFE = 40


def test_every_reader_reads_exactly_what_the_rules_say_at_every_step(server: str) -> None:
    done: Counter[str] = Counter()
    with fresh(server, "lives") as installation, asyncio.Runner() as runner:
        service = runner.run(serve(installation))
        founder = World(service, installation)
        chosen = int(os.environ.get("WHOKNOWS_STATE_SEED", "1"))
        try:
            while done["step"] < STEPS:

                @seed(chosen)
                class Seeded(Life):
                    def __init__(self) -> None:
                        super().__init__(service, founder, runner.run, done)

                run_state_machine_as_test(Seeded, settings=_settings(), _min_steps=IN_ONE_LIFE)
                chosen += 1
        except BaseException:
            print(f"seed {chosen}: {dict(done)}")
            raise
        finally:
            runner.run(service.close())
    print(f"seeds up to {chosen - 1}: {dict(done)}")
    assert done["step"] >= STEPS


def _settings() -> settings:
    return settings(
        max_examples=3,  # the first is the simplest there is, and shows little
        stateful_step_count=IN_ONE_LIFE,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
