"""From settings to a speaker: none where no model is set, and a clear word where the settings do not fit."""

import pytest

from whoknows.bootstrap import pace_of, speaker_of
from whoknows.domain.prompt import Effort
from whoknows.errors import ConfigurationFault
from whoknows.settings import Settings


def settings(**given: str) -> Settings:
    return Settings.read({f"WHOKNOWS_{name.upper()}": value for name, value in given.items()})


def test_without_a_model_nobody_speaks() -> None:
    assert speaker_of(settings()) is None


def test_a_model_speaks_under_its_name() -> None:
    speaker = speaker_of(settings(model="m-1", model_url="http://127.0.0.1:1/v1"))
    assert speaker is not None
    assert speaker.model == "m-1"


@pytest.mark.parametrize("given", [{"model_url": "http://127.0.0.1:1/v1"}, {"model_key": "k"}])
def test_an_endpoint_without_a_model_is_a_mistake_and_not_silence(given: dict[str, str]) -> None:
    with pytest.raises(ConfigurationFault, match="WHOKNOWS_MODEL"):
        speaker_of(settings(**given))


def test_the_pace_follows_the_timeout_and_the_effort_is_one_of_three() -> None:
    assert (pace_of(settings()).patience, pace_of(settings()).effort) == (60.0, None)
    pace = pace_of(settings(model_timeout="5", model_effort="low"))
    assert (pace.patience, pace.deadline, pace.effort) == (5.0, 50.0, Effort.LOW)
    with pytest.raises(ConfigurationFault, match="low, medium or high"):
        pace_of(settings(model_effort="extreme"))
    with pytest.raises(ConfigurationFault, match="more than 0"):
        settings(model_timeout="0")
