"""Build the service: the only place where parts are made, and settings become parts."""

from whoknows.bootstrap.adapters import embedder_of, limits_of, pace_of, speaker_of, time_zone_of, tokenizer_of
from whoknows.bootstrap.assembly import SystemClock, assemble, endpoints_of
from whoknows.bootstrap.installation import Installation, background, build, install

__all__ = [
    "Installation",
    "SystemClock",
    "assemble",
    "background",
    "build",
    "embedder_of",
    "endpoints_of",
    "install",
    "limits_of",
    "pace_of",
    "speaker_of",
    "time_zone_of",
    "tokenizer_of",
]
