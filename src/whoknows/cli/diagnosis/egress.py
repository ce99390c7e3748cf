"""What the doctor looks at on egress: which services outside this machine are sent texts."""

from collections.abc import Iterator

from whoknows.cli.diagnosis.findings import Finding, ok
from whoknows.errors import ConfigurationFault, EmbedderUnavailable
from whoknows.settings import Settings

_ABOUT = "services outside"


def egress(settings: Settings) -> Iterator[Finding]:
    try:
        outside = _outside(settings)
    except (ConfigurationFault, EmbedderUnavailable):
        return  # told by who looks at the embedder and the model
    if not outside:
        yield ok(_ABOUT, "none: no text leaves this machine")
        return
    yield ok(_ABOUT, f"texts, redacted, leave for {', '.join(outside)}; a bank forbids it with `whoknows egress set`")


def _outside(settings: Settings) -> list[str]:
    """Each host with what it is for, as the parts themselves say it."""
    from whoknows.bootstrap import embedder_of, endpoints_of, speaker_of

    speaker = speaker_of(settings)
    # The others compute within this process, and take a while to load.
    embedder = embedder_of(settings) if settings.embedder == "openai" else None
    found: dict[str, list[str]] = {}
    for e in endpoints_of(embedder, speaker, None):
        if not e.inside:
            found.setdefault(e.host, []).append(str(e.purpose))
    return [f"{host} ({', '.join(purposes)})" for host, purposes in found.items()]
